// Two tensors of one format and shape, compared as raw bits: a NaN with another payload differs, and so does -0 from +0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "compare/compare.h"

namespace bitpact {

struct ElementDivergence {
  std::int64_t flat = 0;  ///< row-major
  Bits a = 0, b = 0;
  std::uint64_t ulps = 0;  ///< see ulp_distance; 0 for two zeros and for two NaNs, UINT64_MAX for a NaN against a number
};

/// Of all elements of one side, equal ones included. Integers have neither.
struct SpecialCounts {
  std::int64_t nan = 0, infinite = 0;
  bool operator==(const SpecialCounts&) const = default;
};

/// max_abs, max_rel and rms are over the pairs that are finite on both sides, computed in f64 from the exact values (integers:
/// the difference exactly, then rounded to f64). They are empty where no such pair is among those that differ. A difference
/// beyond f64's range is an infinity.
struct RawComparison {
  std::int64_t elements = 0;
  std::int64_t different = 0;              ///< other bits
  std::int64_t nan_payloads = 0;           ///< of those: NaN on both sides, with another payload or sign
  std::int64_t zero_signs = 0;             ///< of those: -0 against +0
  std::int64_t nan_against_number = 0;     ///< of those
  std::int64_t finite = 0;                 ///< pairs finite on both sides, equal ones included
  std::optional<ElementDivergence> first;  ///< of those that differ, in row-major order
  std::optional<ElementDivergence>
      greatest;  ///< by ulps, of those that differ and are numbers on both sides; the first of equals
  std::vector<std::pair<int, std::uint64_t>> histogram;  ///< UlpHistogram's buckets that are not empty, of those that differ
  SpecialCounts a, b;
  std::optional<double> max_abs;  ///< greatest |a - b|
  std::optional<double> max_rel;  ///< greatest |a - b| / max(|a|, |b|)
  std::optional<double> rms;      ///< sqrt(sum of (a - b)^2 / finite)
};

/// The figures of one range of elements, to be merged in order. A range is walked block by block; a block that is equal costs a
/// memcmp, and one that differs is looked at again while it is in the cache.
class RawRange {
 public:
  /// Elements [begin, end) of two tensors' bytes, each at any alignment. `count_specials`: NaNs and infinities of equal blocks
  /// are counted on the way (else only from the first difference on, and count_rest() does what is left).
  RawRange(Format format, const std::byte* a, const std::byte* b, std::int64_t begin, std::int64_t end, bool count_specials);
  RawRange(RawRange&&) noexcept;
  RawRange& operator=(RawRange&&) noexcept;
  ~RawRange();

  bool differs() const;
  /// Counts the specials of the equal blocks that were passed by.
  void count_rest();
  struct Figures;

 private:
  friend RawComparison merged(std::vector<RawRange>& ranges);
  Format format_;
  const std::byte* a_;
  std::int64_t begin_, end_;
  std::int64_t counted_from_;         ///< specials are counted from this element on
  std::unique_ptr<Figures> figures_;  ///< null while nothing was found or counted
};

/// Adjacent ranges of one pair of tensors, in order; counts what they left uncounted. The result does not depend on where the
/// pair was divided, but for the last bits of rms, which follow the division.
RawComparison merged(std::vector<RawRange>& ranges);

/// The whole of two tensors. Refuses `internal` where the two spans are not of one length and a whole number of elements.
RawComparison compare_raw(Format format, std::span<const std::byte> a, std::span<const std::byte> b);

}  // namespace bitpact
