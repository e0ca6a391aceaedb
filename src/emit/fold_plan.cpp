#include "emit/fold_plan.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace bitpact {
namespace {

using Kind = FoldPlan::Kind;

/// A state of the schedule. Consecutive merges of states of one height are one node, as consecutive leaves are.
struct StateNode {
  Kind kind = Kind::Chains;
  int height = 0;  ///< above the chains, which have 0
  int items_height = 0;
  std::int32_t head = -1;
  std::vector<std::int64_t> leaves;
  std::vector<std::int32_t> items;
};

class Builder {
 public:
  explicit Builder(const Schedule& schedule) : slots_(static_cast<std::size_t>(schedule.slots), -1) {
    for (const ScheduleStep& step : schedule.steps) {
      std::int32_t& slot = slots_[static_cast<std::size_t>(step.slot)];
      if (step.kind == ScheduleStep::Kind::Merge)
        merge(slot, slots_[static_cast<std::size_t>(step.other)]);
      else if (step.kind == ScheduleStep::Kind::Enter)
        slot = add({.kind = Kind::Enters, .height = node(slot).height + 1, .items_height = 0, .head = slot});
      else
        add_leaves(slot, step);
    }
  }

  FoldPlan plan() {
    // All nodes of one height and kind are one batch; in it, rows with more to do come first.
    std::map<std::pair<int, Kind>, std::vector<std::int32_t>> groups;
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      groups[{nodes_[n].height, nodes_[n].kind}].push_back(static_cast<std::int32_t>(n));
    const auto length = [this](std::int32_t n) { return std::max(node(n).leaves.size(), node(n).items.size()); };
    std::vector<FoldPlan::Row> rows(nodes_.size());
    FoldPlan plan;
    for (auto& [key, members] : groups) {
      std::stable_sort(members.begin(), members.end(), [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
      const auto batch = static_cast<std::int32_t>(plan.batches.size());
      FoldPlan::Batch made;
      made.kind = key.second;
      for (const std::int32_t member : members) {
        rows[static_cast<std::size_t>(member)] = {batch, static_cast<std::int32_t>(made.rows())};
        StateNode& state = node(member);
        if (state.head >= 0) made.heads.push_back(rows[static_cast<std::size_t>(state.head)]);
        if (made.kind == Kind::Merges) {
          made.items.emplace_back();
          for (const std::int32_t item : state.items) made.items.back().push_back(rows[static_cast<std::size_t>(item)]);
        } else {
          made.leaves.push_back(std::move(state.leaves));
        }
      }
      plan.batches.push_back(std::move(made));
    }
    plan.result = rows[static_cast<std::size_t>(slots_[0])];
    return plan;
  }

 private:
  StateNode& node(std::int32_t n) { return nodes_[static_cast<std::size_t>(n)]; }
  std::int32_t add(StateNode state) {
    nodes_.push_back(std::move(state));
    return static_cast<std::int32_t>(nodes_.size() - 1);
  }

  void add_leaves(std::int32_t& slot, const ScheduleStep& step) {
    if (step.kind == ScheduleStep::Kind::Chain)
      slot = add({});
    else if (node(slot).kind != Kind::Chains && node(slot).kind != Kind::Extends)
      slot = add({.kind = Kind::Extends, .height = node(slot).height + 1, .items_height = 0, .head = slot});
    for (std::int64_t i = 0; i < step.count; ++i) node(slot).leaves.push_back(step.first + i * step.stride);
  }

  void merge(std::int32_t& slot, std::int32_t other) {
    const int height = node(other).height;
    if (node(slot).kind != Kind::Merges || node(slot).items_height != height)
      slot = add({.kind = Kind::Merges, .height = 1 + std::max(node(slot).height, height), .items_height = height, .head = slot});
    node(slot).items.push_back(other);
  }

  std::vector<StateNode> nodes_;
  std::vector<std::int32_t> slots_;
};

}  // namespace

FoldPlan fold_plan(const Order& order, std::int64_t leaves) { return Builder(schedule(order, leaves)).plan(); }

}  // namespace bitpact
