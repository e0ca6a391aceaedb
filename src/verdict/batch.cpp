#include "verdict/batch.h"

#include <fmt/format.h>

#include <algorithm>

namespace bitpact {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

constexpr std::string_view kVerdicts[] = {"exact", "differs", "refused", "unknown", "nondeterministic"};

BatchLine parse_line(std::string_view text, const std::string& where, std::int64_t number) {
  const auto bad = [&](const std::string& why) { refuse(Code::ProblemSyntax, fmt::format("{}:{}: {}", where, number, why)); };
  BatchLine line;
  line.number = number;
  bool first = true;
  while (true) {
    const size_t semicolon = text.find(';');
    const std::string_view part = trimmed(text.substr(0, semicolon));
    if (first)
      line.problem = part;
    else if (part.starts_with("contract=") && !line.contract)
      line.contract = std::string(part.substr(9));
    else if (part.starts_with("expect=") && !line.expect)
      line.expect = std::string(part.substr(7));
    else
      bad(fmt::format("'{}' is neither contract=PATH nor expect=VERDICT, or is given twice", part));
    first = false;
    if (semicolon == std::string_view::npos) break;
    text.remove_prefix(semicolon + 1);
  }
  if (line.expect && std::find(std::begin(kVerdicts), std::end(kVerdicts), *line.expect) == std::end(kVerdicts))
    bad(fmt::format("'{}' is no verdict", *line.expect));
  try {
    parse_problem(line.problem);
  } catch (const Refused& refused) {
    Diagnostic d = refused.diagnostic();
    d.reason = fmt::format("{}:{}: {}", where, number, d.reason);
    throw Refused(d);
  }
  return line;
}

}  // namespace

std::vector<BatchLine> parse_batch(std::string_view text, const std::string& where) {
  std::vector<BatchLine> lines;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    const std::string_view content = trimmed(line.substr(0, line.find('#')));
    if (!content.empty()) lines.push_back(parse_line(content, where, number));
    if (newline == std::string_view::npos) break;
    text.remove_prefix(newline + 1);
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
