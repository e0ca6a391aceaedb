#include "interpret/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "interpret/float_modes.h"

namespace bitpact {

void run_chunks(const Chunks& chunks, int threads, const std::function<std::unique_ptr<ChunkWorker>()>& make_worker) {
  if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  threads = static_cast<int>(std::min<std::int64_t>(threads, chunks.count()));
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  auto work = [&] {
    try {
      const DefaultFloatModes modes;
      const std::unique_ptr<ChunkWorker> worker = make_worker();
      for (std::int64_t index = next++; index < chunks.count(); index = next++) worker->run(chunks.at(index));
    } catch (...) {
      next = chunks.count();
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  if (threads <= 1) {
    if (chunks.count() > 0) work();
  } else {
    std::vector<std::jthread> others;
    try {
      for (int t = 1; t < threads; ++t) others.emplace_back(work);
    } catch (const std::system_error&) {  // the system gives no more threads: these do all of it
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace bitpact
