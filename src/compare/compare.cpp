#include "compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "diagnostic/diagnostic.h"
#include "number/arithmetic.h"
#include "number/layout.h"

namespace bitpact {
namespace {

// Small enough to stay in the first-level cache when a block that differs is walked through after memcmp has seen it.
constexpr std::int64_t kBlockBytes = 4096;
constexpr std::uint64_t kNanAgainstNumber = std::numeric_limits<std::uint64_t>::max();

std::int64_t count_nonzero(const std::uint8_t* bytes, std::int64_t count) {
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
  std::int64_t total = 0, i = 0;
  for (; i + 8 <= count; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + i, 8);
    total += std::popcount((((word & kLow) + kLow) | word) & ~kLow);  // the high bit of each byte that is not zero
  }
  for (; i < count; ++i) total += bytes[i] != 0;
  return total;
}

/// What a comparison needs to know of a format, once for all elements.
struct Traits {
  explicit Traits(Format f) : format(f), is_float(bitpact::is_float(f)) {
    if (!is_float) return;
    const Layout& l = layout(f);
    sign = l.sign;
    last = l.infinities ? l.infinity : l.largest;
    if (l.nans && l.negative_zero == 0) lone_nan = l.quiet_nan;
  }
  bool nan(Bits bits) const { return is_float && ((bits & ~sign) > last || bits == lone_nan); }
  bool zero(Bits bits) const { return (bits & ~sign) == 0 && bits != lone_nan; }  // integers have one zero: sign is 0
  /// ulp_distance(format, a, b), in line: it is asked once an element where tensors differ everywhere.
  std::uint64_t ulps(Bits a, Bits b) const {
    if (!is_float) return ulp_distance(format, a, b);
    if (nan(a) || nan(b)) return nan(a) && nan(b) ? 0 : kNanAgainstNumber;
    if (((a ^ b) & sign) != 0) return (a & ~sign) + (b & ~sign);
    return a > b ? a - b : b - a;
  }

  Format format;
  bool is_float;
  Bits sign = 0;
  Bits last = 0;             ///< the greatest magnitude that is no NaN
  Bits lone_nan = ~Bits{0};  ///< the NaN of a format that has no -0
};

/// Takes the pairs whose bits differ, in row-major order.
class Tally {
 public:
  Tally(const Traits& traits, const ComparePolicy& policy, TensorComparison& result)
      : traits_(traits), policy_(policy), result_(result), buckets_(result.histogram.buckets.data()) {}

  void unequal_bits(std::int64_t flat, Bits reference, Bits candidate) {
    const bool nan_r = traits_.nan(reference), nan_c = traits_.nan(candidate);
    const std::uint64_t ulps = traits_.ulps(reference, candidate);
    count(ulps, nan_r != nan_c);
    if (nan_r && nan_c && policy_.any_nan_equal) {
      ++result_.nan_payloads;
      return;
    }
    if (policy_.zeros_equal && traits_.zero(reference) && traits_.zero(candidate)) {
      ++result_.zero_signs;
      return;
    }
    if (result_.different++ == 0) result_.first = Divergence{{}, flat, reference, candidate, ulps};
    if (!result_.greatest || ulps > result_.greatest->ulps) result_.greatest = Divergence{{}, flat, reference, candidate, ulps};
  }

  /// How many pairs were put into a bucket; the rest of those compared are equal.
  std::uint64_t counted() const { return counted_; }

 private:
  void count(std::uint64_t ulps, bool nan_against_number) {
    ++counted_;
    // Two 64-bit integers may be UINT64_MAX apart without any NaN.
    const bool clash = ulps == kNanAgainstNumber && !nan_against_number;
    ++buckets_[UlpHistogram::bucket_of(clash ? ulps - 1 : ulps)];
  }

  const Traits& traits_;
  const ComparePolicy& policy_;
  TensorComparison& result_;
  std::uint64_t* buckets_;
  std::uint64_t counted_ = 0;
};

template <typename Word>
void compare_words(const Tensor& reference, const Tensor& candidate, const std::uint8_t* keep, TensorComparison& result,
                   Tally& tally) {
  const std::int64_t block = kBlockBytes / std::int64_t{sizeof(Word)};
  const Word* r = reference.as<Word>();
  const Word* c = candidate.as<Word>();
  for (std::int64_t begin = 0; begin < reference.size(); begin += block) {
    const std::int64_t count = std::min(block, reference.size() - begin);
    result.compared += keep == nullptr ? count : count_nonzero(keep + begin, count);
    if (std::memcmp(r + begin, c + begin, static_cast<std::size_t>(count) * sizeof(Word)) == 0) continue;
    for (std::int64_t i = begin; i < begin + count; ++i)
      if (r[i] != c[i] && (keep == nullptr || keep[i] != 0)) tally.unequal_bits(i, r[i], c[i]);
  }
}

}  // namespace

int UlpHistogram::bucket_of(std::uint64_t ulps) {
  if (ulps == kNanAgainstNumber) return kNan;
  return ulps == 0 ? 0 : static_cast<int>(std::bit_width(ulps - 1)) + 1;
}

std::string UlpHistogram::label(int bucket) {
  if (bucket == kNan) return "NaN against a number";
  if (bucket <= 2) return fmt::format("{}", bucket);
  const int k = bucket - 2;  // 2^k+1 .. 2^(k+1)
  if (k < 16) return fmt::format("{}-{}", (1 << k) + 1, 1 << (k + 1));
  return fmt::format("2^{}+1..2^{}", k, k + 1);
}

TensorComparison compare_tensors(const Tensor& reference, const Tensor& candidate, const ComparePolicy& policy,
                                 const std::vector<std::uint8_t>* keep) {
  if (reference.format() != candidate.format() || reference.shape() != candidate.shape())
    refuse(Code::OperandMismatch,
           fmt::format("the reference is {}, the candidate {}", to_text(reference.shape(), reference.format()),
                       to_text(candidate.shape(), candidate.format())));
  if (keep != nullptr && keep->size() != static_cast<std::size_t>(reference.size()))
    refuse(Code::Internal, fmt::format("{} marks for {} elements", keep->size(), reference.size()));
  TensorComparison result;
  const Traits traits(reference.format());
  Tally tally(traits, policy, result);
  const std::uint8_t* marks = keep == nullptr ? nullptr : keep->data();
  switch (info(reference.format()).storage_bytes) {
    case 1:
      compare_words<std::uint8_t>(reference, candidate, marks, result, tally);
      break;
    case 2:
      compare_words<std::uint16_t>(reference, candidate, marks, result, tally);
      break;
    case 4:
      compare_words<std::uint32_t>(reference, candidate, marks, result, tally);
      break;
    case 8:
      compare_words<std::uint64_t>(reference, candidate, marks, result, tally);
      break;
    default:
      refuse(Code::Internal, "elements of that many bytes cannot be compared");
  }
  result.histogram.buckets[0] += static_cast<std::uint64_t>(result.compared) - tally.counted();
  for (auto* divergence : {&result.first, &result.greatest})
    if (*divergence) (*divergence)->index = coordinate(reference.shape(), (*divergence)->flat);
  return result;
}

}  // namespace bitpact
