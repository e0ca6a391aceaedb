// Exact scalar arithmetic: every operation is computed exactly and rounded once, into any format.
// This engine uses integers only: no floating-point instruction of the machine, so no mode of it, can change a bit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "number/format.h"

namespace bitpact {

/// IEEE 754-2019 4.3 attributes, and round to odd (Boldo & Melquiond 2008: inexact results get an odd last bit; a finite result
/// beyond the largest finite value becomes that value, whose last bit is odd).
enum class Rounding : std::uint8_t { NearestEven, NearestAway, TowardZero, Up, Down, ToOdd };

/// What a result that the format has no value for becomes; docs/formats.md has the whole table.
/// - Ieee. Floats: beyond the largest finite value infinity or that value, as IEEE 754-2019 7.4 says for the rounding; in a
/// format
///   without infinities NaN stands for infinity, and in one without either the largest finite value of that sign. A NaN in a
///   format without one: +0. Zero and negative results in a format that has none (f8E8M0FNU): NaN. Integers: wraps, the low bits
///   of the rounded integer; infinities and NaN give 0.
/// - Saturate. The largest value of that sign; an infinite operand and x/0 too; zero and negative results in a format that has
///   none: the smallest value. NaN into an integer gives 0.
/// - Indefinite. Integers: out of range, infinite and NaN are one value, as x86's conversions give it: only the top bit set, for
///   unsigned ones all bits. Through which integer a conversion goes is said by two of them: f32 -> i32 (Indefinite) -> i8
///   (Ieee). Floats: as Ieee.
enum class Overflow : std::uint8_t { Ieee, Saturate, Indefinite };

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
// A NaN result is quiet_nan(result). Signed zeros follow IEEE 754-2019 6.3: x - x is +0, under Down -0.
// flush_out looks at the result rounded as if the exponent were unbounded, and takes exact subnormal results too.
// Integer operands are taken where all formats are the same integer format: wraps (Ieee) or saturates; I1 keeps "not zero".
// Integer division truncates whatever the rounding, as StableHLO's does; by zero it is refused. Every other mix of formats, and
// the square root of an integer, is refused: `arithmetic-unsupported`.
Bits add(Scalar a, Scalar b, Format result, const Policy& policy = {});
Bits subtract(Scalar a, Scalar b, Format result, const Policy& policy = {});
Bits multiply(Scalar a, Scalar b, Format result, const Policy& policy = {});
Bits divide(Scalar a, Scalar b, Format result, const Policy& policy = {});
Bits square_root(Scalar a, Format result, const Policy& policy = {});
Bits fused_multiply_add(Scalar a, Scalar b, Scalar c, Format result, const Policy& policy = {});

/// Any format to any format, also to itself (then only flushing, saturation and NaNs change bits). Float to integer rounds with
/// policy.rounding; out of range as policy.overflow says. Integer to float rounds. To I1: nonzero (NaN too) is 1.
Bits convert(Scalar a, Format result, const Policy& policy = {});

/// Floats: flips, clears the sign bit, of NaN too (FNUZ: its one NaN and its one zero stay). Integers: wraps. To negate a float
/// without a sign is refused: `arithmetic-unsupported`.
Bits negate(Scalar a);
Bits absolute(Scalar a);
bool less(Scalar a, Scalar b);   ///< false where one is NaN; -0 is not less than +0
bool equal(Scalar a, Scalar b);  ///< numeric: -0 == +0, NaN != NaN

/// The shortest decimal that reads back to the same bits, of those the nearest to the value; "nan" (any), "inf", "-inf", "-0".
/// Laid out as std::to_chars does: plain or scientific, whichever is shorter, integers in full. I1: "0", "1".
std::string to_text(Scalar a);
/// "0x3f800000": hexadecimal with the format's full width.
std::string to_hex(Scalar a);
/// Nearest value of `result` (ties to even) to a decimal or hexadecimal float literal, rounded once from the exact value; beyond
/// the range it is an infinity. "nan", "inf", "+inf", "-inf" too. Empty if malformed, or if that infinity, NaN, zero or sign is
/// one that the format does not have. A hexadecimal float has its `p` exponent
/// (0x1.8p3): without one it could be meant as bits. Integer formats take exactly their values in any of these spellings, and
/// hexadecimal ones without `p`; anything else (1.5, 256 as ui8) counts as malformed.
std::optional<Bits> parse_scalar(std::string_view text, Format result);

/// Distance in representable values between two finite floats of one format (-0 and +0 are 0 apart); infinities count as the next
/// value after the largest finite one. NaN on exactly one side: UINT64_MAX. Integers: absolute difference.
std::uint64_t ulp_distance(Format format, Bits a, Bits b);

}  // namespace bitpact
