// A function that no listed program gives, by its values.
#pragma once

#include <optional>

#include "probe/function_match.h"

namespace bitpact {

/// The program that looks the value up (a Table), of the operand of `like`, any of the operator's programs. Whole tables of at
/// most 16 bits only; empty where NaNs of the argument give different values.
std::optional<FunctionCandidate> tabulated(const FunctionCandidate& like, const FunctionValues& values, Format result);

}  // namespace bitpact
