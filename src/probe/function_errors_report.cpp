// Errors of a function for people, and their --json twin.
#include <fmt/format.h>

#include <array>
#include <tuple>

#include "backends/protocol.h"
#include "probe/function_errors.h"
#include "probe/function_value.h"

namespace bitpact {
namespace {

using nlohmann::json;

using NamedKind = std::tuple<const char*, const char*, const WrongKind*>;
std::array<NamedKind, 5> kinds(const ErrorTally& t) {
  return {{{"nan", "NaN in the place of a number", &t.nan},
           {"no_nan", "a number in the place of NaN", &t.no_nan},
           {"infinite", "infinite in the place of a finite number", &t.infinite},
           {"finite", "finite in the place of an infinity", &t.finite},
           {"zero", "zero in the place of another number", &t.zero}}};
}

json edges_json(const ErrorReport& r, const RangeEdges& e) {
  json list = json::array();
  for (const RangeEdge& edge : e.edges)
    list.push_back({{"x", value_json(r.argument, edge.x)}, {"from", edge.from}, {"to", edge.to}});
  return {{"edges", list}, {"more", e.more}};
}

// "zero, from 1e-45 (0x00000001) normal, ..."
std::string edges_text(const ErrorReport& r, const RangeEdges& e) {
  if (e.edges.empty()) return "one kind of values throughout";
  std::string text = e.edges.front().from;
  for (const RangeEdge& edge : e.edges) text += fmt::format(", from {} {}", value_text(r.argument, edge.x), edge.to);
  if (e.more > 0) text += fmt::format(", and {} more changes", e.more);
  return text;
}

}  // namespace

json to_json(const ErrorReport& r) {
  const ErrorTally& t = r.tally;
  json wrong_kinds = json::object(), range = json::array();
  for (const auto& [key, words, kind] : kinds(t))
    wrong_kinds[key] = {{"count", kind->count},
                        {"first", kind->count == 0 ? json(nullptr)
                                                   : json{{"x", value_json(r.argument, kind->x)},
                                                          {"seen", value_json(r.result, kind->got)},
                                                          {"right", value_json(r.result, kind->want)}}}};
  for (std::size_t side = 0; side < 2; ++side)
    range.push_back({{"arguments", side == 0 ? "positive" : "negative"},
                     {"seen", edges_json(r, t.seen[side])},
                     {"right", edges_json(r, t.right[side])}});
  return {{"schema", "bitpact.function-errors/1"},
          {"problem", r.problem},
          {"backend", r.backend},
          {"identity", protocol::to_json(r.identity)},
          {"function", r.function},
          {"strength", r.strength},
          {"rests_on", r.strength_words},
          {"arguments", t.arguments},
          {"not_correctly_rounded", t.wrong},
          {"greatest_ulps", t.greatest},
          {"greatest_count", t.greatest_count},
          {"greatest", t.greatest == 0 ? json(nullptr)
                                       : json{{"x", value_json(r.argument, t.greatest_x)},
                                              {"seen", value_json(r.result, t.greatest_got)},
                                              {"right", value_json(r.result, t.greatest_want)}}},
          {"wrong_kinds", wrong_kinds},
          {"range", range},
          {"monotone", r.direction == 0 ? json(nullptr) : json(t.unmonotone == 0)},
          {"unmonotone", t.unmonotone},
          {"first_unmonotone", t.unmonotone == 0
                                   ? json(nullptr)
                                   : json{value_json(r.argument, t.unmonotone_x), value_json(r.argument, t.unmonotone_next)}},
          {"by_mpfr", r.by_mpfr},
          {"seconds", r.seconds},
          {"backend_seconds", r.backend_seconds}};
}

std::string to_text(const ErrorReport& r) {
  const ErrorTally& t = r.tally;
  std::string text = fmt::format("{} on {}: {} against the correctly rounded value\n", r.problem, r.backend, r.function);
  const auto row = [&](std::string_view label, const std::string& words) { text += fmt::format("{:<11}{}\n", label, words); };
  row("strength", fmt::format("{}: {}", r.strength, r.strength_words));
  row("wrong", fmt::format("{} of {} values ({:.3g} %) are not the correctly rounded one", t.wrong, t.arguments,
                           100.0 * static_cast<double>(t.wrong) / static_cast<double>(std::max<std::int64_t>(1, t.arguments))));
  if (t.greatest > 0)
    row("greatest", fmt::format("{} ulps ({} times), first at {}: {}, right is {}", t.greatest, t.greatest_count,
                                value_text(r.argument, t.greatest_x), value_text(r.result, t.greatest_got),
                                value_text(r.result, t.greatest_want)));
  for (const auto& [key, words, kind] : kinds(t))
    if (kind->count > 0)
      row("kind", fmt::format("{}: {} times, first at {}: {}, right is {}", words, kind->count, value_text(r.argument, kind->x),
                              value_text(r.result, kind->got), value_text(r.result, kind->want)));
  for (std::size_t side = 0; side < 2; ++side) {
    const bool same = t.seen[side].edges == t.right[side].edges && t.seen[side].more == t.right[side].more;
    row("range", fmt::format("{} arguments: {}{}", side == 0 ? "positive" : "negative", edges_text(r, t.seen[side]),
                             same ? "; as it should be" : ""));
    if (!same) row("", fmt::format("  right is: {}", edges_text(r, t.right[side])));
  }
  if (r.direction != 0)
    row("monotone", t.unmonotone == 0
                        ? "yes, on what was asked"
                        : fmt::format("no: {} neighbours go the other way, first {} and {}", t.unmonotone,
                                      value_text(r.argument, t.unmonotone_x), value_text(r.argument, t.unmonotone_next)));
  row("by MPFR", fmt::format("{} of {} right values, the rest by an f64 estimate that decides", r.by_mpfr, t.arguments));
  row("asked", fmt::format("{:.1f} s, of which the backend computed {:.1f} s", r.seconds, r.backend_seconds));
  return text;
}

}  // namespace bitpact
