#include "contract/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

constexpr size_t kMostParts = 64;

bool has_axis(const Axes& axes, const std::string& axis) { return std::ranges::find(axes, axis) != axes.end(); }

/// The numbers of one Index at a problem's extents.
class Plain {
 public:
  Plain(const BoundProgram& bound, int node)
      : bound_(bound), node_(node), index_(std::get<Index>(bound.program.nodes.at(static_cast<size_t>(node)))) {}

  std::vector<PlainCoordinate> all() const {
    std::vector<PlainCoordinate> made;
    for (const std::string& axis : axes_of(bound_.program.nodes[static_cast<size_t>(index_.operands[0])])) {
      made.push_back(coordinate_of(axis));
      if (!made.back().inside() && !index_.outside)
        fail(fmt::format(
            "the index along \"{}\" of its operand goes from {} to {}, and the axis has {} elements; no value is given "
            "for what is outside",
            axis, made.back().least, made.back().greatest, made.back().extent));
    }
    return made;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { refuse(Code::ContractProgram, fmt::format("node {}: {}", node_, why)); }

  std::int64_t number(const Multiple& multiple) const {
    std::int64_t product = multiple.factor;
    for (const std::string& axis : multiple.extents)
      if (__builtin_mul_overflow(product, bound_.extent_of(node_, axis), &product)) fail("a stride does not fit in 64 bits");
    return product;
  }

  /// A divisor or modulus; an axis without elements makes one of 0, where nothing is read.
  std::int64_t divisor(const Multiple& multiple) const { return std::max<std::int64_t>(number(multiple), 1); }

  PlainCoordinate coordinate_of(const std::string& axis) const {
    PlainCoordinate plain;
    plain.extent = bound_.extent_of(node_, axis);
    const auto from =
        std::ranges::find_if(index_.from, [&axis](const IndexCoordinate& coordinate) { return coordinate.axis == axis; });
    if (from == index_.from.end()) {
      plain.terms.push_back({dimension(axis), 1, 1, 0});
    } else {
      plain.start = from->reversed ? plain.extent - 1 - from->offset : from->offset;
      for (const IndexTerm& term : from->terms) {
        const std::int64_t times = number(term.times);
        plain.terms.push_back({dimension(term.axis), from->reversed ? -times : times, divisor(term.divide),
                               term.modulo ? divisor(*term.modulo) : 0});
      }
    }
    set_range(plain);
    return plain;
  }

  size_t dimension(const std::string& axis) const {
    return static_cast<size_t>(std::ranges::find(index_.axes, axis) - index_.axes.begin());
  }

  void set_range(PlainCoordinate& plain) const {
    const Shape shape = bound_.shape_of(node_);
    if (std::ranges::find(shape, 0) != shape.end()) return;
    constexpr std::int64_t kLargest = std::int64_t{1} << 62;
    std::int64_t most = std::abs(plain.start);
    for (const PlainTerm& term : plain.terms) {
      std::int64_t reach = 0;
      if (__builtin_mul_overflow(std::abs(term.times), shape[term.dimension], &reach) ||
          __builtin_add_overflow(most, reach, &most) || most > kLargest)
        fail("an index does not fit in 64 bits");
    }
    plain.least = plain.greatest = plain.start;
    for (size_t d = 0; d < shape.size(); ++d) {
      const auto [least, greatest] = range_along(plain, d, shape[d]);
      plain.least += least;
      plain.greatest += greatest;
    }
  }

  static std::pair<std::int64_t, std::int64_t> range_along(const PlainCoordinate& plain, size_t dimension, std::int64_t extent) {
    std::vector<PlainTerm> terms;
    for (const PlainTerm& term : plain.terms)
      if (term.dimension == dimension) terms.push_back(term);
    if (terms.empty()) return {0, 0};
    if (terms.size() == 1) {  // no need to walk along what may be long
      std::int64_t last = (extent - 1) / terms[0].divide;
      if (terms[0].modulo > 0) last = std::min(last, terms[0].modulo - 1);
      return std::minmax<std::int64_t>({0, terms[0].times * last});
    }
    const std::vector<std::int64_t> values = plain.along(dimension, extent);
    const auto [least, greatest] = std::ranges::minmax_element(values);
    return {*least, *greatest};
  }

  const BoundProgram& bound_;
  int node_;
  const Index& index_;
};

}  // namespace

