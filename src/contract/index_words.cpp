#include "contract/index_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "number/arithmetic.h"

namespace bitpact {
namespace {

std::string multiple_text(const Multiple& multiple) {
  std::vector<std::string> factors;
  if (multiple.factor != 1 || multiple.extents.empty()) factors.push_back(std::to_string(multiple.factor));
  for (const std::string& axis : multiple.extents) factors.push_back(fmt::format("size({})", axis));
  const std::string text = fmt::format("{}", fmt::join(factors, " * "));
  return factors.size() == 1 ? text : "(" + text + ")";
}

/// Without the factor's sign, which stands before it.
std::string term_text(const IndexTerm& term) {
  Multiple times = term.times;
  times.factor = std::abs(times.factor);
  std::string text = term.axis;
  if (term.divide != Multiple{}) text = fmt::format("floor({} / {})", text, multiple_text(term.divide));
  if (term.modulo) text = fmt::format("{} mod {}", text, multiple_text(*term.modulo));
  if (times == Multiple{}) return text;
  return fmt::format("{} * {}", term.modulo ? "(" + text + ")" : text, multiple_text(times));
}

std::string coordinate_text(const IndexCoordinate& coordinate) {
  std::string text;
  const auto add = [&text](bool negative, const std::string& what) {
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    text += what;
  };
  for (const IndexTerm& term : coordinate.terms) add(term.times.factor < 0, term_text(term));
  if (coordinate.offset != 0 || text.empty()) add(coordinate.offset < 0, std::to_string(std::abs(coordinate.offset)));
  if (!coordinate.reversed) return text;
  const bool one = coordinate.terms.size() + (coordinate.offset != 0 ? 1 : 0) <= 1 && !text.starts_with('-');
  return fmt::format("size({}) - 1 - {}", coordinate.axis, one ? text : "(" + text + ")");
}

}  // namespace

std::string coordinates_text(const Index& index, const Axes& operand) {
  std::vector<std::string> parts;
  for (const std::string& axis : operand) {
    const auto from =
        std::ranges::find_if(index.from, [&axis](const IndexCoordinate& coordinate) { return coordinate.axis == axis; });
    parts.push_back(from == index.from.end() ? axis : coordinate_text(*from));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string outside_text(const Index& index) {
  if (!index.outside) return "nothing";
  const bool plus_zero = is_float(index.format) && has_zero(index.format) && *index.outside == positive_zero(index.format);
  return plus_zero ? "+0" : to_text(Scalar{index.format, *index.outside});
}

std::string index_words(const Index& index, const Axes& operand, const std::string& name) {
  const std::string at = fmt::format("{} at {}", name, coordinates_text(index, operand));
  return index.outside ? fmt::format("{}, {} outside", at, outside_text(index)) : at;
}

}  // namespace bitpact
