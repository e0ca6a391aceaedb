// Which of an operator's programs gives a function's table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probe/function_positions.h"

namespace bitpact {

/// A program that was tried: a hypothesis of the operator, subnormals kept or counted as zeros.
struct FunctionCandidate {
  Choices choices;
  std::string flush;  ///< "" | "inputs" | "results" | "inputs and results"
  NumericProgram program;
  std::int64_t compared = 0;
  std::int64_t different = 0;
  std::optional<Bits> first;  ///< the first argument, by its bits, for which it gives another value
  Bits seen = 0, given = 0;   ///< there: the backend's value, the program's
  bool fits() const { return compared > 0 && different == 0; }
};

/// Canonical first, each with its three flushing variants behind it. None has been compared yet.
std::vector<FunctionCandidate> function_candidates(const Resolved& problem);

/// The candidate's values.
Tensor values_of(const FunctionCandidate& candidate, FunctionAsker& asker, const Tensor& x);

/// Compares further values with what the candidate gives for them: counts, and the first difference.
void compare_with(FunctionCandidate& candidate, FunctionAsker& asker, const Tensor& x, const Tensor& seen);

/// The first that fits; else the one with the fewest differences. Null where there is none.
const FunctionCandidate* best(const std::vector<FunctionCandidate>& candidates);

/// "result=once, subnormal inputs flushed to zero", "the operator's one program".
std::string to_text(const FunctionCandidate& candidate);

}  // namespace bitpact
