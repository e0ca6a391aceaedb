// Exact scalar arithmetic: every operation is computed exactly and rounded once, into any format.
// This engine uses integers only: no floating-point instruction of the machine, so no mode of it, can change a bit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "number/format.h"

namespace bitpact {

/// IEEE 754-2019 4.3 attributes, and round to odd (Boldo & Melquiond 2008: inexact results get an odd last bit).
enum class Rounding : std::uint8_t { NearestEven, NearestAway, TowardZero, Up, Down, ToOdd };

/// What a result beyond the largest finite value becomes.
enum class Overflow : std::uint8_t {
  Ieee,      ///< floats: infinity or the largest finite value, as IEEE 754-2019 7.4 says for the rounding; integers: wraps
  Saturate,  ///< the largest value of that sign; an infinite operand too; NaN into an integer gives 0
};

struct Policy {
  Rounding rounding = Rounding::NearestEven;
  Overflow overflow = Overflow::Ieee;
  bool flush_in = false;   ///< a subnormal operand counts as a zero of its sign
  bool flush_out = false;  ///< a result that is tiny after rounding (IEEE 754-2019 7.5 b) becomes a zero of its sign
  bool operator==(const Policy&) const = default;
};

/// A typed scalar.
struct Scalar {
  Format format;
  Bits bits;
  bool operator==(const Scalar&) const = default;
};

// Float arithmetic. Operands may be of different float formats, the result of a third; it is rounded once.
// A NaN result is quiet_nan(result). Integer operands are taken where all formats are the same integer format: wraps (Ieee) or
// saturates.
Bits add(Scalar a, Scalar b, Format result, const Policy& policy = {});
Bits subtract(Scalar a, Scalar b, Format result, const Policy& policy = {});
Bits multiply(Scalar a, Scalar b, Format result, const Policy& policy = {});
Bits divide(Scalar a, Scalar b, Format result, const Policy& policy = {});
Bits square_root(Scalar a, Format result, const Policy& policy = {});
Bits fused_multiply_add(Scalar a, Scalar b, Scalar c, Format result, const Policy& policy = {});

/// Any format to any format. Float to integer rounds with policy.rounding; out of range wraps (Ieee: the low bits of the rounded
/// integer; infinities and NaN give 0) or saturates. Integer to float rounds. To I1: nonzero (NaN too) is 1.
Bits convert(Scalar a, Format result, const Policy& policy = {});

Bits negate(Scalar a);           ///< flips the sign bit (floats, NaN too), or wraps (integers)
Bits absolute(Scalar a);         ///< clears the sign bit (floats, NaN too), or wraps (integers)
bool less(Scalar a, Scalar b);   ///< false where one is NaN; -0 is not less than +0
bool equal(Scalar a, Scalar b);  ///< numeric: -0 == +0, NaN != NaN

/// The exact value as text: shortest decimal that reads back to the same bits (f64 f32 bf16 f16), "nan", "inf", "-0".
std::string to_text(Scalar a);
/// "0x3f800000": hexadecimal with the format's full width.
std::string to_hex(Scalar a);
/// Nearest value of `result` (ties to even) to a decimal or hexadecimal float literal; "nan", "inf", "-inf" too. Empty if
/// malformed.
std::optional<Bits> parse_scalar(std::string_view text, Format result);

/// Distance in representable values between two finite floats of one format (-0 and +0 are 0 apart); infinities count as the next
/// value after the largest finite one. NaN on exactly one side: UINT64_MAX. Integers: absolute difference.
std::uint64_t ulp_distance(Format format, Bits a, Bits b);

}  // namespace bitpact
