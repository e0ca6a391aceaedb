#include "explain/replay.h"

#include <algorithm>
#include <tuple>

#include "compare/compare.h"
#include "interpret/interpret.h"
#include "probe/distinct.h"
#include "probe/function_flush.h"
#include "probe/restrict.h"

namespace bitpact {
namespace {

// Most hypotheses fall on the first few outputs; what is left is tried on more, and the first few fits on all.
constexpr std::int64_t kScreenOutputs = 64;
constexpr std::int64_t kPartOutputs = 2048;
constexpr std::ptrdiff_t kWholeRuns = 8;

bool has_subnormal(std::uint8_t flags) {
  constexpr int kSubnormal = 1 << static_cast<int>(Exclusion::SubnormalInput) |
                             1 << static_cast<int>(Exclusion::SubnormalIntermediate) |
                             1 << static_cast<int>(Exclusion::SubnormalResult);
  return (flags & kSubnormal) != 0;
}

/// Some outputs of the problem, as they were seen.
struct Sample {
  Part part;
  Tensor seen;
};

Sample sample(const Resolved& problem, const std::vector<Tensor>& operands, const Tensor& outputs,
              const std::vector<std::int64_t>& index, std::int64_t most) {
  const Window window = window_around(problem, index, most);
  return {cut(problem.binding, operands, window), cut(outputs, problem.binding.result, window)};
}

/// Outputs that no subnormal is met on the way to, by the canonical program: 1, else 0.
std::vector<std::uint8_t> normal_outputs(const Resolved& problem, const Sample& s) {
  const Operator& op = operator_named(problem.problem.op);
  const NumericProgram canonical = op.build(problem.formats(), canonical_choices(op, problem.formats()));
  const Interpreted watched = interpret(bind(canonical, s.part.binding), s.part.operands, {.threads = 0, .watch = true});
  std::vector<std::uint8_t> keep;
  for (const std::uint8_t flags : watched.occurrences[0]) keep.push_back(has_subnormal(flags) ? 0 : 1);
  return keep;
}

Fit run(const Fit& what, const Sample& s, Tensor* result = nullptr) {
  Fit fit = what;
  const Tensor got = interpret(bind(what.program, s.part.binding), s.part.operands).results[0];
  const TensorComparison comparison = compare_tensors(s.seen, got);
  fit.compared = comparison.compared;
  fit.different = comparison.different;
  if (result) *result = got;
  return fit;
}

}  // namespace

Replay replay(const Resolved& problem, const std::vector<Tensor>& operands, const Tensor& outputs,
              const std::vector<std::int64_t>& index) {
  Replay answer;
  const Sample screen = sample(problem, operands, outputs, index, kScreenOutputs);
  const std::vector<std::uint8_t> keep = normal_outputs(problem, screen);
  const auto normal = std::count(keep.begin(), keep.end(), 1);

  std::vector<Fit> left;
  const auto consider = [&](const Fit& fit) {
    ++answer.tried;
    if (fit.different == 0) left.push_back(fit);
    if (!answer.nearest || fit.different < answer.nearest->different) answer.nearest = fit;
  };
  const std::vector<Hypothesis> programs =
      distinct_at(hypotheses(operator_named(problem.problem.op), problem.formats()), problem.binding);
  for (const Hypothesis& h : programs) {
    Tensor got;
    const Fit plain = run({h.choices, h.program, "", 0, 0}, screen, &got);
    consider(plain);
    if (plain.different == 0 || normal == screen.seen.size()) continue;
    // Where all that differs is outputs with a subnormal on their way, the same program may flush them.
    if (compare_tensors(screen.seen, got, {}, &keep).different != 0) continue;
    for (const auto& [inputs, results, words] :
         {std::tuple{true, false, "inputs"}, std::tuple{false, true, "results"}, std::tuple{true, true, "inputs and results"}})
      consider(run({h.choices, with_flush(h.program, inputs, results), words, 0, 0}, screen));
  }
  const Sample part = sample(problem, operands, outputs, index, kPartOutputs);
  answer.part = part.seen.size();
  for (const Fit& fit : left) {
    const Fit again = run(fit, part);
    if (again.different == 0)
      answer.fits.push_back(again);
    else if (answer.fits.empty() &&
             (!answer.nearest || answer.nearest->different == 0 || again.different < answer.nearest->different))
      answer.nearest = again;
  }
  if (answer.fits.empty()) return answer;
  answer.nearest.reset();
  answer.whole = part.seen.size() == outputs.size();
  if (answer.whole) return answer;
  // What the part could not tell apart, all outputs may. Where none gives them all, the nearest stands first.
  const Sample all{{problem.binding, operands}, outputs};
  const auto tried = answer.fits.begin() + std::min<std::ptrdiff_t>(std::ssize(answer.fits), kWholeRuns);
  std::for_each(answer.fits.begin(), tried, [&](Fit& fit) { fit = run(fit, all); });
  answer.whole = std::any_of(answer.fits.begin(), tried, [](const Fit& fit) { return fit.different == 0; });
  if (answer.whole)
    answer.fits.erase(std::remove_if(answer.fits.begin(), tried, [](const Fit& fit) { return fit.different != 0; }), tried);
  else
    std::stable_sort(answer.fits.begin(), tried, [](const Fit& a, const Fit& b) { return a.different < b.different; });
  return answer;
}

}  // namespace bitpact
