#include "compare/raw_comparison.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "compare/raw_element.h"

namespace bitpact {
namespace {

constexpr std::uint64_t kNanAgainstNumber = std::numeric_limits<std::uint64_t>::max();
// What a memcmp takes at once: it stays in the second-level cache until a block that differs has been looked at.
constexpr std::int64_t kBlockBytes = 16384;
// Elements that the detailed pass takes at once, in arrays of fixed length so that its loops need no remainder.
constexpr int kRun = 64;

/// Sum of squares that neither overflows nor vanishes before its result would (Blue 1978: three accumulators, powers of two
/// apart).
class SquareSum {
 public:
  void add(const std::array<double, kRun>& values, double greatest) {
    const int which = greatest > 0x1p480 ? 2 : greatest < 0x1p-480 ? 0 : 1;
    std::array<double, 8> lanes{};
    for (int i = 0; i < kRun; i += 8) {
      for (int lane = 0; lane < 8; ++lane) {
        const double v = values[static_cast<std::size_t>(i + lane)] * kScale[which];
        lanes[static_cast<std::size_t>(lane)] += v * v;
      }
    }
    sums_[which] += ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  }
  void add(const SquareSum& other) {
    for (int i = 0; i < 3; ++i) sums_[i] += other.sums_[i];
  }
  double root_of_mean(std::int64_t count) const {
    const auto n = static_cast<double>(count);
    if (sums_[2] > 0) return std::sqrt((sums_[2] + sums_[1] * 0x1p-600 * 0x1p-600) / n) * 0x1p600;
    if (sums_[1] > 0) return std::sqrt((sums_[1] + sums_[0] * 0x1p-600 * 0x1p-600) / n);
    return std::sqrt(sums_[0] / n) * 0x1p-600;
  }

 private:
  static constexpr double kScale[3] = {0x1p600, 1, 0x1p-600};
  double sums_[3] = {0, 0, 0};
};

}  // namespace

struct RawRange::Figures {
  std::int64_t different = 0, nan_payloads = 0, zero_signs = 0, nan_against_number = 0;
  std::int64_t not_finite = 0;        ///< pairs with a NaN or an infinity
  std::int64_t finite_different = 0;  ///< pairs that differ and are finite on both sides
  SpecialCounts a, b;
  std::optional<ElementDivergence> first, greatest;
  std::array<std::uint64_t, UlpHistogram::kNan + 1> buckets{};
  double max_abs = 0, max_rel = 0;
  SquareSum squares;

  void add(const Figures& later) {
    different += later.different;
    nan_payloads += later.nan_payloads;
    zero_signs += later.zero_signs;
    nan_against_number += later.nan_against_number;
    not_finite += later.not_finite;
    finite_different += later.finite_different;
    a.nan += later.a.nan, a.infinite += later.a.infinite;
    b.nan += later.b.nan, b.infinite += later.b.infinite;
    if (!first) first = later.first;
    if (later.greatest && (!greatest || later.greatest->ulps > greatest->ulps)) greatest = later.greatest;
    for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i] += later.buckets[i];
    max_abs = std::max(max_abs, later.max_abs);
    max_rel = std::max(max_rel, later.max_rel);
    squares.add(later.squares);
  }
};

namespace {

using Figures = RawRange::Figures;

template <typename E>
class Tally {
  using Word = typename E::Word;
  using Words = std::array<Word, kRun>;

 public:
  Tally(const E& element, Figures& figures) : element_(element), figures_(figures) {}

  /// Elements [begin, begin + count) of two tensors that may differ.
  void pair(const std::byte* a, const std::byte* b, std::int64_t begin, std::int64_t count) {
    for (std::int64_t at = 0; at < count; at += kRun) {
      const Words wa = load(a, begin + at, count - at), wb = load(b, begin + at, count - at);
      int different = 0;
      for (int i = 0; i < kRun; ++i) different += wa[i] != wb[i];
      const int specials = count_specials(wa, figures_.a);
      if (different == 0) {
        figures_.b.nan += last_.nan, figures_.b.infinite += last_.infinite;
        figures_.not_finite += specials;
        continue;
      }
      const int specials_b = count_specials(wb, figures_.b);
      figures_.different += different;
      distances(wa, wb, specials + specials_b != 0);
      elements(wa, wb, begin + at);
    }
  }

