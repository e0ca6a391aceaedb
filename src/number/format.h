// Number formats: how a number is stored. One table row a format; everything else reads the row.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace bitpact {

/// A value's bits, in the low `FormatInfo::bits` bits of the word; the rest is zero.
using Bits = std::uint64_t;

enum class Format : std::uint8_t {
  F64,
  F32,
  TF32,
  BF16,
  F16,
  F8E5M2,
  F8E4M3FN,
  F8E5M2FNUZ,
  F8E4M3FNUZ,
  F4E2M1FN,
  F8E8M0FNU,
  I64,
  I32,
  I16,
  I8,
  I4,
  UI64,
  UI32,
  UI16,
  UI8,
  UI4,
  I1
};

enum class FormatKind : std::uint8_t { Float, SignedInteger, UnsignedInteger, Boolean };

/// Which encodings of a float format are not numbers.
enum class Specials : std::uint8_t {
  InfinitiesAndNaNs,  ///< IEEE 754: the highest exponent is theirs
  NanAtAllOnes,       ///< "FN": all ones after the sign is NaN; no infinities
  NanAtNegativeZero,  ///< "FNUZ": the bits of -0 are the only NaN; no infinities, one zero
  None,               ///< f4E2M1FN: every encoding is a finite number
  NanAndNoZero,       ///< f8E8M0FNU: no sign, no zero; all ones is NaN
};

struct FormatInfo {
  Format format;
  std::string_view name;  ///< StableHLO's spelling
  FormatKind kind;
  /// Bits of the encoding. They are the low ones of the element's storage; the rest is zero (tf32: 19 bits of a 32-bit word, that
  /// of the f32 of the same value shifted right by 13; 4-bit formats: one element a byte, packing is the files' matter).
  int bits;
  int storage_bytes;  ///< bytes of one element in a tensor
  int exponent_bits;  ///< floats only
  int mantissa_bits;  ///< stored fraction bits; precision is one more
  int bias;
  Specials specials;
};

const FormatInfo& info(Format format);
const std::vector<FormatInfo>& all_formats();
std::optional<Format> format_named(std::string_view name);
/// Like format_named, but refuses `unknown-format`.
Format parse_format(std::string_view name);

inline std::string_view name(Format format) { return info(format).name; }
inline bool is_float(Format format) { return info(format).kind == FormatKind::Float; }

/// What a float's bits are.
enum class Class : std::uint8_t { Zero, Subnormal, Normal, Infinity, NaN };
/// Integers and booleans are Zero or Normal.
Class classify(Format format, Bits bits);
bool sign_bit(Format format, Bits bits);

/// Whether the format is a float with NaNs; with infinities; with a zero of negative sign; with a zero (integers too).
bool has_nan(Format format);
bool has_infinities(Format format);
bool has_negative_zero(Format format);
bool has_zero(Format format);

// Constants. Those that a format does not have are refused: `arithmetic-unsupported`.
Bits positive_zero(Format format);
Bits negative_zero(Format format);
Bits one(Format format);
Bits infinity(Format format, bool negative = false);
Bits quiet_nan(Format format);                  ///< the NaN that operations give: positive, only the top fraction bit set
Bits with_quiet_nan(Format format, Bits bits);  ///< every NaN as that one, all else as it is
Bits largest_finite(Format format, bool negative = false);  ///< integers: the largest, or the smallest (0 where unsigned)
Bits smallest_normal(Format format, bool negative = false);
Bits smallest_subnormal(Format format, bool negative = false);

}  // namespace bitpact
