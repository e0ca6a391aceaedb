// A table of values as StableHLO: a gather by the operand's bits.
#pragma once

#include "emit/module_text.h"

namespace bitpact {

/// No arithmetic in floats: nothing is rounded or flushed on any target. `shape`: of the result.
TensorValue emit_table(FunctionText& function, const Table& table, const TensorValue& operand, const Shape& shape);

}  // namespace bitpact
