#include "probe/function_match.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "interpret/interpret.h"
#include "probe/function_flush.h"

namespace bitpact {

std::vector<FunctionCandidate> function_candidates(const Resolved& problem) {
  std::vector<FunctionCandidate> all;
  for (const Hypothesis& h : hypotheses(operator_named(problem.problem.op), problem.formats()))
    for (const auto& [inputs, results, words] :
         {std::tuple{false, false, ""}, std::tuple{true, false, "inputs"}, std::tuple{false, true, "results"},
          std::tuple{true, true, "inputs and results"}}) {
      FunctionCandidate c;
      c.choices = h.choices;
      c.flush = words;
      c.program = inputs || results ? with_flush(h.program, inputs, results) : h.program;
      all.push_back(std::move(c));
    }
  return all;
}

Tensor values_of(const FunctionCandidate& candidate, FunctionAsker& asker, const Tensor& x) {
  return interpret(bind(candidate.program, asker.at(x.shape()).binding), std::span(&x, 1)).results[0];
}

void compare_with(FunctionCandidate& candidate, FunctionAsker& asker, const Tensor& x, const Tensor& seen) {
  const Tensor given = values_of(candidate, asker, x);
  candidate.compared += x.size();
  if (std::memcmp(given.bytes(), seen.bytes(), seen.byte_size()) == 0) return;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const Bits ours = seen.get(i), theirs = given.get(i);
    if (ours == theirs) continue;
    ++candidate.different;
    if (candidate.first && *candidate.first < x.get(i)) continue;
    candidate.first = x.get(i);
    candidate.seen = ours;
    candidate.given = theirs;
  }
}

const FunctionCandidate* best(const std::vector<FunctionCandidate>& candidates) {
  const auto better = [](const FunctionCandidate& a, const FunctionCandidate& b) { return a.different < b.different; };
  const auto found = std::min_element(candidates.begin(), candidates.end(), better);
  return found == candidates.end() ? nullptr : &*found;
}

std::string to_text(const FunctionCandidate& candidate) {
  std::vector<std::string> parts;
  for (const auto& [point, value] : candidate.choices) parts.push_back(fmt::format("{}={}", point, value));
  if (parts.empty()) parts.emplace_back("the operator's one program");
  if (!candidate.flush.empty()) parts.push_back(fmt::format("subnormal {} flushed to zero", candidate.flush));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace bitpact
