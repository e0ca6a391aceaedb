// Which of an operator's programs gives a function's table.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/function_positions.h"

namespace bitpact {

/// What counts subnormal numbers as zeros of their sign. "argument" and "value": only what comes in and what goes out, chosen by
/// its bits, so that any compiler carries it; the others: every operation that rounds, its operands or its results (what a
/// processor does that is set so). The first that fits is taken.
inline constexpr std::array<std::string_view, 7> kFlushes{"",        "argument",          "value", "argument and value", "inputs",
                                                          "results", "inputs and results"};

/// A program that was tried: a hypothesis of the operator, subnormals kept or counted as zeros.
struct FunctionCandidate {
  Choices choices;
  std::string flush;  ///< one of kFlushes
  NumericProgram program;
  std::int64_t exceptions = 0;  ///< values that stand in the program one by one (function_exceptions.h)
  bool tabulated = false;       ///< the program is the table of the values themselves (function_tabulated.h)
  std::int64_t compared = 0;
  std::int64_t different = 0;
  std::optional<Bits> first;  ///< the first argument, by its bits, for which it gives another value
  Bits seen = 0, given = 0;   ///< there: the backend's value, the program's
  bool fits() const { return compared > 0 && different == 0; }
};

/// Canonical first, each with its flushing variants (kFlushes) behind it; those that it has no form of are left out. None has
/// been compared yet.
std::vector<FunctionCandidate> function_candidates(const Resolved& problem);

/// Compares further values with what the candidates give for them: counts, and the first difference. With `only_fitting`, those
/// that differ already are left as they are.
void compare_with(std::vector<FunctionCandidate>& candidates, FunctionAsker& asker, const Tensor& x, const Tensor& seen,
                  bool only_fitting = false);

/// The first that fits; else the one with the fewest differences. Null where there is none.
const FunctionCandidate* best(const std::vector<FunctionCandidate>& candidates);

/// "result=once, subnormal inputs flushed to zero", "the operator's one program".
std::string to_text(const FunctionCandidate& candidate);

}  // namespace bitpact
