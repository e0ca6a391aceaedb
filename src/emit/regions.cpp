// A contract with a program for each region of the output: a private function for each program and shape, called on the operands'
// parts that its box needs, and the boxes joined. Nothing is computed on the way but which element comes from where.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "contract/region.h"
#include "diagnostic/diagnostic.h"
#include "emit/emit.h"
#include "emit/module_text.h"

namespace bitpact {
namespace {

constexpr std::size_t kMostBoxes = 64;
constexpr std::size_t kMostCombinations = 16;

/// A program for boxes of one shape.
struct Helper {
  std::string name;
  BoundProgram program;
  std::vector<Emitted> forms;
};

struct PlacedBox {
  RegionBox box;  ///< without the axes that are all there
  std::size_t helper = 0;
};

std::int64_t count_of(const AxisRange& range) { return (range.to - range.from - 1) / range.step + 1; }

bool is_entangled(const NumericProgram& program, const std::string& axis) {
  const Axes entangled = entangled_axes(program);
  return std::find(entangled.begin(), entangled.end(), axis) != entangled.end();
}

/// The program for a box: an output does not depend on how long the axes are that nothing is folded over or read by.
BoundProgram narrowed(const BoundProgram& whole, const RegionBox& box) {
  BoundProgram program = whole;
  for (const AxisRange& range : box)
    if (!is_entangled(whole.program, range.axis)) program.extents[range.axis] = count_of(range);
  return program;
}

/// An operand or result cut along the axes of the box: those that a fold goes over or an index reads by, or the others. (Behind a
/// barrier where it takes every so many-th element: IREE does not always compile what it fuses such a slice into.)
TensorValue part_of(FunctionText& f, TensorValue x, const RegionBox& box, const BoundProgram& helper, bool entangled) {
  for (const AxisRange& range : box) {
    if (std::find(x.axes.begin(), x.axes.end(), range.axis) == x.axes.end()) continue;
    if (is_entangled(helper.program, range.axis) != entangled) continue;
    x = f.slice(x, range.axis, range.from, range.to, range.step);
    if (range.step != 1) x = f.barrier(x);
  }
  return x;
}

class Joined {
 public:
  explicit Joined(const TensorValue& like) : like_(like) {}

  void put(FunctionText& f, const TensorValue& part, const RegionBox& box) {
    const bool strided = std::any_of(box.begin(), box.end(), [](const AxisRange& range) { return range.step != 1; });
    if (value.ssa.empty()) value = f.constant(like_.format, 0, like_.axes, like_.shape);
    if (strided) {
      value = f.select(mask(f, box), spaced(f, part, box), value);
      return;
    }
    std::vector<std::int64_t> starts;
    for (const std::string& axis : like_.axes) starts.push_back(range_of(box, axis).from);
    value = f.updated(value, part, starts);
  }

  TensorValue value;

 private:
  AxisRange range_of(const RegionBox& box, const std::string& axis) const {
    for (const AxisRange& range : box)
      if (range.axis == axis) return range;
    const auto at = std::find(like_.axes.begin(), like_.axes.end(), axis) - like_.axes.begin();
    return {axis, 0, like_.shape[static_cast<std::size_t>(at)], 1};
  }

  /// The part spread over the whole output: each element where it belongs.
  TensorValue spaced(FunctionText& f, const TensorValue& part, const RegionBox& box) const {
    std::vector<std::int64_t> low, high, interior;
    for (std::size_t d = 0; d < like_.axes.size(); ++d) {
      const AxisRange range = range_of(box, like_.axes[d]);
      low.push_back(range.from);
      interior.push_back(range.step - 1);
      high.push_back(like_.shape[d] - range.from - (count_of(range) - 1) * range.step - 1);
    }
    const TensorValue zero = f.constant(like_.format, 0, {}, {});
    return f.define(
        fmt::format("stablehlo.pad {}, {}, low = [{}], high = [{}], interior = [{}] : ({}, {}) -> {}", part.ssa, zero.ssa,
                    fmt::join(low, ", "), fmt::join(high, ", "), fmt::join(interior, ", "), tensor_type(part.shape, part.format),
                    tensor_type({}, part.format), tensor_type(like_.shape, like_.format)),
        like_.format, like_.axes, like_.shape);
  }

  TensorValue mask(FunctionText& f, const RegionBox& box) const {
    TensorValue all = f.constant(Format::I1, 1, like_.axes, like_.shape);
    const auto also = [&](const TensorValue& condition) { all = f.elementwise("stablehlo.and", {all, condition}, Format::I1); };
    for (const AxisRange& range : box) {
      const auto at = std::find(like_.axes.begin(), like_.axes.end(), range.axis) - like_.axes.begin();
      const TensorValue place = f.define(fmt::format("stablehlo.iota dim = {} : {}", at, tensor_type(like_.shape, Format::I32)),
                                         Format::I32, like_.axes, like_.shape);
      const auto constant = [&](std::int64_t n) {
        return f.constant(Format::I32, static_cast<Bits>(n), like_.axes, like_.shape);
      };
      also(f.compare("GE", place, constant(range.from)));
      also(f.compare("LT", place, constant(range.to)));
      const TensorValue from_start = f.elementwise("stablehlo.subtract", {place, constant(range.from)}, Format::I32);
      also(f.compare("EQ", f.elementwise("stablehlo.remainder", {from_start, constant(range.step)}, Format::I32), constant(0)));
    }
    return all;
  }

