#include <array>

#include "number/layout.h"
#include "probe/function_errors.h"

namespace bitpact {
namespace {

using nlohmann::json;

/// A float's place in the order of the numbers; both zeros have one. Of formats with infinities.
std::int64_t place(const Layout& l, Bits bits) {
  const auto magnitude = static_cast<std::int64_t>(bits & ~l.sign);
  return bits & l.sign ? -magnitude : magnitude;
}

constexpr std::array<const char*, 5> kKinds{"zero", "subnormal", "normal", "infinite", "NaN"};
const char* kind(Class c) { return kKinds[static_cast<std::size_t>(c)]; }

void note(WrongKind& kind, Bits x, Bits got, Bits want) {
  if (kind.count++ == 0) kind.x = x, kind.got = got, kind.want = want;
}

void add_edge(RangeEdges& edges, Bits x, Class from, Class to) {
  if (from == to) return;
  if (edges.edges.size() == RangeEdges::kMost)
    ++edges.more;
  else
    edges.edges.push_back({x, kind(from), kind(to)});
}

json kind_json(const WrongKind& k) { return {k.count, k.x, k.got, k.want}; }
void restore_kind(WrongKind& k, const json& j) { k = {j.at(0), j.at(1), j.at(2), j.at(3)}; }

json edges_json(const RangeEdges& e) {
  json list = json::array();
  for (const RangeEdge& edge : e.edges) list.push_back({edge.x, edge.from, edge.to});
  return {{"edges", list}, {"more", e.more}};
}
void restore_edges(RangeEdges& e, const json& j) {
  e = {};
  for (const json& edge : j.at("edges")) e.edges.push_back({edge.at(0), edge.at(1), edge.at(2)});
  e.more = j.at("more");
}

}  // namespace

void ErrorTally::differing(Bits x, Bits got, Bits want) {
  ++wrong;
  const Layout& l = layout(result_);
  const Class a = classify(l, got), b = classify(l, want);
  if (a == Class::NaN) return note(nan, x, got, want);
  if (b == Class::NaN) return note(no_nan, x, got, want);
  if (a == Class::Infinity && b != Class::Infinity) return note(infinite, x, got, want);
  if (b == Class::Infinity && a != Class::Infinity) return note(finite, x, got, want);
  if (a == Class::Zero && b != Class::Zero) return note(zero, x, got, want);
  const std::int64_t apart = place(l, got) - place(l, want);
  const auto ulps = static_cast<std::uint64_t>(apart < 0 ? -apart : apart);
  if (ulps == greatest) ++greatest_count;
  if (ulps <= greatest) return;
  greatest = ulps;
  greatest_count = 1;
  greatest_x = x;
  greatest_got = got;
  greatest_want = want;
}

void ErrorTally::add(Bits x, Bits got, Bits want) {
  ++arguments;
  if (got != want) differing(x, got, want);
  const Bits sign = layout(argument_).sign;
  const Layout& l = layout(result_);
  const Class seen_kind = classify(l, got), right_kind = got == want ? seen_kind : classify(l, want);
  if (last_.there && ((last_.x ^ x) & sign) == 0) {
    const std::size_t side = x & sign ? 1 : 0;
    add_edge(seen[side], x, last_.seen, seen_kind);
    add_edge(right[side], x, last_.right, right_kind);
    if (direction_ != 0 && last_.seen != Class::NaN && seen_kind != Class::NaN) {
      const std::int64_t step = (place(l, got) - place(l, last_.got)) * (side == 1 ? -direction_ : direction_);
      if (step < 0 && unmonotone++ == 0) unmonotone_x = last_.x, unmonotone_next = x;
    }
  }
  last_ = {true, x, got, seen_kind, right_kind};
}

json ErrorTally::to_json() const {
  json j{{"arguments", arguments},
         {"wrong", wrong},
         {"greatest", {greatest, greatest_x, greatest_got, greatest_want, greatest_count}},
         {"unmonotone", {unmonotone, unmonotone_x, unmonotone_next}},
         {"last", {last_.there, last_.x, last_.got, last_.seen, last_.right}}};
  json kinds = json::array(), edges = json::array();
  for (const WrongKind* k : {&nan, &no_nan, &infinite, &finite, &zero}) kinds.push_back(kind_json(*k));
  for (const RangeEdges* e : {&seen[0], &seen[1], &right[0], &right[1]}) edges.push_back(edges_json(*e));
  j["kinds"] = kinds;
  j["edges"] = edges;
  return j;
}

void ErrorTally::restore(const json& j) {
  arguments = j.at("arguments");
  wrong = j.at("wrong");
  const json &g = j.at("greatest"), &u = j.at("unmonotone"), &l = j.at("last");
  greatest = g.at(0), greatest_x = g.at(1), greatest_got = g.at(2), greatest_want = g.at(3), greatest_count = g.at(4);
  unmonotone = u.at(0), unmonotone_x = u.at(1), unmonotone_next = u.at(2);
  last_ = {l.at(0), l.at(1), l.at(2), l.at(3), l.at(4)};
  std::size_t i = 0;
  for (WrongKind* k : {&nan, &no_nan, &infinite, &finite, &zero}) restore_kind(*k, j.at("kinds").at(i++));
  i = 0;
  for (RangeEdges* e : {&seen[0], &seen[1], &right[0], &right[1]}) restore_edges(*e, j.at("edges").at(i++));
}

}  // namespace bitpact
