// A probe of a function for people, and its --json twin.
#include <fmt/format.h>

#include <algorithm>

#include "backends/protocol.h"
#include "probe/function_probe.h"
#include "probe/function_value.h"

namespace bitpact {
namespace {

using nlohmann::json;

json diagnostic_json(const Diagnostic& d) {
  return {{"code", info(d.code).name}, {"reason", d.reason}, {"operator", d.op},
          {"backend", d.backend},      {"target", d.target}, {"help", info(d.code).help}};
}

json place_json(const FunctionReport& r, const PositionDifference::Place& place) {
  return {{"index", place.index}, {"length", place.length}, {"value", value_json(r.result, place.value)}};
}

json class_json(const FunctionReport& r, const PositionClass& c) {
  json j{{"where", c.words}, {"arguments", c.arguments}, {"different", c.different}, {"pattern", c.pattern}};
  j["first"] = c.first ? json{{"x", value_json(r.argument, c.first->x)},
                              {"table", place_json(r, c.first->here)},
                              {"there", place_json(r, c.first->there)}}
                       : json(nullptr);
  return j;
}

json candidate_json(const FunctionReport& r, const FunctionCandidate& c) {
  json j{{"choices", c.choices},     {"flush", c.flush},       {"exceptions", c.exceptions},
         {"tabulated", c.tabulated}, {"compared", c.compared}, {"different", c.different}};
  j["first"] = c.first ? json{{"x", value_json(r.argument, *c.first)},
                              {"seen", value_json(r.result, c.seen)},
                              {"program", value_json(r.result, c.given)}}
                       : json(nullptr);
  return j;
}

json table_json(const FunctionReport& r, const FunctionTable& t) {
  json j{{"where", t.where}, {"arguments", t.arguments}, {"whole", t.whole}};
  j["sha256"] = t.whole ? json(t.sha256) : json(nullptr);
  json candidates = json::array();
  for (const FunctionCandidate& c : t.candidates) candidates.push_back(candidate_json(r, c));
  j["programs"] = candidates;
  return j;
}

void add_table(std::string& text, const FunctionReport& r, const FunctionTable& t) {
  text += fmt::format("table      {}: {} values{}\n", t.where, t.arguments, t.whole ? ", " + t.sha256 : ", a sample");
  const FunctionCandidate* c = best(t.candidates);
  if (!c) return;
  if (c->fits()) {
    const auto fits = std::count_if(t.candidates.begin(), t.candidates.end(), [](const auto& other) { return other.fits(); });
    text += fmt::format("program    {}: {} of {} values equal{}\n", to_text(*c), c->compared, c->compared,
                        fits > 1 ? fmt::format("; {} other program(s) give the same values", fits - 1) : "");
    if (!c->tabulated) return;
    // The table is the last.
    c = &*std::ranges::min_element(t.candidates.begin(), std::prev(t.candidates.end()), {}, &FunctionCandidate::different);
  }
  text +=
      fmt::format("nearest    {}: {} of {} values differ, first at {}: {} here, {} there\n", to_text(*c), c->different,
                  c->compared, value_text(r.argument, *c->first), value_text(r.result, c->seen), value_text(r.result, c->given));
}

}  // namespace

json to_json(const FunctionReport& r) {
  json positions = json::array(), tables = json::array();
  for (const PositionClass& c : r.positions) positions.push_back(class_json(r, c));
  for (const FunctionTable& t : r.tables) tables.push_back(table_json(r, t));
  return {{"schema", "bitpact.function/1"},
          {"problem", r.problem},
          {"backend", r.backend},
          {"identity", protocol::to_json(r.identity)},
          {"verdict", r.contract ? "contract" : "unknown"},
          {"strength", r.strength},
          {"rests_on", r.strength_words},
          {"tables", tables},
          {"positions", positions},
          {"contract", r.contract ? json::parse(write_contract(*r.contract)) : json(nullptr)},
          {"diagnostic", r.diagnostic ? diagnostic_json(*r.diagnostic) : json(nullptr)},
          {"reproduce", r.reproduce},
          {"calls", r.calls},
          {"seconds", r.seconds},
          {"backend_seconds", r.backend_seconds}};
}

std::string to_text(const FunctionReport& r) {
  std::string text = fmt::format("{} on {}: {}\n", r.problem, r.backend, r.contract ? "contract" : "UNKNOWN");
  text += fmt::format("strength   {}: {}\n", r.strength, r.strength_words);
  for (const FunctionTable& t : r.tables) add_table(text, r, t);
  for (const PositionClass& c : r.positions) {
    text += fmt::format("positions  {}: {} of {} arguments have another value\n", c.words, c.different, c.arguments);
    if (c.first) {
      const PositionDifference& d = *c.first;
      text += fmt::format("           first {}: {} at index {} of {}, {} at index {} of {}\n", value_text(r.argument, d.x),
                          value_text(r.result, d.here.value), d.here.index, d.here.length, value_text(r.result, d.there.value),
                          d.there.index, d.there.length);
    }
    if (!c.pattern.empty()) text += fmt::format("           with one of them at every index: {}\n", c.pattern);
  }
  if (!r.contract && !r.reproduce.empty()) text += fmt::format("reproduce  {}\n", r.reproduce);
  text += fmt::format("asked      {} calls, {:.1f} s, of which the backend computed {:.1f} s\n", r.calls, r.seconds,
                      r.backend_seconds);
  return text;
}

}  // namespace bitpact
