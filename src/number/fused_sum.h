// n-term fused sums, as matrix units compute them: products and addends are aligned to the greatest exponent, cut to a number of
// bits, added as integers, and rounded once. No order: the integer sum has none. Source of the model: Li et al., "MMA-Sim" (arXiv
// 2511.10909), and Fasi et al., "Numerical behavior of NVIDIA tensor cores" (PeerJ CS 2021), restated; no unit is claimed here to
// be one of these.
#pragma once

#include <span>

#include "number/arithmetic.h"

namespace bitpact {

/// What becomes of the bits of a term that lie below the last one that is kept.
enum class Cut : std::uint8_t {
  TowardZero,  ///< dropped from the magnitude
  Down,        ///< dropped from the two's complement: toward minus infinity
  Jam,         ///< dropped, and the last kept bit set where any of them was set
};

struct FusedSumRule {
  Format result = Format::F32;
  /// F: with E the greatest exponent among the terms that are not zero, the last kept bit of each term has the weight 2^(E - F).
  /// 0 .. 96.
  int fraction_bits = 24;
  Cut cut = Cut::TowardZero;
  /// The exponent of a term. False: of its factors as they are stored, added (a product may be up to 4 of that unit; a subnormal
  /// counts with the smallest normal exponent). True: that of its leading bit.
  bool normalised = false;
  /// Of the sum into the result. flush_in: subnormal operands count as zeros.
  Policy policy;
  bool operator==(const FusedSumRule&) const = default;
};

struct Product {
  Scalar a, b;
};

/// The sum of all products and all addends; operands of any float formats.
/// A NaN operand, infinity times zero, or infinities of both signs give NaN; an infinity otherwise gives itself. Where every term
/// is a zero of one sign, so is the result; a sum of zero otherwise is +0, under Rounding::Down -0. Refuses
/// `arithmetic-unsupported`: formats that are no floats, no term or more than 65,536, F out of range.
Bits fused_sum(std::span<const Product> products, std::span<const Scalar> addends, const FusedSumRule& rule);

}  // namespace bitpact
