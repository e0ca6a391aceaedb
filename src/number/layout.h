// What the engine needs of a format, derived once from its table row. The engine reads these numbers and never asks which format
// it has.
#pragma once

#include <array>
#include <bit>

#include "number/format.h"

namespace bitpact {

// The one table. A row's place is the value of its Format. Exponent and fraction widths: IEEE 754-2019 table 3.5 for f64, f32,
// f16; bf16 is the upper half of an f32, tf32 an f32 with ten bits of fraction. f8E5M2, f8E4M3FN: OCP OFP8 1.0; FNUZ: their
// variants of Noune et al. 2022 (arXiv 2206.02915); f4E2M1FN, f8E8M0FNU: OCP Microscaling (MX) 1.0, 5.3.3 and 5.4.1.
inline constexpr std::array<FormatInfo, 22> format_table{{
    {Format::F64, "f64", FormatKind::Float, 64, 8, 11, 52, 1023, Specials::InfinitiesAndNaNs},
    {Format::F32, "f32", FormatKind::Float, 32, 4, 8, 23, 127, Specials::InfinitiesAndNaNs},
    {Format::TF32, "tf32", FormatKind::Float, 19, 4, 8, 10, 127, Specials::InfinitiesAndNaNs},
    {Format::BF16, "bf16", FormatKind::Float, 16, 2, 8, 7, 127, Specials::InfinitiesAndNaNs},
    {Format::F16, "f16", FormatKind::Float, 16, 2, 5, 10, 15, Specials::InfinitiesAndNaNs},
    {Format::F8E5M2, "f8E5M2", FormatKind::Float, 8, 1, 5, 2, 15, Specials::InfinitiesAndNaNs},
    {Format::F8E4M3FN, "f8E4M3FN", FormatKind::Float, 8, 1, 4, 3, 7, Specials::NanAtAllOnes},
    {Format::F8E5M2FNUZ, "f8E5M2FNUZ", FormatKind::Float, 8, 1, 5, 2, 16, Specials::NanAtNegativeZero},
    {Format::F8E4M3FNUZ, "f8E4M3FNUZ", FormatKind::Float, 8, 1, 4, 3, 8, Specials::NanAtNegativeZero},
    {Format::F4E2M1FN, "f4E2M1FN", FormatKind::Float, 4, 1, 2, 1, 1, Specials::None},
    {Format::F8E8M0FNU, "f8E8M0FNU", FormatKind::Float, 8, 1, 8, 0, 127, Specials::NanAndNoZero},
    {Format::I64, "i64", FormatKind::SignedInteger, 64, 8, 0, 0, 0, {}},
    {Format::I32, "i32", FormatKind::SignedInteger, 32, 4, 0, 0, 0, {}},
    {Format::I16, "i16", FormatKind::SignedInteger, 16, 2, 0, 0, 0, {}},
    {Format::I8, "i8", FormatKind::SignedInteger, 8, 1, 0, 0, 0, {}},
    {Format::I4, "i4", FormatKind::SignedInteger, 4, 1, 0, 0, 0, {}},
    {Format::UI64, "ui64", FormatKind::UnsignedInteger, 64, 8, 0, 0, 0, {}},
    {Format::UI32, "ui32", FormatKind::UnsignedInteger, 32, 4, 0, 0, 0, {}},
    {Format::UI16, "ui16", FormatKind::UnsignedInteger, 16, 2, 0, 0, 0, {}},
    {Format::UI8, "ui8", FormatKind::UnsignedInteger, 8, 1, 0, 0, 0, {}},
    {Format::UI4, "ui4", FormatKind::UnsignedInteger, 4, 1, 0, 0, 0, {}},
    {Format::I1, "i1", FormatKind::Boolean, 1, 1, 0, 0, 0, {}},
}};

struct Layout {
  FormatKind kind = FormatKind::Float;
  int width = 0;           ///< bits of the encoding
  int precision = 0;       ///< floats: significant bits of a normal number
  int fraction_bits = 0;   ///< floats: precision - 1
  int emin = 0;            ///< floats: exponent of the smallest normal number
  int emax = 0;            ///< floats: exponent of the largest finite number
  Bits mask = 0;           ///< all bits of the encoding
  Bits sign = 0;           ///< the sign bit, 0 where there is none
  Bits largest = 0;        ///< the largest finite magnitude
  bool zero = true;        ///< there is a zero
  bool infinities = true;  ///< floats: there are infinities; where not, NaN stands for them, or the largest finite value
  bool nans = true;        ///< floats: there are NaNs
  Bits infinity = 0;       ///< floats with infinities: the magnitude bits of one
  Bits quiet_nan = 0;      ///< floats with NaNs: the one that operations give
  Bits negative_zero = 0;  ///< floats: 0 where there is none
  /// Floats: a number's magnitude bits plus this are its place among zero, the subnormal and the normal magnitudes: 0, unless the
  /// encoding leaves zero out and begins with the smallest normal number.
  Bits left_out = 0;
};

constexpr Layout derive(const FormatInfo& row) {
  Layout l;
  l.kind = row.kind;
  l.width = row.bits;
  l.mask = ~Bits{0} >> (64 - row.bits);
  switch (row.kind) {
    case FormatKind::Float:
      break;
    case FormatKind::SignedInteger:
      l.sign = Bits{1} << (row.bits - 1);
      l.largest = l.mask >> 1;
      return l;
    case FormatKind::UnsignedInteger:
    case FormatKind::Boolean:
      l.largest = l.mask;
      return l;
  }
  l.precision = row.mantissa_bits + 1;
  l.fraction_bits = row.mantissa_bits;
  l.emin = 1 - row.bias;
  l.sign = row.bits > row.exponent_bits + row.mantissa_bits ? Bits{1} << (row.bits - 1) : 0;
  l.negative_zero = l.sign;
  const Bits all_ones = (Bits{1} << (row.exponent_bits + row.mantissa_bits)) - 1;
  const Bits top_exponent = ((Bits{1} << row.exponent_bits) - 1) << row.mantissa_bits;
  l.infinities = row.specials == Specials::InfinitiesAndNaNs;
  l.nans = row.specials != Specials::None;
  switch (row.specials) {
    case Specials::InfinitiesAndNaNs:
      l.infinity = top_exponent;
      l.largest = top_exponent - 1;
      l.quiet_nan = top_exponent | Bits{1} << (row.mantissa_bits - 1);
      break;
    case Specials::NanAtAllOnes:
      l.largest = all_ones - 1;
      l.quiet_nan = all_ones;
      break;
    case Specials::NanAtNegativeZero:
      l.largest = all_ones;
      l.quiet_nan = l.sign;
      l.negative_zero = 0;
      break;
    case Specials::None:
      l.largest = all_ones;
      break;
    case Specials::NanAndNoZero:
      l.zero = false;
      l.left_out = Bits{1} << row.mantissa_bits;
      --l.emin;  // the lowest exponent field is a normal number's, too
      l.largest = all_ones - 1;
      l.quiet_nan = all_ones;
      break;
  }
  l.emax = static_cast<int>((l.largest + l.left_out) >> row.mantissa_bits) - 1 + l.emin;
  return l;
}

inline constexpr auto layouts = [] {
  std::array<Layout, format_table.size()> all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = derive(format_table[i]);
  return all;
}();

inline const Layout& layout(Format format) { return layouts[static_cast<size_t>(format)]; }

constexpr bool is_float(const Layout& l) { return l.kind == FormatKind::Float; }

constexpr Class classify(const Layout& l, Bits bits) {
  if (!is_float(l)) return bits == 0 ? Class::Zero : Class::Normal;
  if (bits == l.quiet_nan && l.nans) return Class::NaN;
  const Bits magnitude = bits & ~l.sign;
  if (magnitude > l.largest) return l.infinities && magnitude == l.infinity ? Class::Infinity : Class::NaN;
  const Bits place = magnitude + l.left_out;
  if (place == 0) return Class::Zero;
  return place >> l.fraction_bits ? Class::Normal : Class::Subnormal;
}

}  // namespace bitpact
