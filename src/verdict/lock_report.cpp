// A check's report: for people, for programs, for build servers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/xml.h"
#include "verdict/lock_check.h"

namespace bitpact {
namespace {

using Json = nlohmann::json;

std::string row(std::string_view label, const std::string& text) { return fmt::format("  {:<9} {}\n", label, text); }

std::string title(const CheckedLine& line) {
  return fmt::format("{} on {}{}", line.problem, line.asked,
                     line.asked == line.backend ? "" : fmt::format(" (locked on {})", line.backend));
}

std::string first_text(const CheckFirst& first) {
  return fmt::format("{} of {} outputs differ from the locked contract, the first at [{}]: it gives {}, now {} ({}; {})",
                     first.different, first.compared, fmt::join(first.index, ", "), first.locked, first.now, first.problem,
                     first.operands);
}

std::string reason(const CheckedLine& line) {
  if (line.outcome == CheckOutcome::Changed) return fmt::format("{}", fmt::join(line.changes, "; "));
  return line.diagnostic ? fmt::format("[{}] {}", info(line.diagnostic->code).name, line.diagnostic->reason) : "";
}

std::string details(const CheckedLine& line) {
  std::string text;
  for (const std::string& change : line.changes) text += row("change", change);
  if (line.first) text += row("first", first_text(*line.first));
  // An explicit tree names every merge; --json has all of it.
  constexpr size_t kLongest = 400;
  for (const std::string& sentence : line.words)
    text += row("in words", sentence.size() <= kLongest ? sentence : sentence.substr(0, kLongest) + " ...");
  if (!line.words.empty()) text += row("", "(the first is the lock, the second what was found now)");
  if (line.diagnostic && line.outcome != CheckOutcome::Changed) text += row("because", reason(line));
  if (line.outcome == CheckOutcome::Changed)
    text += row("questions", fmt::format("{} of {} answered otherwise than when it was locked", line.different, line.questions));
  else if (!line.strength.empty())
    text += row("strength", line.strength);
  for (const std::string& field : line.identity) text += row("identity", field);
  return text;
}

}  // namespace

std::string to_text(const CheckedLine& line) {
  constexpr std::string_view kWords[] = {"unchanged", "CHANGED", "UNKNOWN", "REFUSED"};
  return fmt::format("{:<9}  {}\n{}", kWords[static_cast<int>(line.outcome)], title(line), details(line));
}

std::string summary(const CheckReport& report) {
  std::string text = fmt::format("{}: {} line(s)", report.path, report.lines.size());
  for (const CheckOutcome outcome :
       {CheckOutcome::Unchanged, CheckOutcome::Changed, CheckOutcome::Unknown, CheckOutcome::Refused})
    if (const auto n = report.count(outcome); n > 0) text += fmt::format(", {} {}", n, name(outcome));
  return text + "\n";
}

Json to_json(const CheckReport& report) {
  Json json{{"schema", "bitpact.check/1"}, {"lock", report.path}, {"exit", exit_code(report)}, {"lines", Json::array()}};
  for (const CheckedLine& line : report.lines) {
    Json j{{"problem", line.problem},       {"backend", line.backend},     {"asked", line.asked},
           {"outcome", name(line.outcome)}, {"strength", line.strength},   {"questions", line.questions},
           {"different", line.different},   {"identity", line.identity},   {"changes", line.changes},
           {"words", line.words},           {"probed_again", line.probed}, {"first", nullptr},
           {"diagnostic", nullptr}};
    if (line.first)
      j["first"] = {{"problem", line.first->problem},    {"operands", line.first->operands}, {"index", line.first->index},
                    {"locked", line.first->locked},      {"now", line.first->now},           {"compared", line.first->compared},
                    {"different", line.first->different}};
    if (line.diagnostic) j["diagnostic"] = {{"code", info(line.diagnostic->code).name}, {"reason", line.diagnostic->reason}};
    json["lines"].push_back(std::move(j));
  }
  return json;
}

std::string to_junit(const CheckReport& report) {
  const auto failures = report.count(CheckOutcome::Changed);
  const auto errors = report.count(CheckOutcome::Unknown) + report.count(CheckOutcome::Refused);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{0}\" failures=\"{1}\" errors=\"{2}\">\n"
      "<testsuite name=\"{3}\" tests=\"{0}\" failures=\"{1}\" errors=\"{2}\" skipped=\"0\">\n",
      report.lines.size(), failures, errors, xml_escaped("bitpact check " + report.path));
  for (const CheckedLine& line : report.lines) {
    text += fmt::format("<testcase classname=\"{}\" name=\"{}\"", xml_escaped(line.asked), xml_escaped(line.problem));
    if (line.outcome == CheckOutcome::Unchanged) {
      text += "/>\n";
      continue;
    }
    const std::string_view element = line.outcome == CheckOutcome::Changed ? "failure" : "error";
    text += fmt::format("><{0} type=\"{1}\" message=\"{2}\">{3}</{0}></testcase>\n", element, name(line.outcome),
                        xml_escaped(reason(line)), xml_escaped(title(line) + "\n" + details(line)));
  }
  return text + "</testsuite>\n</testsuites>\n";
}

}  // namespace bitpact
