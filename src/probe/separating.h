// A few questions whose answers part what a backend computes from the other programs that its operator may be.
#pragma once

#include <string>
#include <vector>

#include "backends/backend.h"
#include "operators/recipe.h"
#include "probe/probe.h"

namespace bitpact {

struct Question {
  std::string problem;  ///< canonical line: the operator in the same formats, perhaps at another shape
  Recipe recipe;
  std::vector<Bits> constants = {};  ///< instead: one value an operand, everywhere
  bool operator==(const Question&) const = default;
};

struct QuestionAnswer {
  Tensor result;       ///< every NaN the quiet one
  std::string digest;  ///< "sha256:..." of its bytes
  std::string kernel;  ///< as the backend names it
};
/// Refuses what the backend refuses; `nondeterministic` where `repeats` runs do not agree.
QuestionAnswer ask(Backend& backend, const Question& question, int repeats = 1);
std::vector<Tensor> operands_of(const Question& question);
/// A recipe's text, or "constants 0x80000000,0x3f800000".
std::string operands_text(const Question& question);
/// Sets recipe or constants of a question whose problem is set. Refuses `usage`.
void parse_operands(std::string_view text, Question& question);

struct AnsweredQuestion {
  Question question;
  std::int64_t outputs = 0;
  std::string digest;
};

struct Separation {
  std::vector<AnsweredQuestion> questions;
  /// Programs that the operator may be besides (its choice points; other orders; subnormals counted as zeros), a region counted
  /// for itself, and how many of them give another answer to one of the questions at least.
  std::int64_t others = 0, parted = 0;
  std::string kernel = "unobserved";
};

/// Three to six questions: the probe's own operands, kept where they strike out programs that those before did not. For a
/// function of up to 16 bits the first one is its whole table. Without a contract there is nothing to part: three questions.
/// Refuses as `ask` does, and `probe-unknown` where the contract does not give an answer that lies in its domain.
Separation separate(const Resolved& problem, Backend& backend, const Probed& probed, std::uint64_t seed);

}  // namespace bitpact
