// Follows two sequential folds term by term at one output.
#include <algorithm>

#include "explain/cause.h"
#include "interpret/interpret.h"
#include "probe/restrict.h"

namespace bitpact {
namespace {

// The program cut down to its one fold, giving every partial state instead of the result. Empty where there is no such fold.
std::optional<NumericProgram> partial_states(const NumericProgram& program) {
  NumericProgram traced = program;
  Fold* only = nullptr;
  for (Node& node : traced.nodes) {
    if (auto* fold = std::get_if<Fold>(&node); fold && !fold->operands.empty()) {  // what reads nothing is a constant
      if (only) return {};
      only = fold;
    }
  }
  if (!only || only->order != Order::sequential() || only->emit != Emit::Last || only->over.size() != 1) return {};
  const std::vector<Format> state = only->state_formats();
  // The first component of a state is the sum; others count.
  only->finish = ScalarBody{state, {}, {0}};
  only->emit = Emit::Prefixes;
  only->axes.push_back(only->over.front());
  for (size_t i = 0; i < traced.nodes.size(); ++i)
    if (std::get_if<Fold>(&traced.nodes[i]) == only) {
      // Behind it, elements go to other places than the one that is asked about.
      if (std::any_of(traced.nodes.begin() + static_cast<std::ptrdiff_t>(i), traced.nodes.end(),
                      [](const Node& node) { return std::holds_alternative<Index>(node); }))
        return {};
      traced.results = {static_cast<int>(i)};
      traced.nodes.resize(i + 1);
      break;
    }
  return traced;
}

}  // namespace

std::optional<Parting> find_parting(const NumericProgram& reference, const NumericProgram& candidate, const Binding& binding,
                                    const std::vector<Tensor>& operands, const std::vector<std::int64_t>& index) {
  const auto a = partial_states(reference), b = partial_states(candidate);
  if (!a || !b) return {};
  // Along an axis that an index reads by, the problem stays whole.
  Axes whole = entangled_axes(bind(reference, binding).program);
  const Axes more = entangled_axes(bind(candidate, binding).program);
  whole.insert(whole.end(), more.begin(), more.end());
  Window one;
  for (size_t d = 0; d < index.size(); ++d)
    if (std::find(whole.begin(), whole.end(), binding.result[d]) == whole.end())
      one[binding.result[d]] = {index[d], index[d] + 1};
  Part part = cut(binding, operands, one);
  const std::string over = [&] {
    for (const Node& node : a->nodes)
      if (const auto* fold = std::get_if<Fold>(&node); fold && !fold->operands.empty()) return fold->over.front();
    return std::string();
  }();
  part.binding.result.push_back(over);
  const Tensor ours = interpret(bind(*a, part.binding), part.operands).results[0];
  const Tensor theirs = interpret(bind(*b, part.binding), part.operands).results[0];
  if (ours.size() != theirs.size()) return {};
  std::vector<std::int64_t> at;
  for (size_t d = 0; d < index.size(); ++d) at.push_back(one.contains(binding.result[d]) ? 0 : index[d]);
  at.push_back(0);
  const std::int64_t first = flat_index(ours.shape(), at);
  for (std::int64_t i = 0; i < ours.shape().back(); ++i) {
    const Scalar x{ours.format(), ours.get(first + i)}, y{theirs.format(), theirs.get(first + i)};
    const bool both_nan = classify(x.format, x.bits) == Class::NaN && classify(y.format, y.bits) == Class::NaN;
    const bool same = equal(x, y) && sign_bit(x.format, x.bits) == sign_bit(y.format, y.bits);
    if (both_nan || same) continue;
    Parting parting{i, {}, x, y};
    for (size_t o = 0; o < part.operands.size(); ++o) {
      const Axes& axes = part.binding.operands[o];
      if (std::find(axes.begin(), axes.end(), over) == axes.end()) continue;
      const Tensor element = cut(part.operands[o], axes, {{over, {i, i + 1}}});
      if (element.size() == 1) parting.operands.push_back({element.format(), element.get(0)});
    }
    return parting;
  }
  return {};
}

}  // namespace bitpact
