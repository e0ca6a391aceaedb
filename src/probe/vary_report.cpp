#include <fmt/format.h>
#include <fmt/ranges.h>

#include "probe/vary.h"

namespace bitpact {
namespace {

std::string vary_row(std::string_view label, const std::string& text) { return fmt::format("{:<20} {}\n", label, text); }

/// "align=4, threads=2"; an option that was not given has the backend's own value.
std::string condition_text(const VaryReport& report, const VaryCondition& condition) {
  std::vector<std::string> parts;
  for (const VariedName& v : report.varied) {
    const auto& values = v.option ? condition.options : condition.attributes;
    const auto at = values.find(v.name);
    parts.push_back(at == values.end() ? fmt::format("{} not given", v.name) : fmt::format("{}={}", v.name, at->second));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Orders that are written out leaf by leaf are for programs.
std::string shown_sentence(const std::string& sentence) {
  constexpr size_t kMost = 400;
  return sentence.size() <= kMost ? sentence : sentence.substr(0, kMost) + "... (--json has all)";
}

std::string unasked_text(const VariedName& v, Unasked unasked) {
  switch (unasked) {
    case Unasked::None:
      return fmt::format("no value of {} is left", v.name);
    case Unasked::Predicted:
      return fmt::format("other values of {}: predicted, not verified", v.name);
    case Unasked::NotCovered:
      return fmt::format("other values of {}: not covered by the contract", v.name);
    case Unasked::Others:
      return fmt::format("{} is part of the backend's identity: the contract is for the backend as it was given", v.name);
  }
  return {};
}

}  // namespace

std::optional<Diagnostic> diagnostic_of(const VaryReport& report) {
  for (const VaryProgram& program : report.programs)
    if (!program.contract) return program.diagnostic;
  return {};
}

std::string to_text(const VaryReport& report) {
  std::string text = fmt::format("VARY  {} on {}: {} condition(s), {} program(s)\n", report.problem, report.backend,
                                 report.answers.size(), report.programs.size());
  for (size_t a = 0; a < report.answers.size(); ++a) {
    const VaryAnswer& answer = report.answers[a];
    const VaryProgram& program = report.programs[answer.of];
    const bool here = program.found_at == a;
    text += vary_row(condition_text(report, answer.condition),
                     fmt::format("program {}{}", answer.of + 1, here ? ": " + program.words : ""));
    const std::string on = to_text(answer.condition.backend);
    const std::string line = to_text(answer.condition.problem.problem) + (on == report.backend ? "" : fmt::format(" on {}", on));
    if (program.contract)
      text += vary_row("", answer.outputs > 0 ? fmt::format("verified: {}, {} outputs", line, answer.outputs)
                                              : fmt::format("verified: {}, by its values", line));
    else
      text += vary_row("", fmt::format("no program: {}", line));
    for (const std::string& sentence : answer.differences)
      if (here) text += vary_row("", "against the first: " + shown_sentence(sentence));
    if (answer.compared > 0)
      text += vary_row("", fmt::format("on the same operands {} of {} outputs differ from those of the first condition",
                                       answer.different, answer.compared));
    for (const std::string& sentence : answer.identity_differences) text += vary_row("", sentence);
  }
  for (size_t v = 0; v < report.varied.size(); ++v)
    text += vary_row(v == 0 ? "not asked" : "", unasked_text(report.varied[v], report.unasked[v]));
  text += vary_row("asked", fmt::format("{} call(s), {:.2f} s; verified by samples of operands, which is no proof", report.calls,
                                        report.seconds));
  return text;
}

nlohmann::json to_json(const VaryReport& report) {
  using Json = nlohmann::json;
  Json json{{"schema", "bitpact.vary/1"},
            {"problem", report.problem},
            {"backend", report.backend},
            {"varied", Json::array()},
            {"conditions", Json::array()},
            {"programs", Json::array()},
            {"counts", {{"calls", report.calls}, {"seconds", report.seconds}}}};
  for (size_t v = 0; v < report.varied.size(); ++v) {
    const VariedName& varied = report.varied[v];
    json["varied"].push_back({{"name", varied.name},
                              {"kind", varied.option ? "option" : "attribute"},
                              {"values", varied.values},
                              {"unasked", name(report.unasked[v])}});
  }
  for (const VaryAnswer& answer : report.answers)
    json["conditions"].push_back({{"attributes", answer.condition.attributes},
                                  {"options", answer.condition.options},
                                  {"problem", to_text(answer.condition.problem.problem)},
                                  {"backend", to_text(answer.condition.backend)},
                                  {"program", answer.of},
                                  {"verified", report.programs[answer.of].contract.has_value()},
                                  {"outputs", answer.outputs},
                                  {"differences", answer.differences},
                                  {"identity_differences", answer.identity_differences},
                                  {"compared", answer.compared},
                                  {"different", answer.different}});
  for (const VaryProgram& program : report.programs)
    json["programs"].push_back({{"found_at", program.found_at}, {"words", program.words}, {"probe", program.probe}});
  if (report.contract) json["contract"] = Json::parse(write_contract(*report.contract));
  return json;
}

}  // namespace bitpact
