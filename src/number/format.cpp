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

const Layout& float_layout(Format format, std::string_view what) {
  if (!is_float(format)) refuse(Code::ArithmeticUnsupported, fmt::format("{} has no {}", name(format), what));
  return layout(format);
}

Bits with_sign(const Layout& l, Bits magnitude, bool negative) { return magnitude | (negative ? l.sign : 0); }

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

Bits positive_zero(Format) { return 0; }
Bits negative_zero(Format format) { return float_layout(format, "negative zero").negative_zero; }

Bits one(Format format) {
  if (!is_float(format)) return 1;
  const Layout& l = layout(format);
  return static_cast<Bits>(1 - l.emin) << l.fraction_bits;
}

Bits infinity(Format format, bool negative) {
  const Layout& l = float_layout(format, "infinity");
  return with_sign(l, l.infinity, negative);
}

Bits quiet_nan(Format format) { return float_layout(format, "NaN").quiet_nan; }

Bits largest_finite(Format format, bool negative) {
  const Layout& l = layout(format);
  if (is_float(l)) return with_sign(l, l.largest, negative);
  return negative ? l.sign : l.largest;
}

Bits smallest_normal(Format format, bool negative) {
  const Layout& l = float_layout(format, "normal numbers");
  return with_sign(l, Bits{1} << l.fraction_bits, negative);
}

Bits smallest_subnormal(Format format, bool negative) {
  const Layout& l = float_layout(format, "subnormal numbers");
  return with_sign(l, 1, negative);
}

}  // namespace bitpact
