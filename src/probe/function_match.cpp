#include "probe/function_match.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "interpret/interpret.h"
#include "probe/function_flush.h"

namespace bitpact {

namespace {

Interpreted run(const NumericProgram& program, FunctionAsker& asker, const Tensor& x, bool watch) {
  return interpret(bind(program, asker.at(x.shape()).binding), std::span(&x, 1), {.threads = 0, .watch = watch});
}

/// Arguments on whose way to the value, or there, a subnormal number is met: elsewhere counting them as zeros changes nothing.
std::vector<std::int64_t> with_subnormals(const Occurrences& occurrences) {
  constexpr int kSubnormal = 1 << static_cast<int>(Exclusion::SubnormalInput) |
                             1 << static_cast<int>(Exclusion::SubnormalIntermediate) |
                             1 << static_cast<int>(Exclusion::SubnormalResult);
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < occurrences.size(); ++i)
    if ((occurrences[i] & kSubnormal) != 0) all.push_back(static_cast<std::int64_t>(i));
  return all;
}

Tensor at(const Tensor& tensor, const std::vector<std::int64_t>& places) {
  Tensor part(tensor.format(), {static_cast<std::int64_t>(places.size())});
  for (std::size_t i = 0; i < places.size(); ++i) part.set(static_cast<std::int64_t>(i), tensor.get(places[i]));
  return part;
}

void note(FunctionCandidate& c, Bits x, Bits seen, Bits given) {
  if (seen == given) return;
  ++c.different;
  if (c.first && *c.first < x) return;
  c.first = x;
  c.seen = seen;
  c.given = given;
}

void compare_values(FunctionCandidate& c, const Tensor& x, const Tensor& seen, const Tensor& given) {
  if (std::memcmp(given.bytes(), seen.bytes(), seen.byte_size()) == 0) return;
  for (std::int64_t i = 0; i < x.size(); ++i) note(c, x.get(i), seen.get(i), given.get(i));
}

}  // namespace

std::vector<FunctionCandidate> function_candidates(const Resolved& problem) {
  std::vector<FunctionCandidate> all;
  for (const Hypothesis& h : hypotheses(operator_named(problem.problem.op), problem.formats()))
    for (std::size_t flush = 0; flush < kFlushes.size(); ++flush) {
      const bool in = flush % 3 != 2, out = flush % 3 != 1;
      FunctionCandidate c;
      c.choices = h.choices;
      c.flush = kFlushes[flush];
      c.program = h.program;
      if (flush > 3) {
        c.program = with_flush(h.program, in, out);
      } else if (flush > 0) {
        auto chosen = with_flush_by_bits(h.program, in, out);
        if (!chosen) continue;
        c.program = std::move(*chosen);
      }
      all.push_back(std::move(c));
    }
  return all;
}

void compare_with(std::vector<FunctionCandidate>& candidates, FunctionAsker& asker, const Tensor& x, const Tensor& seen,
                  bool only_fitting) {
  const auto plain_one = [](const FunctionCandidate& c) { return c.flush.empty(); };
  for (auto first = candidates.begin(), next = first; first != candidates.end(); first = next) {
    next = std::find_if(std::next(first), candidates.end(), plain_one);
    const std::span<FunctionCandidate> family(first, next);
    const auto wanted = [&](const FunctionCandidate& c) { return !only_fitting || c.different == 0; };
    if (std::none_of(family.begin(), family.end(), wanted)) continue;
    const Interpreted plain = run(family[0].program, asker, x, true);
    const std::vector<std::int64_t> places = with_subnormals(plain.occurrences[0]);
    const Tensor some = at(x, places);
    for (FunctionCandidate& c : family) {
      if (!wanted(c)) continue;
      c.compared += x.size();
      Tensor given = plain.results[0];
      if (!c.flush.empty() && !places.empty()) {
        const Tensor flushed = run(c.program, asker, some, false).results[0];
        for (std::size_t i = 0; i < places.size(); ++i) given.set(places[i], flushed.get(static_cast<std::int64_t>(i)));
      }
      compare_values(c, x, seen, given);
    }
  }
}

const FunctionCandidate* best(const std::vector<FunctionCandidate>& candidates) {
  const auto better = [](const FunctionCandidate& a, const FunctionCandidate& b) { return a.different < b.different; };
  const auto found = std::min_element(candidates.begin(), candidates.end(), better);
  return found == candidates.end() ? nullptr : &*found;
}

std::string to_text(const FunctionCandidate& candidate) {
  if (candidate.tabulated) return "the table of these values";
  std::vector<std::string> parts;
  for (const auto& [point, value] : candidate.choices) parts.push_back(fmt::format("{}={}", point, value));
  if (parts.empty()) parts.emplace_back("the operator's one program");
  if (!candidate.flush.empty()) parts.push_back(fmt::format("subnormal {} counted as zero", candidate.flush));
  if (candidate.exceptions > 0) parts.push_back(fmt::format("{} value(s) given one by one", candidate.exceptions));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace bitpact
