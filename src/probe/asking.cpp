#include "probe/asking.h"

#include <cstring>

#include "diagnostic/diagnostic.h"

namespace bitpact {

Asker::Asker(Backend& backend, const Resolved& problem) : backend_(backend), problem_(problem) {
  const Ways ways = backend.ways();
  if (!ways.operator_call && !ways.stablehlo)
    refuse(Code::ProbeUnsupported, "the backend runs programs that it is given; it has no way of its own to compute an operator",
           {to_text(problem.problem), to_text(backend.spec()), backend.identity().target});
}

Asked Asker::ask(std::vector<Tensor> operands) {
  ++calls_;
  Answer answer = backend_.call_operator(problem_.problem, {problem_.result}, operands, {});
  kernel_ = answer.kernel;
  return {std::move(operands), std::move(answer.results[0])};
}

Asked Asker::ask(const Recipe& recipe) {
  return ask(make_operands(recipe, problem_.problem.operands, problem_.binding.operands, independent_axes(problem_)));
}

bool Asker::is_deterministic(int repeats, std::uint64_t seed) {
  Recipe recipe;
  recipe.seed = seed;
  recipe.classes = {"normal", "wide", "cancellation"};
  const std::vector<Tensor> operands =
      make_operands(recipe, problem_.problem.operands, problem_.binding.operands, independent_axes(problem_));
  ++calls_;
  const Answer first = backend_.call_operator(problem_.problem, {problem_.result}, operands, {.repeat = repeats});
  if (!first.repeats_agree) return false;
  recipe.seed = seed + 1;
  ask(recipe);
  const Asked again = ask(operands);
  return std::memcmp(first.results[0].bytes(), again.result.bytes(), again.result.byte_size()) == 0;
}

}  // namespace bitpact