  TensorValue like_;
};

/// Which form of each helper, the ones that are likely cheapest first: all choices where they are few, else the first forms of
/// all, the second of all ...
std::vector<std::vector<std::size_t>> combinations(const std::vector<Helper>& helpers) {
  std::size_t all = 1, longest = 0;
  for (const Helper& helper : helpers) {
    all = std::min(all * helper.forms.size(), kMostCombinations + 1);
    longest = std::max(longest, helper.forms.size());
  }
  std::vector<std::vector<std::size_t>> chosen;
  if (all > kMostCombinations) {
    for (std::size_t rank = 0; rank < longest; ++rank) {
      chosen.emplace_back();
      for (const Helper& helper : helpers) chosen.back().push_back(std::min(rank, helper.forms.size() - 1));
    }
    return chosen;
  }
  std::vector<std::size_t> now(helpers.size(), 0);
  for (std::size_t i = 0; i < all; ++i) {
    chosen.push_back(now);
    for (std::size_t h = 0; h < now.size(); ++h) {
      if (++now[h] < helpers[h].forms.size()) break;
      now[h] = 0;
    }
  }
  const auto cost = [](const std::vector<std::size_t>& ranks) {
    std::size_t sum = 0;
    for (const std::size_t rank : ranks) sum += rank;
    return sum;
  };
  std::stable_sort(chosen.begin(), chosen.end(), [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
  return chosen;
}

std::string caller(const Covered& covered, const std::vector<Helper>& helpers, const std::vector<PlacedBox>& boxes,
                   const EmitOptions& options) {
  const BoundProgram& whole = covered.program;
  const int result_node = whole.program.results.front();
  const Axes& result_axes = axes_of(whole.program.nodes[static_cast<std::size_t>(result_node)]);
  const TensorValue like{"", format_of(whole.program.nodes[static_cast<std::size_t>(result_node)]), result_axes,
                         whole.shape_of(result_node)};
  FunctionText f;
  std::vector<TensorValue> inputs;
  std::vector<std::string> arguments;
  for (std::size_t n = 0; n < whole.program.nodes.size(); ++n)
    if (const auto* input = std::get_if<Input>(&whole.program.nodes[n])) {
      inputs.push_back({"%" + input->name, input->format, input->axes, whole.shape_of(static_cast<int>(n))});
      arguments.push_back(fmt::format("{}: {}", inputs.back().ssa, tensor_type(inputs.back().shape, input->format)));
    }
  Joined joined(like);
  for (const PlacedBox& placed : boxes) {
    const Helper& helper = helpers[placed.helper];
    std::vector<std::string> names, types;
    for (const TensorValue& input : inputs) {
      const TensorValue part = part_of(f, input, placed.box, helper.program, false);
      names.push_back(part.ssa);
      types.push_back(tensor_type(part.shape, part.format));
    }
    const Shape shape = helper.program.shape_of(helper.program.program.results.front());
    const TensorValue made = f.define(fmt::format("func.call @{}({}) : ({}) -> {}", helper.name, fmt::join(names, ", "),
                                                  fmt::join(types, ", "), tensor_type(shape, like.format)),
                                      like.format, like.axes, shape);
    joined.put(f, part_of(f, made, placed.box, helper.program, true), placed.box);
  }
  const std::string type = tensor_type(like.shape, like.format);
  return fmt::format("func.func {} @{}({}) -> {} {{\n{}  return {} : {}\n}}\n",
                     options.in_module || options.is_private ? "private" : "public", options.function, fmt::join(arguments, ", "),
                     type, f.text(), joined.value.ssa, type);
}

}  // namespace

std::vector<Emitted> emit(const Covered& covered, const Traits& traits, const EmitOptions& options) {
  if (covered.parts.size() < 2) return emit(covered.program, traits, options);
  if (covered.program.program.results.size() != 1) refuse(Code::EmitUnsupported, "regions of a program with several results");
  std::vector<Helper> helpers;
  std::vector<PlacedBox> boxes;
  for (const CoveredPart& part : covered.parts) {
    std::map<std::map<std::string, std::int64_t>, std::size_t> by_extents;
    for (const RegionBox& box : parse_region(part.piece->region).boxes) {
      BoundProgram program = narrowed(part.program, box);
      const auto [at, fresh] = by_extents.try_emplace(program.extents, helpers.size());
      if (fresh) {
        EmitOptions inner = options;
        inner.function = fmt::format("{}_region_{}", options.function, helpers.size());
        inner.is_private = true;
        std::vector<Emitted> forms = emit(program, traits, inner);
        helpers.push_back({inner.function, std::move(program), std::move(forms)});
      }
      boxes.push_back({box, at->second});
      if (boxes.size() > kMostBoxes)
        refuse(Code::EmitTooLarge, fmt::format("the output has more than {} boxes, each with a program of its own", kMostBoxes));
    }
  }
  const std::string main = caller(covered, helpers, boxes, options);
  std::vector<Emitted> all;
  for (const std::vector<std::size_t>& ranks : combinations(helpers)) {
    Emitted made{"", main, {}};
    std::vector<std::string> names;
    for (std::size_t h = 0; h < helpers.size(); ++h) {
      const Emitted& form = helpers[h].forms[ranks[h]];
      made.module += form.module;
      made.carries = made.carries | form.carries;
      if (std::find(names.begin(), names.end(), form.form) == names.end()) names.push_back(form.form);
    }
    made.form = fmt::format("{}", fmt::join(names, "+"));
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace bitpact