  /// Elements [begin, begin + count) of two tensors that are equal there.
  void equal(const std::byte* a, std::int64_t begin, std::int64_t count) {
    for (std::int64_t at = 0; at < count; at += kRun) {
      figures_.not_finite += count_specials(load(a, begin + at, count - at), figures_.a);
      figures_.b.nan += last_.nan, figures_.b.infinite += last_.infinite;
    }
  }

 private:
  // Past the end the words are zero: equal, finite, and of no weight in any figure.
  static Words load(const std::byte* bytes, std::int64_t at, std::int64_t left) {
    Words words;
    const std::byte* from = bytes + static_cast<std::size_t>(at) * sizeof(Word);
    if (left >= kRun) {
      std::memcpy(words.data(), from, sizeof words);
    } else {
      words.fill(0);
      std::memcpy(words.data(), from, static_cast<std::size_t>(left) * sizeof(Word));
    }
    return words;
  }

  int count_specials(const Words& words, SpecialCounts& counts) {
    if constexpr (!E::kFloat) return 0;
    int nan = 0, infinite = 0;
    for (int i = 0; i < kRun; ++i) {
      nan += element_.nan(words[i]);
      infinite += element_.infinite(words[i]);
    }
    last_ = {nan, infinite};
    counts.nan += nan, counts.infinite += infinite;
    return nan + infinite;
  }

  bool finite(Word w) const { return !element_.nan(w) && !element_.infinite(w); }

  void distances(const Words& a, const Words& b, bool specials) {
    std::array<double, kRun> absolute, relative, size;
    for (int i = 0; i < kRun; ++i) {
      const double x = std::fabs(element_.value(a[i])), y = std::fabs(element_.value(b[i]));
      size[i] = x > y ? x : y;
      absolute[i] = element_.distance(a[i], b[i]);
    }
    int finite_different = 0;
    if (specials) {
      for (int i = 0; i < kRun; ++i) {
        const bool both = finite(a[i]) && finite(b[i]);
        figures_.not_finite += !both;
        finite_different += both && a[i] != b[i];
        if (!both) absolute[i] = 0, size[i] = 1;
      }
    } else {
      for (int i = 0; i < kRun; ++i) finite_different += a[i] != b[i];
    }
    figures_.finite_different += finite_different;
    for (int i = 0; i < kRun; ++i) relative[i] = absolute[i] / (size[i] > 0 ? size[i] : 1);
    const double greatest = greatest_of(absolute);
    if (greatest == std::numeric_limits<double>::infinity()) beyond_f64(a, b, absolute, size, relative);
    figures_.max_abs = std::max(figures_.max_abs, greatest);
    figures_.max_rel = std::max(figures_.max_rel, greatest_of(relative));
    figures_.squares.add(absolute, greatest);
  }

  /// The difference of two f64 that is itself no f64 still has a ratio.
  void beyond_f64(const Words& a, const Words& b, const std::array<double, kRun>& absolute, const std::array<double, kRun>& size,
                  std::array<double, kRun>& relative) const {
    for (int i = 0; i < kRun; ++i) {
      if (absolute[i] == std::numeric_limits<double>::infinity())
        relative[i] = std::fabs(element_.value(a[i]) / size[i] - element_.value(b[i]) / size[i]);
    }
  }

  static double greatest_of(const std::array<double, kRun>& values) {
    std::array<double, 8> lanes{};
    for (int i = 0; i < kRun; i += 8) {
      for (int lane = 0; lane < 8; ++lane) {
        const double v = values[static_cast<std::size_t>(i + lane)];
        double& most = lanes[static_cast<std::size_t>(lane)];
        most = v > most ? v : most;
      }
    }
    return *std::max_element(lanes.begin(), lanes.end());
  }

