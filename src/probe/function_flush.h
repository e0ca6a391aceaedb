// The variant of a program that counts subnormal numbers as zeros.
#pragma once

#include "contract/program.h"

namespace bitpact {

/// The program with every rounding operation counting subnormal operands and / or results as zeros.
NumericProgram with_flush(const NumericProgram& program, bool inputs, bool results);

}  // namespace bitpact
