#include "verdict/batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "verdict/listed.h"

namespace bitpact {
namespace {

constexpr std::string_view kVerdicts[] = {"exact", "differs", "refused", "unknown", "nondeterministic"};

}  // namespace

std::vector<BatchLine> parse_batch(std::string_view text, const std::string& where) {
  std::vector<BatchLine> lines;
  for (ListedLine& listed : parse_listed(text, where, {"contract", "candidate", "expect"})) {
    BatchLine line;
    line.problem = std::move(listed.problem);
    line.number = listed.number;
    const auto contract = listed.values.find("contract"), candidate = listed.values.find("candidate"),
               expect = listed.values.find("expect");
    if (candidate != listed.values.end()) {
      try {
        line.candidate = to_text(parse_backend(candidate->second));
      } catch (const Refused& refused) {
        refuse_listed(where, line.number, refused.diagnostic().reason);
      }
    }
    if (contract != listed.values.end()) line.contract = contract->second;
    if (expect != listed.values.end()) line.expect = expect->second;
    if (line.expect && std::find(std::begin(kVerdicts), std::end(kVerdicts), *line.expect) == std::end(kVerdicts))
      refuse_listed(where, line.number, fmt::format("'{}' is no verdict", *line.expect));
    lines.push_back(std::move(line));
  }
  return lines;
}

BatchSummary run_batch(const std::vector<BatchLine>& lines, const ComparisonRequest& settings, BackendPool& pool,
                       const std::function<void(const BatchLine&, const ComparisonReport&, bool as_expected)>& each) {
  BatchSummary summary;
  for (const BatchLine& line : lines) {
    ComparisonRequest request = settings;
    request.problem = line.problem;
    request.contract = line.contract;
    if (line.candidate) request.candidate = *line.candidate;
    const ComparisonReport report = run_comparison(request, pool);
    const bool as_expected = name(report.verdict) == line.expect.value_or("exact");
    ++summary.ran;
    summary.as_expected += as_expected ? 1 : 0;
    ++summary.verdicts[std::string(name(report.verdict))];
    if (!as_expected && summary.exit == 0) summary.exit = std::max(1, exit_code(report));
    each(line, report, as_expected);
  }
  return summary;
}

}  // namespace bitpact
