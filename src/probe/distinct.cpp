#include "probe/distinct.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "contract/program_json.h"
#include "operators/building.h"

namespace bitpact {
namespace {

constexpr std::int64_t kMostLeaves = 1 << 16;

std::string steps_text(const Schedule& schedule) {
  std::string text;
  for (const ScheduleStep& s : schedule.steps)
    text += fmt::format("{},{},{},{},{},{};", static_cast<int>(s.kind), s.slot, s.other, s.first, s.stride, s.count);
  return text;
}

std::vector<int> all_arguments(const ScalarBody& body) {
  std::vector<int> all(body.arguments.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Whether a state is ever stepped by a leaf: not where every chain is one leaf that starts it.
bool steps(const Fold& fold, const Schedule& schedule) {
  return std::ranges::any_of(schedule.steps, [&fold](const ScheduleStep& s) {
    if (s.kind == ScheduleStep::Kind::Chain) return s.count > (fold.start.first_leaf ? 1 : 0);
    return s.kind == ScheduleStep::Kind::Extend && s.count > 0;
  });
}

// Without the step, which does not happen: a leaf is a state.
void make_leaves_states(Fold& fold) {
  const std::vector<Format> states = fold.state_formats();
  if (fold.start.first_leaf) {
    BodyBuilder b(fold.leaf.arguments);
    fold.leaf = b.finish(inlined(b, fold.start.lift, inlined(b, fold.leaf, all_arguments(fold.leaf))));
    fold.start.lift = identity_body(states);
  }
  std::vector<Format> arguments = states;
  const std::vector<Format> leaves = fold.leaf.result_formats();
  arguments.insert(arguments.end(), leaves.begin(), leaves.end());
  fold.step = {arguments, {}, all_arguments(identity_body(states))};
}

// The program with its schedules in the place of its orders.
std::string key(const NumericProgram& program, const Binding& binding) {
  BoundProgram bound = bind(program, binding);
  std::string schedules;
  for (Node& node : bound.program.nodes) {
    auto* fold = std::get_if<Fold>(&node);
    if (fold == nullptr) continue;
    std::int64_t leaves = 1;
    for (const std::string& axis : fold->over) leaves *= bound.extents.at(axis);
    if (leaves < 1 || leaves > kMostLeaves) continue;
    const Schedule order = schedule(fold->order, leaves);
    schedules += steps_text(order) + "|";
    if (!steps(*fold, order)) make_leaves_states(*fold);
    if (fold->tail && tail_length(fold->order, leaves) == 0) fold->tail.reset();
    if (fold->tail) schedules += fmt::format("tail {}|", tail_length(fold->order, leaves));
    fold->order = Order::sequential();
  }
  return to_json(bound.program).dump() + schedules;
}

}  // namespace

std::vector<Hypothesis> distinct_at(std::vector<Hypothesis> hypotheses, const Binding& binding) {
  std::set<std::string> seen;
  std::erase_if(hypotheses, [&](const Hypothesis& h) { return !seen.insert(key(h.program, binding)).second; });
  return hypotheses;
}

}  // namespace bitpact
