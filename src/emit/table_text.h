// A table of values as StableHLO: a gather by the operand's bits.
#pragma once

#include <optional>

#include "emit/module_text.h"

namespace bitpact {

/// No arithmetic in floats: nothing is rounded or flushed on any target.
TensorValue emit_table(FunctionText& function, const Table& table, const TensorValue& operand);

/// The same function by its values, all of which the interpreter computes: of a program that has one input, of at most 16 bits,
/// one result, and nothing in between but what is done element by element. Empty for others.
std::optional<BoundProgram> tabulated(const BoundProgram& program);

}  // namespace bitpact