  void elements(const Words& a, const Words& b, std::int64_t begin) {
    for (int i = 0; i < kRun; ++i) {
      if (a[i] == b[i]) continue;
      const bool nan_a = element_.nan(a[i]), nan_b = element_.nan(b[i]);
      ElementDivergence here{begin + i, a[i], b[i], 0};
      if (nan_a || nan_b) {
        here.ulps = nan_a && nan_b ? 0 : kNanAgainstNumber;
        ++(nan_a && nan_b ? figures_.nan_payloads : figures_.nan_against_number);
        ++figures_.buckets[nan_a && nan_b ? 0 : UlpHistogram::kNan];
      } else {
        here.ulps = element_.ulps(a[i], b[i]);
        figures_.zero_signs += element_.zero(a[i]) && element_.zero(b[i]);
        // Two 64-bit integers may be UINT64_MAX apart without any NaN.
        const bool clash = here.ulps == kNanAgainstNumber;
        ++figures_.buckets[static_cast<std::size_t>(UlpHistogram::bucket_of(clash ? here.ulps - 1 : here.ulps))];
        if (!figures_.greatest || here.ulps > figures_.greatest->ulps) figures_.greatest = here;
      }
      if (!figures_.first) figures_.first = here;
    }
  }

  const E& element_;
  Figures& figures_;
  SpecialCounts last_;  ///< of the run counted last
};

}  // namespace

RawRange::RawRange(Format format, const std::byte* a, const std::byte* b, std::int64_t begin, std::int64_t end,
                   bool count_specials)
    : format_(format), a_(a), begin_(begin), end_(end), counted_from_(count_specials ? begin : end) {
  const auto width = static_cast<std::int64_t>(info(format).storage_bytes);
  const std::int64_t block = kBlockBytes / width;
  const bool specials = is_float(format);
  if (count_specials && specials) figures_ = std::make_unique<Figures>();
  for (std::int64_t at = begin; at < end; at += block) {
    const std::int64_t count = std::min(block, end - at);
    const auto offset = static_cast<std::size_t>(at * width);
    const bool equal = std::memcmp(a + offset, b + offset, static_cast<std::size_t>(count * width)) == 0;
    if (equal && (!figures_ || !specials)) continue;
    if (!figures_) {
      figures_ = std::make_unique<Figures>();
      counted_from_ = std::min(counted_from_, at);
    }
    raw::with_element(format, [&](const auto& element) {
      Tally tally(element, *figures_);
      equal ? tally.equal(a, at, count) : tally.pair(a, b, at, count);
    });
  }
}

RawRange::RawRange(RawRange&&) noexcept = default;
RawRange& RawRange::operator=(RawRange&&) noexcept = default;
RawRange::~RawRange() = default;

bool RawRange::differs() const { return figures_ && figures_->different > 0; }

void RawRange::count_rest() {
  if (!is_float(format_) || counted_from_ == begin_) return;
  if (!figures_) figures_ = std::make_unique<Figures>();
  raw::with_element(format_, [&](const auto& element) { Tally(element, *figures_).equal(a_, begin_, counted_from_ - begin_); });
  counted_from_ = begin_;
}

RawComparison merged(std::vector<RawRange>& ranges) {
  Figures all;
  RawComparison result;
  for (RawRange& range : ranges) {
    range.count_rest();
    result.elements += range.end_ - range.begin_;
    if (range.figures_) all.add(*range.figures_);
  }
  result.different = all.different;
  result.nan_payloads = all.nan_payloads;
  result.zero_signs = all.zero_signs;
  result.nan_against_number = all.nan_against_number;
  result.finite = result.elements - all.not_finite;
  result.first = all.first;
  result.greatest = all.greatest;
  for (std::size_t b = 0; b < all.buckets.size(); ++b)
    if (all.buckets[b] != 0) result.histogram.emplace_back(static_cast<int>(b), all.buckets[b]);
  result.a = all.a;
  result.b = all.b;
  if (all.finite_different > 0) {
    result.max_abs = all.max_abs;
    result.max_rel = all.max_rel;
    result.rms = all.squares.root_of_mean(result.finite);
  }
  return result;
}

RawComparison compare_raw(Format format, std::span<const std::byte> a, std::span<const std::byte> b) {
  const auto width = static_cast<std::size_t>(info(format).storage_bytes);
  if (a.size() != b.size() || a.size() % width != 0) refuse(Code::Internal, "bytes of two tensors of one shape are not as many");
  std::vector<RawRange> one;
  one.emplace_back(format, a.data(), b.data(), 0, static_cast<std::int64_t>(a.size() / width), false);
  return merged(one);
}

}  // namespace bitpact
