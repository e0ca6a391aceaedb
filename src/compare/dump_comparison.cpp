#include "compare/dump_comparison.h"

#include "compare/dump_match.h"
#include "compare/dump_order.h"
#include "compare/dump_schedule.h"

namespace bitpact {

std::string_view name(MatchedBy by) {
  constexpr std::string_view kNames[] = {"name", "map", "content", "shape"};
  return kNames[static_cast<std::size_t>(by)];
}

std::string_view name(Outcome outcome) {
  constexpr std::string_view kNames[] = {"equal",     "differs",  "other-shape", "other-format", "other-shape-and-format",
                                         "only-in-a", "only-in-b"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::string_view name(StepState state) {
  constexpr std::string_view kNames[] = {"not-declared", "inputs-equal", "inputs-differ", "inputs-unknown"};
  return kNames[static_cast<std::size_t>(state)];
}

DumpReport compare_dumps(std::shared_ptr<const Dump> a, std::shared_ptr<const Dump> b, DumpCompareOptions options) {
  DumpReport report;
  report.a = std::move(a);
  report.b = std::move(b);
  report.options = std::move(options);
  DumpMatches matches = match_dumps(*report.a, *report.b, report.options.maps, report.options.match);
  report.pairs = std::move(matches.pairs);
  report.renamed = std::move(matches.renamed);
  put_in_order(report);
  compare_pairs(*report.a, *report.b, report.pairs, report.options.threads);
  for (std::size_t i = 0; i < report.pairs.size(); ++i) {
    const Outcome outcome = report.pairs[i].outcome;
    ++report.outcomes[static_cast<std::size_t>(outcome)];
    if (outcome != Outcome::Equal && report.first == kAbsent) report.first = i;
  }
  judge_steps(report);
  return report;
}

}  // namespace bitpact
