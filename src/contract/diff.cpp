// What differs between two programs or contracts, in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "contract/body_words.h"
#include "contract/canonical_json.h"
#include "contract/contract_json.h"
#include "contract/normal_form.h"
#include "contract/program_json.h"
#include "contract/words.h"

namespace bitpact {
namespace {

using Sentences = std::vector<std::string>;

std::string both(std::string_view what, std::string_view a, std::string_view b) {
  return fmt::format("{}: {} in the first, {} in the second", what, a, b);
}

/// A normal form twice: in the names that are compared, and in the ones that are printed.
struct Side {
  NumericProgram normal, own;
  Side(const NumericProgram& program, const Domain& domain)
      : normal(normal_form(program, domain)), own(normal_form_in_own_names(program, domain)) {}

  template <typename Kind>
  std::vector<int> nodes() const {
    std::vector<int> found;
    for (size_t n = 0; n < normal.nodes.size(); ++n)
      if (std::holds_alternative<Kind>(normal.nodes[n])) found.push_back(static_cast<int>(n));
    return found;
  }
};

std::string value_of(const std::vector<Choice>& choices, const std::string& what) {
  for (const Choice& choice : choices)
    if (choice.what == what) return choice.how;
  return "none";
}

/// Choice by choice. Comparing happens in canonical names, so that an axis that is only named otherwise is no difference.
void compare_nodes(const Side& a, int x, const Side& b, int y, Sentences& all) {
  const auto canonical_a = choices(a.normal, x), canonical_b = choices(b.normal, y);
  const auto own_a = choices(a.own, x), own_b = choices(b.own, y);
  const std::string name = node_name(a.own, x);
  Sentences labels;
  for (const auto* list : {&canonical_a, &canonical_b})
    for (const Choice& choice : *list)
      if (std::ranges::find(labels, choice.what) == labels.end()) labels.push_back(choice.what);
  for (const std::string& label : labels)
    if (value_of(canonical_a, label) != value_of(canonical_b, label))
      all.push_back(both(fmt::format("{}: {}", name, label), value_of(own_a, label), value_of(own_b, label)));
}

template <typename Kind>
void compare_kind(const Side& a, const Side& b, std::string_view what, Sentences& all) {
  const auto x = a.nodes<Kind>(), y = b.nodes<Kind>();
  if (x.size() != y.size()) {
    all.push_back(both(fmt::format("number of {}", what), std::to_string(x.size()), std::to_string(y.size())));
    return;
  }
  for (size_t n = 0; n < x.size(); ++n) compare_nodes(a, x[n], b, y[n], all);
}

void compare_results(const Side& a, const Side& b, Sentences& all) {
  const auto &x = a.normal.results, &y = b.normal.results;
  if (x.size() != y.size()) {
    all.push_back(both("number of results", std::to_string(x.size()), std::to_string(y.size())));
    return;
  }
  for (size_t r = 0; r < x.size(); ++r)
    if (result_words(a.normal, x[r]) != result_words(b.normal, y[r]))
      all.push_back(
          both(x.size() == 1 ? "result" : fmt::format("result {}", r), result_words(a.own, x[r]), result_words(b.own, y[r])));
}

Sentences differences_on(const NumericProgram& p, const NumericProgram& q, const Domain& domain) {
  const Side a(p, domain), b(q, domain);
  if (a.normal == b.normal) return {};
  Sentences all;
  compare_kind<Input>(a, b, "inputs", all);
  compare_kind<Fold>(a, b, "folds", all);
  compare_kind<Table>(a, b, "tables", all);
  compare_kind<Index>(a, b, "rearrangements", all);
  compare_results(a, b, all);
  if (all.empty()) compare_kind<Map>(a, b, "maps", all);
  if (all.empty()) {  // beyond what the choices tell
    if (a.normal.nodes.size() != b.normal.nodes.size())
      all.push_back(both("number of nodes", std::to_string(a.normal.nodes.size()), std::to_string(b.normal.nodes.size())));
    for (size_t n = 0; n < std::min(a.normal.nodes.size(), b.normal.nodes.size()); ++n)
      if (a.normal.nodes[n] != b.normal.nodes[n])
        all.push_back(both(fmt::format("node {} of the normal forms", n),
                           canonical_json(to_json(NumericProgram{{a.own.nodes[n]}, {}})),
                           canonical_json(to_json(NumericProgram{{b.own.nodes[n]}, {}}))));
  }
  return all;
}

// ---- contracts

std::string quoted(const std::string& text) { return text.empty() ? "nothing" : "\"" + text + "\""; }

std::string map_text(const std::map<std::string, std::string>& map) {
  std::vector<std::string> parts;
  parts.reserve(map.size());
  for (const auto& [key, value] : map) parts.push_back(fmt::format("{}={}", key, value));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, " "));
}

