#include <fmt/format.h>
#include <fmt/ranges.h>

#include "probe/sum_report.h"
#include "probe/switch_points.h"

namespace bitpact {
namespace {

std::string extents_text(const std::vector<std::int64_t>& extents) {
  constexpr size_t kMost = 12;
  if (extents.size() <= kMost) return fmt::format("{}", fmt::join(extents, ", "));
  return fmt::format("{}, ... {} ({} extents)", fmt::join(extents.begin(), extents.begin() + kMost, ", "), extents.back(),
                     extents.size());
}

std::vector<std::int64_t> inside(const std::vector<std::int64_t>& extents, const SwitchRange& range) {
  std::vector<std::int64_t> found;
  for (const std::int64_t extent : extents)
    if (extent >= range.from && extent <= range.to) found.push_back(extent);
  return found;
}

}  // namespace

std::optional<Diagnostic> diagnostic_of(const SwitchReport& report) {
  for (const SwitchClass& c : report.classes)
    if (!c.probe.contract) return c.probe.diagnostic;
  if (report.complete) return {};
  const std::string machine = report.contract ? report.contract->identity.machine() : "";
  return Diagnostic{Code::ProbeUnknown,
                    fmt::format("{} from {} to {} has more than {} programs: switches between visited extents are left",
                                report.axis, report.from, report.to, report.classes.size()),
                    report.problem, report.backend, machine};
}

std::string to_text(const SwitchReport& report) {
  std::string text =
      fmt::format("SWITCHES  {} on {}, {} from {} to {}: {} program(s), {} range(s)\n", report.problem, report.backend,
                  report.axis, report.from, report.to, report.classes.size(), report.ranges.size());
  for (const SwitchRange& range : report.ranges) {
    const SwitchClass& c = report.classes[range.of];
    const std::string label = range.from == range.to ? fmt::format("{} {}", report.axis, range.from)
                                                     : fmt::format("{} {}..{}", report.axis, range.from, range.to);
    text += fmt::format("{:<16} {}\n", label, program_text(c.probe));
    const std::vector<std::int64_t> seen = inside(c.probe.contract ? c.verified : report.visited, range);
    const bool all = static_cast<std::int64_t>(seen.size()) == range.to - range.from + 1;
    text += fmt::format("{:<16} {} {}{}\n", "", c.probe.contract ? "verified at" : "visited at", extents_text(seen),
                        all ? "" : "; the others are predicted");
  }
  if (!report.complete)
    text += fmt::format("{:<16} more than {} programs: the search ended, switches between visited extents are left\n",
                        "incomplete", report.classes.size());
  text += fmt::format(
      "{:<16} {} extent(s) visited; {} call(s), {:.2f} s. Between neighbours that agree none was looked for: what comes "
      "and goes there is not seen\n",
      "asked", report.visited.size(), report.calls, report.seconds);
  return text;
}

nlohmann::json to_json(const SwitchReport& report) {
  using Json = nlohmann::json;
  Json json{{"schema", "bitpact.switches/1"},
            {"problem", report.problem},
            {"backend", report.backend},
            {"axis", report.axis},
            {"from", report.from},
            {"to", report.to},
            {"complete", report.complete},
            {"visited", report.visited},
            {"ranges", Json::array()},
            {"programs", Json::array()},
            {"counts", {{"calls", report.calls}, {"seconds", report.seconds}}}};
  for (const SwitchRange& range : report.ranges)
    json["ranges"].push_back({{"from", range.from}, {"to", range.to}, {"program", range.of}});
  for (const SwitchClass& c : report.classes)
    json["programs"].push_back({{"found_at", c.found_at}, {"verified", c.verified}, {"probe", to_json(c.probe)}});
  if (report.contract) json["contract"] = Json::parse(write_contract(*report.contract));
  return json;
}

}  // namespace bitpact
