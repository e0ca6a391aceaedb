#include "probe/started.h"

#include <algorithm>

#include "diagnostic/diagnostic.h"
#include "number/arithmetic.h"
#include "number/layout.h"
#include "probe/constants.h"
#include "probe/sum_site.h"
#include "probe/sum_tree.h"

namespace bitpact {
namespace {

/// Everywhere, or at the last join only: a chain of leaves may be spelled as one of partial results of a leaf each.
Order joined_from_start(Order order, bool leaves, bool everywhere) {
  using Kind = Order::Kind;
  if (order.kind == Kind::Sequential) return leaves || order.reversed ? order : Order::from_start();
  const auto nested = [&](std::vector<Order>& place, bool of_leaves) {
    Order made = joined_from_start(place.empty() ? Order::sequential() : place[0], of_leaves, everywhere);
    place.clear();
    if (made != Order::sequential()) place.push_back(std::move(made));
  };
  const bool blocks = order.kind == Kind::Blocked || order.kind == Kind::Parts;
  if (order.kind == Kind::Tailed || (everywhere && (blocks || order.kind == Kind::Pairwise))) nested(order.inner, leaves);
  if (blocks || order.kind == Kind::Interleaved) nested(order.outer, false);
  return order;
}

const Fold* started_fold(const NumericProgram& program) {
  for (const Node& node : program.nodes)
    if (const auto* fold = std::get_if<Fold>(&node); fold != nullptr && fold->enter != ScalarBody{}) return fold;
  return nullptr;
}

/// Whether every leaf is a multiple of 2^grid: an operand, or a product of operands, in a format that holds it as it is.
bool leaves_on_grid(const NumericProgram& program, const Fold& fold, const Resolved& problem, int& grid) {
  const auto site = find_sum(problem);
  if (!site) return false;
  for (const int operand : fold.operands)
    if (!std::holds_alternative<Input>(program.nodes[static_cast<size_t>(operand)])) return false;
  grid = 0;
  for (const size_t operand : site->operands) {
    const Format format = problem.problem.operands[operand].format;
    if (!is_float(format)) return false;
    grid += layout(format).emin - info(format).mantissa_bits;
  }
  return std::ranges::all_of(fold.leaf.code,
                             [](const Instruction& i) { return i.op == ScalarOp::Convert || i.op == ScalarOp::Multiply; });
}

/// -0 everywhere, but for pairs of leaves of each output whose sum is tiny and below zero.
Tensor tiny_pairs(const std::vector<LeafPair>& pairs, const Carrier& carrier, const OperandSpec& spec) {
  const Bits smallest = smallest_normal(spec.format);
  Tensor t(spec.format, spec.shape);
  for (std::int64_t i = 0; i < t.size(); ++i) t.set(i, layout(spec.format).sign);
  for (const auto& [first, second] : pairs)
    for (const std::int64_t place : carrier.places) {
      t.set(place + carrier.leaf_offsets[static_cast<size_t>(first)], smallest);
      t.set(place + carrier.leaf_offsets[static_cast<size_t>(second)], negate({spec.format, smallest + 1}));
    }
  return t;
}

/// The first two leaves of every chain.
std::vector<LeafPair> chain_beginnings(const Schedule& plan) {
  std::vector<LeafPair> pairs;
  for (const ScheduleStep& step : plan.steps)
    if (step.kind == ScheduleStep::Kind::Chain && step.count > 1) pairs.emplace_back(step.first, step.first + step.stride);
  return pairs;
}

}  // namespace

std::vector<Candidate> from_start(const Candidate& candidate, const Resolved& problem) {
  const auto order = candidate.choices.find("order");
  if (order == candidate.choices.end()) return {};
  const Order plain = parse_order(order->second);
  std::vector<Order> orders;
  for (const bool everywhere : {true, false}) {
    Order started = joined_from_start(plain, true, everywhere);
    if (started != plain && std::ranges::find(orders, started) == orders.end()) orders.push_back(std::move(started));
  }
  std::vector<Candidate> variants;
  for (const Order& started : orders) {
    Candidate variant = candidate;
    variant.choices["order"] = spelled(started);
    try {
      variant.program = operator_named(problem.problem.op).build(problem.formats(), variant.choices);
      variants.push_back(std::move(variant));
    } catch (const Refused& refused) {
      if (refused.diagnostic().code != Code::BadAttribute) throw;  // a choice that does not go with it
    }
  }
  return variants;
}

// A sum of two partial results is -0 only where both are, or where it is flushed. Where none is flushed, a total that is not
// joined from +0 is -0 only if all partial results are: to add +0 to it (result=plus-zero) says the same.
bool is_own_arithmetic(const Candidate& variant, const Resolved& problem) {
  const Fold* fold = started_fold(variant.program);
  if (fold == nullptr) return true;
  if (!std::ranges::any_of(fold->merge.code, [](const Instruction& i) { return i.policy.flush_out; })) return false;
  int grid = 0;
  const Format state = fold->state_formats()[0];
  return !leaves_on_grid(variant.program, *fold, problem, grid) || grid < layout(state).emin;
}

std::vector<std::vector<Tensor>> minus_zero_chains(const Candidate& candidate, const Resolved& problem) {
  const auto site = find_sum(problem);
  const auto text = candidate.choices.find("order");
  const std::vector<Bits> zeros = negative_zeros(problem);
  if (!site || zeros.empty() || text == candidate.choices.end()) return {};
  const Order order = parse_order(text->second);
  const size_t first = site->operands[0];
  const Carrier carrier = carrier_of(problem, *site, first);
  std::vector<std::vector<Tensor>> sets;
  const auto add = [&](const std::vector<LeafPair>& pairs) {
    sets.push_back(constant_operands(problem, zeros));
    sets.back()[first] = tiny_pairs(pairs, carrier, problem.problem.operands[first]);
  };
  add(chain_beginnings(schedule(order, site->leaves)));
  // A sum of two leaves that is flushed at one node, those near the root first.
  const std::vector<LeafPair> nodes = node_witnesses(tree_of(order, site->leaves));
  constexpr size_t kMostNodes = 12;
  for (size_t n = 0; n < std::min(kMostNodes, nodes.size()); ++n) add({nodes[nodes.size() - 1 - n]});
  return sets;
}

}  // namespace bitpact
