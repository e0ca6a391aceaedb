#include "explain/replay.h"

#include "compare/compare.h"
#include "explain/restrict.h"
#include "interpret/interpret.h"

namespace bitpact {
namespace {

constexpr std::int64_t kPartOutputs = 2048;

void flush_body(ScalarBody& body, bool inputs, bool results) {
  for (Instruction& instruction : body.code) {
    if (!info(instruction.op).rounds || !is_float(instruction.format)) continue;
    instruction.policy.flush_in |= inputs;
    instruction.policy.flush_out |= results;
  }
}

bool has_subnormal(std::uint8_t flags) {
  constexpr int kSubnormal = 1 << static_cast<int>(Exclusion::SubnormalInput) | 1 << static_cast<int>(Exclusion::SubnormalIntermediate) |
                             1 << static_cast<int>(Exclusion::SubnormalResult);
  return (flags & kSubnormal) != 0;
}

Fit run(const Fit& what, const Part& part, const Tensor& outputs, const std::vector<std::uint8_t>* keep, Interpreted* interpreted) {
  Fit fit = what;
  Interpreted result = interpret(bind(what.program, part.binding), part.operands, {.threads = 0, .watch = interpreted != nullptr});
  const TensorComparison comparison = compare_tensors(outputs, result.results[0], {}, keep);
  fit.compared = comparison.compared;
  fit.different = comparison.different;
  if (interpreted) *interpreted = std::move(result);
  return fit;
}

}  // namespace

NumericProgram with_flush(const NumericProgram& program, bool inputs, bool results) {
  NumericProgram flushed = program;
  for (Node& node : flushed.nodes) {
    if (auto* map = std::get_if<Map>(&node)) flush_body(map->body, inputs, results);
    if (auto* fold = std::get_if<Fold>(&node))
      for (ScalarBody* body : {&fold->leaf, &fold->step, &fold->merge, &fold->finish, &fold->start.lift}) flush_body(*body, inputs, results);
  }
  return flushed;
}

Replay replay(const Resolved& problem, const std::vector<Tensor>& operands, const Tensor& outputs, const std::vector<std::int64_t>& index) {
  Replay answer;
  const Window window = window_around(problem.binding, index, kPartOutputs);
  const Part part = cut(problem.binding, operands, window);
  const Tensor seen = cut(outputs, problem.binding.result, window);
  answer.part = seen.size();
  const Operator& op = operator_named(problem.problem.op);

  const auto consider = [&](const Fit& fit) {
    ++answer.tried;
    if (fit.different == 0) answer.fits.push_back(fit);
    if (!answer.nearest || fit.different < answer.nearest->different) answer.nearest = fit;
  };
  for (const Hypothesis& h : hypotheses(op, problem.formats())) {
    Interpreted interpreted;
    const Fit plain = run({h.choices, h.program, "", 0, 0}, part, seen, nullptr, &interpreted);
    consider(plain);
    if (plain.different == 0) continue;
    // Where all that differs is outputs with a subnormal on their way, the same program may flush them.
    std::vector<std::uint8_t> keep;
    for (const std::uint8_t flags : interpreted.occurrences[0]) keep.push_back(has_subnormal(flags) ? 0 : 1);
    const TensorComparison normal = compare_tensors(seen, interpreted.results[0], {}, &keep);
    if (normal.different != 0 || normal.compared == 0 || normal.compared == seen.size()) continue;
    for (const auto& [inputs, results, words] :
         {std::tuple{true, true, "inputs and results"}, std::tuple{true, false, "inputs"}, std::tuple{false, true, "results"}})
      consider(run({h.choices, with_flush(h.program, inputs, results), words, 0, 0}, part, seen, nullptr, nullptr));
  }
  if (answer.fits.empty()) return answer;
  answer.nearest.reset();
  Part all{problem.binding, operands};
  Fit& first = answer.fits.front();
  if (seen.size() == outputs.size()) {
    answer.whole = true;
  } else {
    first = run(first, all, outputs, nullptr, nullptr);
    answer.whole = first.different == 0;
  }
  return answer;
}

}  // namespace bitpact
