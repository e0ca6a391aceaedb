#include "probe/sum_site.h"

#include <algorithm>

namespace bitpact {
namespace {

bool contains(const Axes& axes, const std::string& axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }

/// The next coordinate in row-major order.
void advance(std::vector<std::int64_t>& at, const Shape& extents) {
  for (size_t d = extents.size(); d-- > 0;) {
    if (++at[d] < extents[d]) return;
    at[d] = 0;
  }
}

}  // namespace

std::optional<SumSite> find_sum(const Resolved& problem) {
  const Operator& op = operator_named(problem.problem.op);
  const NumericProgram program = op.build(problem.formats(), canonical_choices(op, problem.formats()));
  std::vector<int> input_number(program.nodes.size(), -1);
  int inputs = 0;
  std::optional<SumSite> found;
  for (size_t n = 0; n < program.nodes.size(); ++n) {
    if (std::holds_alternative<Input>(program.nodes[n])) input_number[n] = inputs++;
    const auto* fold = std::get_if<Fold>(&program.nodes[n]);
    if (fold == nullptr || fold->operands.empty()) continue;
    SumSite site{static_cast<int>(n), {}, fold->over, 1};
    const bool plain =
        fold->emit == Emit::Last && std::all_of(fold->operands.begin(), fold->operands.end(), [&](int o) {
          const Axes& axes = axes_of(program.nodes[static_cast<size_t>(o)]);
          return input_number[static_cast<size_t>(o)] >= 0 &&
                 std::all_of(fold->over.begin(), fold->over.end(), [&](const std::string& a) { return contains(axes, a); });
        });
    if (found || !plain) return {};
    for (const int o : fold->operands) site.operands.push_back(static_cast<size_t>(input_number[static_cast<size_t>(o)]));
    for (const std::string& axis : fold->over) site.leaves *= problem.binding.extents.at(axis);
    found = std::move(site);
  }
  return found;
}

Carrier carrier_of(const Resolved& problem, const SumSite& site, size_t operand) {
  const Binding& binding = problem.binding;
  const Axes& axes = binding.operands[operand];
  const Shape& shape = problem.problem.operands[operand].shape;
  const std::vector<std::int64_t> strides = row_major_strides(shape);
  Carrier carrier;
  carrier.operand = operand;
  Shape over, kept;
  std::vector<std::int64_t> over_strides, kept_strides;
  Axes kept_axes;
  const auto stride_of = [&](const std::string& axis) {
    return strides[static_cast<size_t>(std::find(axes.begin(), axes.end(), axis) - axes.begin())];
  };
  for (const std::string& axis : site.over) {
    over.push_back(binding.extents.at(axis));
    over_strides.push_back(stride_of(axis));
  }
  for (const std::string& axis : binding.result) {
    if (!contains(axes, axis)) continue;
    kept_axes.push_back(axis);
    kept.push_back(binding.extents.at(axis));
    kept_strides.push_back(stride_of(axis));
  }
  const auto offsets = [](const Shape& extents, const std::vector<std::int64_t>& steps) {
    std::vector<std::int64_t> flat;
    std::vector<std::int64_t> at(extents.size(), 0);
    for (std::int64_t i = element_count(extents); i > 0; --i, advance(at, extents)) {
      std::int64_t offset = 0;
      for (size_t d = 0; d < at.size(); ++d) offset += at[d] * steps[d];
      flat.push_back(offset);
    }
    return flat;
  };
  carrier.leaf_offsets = offsets(over, over_strides);
  carrier.places = offsets(kept, kept_strides);
  const Shape& result = problem.result.shape;
  std::vector<bool> is_kept;
  for (const std::string& axis : binding.result) is_kept.push_back(contains(kept_axes, axis));
  std::vector<std::int64_t> at(result.size(), 0);
  for (std::int64_t out = element_count(result); out > 0; --out, advance(at, result)) {
    std::int64_t position = 0, other = 0;
    for (size_t d = 0; d < at.size(); ++d) {
      const std::int64_t extent = result[d];
      if (is_kept[d])
        position = position * extent + at[d];
      else
        other = other * extent + at[d];
    }
    carrier.position_of.push_back(position);
    carrier.class_of.push_back(other);
    carrier.classes = std::max(carrier.classes, other + 1);
  }
  return carrier;
}

}  // namespace bitpact
