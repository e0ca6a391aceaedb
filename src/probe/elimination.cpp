#include "probe/elimination.h"

#include <fmt/format.h>

#include <algorithm>

#include "compare/compare.h"
#include "diagnostic/diagnostic.h"
#include "interpret/covered.h"
#include "probe/distinct.h"
#include "probe/function_flush.h"
#include "probe/restrict.h"

namespace bitpact {
bool same_value(Format format, Bits a, Bits b) {
  if (a == b) return true;
  return is_float(format) && classify(format, a) == Class::NaN && classify(format, b) == Class::NaN;
}

std::string to_text(const Candidate& candidate) {
  std::string text;
  for (const auto& [point, value] : candidate.choices)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", point, shortened(value));
  if (!candidate.flush.empty()) text += fmt::format("{}subnormal {} flushed to zero", text.empty() ? "" : ", ", candidate.flush);
  if (!candidate.domain.excludes.empty()) text += fmt::format("; {}", to_text(candidate.domain));
  return text.empty() ? "the operator's one program" : text;
}

namespace {

/// A fold that carries errors, or several levels of partial sums: what masks see of its order is not its chains.
bool carries_more_than_a_sum(const NumericProgram& program) {
  return std::any_of(program.nodes.begin(), program.nodes.end(), [](const Node& node) {
    const auto* fold = std::get_if<Fold>(&node);
    if (fold == nullptr) return false;
    const std::vector<Format> state = fold->state_formats();
    return std::count_if(state.begin(), state.end(), [](Format format) { return is_float(format); }) > 1;
  });
}

}  // namespace

std::vector<Candidate> candidates(const Resolved& problem, const std::vector<Order>& orders) {
  Operator op = operator_named(problem.problem.op);
  if (!orders.empty()) {
    std::vector<std::string> texts;
    for (const Order& order : orders) texts.push_back(spelled(order));
    op.choice_points = [listed = op.choice_points, texts](const OperatorFormats& formats) {
      std::vector<ChoicePoint> points = listed(formats);
      for (ChoicePoint& point : points)
        if (point.name == "order") point.values = texts;
      return points;
    };
  }
  std::vector<Hypothesis> all = hypotheses(op, problem.formats());
  if (!orders.empty())
    for (Hypothesis& h : hypotheses(operator_named(problem.problem.op), problem.formats()))
      if (carries_more_than_a_sum(h.program)) all.push_back(std::move(h));
  std::vector<Candidate> found;
  for (Hypothesis& h : distinct_at(std::move(all), problem.binding))
    found.push_back({std::move(h.choices), "", std::move(h.program), {}});
  return found;
}

std::vector<Candidate> flushing(const Candidate& candidate) {
  std::vector<Candidate> found;
  for (const auto& [inputs, results, words] :
       {std::tuple{true, false, "inputs"}, std::tuple{false, true, "results"}, std::tuple{true, true, "inputs and results"}}) {
    NumericProgram flushed = with_flush(candidate.program, inputs, results);
    if (flushed != candidate.program)  // where elements only move, there is nothing to flush
      found.push_back({candidate.choices, words, std::move(flushed), candidate.domain});
  }
  return found;
}

std::vector<std::int64_t> differing(const Candidate& candidate, const Resolved& problem, const Asked& asked,
                                    const std::vector<std::int64_t>& outputs, std::int64_t* inside) {
  const std::uint8_t excluded = excluded_bits(candidate.domain);
  const Interpreted got =
      interpret(bind(candidate.program, problem.binding), asked.operands, {.threads = 0, .watch = excluded != 0});
  const Format format = asked.result.format();
  std::vector<std::int64_t> different;
  std::int64_t counted = 0;
  for (const std::int64_t o : outputs) {
    if (excluded != 0 && (got.occurrences[0][static_cast<size_t>(o)] & excluded) != 0) continue;
    ++counted;
    if (!same_value(format, got.results[0].get(o), asked.result.get(o))) different.push_back(o);
  }
  if (inside != nullptr) *inside = counted;
  return different;
}

bool fits_window(const Candidate& candidate, const Resolved& problem, const Asked& asked,
                 const std::vector<std::int64_t>& outputs, std::int64_t around) {
  constexpr std::int64_t kOutputs = 64;
  const Window window = window_around(problem, coordinate(problem.result.shape, around), kOutputs);
  const Part part = cut(problem.binding, asked.operands, window);
  const Tensor seen = cut(asked.result, problem.binding.result, window);
  const Tensor got = interpret(bind(candidate.program, part.binding), part.operands).results[0];
  for (std::int64_t i = 0; i < seen.size(); ++i) {
    if (same_value(seen.format(), seen.get(i), got.get(i))) continue;
    std::vector<std::int64_t> at = coordinate(seen.shape(), i);
    for (size_t d = 0; d < at.size(); ++d) {
      const auto range = window.find(problem.binding.result[d]);
      if (range != window.end()) at[d] += range->second.first;
    }
    if (std::binary_search(outputs.begin(), outputs.end(), flat_index(problem.result.shape, at))) return false;
  }
  return true;
}

}  // namespace bitpact