std::string shapes_text(const std::vector<AxisBound>& bounds) {
  std::vector<std::string> parts;
  for (const AxisBound& bound : bounds) {
    std::string text = fmt::format("{} from {}", bound.axis, bound.min);
    if (bound.max) text += fmt::format(" to {}", *bound.max);
    if (bound.multiple != 1) text += fmt::format(" by multiples of {}", bound.multiple);
    parts.push_back(text);
  }
  return parts.empty() ? "any" : fmt::format("{}", fmt::join(parts, ", "));
}

void compare_text(std::string_view what, const std::string& a, const std::string& b, Sentences& all) {
  if (a != b) all.push_back(both(what, a, b));
}

void compare_programs(const std::string& at, const Piece& a, const Piece& b, Sentences& all) {
  if (a.program == b.program) return;
  const Sentences everywhere = differences_on(a.program, b.program, {});
  if (everywhere.empty()) {
    all.push_back(at + ": the programs are spelled differently; their normal forms are equal");
    return;
  }
  const Domain domain = a.operands | b.operands;
  const Sentences on_domain = differences_on(a.program, b.program, domain);
  for (const std::string& sentence : on_domain.empty() ? everywhere : on_domain)
    all.push_back(fmt::format("{}: {}{}", at, sentence,
                              on_domain.empty() ? fmt::format(" (no bit differs with {})", to_text(domain)) : ""));
}

void compare_pieces(const Contract& a, const Contract& b, Sentences& all) {
  if (a.pieces.size() != b.pieces.size()) {
    all.push_back(both("pieces", std::to_string(a.pieces.size()), std::to_string(b.pieces.size())));
    return;
  }
  for (size_t p = 0; p < a.pieces.size(); ++p) {
    const Piece &x = a.pieces[p], &y = b.pieces[p];
    const std::string at = a.pieces.size() == 1 ? "program" : fmt::format("piece {}", p);
    if (x.shapes != y.shapes) all.push_back(both(at + ": shapes", shapes_text(x.shapes), shapes_text(y.shapes)));
    compare_text(at + ": when", map_text(x.when), map_text(y.when), all);
    compare_text(at + ": region", x.region, y.region, all);
    compare_text(at + ": domain", to_text(x.operands), to_text(y.operands), all);
    compare_programs(at, x, y, all);
  }
}

void compare_verified(const Sentences& a, const Sentences& b, Sentences& all) {
  const auto only = [&all](const Sentences& here, const Sentences& there, std::string_view which) {
    const std::set<std::string_view> lines(there.begin(), there.end());
    for (const std::string& line : here)
      if (!lines.contains(line)) all.push_back(fmt::format("verified: \"{}\" only in the {}", line, which));
  };
  const size_t before = all.size();
  only(a, b, "first");
  only(b, a, "second");
  if (a != b && all.size() == before) all.emplace_back("verified: the same problems in another order");
}

}  // namespace

std::vector<std::string> differences(const NumericProgram& a, const NumericProgram& b) { return differences_on(a, b, {}); }

std::vector<std::string> differences(const Contract& a, const Contract& b) {
  Sentences all;
  compare_text("operator.name", quoted(a.op.name), quoted(b.op.name), all);
  compare_text("operator.operands", formats_text(a.op.operands), formats_text(b.op.operands), all);
  compare_text("operator.result", std::string(name(a.op.result)), std::string(name(b.op.result)), all);
  compare_text("operator.attributes", map_text(a.op.attributes), map_text(b.op.attributes), all);
  compare_pieces(a, b, all);
  compare_verified(a.verified, b.verified, all);
  const auto identity = [&](std::string_view what, std::string Identity::*field) {
    compare_text(what, quoted(a.identity.*field), quoted(b.identity.*field), all);
  };
  identity("identity.backend", &Identity::backend);
  identity("identity.version", &Identity::version);
  identity("identity.build", &Identity::build);
  identity("identity.device", &Identity::device);
  identity("identity.target", &Identity::target);
  identity("identity.flags", &Identity::flags);
  identity("identity.threads", &Identity::threads);
  identity("identity.kernel", &Identity::kernel);
  compare_text("established.how", quoted(a.established.how), quoted(b.established.how), all);
  compare_text("established.strength", quoted(a.established.strength), quoted(b.established.strength), all);
  compare_text("established.note", quoted(a.established.note), quoted(b.established.note), all);
  return all;
}

}  // namespace bitpact
