// A program and the few values for which it is another one.
#pragma once

#include <optional>

#include "probe/function_match.h"

namespace bitpact {

inline constexpr std::int64_t kMostExceptions = 64;  ///< each is a comparison and a choice in the body

/// `nearest` with the values that it gets wrong given one by one, its body compared with the argument's bits. Empty where these
/// are more than kMostExceptions or among NaNs, where the program is not one map of its operand, or where the result does
/// not give every value of `values` after all. Whole tables only: what no value was asked for is the program's as it was.
std::optional<FunctionCandidate> with_exceptions(const FunctionCandidate& nearest, FunctionAsker& asker,
                                                 const FunctionValues& values);

}  // namespace bitpact
