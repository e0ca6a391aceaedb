// The StableHLO that a user would write for an operator: no order, no rounding boundary, no accumulator is asked for.
// It is what a compiler's "own" operator means, and what an emitted form is compared with.
#pragma once

#include <string>

#include "operators/problem.h"

namespace bitpact {

/// A module with one `func.func public @main`. `problem` is canonical and checked by its operator; `result` is what it asks for.
/// Refuses `backend-lacks-operator` where there is no plain form, `backend-lacks-form` where StableHLO has none for these shapes.
std::string plain_stablehlo(const Problem& problem, const OperandSpec& result);

}  // namespace bitpact
