// Equal means bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace bitpact {

struct ComparePolicy {
  bool any_nan_equal = true;  ///< any NaN equals any NaN; else payload and sign count
  bool zeros_equal = false;   ///< -0 equals +0
};

struct Divergence {
  std::vector<std::int64_t> index;
  std::int64_t flat = 0;
  Bits reference = 0, candidate = 0;
  std::uint64_t ulps = 0;  ///< see ulp_distance; 0 for two zeros and for two NaNs, UINT64_MAX for a NaN against a number
};

/// Counts of ulp distances: 0, 1, 2, 3-4, 5-8, ... 2^k+1 .. 2^(k+1) up to k = 63, and one for NaN against a number.
struct UlpHistogram {
  static constexpr int kNan = 66;  ///< the bucket for NaN against a number
  std::vector<std::uint64_t> buckets = std::vector<std::uint64_t>(kNan + 1, 0);
  static int bucket_of(std::uint64_t ulps);  ///< UINT64_MAX is a NaN against a number
  static std::string label(int bucket);      ///< "0", "1", "2", "3-4", ... "2^20+1..2^21", "NaN against a number"
};

struct TensorComparison {
  std::int64_t compared = 0;
  std::int64_t different = 0;
  std::int64_t nan_payloads = 0;       ///< NaN pairs whose bits differ, though taken as equal
  std::int64_t zero_signs = 0;         ///< zero pairs whose signs differ, though taken as equal
  std::optional<Divergence> first;     ///< in row-major order
  std::optional<Divergence> greatest;  ///< by ulps, of those that differ; the first of equals
  UlpHistogram histogram;              ///< of all compared
};

/// Two tensors of one shape and format, restricted to elements where `keep` is nonzero (all where it is null).
/// Refuses `operand-mismatch` where shape or format differ, `internal` where `keep` has not one entry an element.
/// Two NaNs (where they are not equal) count as 0 ulps apart, so do two zeros: what differs is in `different`, how far in
/// `histogram`.
TensorComparison compare_tensors(const Tensor& reference, const Tensor& candidate, const ComparePolicy& policy = {},
                                 const std::vector<std::uint8_t>* keep = nullptr);

}  // namespace bitpact
