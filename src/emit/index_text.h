// An Index as StableHLO: elements moved, never computed with.
#pragma once

#include "contract/index.h"
#include "emit/scalar_text.h"

namespace bitpact {

/// A reshape where that is all; slices, reversals and padding, an axis at a time, where each axis of the operand is read by axes
/// of the result of its own; else one lookup among all elements. Moved as integers, so that no target flushes a subnormal or
/// makes a NaN quiet. `from`: one coordinate a dimension of the operand; `shape`: of the result.
TensorValue emit_index(FunctionText& function, ScalarText& scalar, const Index& index, const std::vector<PlainCoordinate>& from,
                       const TensorValue& operand, const Shape& shape);

}  // namespace bitpact
