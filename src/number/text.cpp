// Numbers as text and back. The standard library's shortest f64 is the only floating-point text made elsewhere.
#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "number/literal.h"

namespace bitpact {
namespace {

template <class... Layouting>
std::string chars(double value, Layouting... layouting) {
  char buffer[400];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, layouting...).ptr;
  return std::string(buffer, end);
}

/// "d.ddde+XX" as digits and the exponent of the last one.
Literal literal_of(std::string_view scientific) { return *read_literal(scientific); }

/// The next decimal of the same number of digits, away from zero or towards it. Empty where the number of digits would change:
/// then a shorter decimal, tried before, was the same number.
std::optional<Literal> neighbour(Literal literal, int step) {
  for (size_t i = literal.digits.size(); i-- > 0;) {
    const int digit = literal.digits[i] + step;
    literal.digits[i] = static_cast<char>((digit + 10) % 10);
    if (digit >= 0 && digit <= 9) return literal.digits[0] == 0 ? std::nullopt : std::optional(literal);
  }
  return std::nullopt;
}

double value_of(const Literal& literal) { return std::bit_cast<double>(round_literal(literal, layout(Format::F64), {})); }

/// The shortest decimal for a finite nonzero value of a format narrower than f64, as the f64 nearest to that decimal (f64 tells
/// all decimals of up to 15 digits apart).
double shortest_decimal(Bits bits, const Layout& l, double exact) {
  for (int digits = 1; digits <= 15; ++digits) {
    const Literal nearest = literal_of(chars(exact, std::chars_format::scientific, digits - 1));
    if (round_literal(nearest, l, {}) == bits) return value_of(nearest);
    // Just above a power of two the values that round to it reach twice as far as below, so that a decimal that is not the
    // nearest can be the only one of its length that reads back.
    for (int step : {1, -1}) {
      const auto next = neighbour(nearest, step);
      if (next && round_literal(*next, l, {}) == bits) return value_of(*next);
    }
  }
  return exact;
}

std::string finite_text(Scalar a, const Layout& l) {
  const double exact = std::bit_cast<double>(convert(a, Format::F64));
  if (a.format == Format::F64) return chars(exact);
  std::string text = chars(shortest_decimal(a.bits, l, exact));
  // Spelled out without a point, the number has as many digits as its exact value: show that.
  if (text.find_first_of(".e") == std::string::npos) text = chars(exact, std::chars_format::fixed, 0);
  return text;
}

}  // namespace

std::string to_text(Scalar a) {
  const Layout& l = layout(a.format);
  if (!is_float(l)) {
    const bool negative = (a.bits & l.sign) != 0;
    return fmt::format("{}{}", negative ? "-" : "", absolute(a));
  }
  const bool negative = (a.bits & l.sign) != 0;
  switch (classify(l, a.bits)) {
    case Class::NaN:
      return "nan";
    case Class::Infinity:
      return negative ? "-inf" : "inf";
    case Class::Zero:
      return negative ? "-0" : "0";
    case Class::Subnormal:
    case Class::Normal:
      break;
  }
  return finite_text(a, l);
}

std::string to_hex(Scalar a) { return fmt::format("0x{:0{}x}", a.bits, (layout(a.format).width + 3) / 4); }

namespace {

std::optional<Bits> parse_float(std::string_view text, const Layout& l) {
  // What the format cannot say is not read as something else: such results get a mark that no encoding has.
  constexpr Bits mark = Bits{1} << 63;
  Layout marked = l;
  if (!l.infinities) {
    marked.infinities = marked.nans = true;
    marked.infinity = marked.quiet_nan = mark;
  }
  std::optional<Bits> bits;
  if (text == "nan") {
    bits = l.nans ? l.quiet_nan : mark;
  } else if (text == "inf" || text == "+inf" || text == "-inf") {
    bits = pack_infinity(text[0] == '-', marked, {});
  } else if (const auto literal = read_literal(text); literal && (!literal->hexadecimal || literal->has_exponent)) {
    bits = round_literal(*literal, marked, {});
  }
  return bits && !l.infinities && (*bits & mark) != 0 ? std::nullopt : bits;
}

}  // namespace

std::optional<Bits> parse_scalar(std::string_view text, Format result) {
  const Layout& l = layout(result);
  if (is_float(l)) return parse_float(text, l);
  const auto literal = read_literal(text);
  if (!literal) return std::nullopt;
  const auto magnitude = integer_magnitude(*literal);
  if (!magnitude || *magnitude > (literal->negative ? l.sign : l.largest)) return std::nullopt;
  const auto low = static_cast<Bits>(*magnitude);
  return (literal->negative ? Bits{0} - low : low) & l.mask;
}

}  // namespace bitpact
