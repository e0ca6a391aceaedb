#include "probe/distinct.h"

#include <fmt/format.h>

#include <set>
#include <string>

#include "contract/program_json.h"

namespace bitpact {
namespace {

constexpr std::int64_t kMostLeaves = 1 << 16;

std::string steps_text(const Schedule& schedule) {
  std::string text;
  for (const ScheduleStep& s : schedule.steps)
    text += fmt::format("{},{},{},{},{},{};", static_cast<int>(s.kind), s.slot, s.other, s.first, s.stride, s.count);
  return text;
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
    schedules += steps_text(schedule(fold->order, leaves)) + "|";
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
