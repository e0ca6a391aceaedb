// The rules of the normal form, backwards: each rewrite makes another program of which its rule says that it has the same bits.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "contract/generate.h"
#include "contract/index.h"
#include "diagnostic/diagnostic.h"

namespace bitpact::generate {

/// Nothing where there is no place for it. May change extents only by renaming axes.
using Rewrite = std::function<std::optional<Case>(Random&, const Case&)>;

struct NamedRewrite {
  std::string name;
  Rewrite rewrite;
};

const std::vector<NamedRewrite>& all_rewrites();

// ---- helpers, also for mutants

/// Puts an instruction at `position` and renumbers; gives its value.
inline int insert(ScalarBody& body, size_t position, const Instruction& instruction) {
  const int value = static_cast<int>(body.arguments.size() + position);
  const auto shift = [value](int& v) {
    if (v >= value) ++v;
  };
  for (size_t i = position; i < body.code.size(); ++i)
    for (int& a : body.code[i].args) shift(a);
  for (int& r : body.results) shift(r);
  body.code.insert(body.code.begin() + static_cast<std::ptrdiff_t>(position), instruction);
  return value;
}

/// The bodies of a node that may be rewritten by themselves.
inline std::vector<ScalarBody*> bodies_of(Node& node) {
  std::vector<ScalarBody*> bodies;
  if (auto* map = std::get_if<Map>(&node)) bodies = {&map->body};
  if (auto* fold = std::get_if<Fold>(&node)) {
    bodies = {&fold->leaf, &fold->step, &fold->finish};
    if (fold->merge != ScalarBody{}) bodies.push_back(&fold->merge);
    if (fold->enter != ScalarBody{}) bodies.push_back(&fold->enter);
    if (fold->start.first_leaf) bodies.push_back(&fold->start.lift);
  }
  return bodies;
}

inline ScalarBody* some_body(Random& random, NumericProgram& program) {
  std::vector<ScalarBody*> all;
  for (Node& node : program.nodes)
    for (ScalarBody* body : bodies_of(node)) all.push_back(body);
  return all.empty() ? nullptr : random.pick(all);
}

template <typename NodeKind>
std::vector<int> nodes_of_kind(const NumericProgram& program) {
  std::vector<int> found;
  for (size_t n = 0; n < program.nodes.size(); ++n)
    if (std::holds_alternative<NodeKind>(program.nodes[n])) found.push_back(static_cast<int>(n));
  return found;
}

inline std::vector<int>* operands_of(Node& node) {
  if (auto* map = std::get_if<Map>(&node)) return &map->operands;
  if (auto* fold = std::get_if<Fold>(&node)) return &fold->operands;
  if (auto* table = std::get_if<Table>(&node)) return &table->operands;
  if (auto* index = std::get_if<Index>(&node)) return &index->operands;
  return nullptr;
}

/// Puts a node behind node `after` and renumbers; gives its index.
inline int insert(NumericProgram& program, int after, Node node) {
  const auto shift = [after](int& n) {
    if (n > after) ++n;
  };
  for (Node& other : program.nodes)
    if (auto* operands = operands_of(other))
      for (int& o : *operands) shift(o);
  for (int& r : program.results) shift(r);
  program.nodes.insert(program.nodes.begin() + after + 1, std::move(node));
  return after + 1;
}

/// Appends the code of `inner` to `outer` (whose values `arguments` it takes); gives its results there.
inline std::vector<int> append(ScalarBody& outer, const ScalarBody& inner, const std::vector<int>& arguments) {
  std::vector<int> values = arguments;
  for (Instruction i : inner.code) {
    for (int a = 0; a < info(i.op).operands; ++a)
      i.args[static_cast<size_t>(a)] = values[static_cast<size_t>(i.args[static_cast<size_t>(a)])];
    outer.code.push_back(i);
    values.push_back(static_cast<int>(outer.arguments.size() + outer.code.size()) - 1);
  }
  std::vector<int> results;
  for (int r : inner.results) results.push_back(values[static_cast<size_t>(r)]);
  return results;
}

}  // namespace bitpact::generate

#include "contract/rewrite.inl"
