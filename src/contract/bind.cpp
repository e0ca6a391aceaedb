#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "contract/index.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

Axes expand(const Axes& axes, const std::map<std::string, Axes>& packs) {
  Axes expanded;
  for (const std::string& axis : axes) {
    if (!axis.starts_with('*')) {
      expanded.push_back(axis);
      continue;
    }
    const auto pack = packs.find(axis);
    if (pack == packs.end()) refuse(Code::ContractProgram, fmt::format("the pack \"{}\" stands for nothing", axis));
    expanded.insert(expanded.end(), pack->second.begin(), pack->second.end());
  }
  return expanded;
}

void expand_packs(Node& node, const std::map<std::string, Axes>& packs) {
  std::visit([&](auto& n) { n.axes = expand(n.axes, packs); }, node);
  if (auto* fold = std::get_if<Fold>(&node)) fold->over = expand(fold->over, packs);
  if (auto* index = std::get_if<Index>(&node))
    for (IndexCoordinate& coordinate : index->from)
      for (IndexTerm& term : coordinate.terms) {
        term.times.extents = expand(term.times.extents, packs);
        term.divide.extents = expand(term.divide.extents, packs);
        if (term.modulo) term.modulo->extents = expand(term.modulo->extents, packs);
      }
}

/// Gives `axes` another order.
void reorder(Axes& axes, const Axes& order, std::string_view what) {
  if (axes.size() != order.size() || !std::is_permutation(axes.begin(), axes.end(), order.begin()))
    refuse(Code::ContractProgram, fmt::format("{}: [{}] is not an order of the program's own axes [{}]", what,
                                              fmt::join(order, ", "), fmt::join(axes, ", ")));
  axes = order;
}

void bind_inputs(NumericProgram& program, const Binding& binding) {
  size_t next = 0;
  for (Node& node : program.nodes) {
    auto* input = std::get_if<Input>(&node);
    if (!input) continue;
    if (next < binding.operands.size()) reorder(input->axes, binding.operands[next], "operand " + input->name);
    ++next;
  }
  if (next != binding.operands.size())
    refuse(Code::ContractProgram,
           fmt::format("the program has {} inputs, the problem {} operands", next, binding.operands.size()));
}

/// An input's axes are its operand's, so one that is a result in another order is handed on, by an index: nothing is computed.
void bind_results(NumericProgram& program, const Axes& axes) {
  for (int& result : program.results) {
    Node& node = program.nodes[static_cast<size_t>(result)];
    const auto* input = std::get_if<Input>(&node);
    if (!input) {
      std::visit([&](auto& n) { reorder(n.axes, axes, "result"); }, node);
    } else if (input->axes != axes) {
      Index copy{{result}, input->format, {}, input->axes};
      reorder(copy.axes, axes, "result");
      result = static_cast<int>(program.nodes.size());
      program.nodes.emplace_back(std::move(copy));
    }
  }
}

void check_extents(const BoundProgram& bound) {
  for (const auto& [axis, extent] : bound.extents)
    if (extent < 0) refuse(Code::ContractProgram, fmt::format("axis \"{}\" has the extent {}", axis, extent));
  for (size_t n = 0; n < bound.program.nodes.size(); ++n) {
    (void)bound.shape_of(static_cast<int>(n));
    if (std::holds_alternative<Index>(bound.program.nodes[n])) (void)plain_coordinates(bound, static_cast<int>(n));
    const auto* fold = std::get_if<Fold>(&bound.program.nodes[n]);
    if (!fold) continue;
    for (const std::string& axis : fold->over)
      if (bound.extent_of(static_cast<int>(n), axis) < 1)
        refuse(Code::ContractProgram, fmt::format("node {}: a fold over no leaf along \"{}\"", n, axis));
  }
}

}  // namespace

BoundProgram bind(const NumericProgram& program, const Binding& binding) {
  check_well_formed(program);
  BoundProgram bound{program, binding.extents};
  for (Node& node : bound.program.nodes) expand_packs(node, binding.packs);
  bind_inputs(bound.program, binding);
  bind_results(bound.program, binding.result);
  check_well_formed(bound.program);
  check_extents(bound);
  return bound;
}

}  // namespace bitpact
