#include "probe/sum_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace bitpact {
namespace {

std::string row(std::string_view label, const std::string& text) { return fmt::format("{:<12} {}\n", label, text); }

std::string reproducer_text(const ProbeReproducer& r) {
  std::string text = row("reproducer", fmt::format("output [{}], every element zero but:", fmt::join(r.output, ", ")));
  for (const std::string& term : r.terms) text += row("", term);
  text += row("", fmt::format("the backend gives {}, the nearest program {}", r.backend_gives, r.program_gives));
  return text;
}

std::string nearest_text(const ProbeReport& report) {
  std::string text;
  for (const auto& [point, value] : report.nearest)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", point, shortened(value));
  return fmt::format("{}: {} of {} output(s) differ", text, report.nearest_different, report.nearest_compared);
}

std::string not_parted_text(const ProbedPart& part) {
  constexpr size_t kMost = 3;
  const size_t shown = std::min(part.not_parted.size(), kMost);
  std::string text = "not told from it by any operands tried: ";
  for (size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : "; ") + shortened(part.not_parted[i]);
  if (part.not_parted.size() > shown) text += fmt::format("; {} more (--json has all)", part.not_parted.size() - shown);
  return text;
}

}  // namespace

std::string choices_text(const ProbedPart& part) {
  std::string text;
  for (const auto& [point, value] : part.choices)
    if (point != "order") text += fmt::format("{}{}={}", text.empty() ? "" : ", ", point, value);
  if (!part.flush.empty()) text += fmt::format("{}subnormal {} flushed to zero", text.empty() ? "" : ", ", part.flush);
  return text.empty() ? "the operator's one program" : text;
}

std::string program_text(const ProbeReport& report) {
  if (!report.contract) return fmt::format("{}: {}", name(report.verdict), report.diagnostic ? report.diagnostic->reason : "");
  std::string text;
  for (const ProbedPart& part : report.parts) {
    if (!text.empty()) text += "; ";
    if (part.region != "all") text += shortened(part.region) + ": ";
    if (!part.order.empty()) text += shortened(part.order) + ", ";
    text += choices_text(part);
  }
  return text;
}

std::string to_text(const ProbeReport& report) {
  constexpr std::string_view kWords[] = {"CONTRACT", "UNKNOWN", "NOT_A_TREE", "NONDETERMINISTIC", "REFUSED"};
  std::string text = fmt::format("{}  {} on {}\n", kWords[static_cast<int>(report.verdict)], report.problem, report.backend);
  if (report.diagnostic) text += row("because", report.diagnostic->reason);
  for (const ProbedPart& part : report.parts) {
    if (!report.contract) break;
    if (report.parts.size() > 1) text += row("region", fmt::format("{} ({} output(s))", part.region, part.outputs));
    if (!part.order.empty()) text += row("order", shortened(part.order));
    text += row("program", choices_text(part));
    if (!part.not_parted.empty()) text += row("", not_parted_text(part));
  }
  if (report.contract)
    for (size_t p = 0; p < report.contract->pieces.size(); ++p) {
      const Piece& piece = report.contract->pieces[p];
      if (!piece.operands.excludes.empty()) text += row("domain", to_text(piece.operands));
    }
  if (!report.strength.empty()) text += row("strength", report.strength);
  for (const std::string& line : report.other_shapes)
    text += row(&line == report.other_shapes.data() ? "other shapes" : "", line);
  if (report.contract) text += row("", "every other shape is predicted, not verified");
  if (!report.nearest.empty() && !report.contract) text += row("nearest", nearest_text(report));
  if (report.reproducer) text += reproducer_text(*report.reproducer);
  const ProbeCounts& c = report.counts;
  if (c.calls > 0) {
    std::string asked = fmt::format("{} call(s)", c.calls);
    if (c.mask_calls > 0) asked += fmt::format(", of them {} for {} question(s) with masks", c.mask_calls, c.mask_questions);
    if (!report.masks.empty()) asked += fmt::format(" ({})", report.masks);
    text += row("asked", fmt::format("{}; {} program(s) tried; {:.2f} s, the order known after {:.2f} s", asked, c.hypotheses,
                                     c.seconds, c.tree_seconds));
  }
  return text;
}

nlohmann::json to_json(const ProbeReport& report) {
  using Json = nlohmann::json;
  Json json{{"schema", "bitpact.probe/1"},     {"problem", report.problem}, {"backend", report.backend},
            {"verdict", name(report.verdict)}, {"parts", Json::array()},    {"other_shapes", report.other_shapes},
            {"strength", report.strength},     {"masks", report.masks}};
  for (const ProbedPart& part : report.parts) {
    if (!report.contract) break;
    json["parts"].push_back({{"region", part.region},
                             {"outputs", part.outputs},
                             {"order", part.order},
                             {"choices", part.choices},
                             {"flush", part.flush},
                             {"not_parted", part.not_parted}});
  }
  if (report.diagnostic)
    json["diagnostic"] = {{"code", info(report.diagnostic->code).name}, {"reason", report.diagnostic->reason}};
  if (report.contract) json["contract"] = Json::parse(write_contract(*report.contract));
  if (report.reproducer) {
    const ProbeReproducer& r = *report.reproducer;
    json["reproducer"] = {{"output", r.output}, {"terms", r.terms}, {"backend", r.backend_gives}, {"program", r.program_gives}};
  }
  if (!report.contract && !report.nearest.empty())
    json["nearest"] = {
        {"choices", report.nearest}, {"different", report.nearest_different}, {"compared", report.nearest_compared}};
  const ProbeCounts& c = report.counts;
  json["counts"] = {{"calls", c.calls},
                    {"mask_calls", c.mask_calls},
                    {"mask_questions", c.mask_questions},
                    {"programs", c.hypotheses},
                    {"replayed_outputs", c.replayed},
                    {"replayed_leaves", c.replayed_leaves},
                    {"node_questions", c.node_questions},
                    {"tree_seconds", c.tree_seconds},
                    {"seconds", c.seconds}};
  return json;
}

}  // namespace bitpact
