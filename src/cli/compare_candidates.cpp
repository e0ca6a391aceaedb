#include "cli/compare_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace bitpact {
namespace {

// From best to worst.
constexpr std::array<ExitCode, 5> kSeverity{0, 1, 4, 3, 2};

ExitCode worse(ExitCode a, ExitCode b) {
  const auto rank = [](ExitCode code) { return std::find(kSeverity.begin(), kSeverity.end(), code); };
  return rank(a) < rank(b) ? b : a;
}

// The reason of a report that ends otherwise than equal.
std::string why(const ComparisonReport& report) {
  if (report.diagnostic) return fmt::format("[{}] {}", info(report.diagnostic->code).name, report.diagnostic->reason);
  return report.cause ? report.cause->summary : "";
}

std::string differing(const ComparisonReport& report) {
  if (report.verdict == Verdict::Refused) return "-";
  return fmt::format("{} of {}", report.outputs.different, report.outputs.compared);
}

std::string table(const std::vector<ComparisonReport>& reports) {
  std::vector<std::array<std::string, 4>> rows{{"candidate", "verdict", "differing", "cause"}};
  for (const ComparisonReport& report : reports)
    rows.push_back({report.candidate.spec, std::string(name(report.verdict)), differing(report), why(report)});
  std::array<std::size_t, 3> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line += row[3];
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

ExitCode compare_candidates(ComparisonRequest request, const std::vector<std::string>& candidates, bool as_json) {
  BackendPool pool;
  std::vector<ComparisonReport> reports;
  ExitCode exit = 0;
  for (const std::string& candidate : candidates) {
    request.candidate = candidate;
    reports.push_back(run_comparison(request, pool));
    const ComparisonReport& report = reports.back();
    exit = worse(exit, exit_code(report));
    if (!as_json) print(to_text(report) + "\n");
    if (report.verdict == Verdict::Refused) say(to_text(*report.diagnostic));
  }
  if (!as_json) {
    print(table(reports));
    return exit;
  }
  nlohmann::json all{{"schema", "bitpact.comparisons/1"}, {"comparisons", nlohmann::json::array()}};
  for (const ComparisonReport& report : reports) all["comparisons"].push_back(to_json(report));
  print_json(all);
  return exit;
}

}  // namespace bitpact
