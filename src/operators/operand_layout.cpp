#include "operators/operand_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"

namespace bitpact {

std::vector<OperandLayout> operand_layouts(const std::vector<OperandSpec>& specs, const std::vector<Axes>& operand_axes,
                                           const Axes& result_axes) {
  if (specs.size() != operand_axes.size()) refuse(Code::Internal, "operands and their axes are not of one number");
  // Contracted axes in the order in which operands first name them: the same order for every operand.
  Axes contracted;
  for (const Axes& axes : operand_axes)
    for (const std::string& axis : axes)
      if (std::find(result_axes.begin(), result_axes.end(), axis) == result_axes.end() &&
          std::find(contracted.begin(), contracted.end(), axis) == contracted.end())
        contracted.push_back(axis);
  std::vector<OperandLayout> result;
  for (std::size_t o = 0; o < specs.size(); ++o) {
    const Axes& axes = operand_axes[o];
    OperandLayout layout;
    layout.shape = specs[o].shape;
    if (axes.size() != layout.shape.size()) refuse(Code::Internal, fmt::format("operand {} has not one axis an extent", o));
    element_count(layout.shape);
    layout.row_strides.assign(axes.size(), 0);
    layout.k_strides.assign(axes.size(), 0);
    auto place = [&](const Axes& order, std::vector<std::int64_t>& strides, std::int64_t& total) {
      for (std::size_t i = order.size(); i-- > 0;) {
        const auto at = std::find(axes.begin(), axes.end(), order[i]);
        if (at == axes.end()) continue;
        const auto axis = static_cast<std::size_t>(at - axes.begin());
        strides[axis] = total;
        total *= layout.shape[axis];
      }
    };
    place(result_axes, layout.row_strides, layout.rows);
    place(contracted, layout.k_strides, layout.depth);
    layout.contracted = std::any_of(axes.begin(), axes.end(), [&](const std::string& axis) {
      return std::find(contracted.begin(), contracted.end(), axis) != contracted.end();
    });
    result.push_back(std::move(layout));
  }
  return result;
}

}  // namespace bitpact
