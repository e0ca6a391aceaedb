// Where an operand's elements stand in the sums of its problem.
#pragma once

#include <cstdint>
#include <vector>

#include "contract/program.h"
#include "operators/problem.h"

namespace bitpact {

/// How an operand's storage maps to the flat coordinate over the axes of the result that it has (row) and to the one over those
/// that the result lacks (k).
struct OperandLayout {
  Shape shape;
  std::vector<std::int64_t> row_strides, k_strides;  ///< one an axis of the operand
  std::int64_t rows = 1, depth = 1;
  bool contracted = false;  ///< whether it has an axis that the result lacks
};

/// One an operand. Axes that the result lacks come in the order in which operands first name them. Refuses `internal` where axes
/// do not fit shapes.
std::vector<OperandLayout> operand_layouts(const std::vector<OperandSpec>& specs, const std::vector<Axes>& operand_axes,
                                           const Axes& result_axes);

/// In the order of storage.
template <class Each>
void for_each_element(const OperandLayout& layout, Each each) {
  const std::size_t rank = layout.shape.size();
  std::vector<std::int64_t> at(rank, 0);
  std::int64_t row = 0, k = 0;
  for (std::int64_t flat = 0; flat < layout.rows * layout.depth; ++flat) {
    each(flat, row, k);
    for (std::size_t axis = rank; axis-- > 0;) {
      row += layout.row_strides[axis];
      k += layout.k_strides[axis];
      if (++at[axis] < layout.shape[axis]) break;
      row -= layout.row_strides[axis] * layout.shape[axis];
      k -= layout.k_strides[axis] * layout.shape[axis];
      at[axis] = 0;
    }
  }
}

}  // namespace bitpact
