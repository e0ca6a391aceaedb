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
  std::uint64_t ulps = 0;  ///< see ulp_distance
};

/// Counts of ulp distances: 0, 1, 2, 3-4, 5-8, ... 2^k+1 .. 2^(k+1), and one for NaN against a number.
struct UlpHistogram {
  std::vector<std::uint64_t> buckets = std::vector<std::uint64_t>(66, 0);
  static int bucket_of(std::uint64_t ulps);
  static std::string label(int bucket);
};

struct TensorComparison {
  std::int64_t compared = 0;
  std::int64_t different = 0;
  std::int64_t nan_payloads = 0;       ///< NaN pairs whose bits differ, though taken as equal
  std::int64_t zero_signs = 0;         ///< zero pairs whose signs differ, though taken as equal
  std::optional<Divergence> first;     ///< in row-major order
  std::optional<Divergence> greatest;  ///< by ulps
  UlpHistogram histogram;              ///< of all compared
};

/// Two tensors of one shape and format, restricted to elements where `keep` is nonzero (all where it is null).
/// Refuses `operand-mismatch` where shape or format differ.
TensorComparison compare_tensors(const Tensor& reference, const Tensor& candidate, const ComparePolicy& policy = {},
                                 const std::vector<std::uint8_t>* keep = nullptr);

}  // namespace bitpact
