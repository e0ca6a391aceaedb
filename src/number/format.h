// Number formats: how a number is stored. One table row a format; everything else reads the row.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace bitpact {

/// A value's bits, in the low `FormatInfo::bits` bits of the word; the rest is zero.
using Bits = std::uint64_t;

enum class Format : std::uint8_t { F64, F32, BF16, F16, I64, I32, I16, I8, UI64, UI32, UI16, UI8, I1 };

enum class FormatKind : std::uint8_t { Float, SignedInteger, UnsignedInteger, Boolean };

/// Which encodings of a float format are not numbers.
enum class Specials : std::uint8_t { InfinitiesAndNaNs };

struct FormatInfo {
  Format format;
  std::string_view name;  ///< StableHLO's spelling
  FormatKind kind;
  int bits;           ///< significant bits of the encoding
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

// Constants. Those that only floats have refuse `arithmetic-unsupported` for an integer format.
Bits positive_zero(Format format);
Bits negative_zero(Format format);  ///< floats
Bits one(Format format);
Bits infinity(Format format, bool negative = false);
Bits quiet_nan(Format format);                              ///< positive, only the top fraction bit set
Bits largest_finite(Format format, bool negative = false);  ///< integers: the largest, or the smallest (0 where unsigned)
Bits smallest_normal(Format format, bool negative = false);
Bits smallest_subnormal(Format format, bool negative = false);

}  // namespace bitpact
