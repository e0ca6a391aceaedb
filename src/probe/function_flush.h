// The variant of a program that counts subnormal numbers as zeros.
#pragma once

#include <optional>

#include "contract/program.h"

namespace bitpact {

/// The program with every rounding operation counting subnormal operands and / or results as zeros.
NumericProgram with_flush(const NumericProgram& program, bool inputs, bool results);

/// The program of one map with a subnormal argument and / or value replaced by the zero of its sign, chosen by its bits. Empty
/// where the program is no single map, or a format that is replaced is no float of 8, 16 or 32 bits with a sign and subnormals.
std::optional<NumericProgram> with_flush_by_bits(const NumericProgram& program, bool argument, bool value);

}  // namespace bitpact
