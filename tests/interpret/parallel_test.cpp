// Chunks on threads: what becomes of exceptions, and of threads that the system does not give.
#include "interpret/parallel.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

namespace bitpact {
namespace {

const Chunks kChunks({{1000, 64}, {{64, 1}}}, 64);

struct Counting : ChunkWorker {
  explicit Counting(std::atomic<std::int64_t>& counter) : runs(counter) {}
  void run(Chunk) override { ++runs; }
  std::atomic<std::int64_t>& runs;
};

bool each_runs_once(int threads) {
  std::atomic<std::int64_t> runs{0};
  run_chunks(kChunks, threads, [&] { return std::make_unique<Counting>(runs); });
  return runs == kChunks.count();
}

TEST(Parallel, RunsEachChunkOnce) {
  for (const int threads : {0, 1, 2, 7}) EXPECT_TRUE(each_runs_once(threads)) << threads;
}

struct Failing : ChunkWorker {
  void run(Chunk chunk) override {
    if (chunk.first > 100) throw std::runtime_error("from a thread");
  }
};

TEST(Parallel, HandsOnWhatAThreadThrows) {
  for (const int threads : {1, 4}) {
    EXPECT_THROW(run_chunks(kChunks, threads, [] { return std::make_unique<Failing>(); }), std::runtime_error);
  }
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// In a process of its own, whose memory has room for no stack of a thread.
[[noreturn]] void without_threads() {
  std::ifstream status("/proc/self/status");
  rlim_t used = 0;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmData:")) used = std::strtoull(line.c_str() + 7, nullptr, 10) * 1024;
  }
  const rlimit limit{used + (2u << 20), used + (2u << 20)};
  if (setrlimit(RLIMIT_DATA, &limit) != 0) std::exit(2);
  std::exit(each_runs_once(8) ? 0 : 1);
}

TEST(Parallel, DoesAllWithFewerThreadsThanAskedFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(without_threads(), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace bitpact
