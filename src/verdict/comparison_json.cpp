// The --json twin of a comparison: docs/schemas/comparison.schema.json.
#include "verdict/comparison.h"

namespace bitpact {
namespace {

using nlohmann::json;

json identity_json(const SideReport& side) {
  json j{{"spec", side.spec}, {"kernel", side.kernel}, {"tag", side.tag.empty() ? json(nullptr) : json(side.tag)}};
  if (!side.identity) {
    j["identity"] = nullptr;
    return j;
  }
  j["identity"] = to_json(*side.identity);
  return j;
}

json cost_json(const Cost& cost) {
  return {{"compile_ms", cost.compile_ms},
          {"run_ms", cost.run_ms},
          {"transfer_bytes", cost.transfer_bytes},
          {"peak_rss_bytes", cost.peak_rss_bytes}};
}

json diagnostic_json(const Diagnostic& d) {
  return {{"code", info(d.code).name}, {"reason", d.reason}, {"operator", d.op},
          {"backend", d.backend},      {"target", d.target}, {"help", info(d.code).help}};
}

json value_json(Format format, Bits bits) { return {{"bits", to_hex({format, bits})}, {"value", to_text(Scalar{format, bits})}}; }

json divergence_json(Format format, const Divergence& d) {
  return {{"output", 0},
          {"index", d.index},
          {"reference", value_json(format, d.reference)},
          {"candidate", value_json(format, d.candidate)},
          {"ulps", d.ulps == UINT64_MAX ? json(nullptr) : json(d.ulps)}};
}

json distance_json(const Nearness& n) {
  return {{"choices", n.choices},
          {"compared", n.compared},
          {"within_2_ulps", n.near},
          {"greatest_ulps", n.greatest == UINT64_MAX ? json(nullptr) : json(n.greatest)},
          {"typical_ulps", n.typical()}};
}

json nearest_json(const std::string& side, const Nearest& nearest) {
  json decided = json::array();
  for (const NearestValue& d : nearest.decided)
    decided.push_back({{"choice", d.point}, {"value", d.value}, {"next", distance_json(d.next)}});
  return {{"side", side}, {"program", distance_json(nearest.program)}, {"decided", decided}};
}

json form_json(const FormReport& form) {
  return {{"how", form.how},      {"candidate", form.candidate}, {"form", form.form},           {"outcome", form.outcome},
          {"note", form.note},    {"compared", form.compared},   {"different", form.different}, {"compile_ms", form.compile_ms},
          {"run_ms", form.run_ms}};
}

}  // namespace

nlohmann::json to_json(const ComparisonReport& r) {
  json j;
  j["schema"] = "bitpact.comparison/1";
  j["problem"] = r.problem;
  j["verdict"] = name(r.verdict);
  const bool ran = r.verdict != Verdict::Refused;
  j["strength"] = ran ? json(r.strength) : json(nullptr);
  j["domain"] = ran ? json(r.domain) : json(nullptr);
  j["outside_domain"] = {{"compared", r.outside_compared}, {"different", r.outside_different}};
  j["relation"] = r.relation;
  j["diagnostic"] = r.diagnostic ? diagnostic_json(*r.diagnostic) : json(nullptr);
  j["ran"] = json::array();
  for (const SideReport* side : {&r.reference, &r.candidate})
    if (!side->tag.empty()) j["ran"].push_back(side->tag);
  j["reference"] = identity_json(r.reference);
  j["candidate"] = identity_json(r.candidate);
  if (r.contract) {
    const ContractReport& c = *r.contract;
    j["contract"] = {{"path", c.path},
                     {"version", c.version},
                     {"arithmetic_fingerprint", c.arithmetic},
                     {"contract_fingerprint", c.fingerprint},
                     {"shape", c.shape_verified ? "verified" : "predicted"},
                     {"replay", {{"compared", c.replay_compared}, {"different", c.replay_different}}}};
  } else {
    j["contract"] = nullptr;
  }
  json histogram = json::array();
  for (size_t b = 0; b < r.outputs.histogram.buckets.size(); ++b)
    if (r.outputs.histogram.buckets[b] > 0)
      histogram.push_back({{"ulps", UlpHistogram::label(static_cast<int>(b))}, {"count", r.outputs.histogram.buckets[b]}});
  j["outputs"] = {{"compared", r.outputs.compared},
                  {"different", r.outputs.different},
                  {"nan_payloads", r.outputs.nan_payloads},
                  {"histogram", histogram}};
  j["first_divergence"] = r.outputs.first ? divergence_json(r.result_format, *r.outputs.first) : json(nullptr);
  j["greatest_divergence"] = r.outputs.greatest ? divergence_json(r.result_format, *r.outputs.greatest) : json(nullptr);
  j["nearest"] = json::array();
  if (r.cause) {
    j["cause"] = r.cause->summary;
    j["cause_known"] = r.cause->known;
    j["cause_strength"] = name(r.cause->strength);
    for (const auto& [side, nearest] : r.cause->nearest) j["nearest"].push_back(nearest_json(side, nearest));
    j["cause_details"] = r.cause->details;
  } else {
    j["cause"] = nullptr;
    j["cause_known"] = false;
    j["cause_strength"] = nullptr;
    j["cause_details"] = json::array();
  }
  j["operands"] = {{"recipe", r.operand_recipe}, {"sha256", r.operand_sha256}, {"sets", r.operand_sets}};
  j["repeats"] = r.repeats;
  j["cost"] = cost_json(r.candidate.cost);
  j["reference_cost"] = cost_json(r.reference.cost);
  j["plain_run_ms"] = r.plain_run_ms > 0 ? json(r.plain_run_ms) : json(nullptr);
  j["forms"] = json::array();
  for (const FormReport& form : r.forms) j["forms"].push_back(form_json(form));
  j["reproduce"] = r.reproduce;
  return j;
}

}  // namespace bitpact
