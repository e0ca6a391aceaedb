#include "compare/dump_schedule.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "diagnostic/diagnostic.h"
#include "interpret/float_modes.h"

namespace bitpact {
namespace {

// A range: long enough that handing it out costs nothing, short enough that threads end together.
constexpr std::size_t kRangeBytes = std::size_t{4} << 20;
// Small pairs are taken together until they have as many bytes, or are as many.
constexpr std::size_t kGroupBytes = std::size_t{1} << 20;
constexpr std::size_t kGroupPairs = 512;
// Comparing is bound by memory: more threads do not help.
constexpr unsigned kMostThreads = 8;

// Maps all pages of a range at once, which costs less than a fault for each few. Advice only: what does not take it reads as
// before.
void announce([[maybe_unused]] const std::byte* bytes, [[maybe_unused]] std::size_t size) {
#ifdef MADV_POPULATE_READ
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes) & ~(page - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(bytes) + size;
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_READ);
#endif
}

/// A pair that is being compared, range by range.
struct Open {
  DumpPair* pair = nullptr;
  DumpTensor a, b;
  std::int64_t elements = 0, range = 0;
  std::size_t count = 0, next = 0, done = 0;
  std::vector<std::optional<RawRange>> ranges;  ///< those that hold figures
  bool differs = false;
};

class Schedule {
 public:
  Schedule(const Dump& a, const Dump& b, std::span<DumpPair> pairs) : a_(a), b_(b), pairs_(pairs) {}

  void run(int threads) {
    std::vector<std::jthread> others;
    try {
      for (int t = 1; t < threads; ++t) others.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The system gives no more threads: those that there are do all of it.
    }
    work();
    others.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work() {
    const DefaultFloatModes modes;
    try {
      while (step()) {
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      changed_.notify_all();
    }
  }

  // One piece of work; false where there is none left.
  bool step() {
    std::unique_lock lock(mutex_);
    while (true) {
      if (failure_) return false;
      if (open_ && open_->next < open_->count) return range(std::move(lock), open_);
      if (next_ < pairs_.size()) return pairs(std::move(lock));
      if (reading_ == 0) return false;
      changed_.wait(lock);  // a pair that is being read may have ranges to share
    }
  }

  bool pairs(std::unique_lock<std::mutex> lock) {
    const std::size_t begin = next_;
    std::size_t bytes = 0;
    while (next_ < pairs_.size() && next_ - begin < kGroupPairs) {
      const std::size_t size = bytes_to_read(pairs_[next_]);
      if (bytes > 0 && bytes + size > kGroupBytes) break;
      bytes += size;
      ++next_;
    }
    const std::size_t end = next_;
    ++reading_;
    lock.unlock();
    std::shared_ptr<Open> large;
    try {
      for (std::size_t i = begin; i < end; ++i) {
        if (pairs_[i].outcome != Outcome::Equal) continue;
        std::shared_ptr<Open> open = read(pairs_[i]);
        if (open->count > 1) {
          large = std::move(open);  // the last of its group, by its size
        } else if (open->count == 1) {
          compare_range(*open, 0, false);
          finish(*open);
        }
      }
    } catch (...) {
      lock.lock();
      --reading_;
      throw;
    }
    lock.lock();
    --reading_;
    changed_.notify_all();
    if (!large) return true;
    // Where another is already shared, this one is done alone: no pair waits in memory for its turn.
    if (!open_ || open_->next == open_->count) open_ = large;
    while (large->next < large->count) {
      range(std::move(lock), large);
      lock = std::unique_lock(mutex_);
    }
    return true;
  }

  std::size_t bytes_to_read(const DumpPair& pair) const {
    return pair.outcome == Outcome::Equal ? a_.entries()[pair.a].byte_size : 0;
  }

  std::shared_ptr<Open> read(DumpPair& pair) const {
    auto open = std::make_shared<Open>();
    open->pair = &pair;
    open->a = a_.read(pair.a);
    open->b = b_.read(pair.b);
    const DumpEntry& entry = a_.entries()[pair.a];
    const auto width = static_cast<std::size_t>(info(entry.format).storage_bytes);
    open->elements = element_count(entry.shape);
    const std::size_t size = static_cast<std::size_t>(open->elements) * width;
    if (open->a.bytes.size() != size || open->b.bytes.size() != size)
      refuse(Code::Internal,
             fmt::format("'{}' has {} and {} bytes, not {}", entry.name, open->a.bytes.size(), open->b.bytes.size(), size));
    open->range = static_cast<std::int64_t>(kRangeBytes / width);
    open->count = (size + kRangeBytes - 1) / kRangeBytes;
    open->ranges.resize(open->count);
    return open;
  }

  // `lock` is held on the way in and let go.
  bool range(std::unique_lock<std::mutex> lock, std::shared_ptr<Open> open) {
    const std::size_t index = open->next++;
    const bool differs = open->differs;
    if (open->next == open->count && open_ == open) open_.reset();
    lock.unlock();
    announce_range(*open, index);
    compare_range(*open, index, differs);
    lock.lock();
    open->differs = open->differs || open->ranges[index]->differs();
    const bool last = ++open->done == open->count;
    lock.unlock();
    if (last) finish(*open);
    return true;
  }

  static void announce_range(const Open& open, std::size_t index) {
    const std::size_t begin = index * kRangeBytes;
    const std::size_t size = std::min(kRangeBytes, open.a.bytes.size() - begin);
    announce(open.a.bytes.data() + begin, size);
    announce(open.b.bytes.data() + begin, size);
  }

  static void compare_range(Open& open, std::size_t index, bool differs) {
    const std::int64_t begin = static_cast<std::int64_t>(index) * open.range;
    open.ranges[index].emplace(open.a.format, open.a.bytes.data(), open.b.bytes.data(), begin,
                               std::min(open.elements, begin + open.range), differs);
  }

  static void finish(Open& open) {
    if (std::none_of(open.ranges.begin(), open.ranges.end(), [](const auto& range) { return range->differs(); })) return;
    std::vector<RawRange> ranges;
    ranges.reserve(open.ranges.size());
    for (auto& range : open.ranges) ranges.push_back(std::move(*range));
    open.pair->difference = std::make_unique<RawComparison>(merged(ranges));
    open.pair->outcome = Outcome::Differs;
  }

  const Dump &a_, &b_;
  const std::span<DumpPair> pairs_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0;
  int reading_ = 0;             ///< threads that hold pairs whose sizes nobody else knows yet
  std::shared_ptr<Open> open_;  ///< the pair whose ranges anyone may take
  std::exception_ptr failure_;
};

}  // namespace

void compare_pairs(const Dump& a, const Dump& b, std::span<DumpPair> pairs, int threads) {
  if (threads <= 0) threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads));
  std::size_t bytes = 0;
  for (const DumpPair& pair : pairs)
    if (pair.outcome == Outcome::Equal) bytes += a.entries()[pair.a].byte_size;
  threads = static_cast<int>(
      std::min<std::size_t>(static_cast<std::size_t>(threads), 1 + bytes / kRangeBytes + pairs.size() / kGroupPairs));
  Schedule(a, b, pairs).run(threads);
}

}  // namespace bitpact