std::string broken_rule(const Index& index, const Node& operand) {
  const Axes& own = axes_of(operand);
  std::set<std::string_view> seen;
  const auto broken_multiple = [&](const Multiple& multiple, bool signed_, std::string_view what) -> std::string {
    if (multiple.factor > kLargestFactor || multiple.factor < (signed_ ? -kLargestFactor : 1) || multiple.factor == 0)
      return fmt::format("{} of {}", what, multiple.factor);
    if (multiple.extents.size() > kMostParts) return fmt::format("{} of more than {} extents", what, kMostParts);
    for (const std::string& axis : multiple.extents)
      if (!has_axis(own, axis) && !has_axis(index.axes, axis))
        return fmt::format("{} by the extent of \"{}\", which is an axis of neither operand nor result", what, axis);
    return "";
  };
  for (const IndexCoordinate& coordinate : index.from) {
    const std::string& axis = coordinate.axis;
    if (!has_axis(own, axis)) return fmt::format("its operand has no axis \"{}\"", axis);
    if (axis.starts_with('*')) return fmt::format("a pack (\"{}\") is only taken as it is", axis);
    if (!seen.insert(axis).second) return fmt::format("two coordinates along \"{}\"", axis);
    if (coordinate.offset > kLargestFactor || coordinate.offset < -kLargestFactor)
      return fmt::format("an offset of {}", coordinate.offset);
    if (coordinate.terms.size() > kMostParts) return fmt::format("more than {} terms along \"{}\"", kMostParts, axis);
    for (const IndexTerm& term : coordinate.terms) {
      if (!has_axis(index.axes, term.axis) || term.axis.starts_with('*'))
        return fmt::format("\"{}\" in the index along \"{}\" is no single axis of the result", term.axis, axis);
      for (const std::string& broken :
           {broken_multiple(term.times, true, "a stride"), broken_multiple(term.divide, false, "a divisor"),
            term.modulo ? broken_multiple(*term.modulo, false, "a modulus") : ""})
        if (!broken.empty()) return broken;
    }
  }
  for (const std::string& axis : own)
    if (!seen.contains(axis) && !has_axis(index.axes, axis))
      return fmt::format("axis \"{}\" of its operand has no coordinate and is no axis of the result", axis);
  const Format format = format_of(operand);
  if (index.format != format) return fmt::format("{} is not its operand's format, {}", name(index.format), name(format));
  if (!index.outside) return "";
  if (const int bits = info(format).bits; bits < 64 && *index.outside >> bits != 0)
    return "the value outside has bits outside its format";
  if (with_quiet_nan(format, *index.outside) != *index.outside) return "the value outside is a NaN that is not the quiet one";
  return "";
}

void for_each_axis(Index& index, const std::function<void(std::string&)>& change) {
  const auto all = [&change](Axes& axes) { std::ranges::for_each(axes, change); };
  all(index.axes);
  for (IndexCoordinate& coordinate : index.from) {
    change(coordinate.axis);
    for (IndexTerm& term : coordinate.terms) {
      change(term.axis);
      all(term.times.extents);
      all(term.divide.extents);
      if (term.modulo) all(term.modulo->extents);
    }
  }
}

std::vector<std::int64_t> PlainCoordinate::along(size_t dimension, std::int64_t positions) const {
  std::vector<std::int64_t> values;
  for (const PlainTerm& term : terms) {
    if (term.dimension != dimension) continue;
    values.resize(static_cast<size_t>(positions), 0);
    for (std::int64_t p = 0; p < positions; ++p) {
      const std::int64_t quotient = p / term.divide;
      values[static_cast<size_t>(p)] += term.times * (term.modulo > 0 ? quotient % term.modulo : quotient);
    }
  }
  return values;
}

std::vector<PlainCoordinate> plain_coordinates(const BoundProgram& bound, int node) { return Plain(bound, node).all(); }

}  // namespace bitpact
