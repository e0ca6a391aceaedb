#include "number/format.h"

#include <fmt/format.h>

#include "diagnostic/diagnostic.h"
#include "number/layout.h"

namespace bitpact {
namespace {

constexpr bool rows_lie_at_their_format() {
  for (size_t i = 0; i < format_table.size(); ++i) {
    if (static_cast<size_t>(format_table[i].format) != i) return false;
  }
  return true;
}
static_assert(rows_lie_at_their_format());

void require(bool has, Format format, std::string_view what) {
  if (!has) refuse(Code::ArithmeticUnsupported, fmt::format("{} has no {}", name(format), what));
}

Bits with_sign(Format format, Bits magnitude, bool negative) {
  const Bits sign = layout(format).sign;
  require(!negative || sign != 0, format, "negative numbers");
  return magnitude | (negative ? sign : 0);
}

}  // namespace

const FormatInfo& info(Format format) { return format_table[static_cast<size_t>(format)]; }

const std::vector<FormatInfo>& all_formats() {
  static const std::vector<FormatInfo> rows(format_table.begin(), format_table.end());
  return rows;
}

std::optional<Format> format_named(std::string_view name) {
  for (const FormatInfo& row : format_table) {
    if (row.name == name) return row.format;
  }
  return std::nullopt;
}

Format parse_format(std::string_view name) {
  if (auto format = format_named(name)) return *format;
  refuse(Code::UnknownFormat, fmt::format("`{}` is not a number format", name));
}

Class classify(Format format, Bits bits) { return classify(layout(format), bits); }
bool sign_bit(Format format, Bits bits) { return (bits & layout(format).sign) != 0; }

bool has_nan(Format format) { return is_float(format) && layout(format).nans; }
bool has_infinities(Format format) { return is_float(format) && layout(format).infinities; }
bool has_negative_zero(Format format) { return is_float(format) && layout(format).negative_zero != 0; }
bool has_zero(Format format) { return layout(format).zero; }

Bits positive_zero(Format format) {
  require(has_zero(format), format, "zero");
  return 0;
}
Bits negative_zero(Format format) {
  require(has_negative_zero(format), format, "negative zero");
  return layout(format).negative_zero;
}

Bits one(Format format) {
  if (!is_float(format)) return 1;
  const Layout& l = layout(format);
  return (static_cast<Bits>(1 - l.emin) << l.fraction_bits) - l.left_out;
}

Bits infinity(Format format, bool negative) {
  require(has_infinities(format), format, "infinity");
  return with_sign(format, layout(format).infinity, negative);
}

Bits quiet_nan(Format format) {
  require(has_nan(format), format, "NaN");
  return layout(format).quiet_nan;
}

Bits with_quiet_nan(Format format, Bits bits) {
  return is_float(format) && classify(format, bits) == Class::NaN ? quiet_nan(format) : bits;
}

Bits largest_finite(Format format, bool negative) {
  const Layout& l = layout(format);
  if (is_float(l)) return with_sign(format, l.largest, negative);
  return negative ? l.sign : l.largest;
}

Bits smallest_normal(Format format, bool negative) {
  require(is_float(format), format, "normal numbers");
  const Layout& l = layout(format);
  return with_sign(format, (Bits{1} << l.fraction_bits) - l.left_out, negative);
}

Bits smallest_subnormal(Format format, bool negative) {
  require(is_float(format) && has_zero(format), format, "subnormal numbers");
  return with_sign(format, 1, negative);
}

}  // namespace bitpact
