#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>

#include "contract/order.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

using Slot = std::int32_t;

/// Items first, first + stride, ... of a row of leaves, or of a row of partial results that `make` leaves in a fresh value.
struct Items {
  std::function<Slot(std::int64_t)> make;  ///< empty: leaves
  std::int64_t first = 0, stride = 1, count = 0;

  std::int64_t at(std::int64_t i) const { return first + i * stride; }
  Items part(std::int64_t from, std::int64_t n, std::int64_t step = 1) const { return {make, at(from), stride * step, n}; }
};

/// Writes steps over values that are made once and joined once; slots are assigned afterwards.
class Generator {
 public:
  Slot run(const Order& order, const Items& items) {
    switch (order.kind) {
      case Order::Kind::Sequential:
        return sequence(order, items);
      case Order::Kind::Interleaved:
        return interleaved(order, items);
      case Order::Kind::Blocked:
        return blocked(order, items);
      case Order::Kind::Pairwise:
        return pairwise(order, items);
      case Order::Kind::Tree:
        return tree(order, items);
      case Order::Kind::Tailed:
        return tailed(order, items);
      case Order::Kind::Parts:
        return parts(order, items);
    }
    refuse(Code::Internal, "unknown order");
  }

  std::vector<ScheduleStep> steps;

 private:
  Slot chain(std::int64_t first, std::int64_t stride, std::int64_t count) {
    steps.push_back({ScheduleStep::Kind::Chain, next_, 0, first, count == 1 ? 1 : stride, count});
    return next_++;
  }
  // One leaf more for the state that `value` holds; a run of them in even strides is one step.
  void extend(Slot value, std::int64_t leaf) {
    if (!steps.empty() && steps.back().slot == value &&
        (steps.back().kind == ScheduleStep::Kind::Chain || steps.back().kind == ScheduleStep::Kind::Extend)) {
      ScheduleStep& last = steps.back();
      if (last.count == 1) last.stride = leaf - last.first;
      if (last.first + last.count * last.stride == leaf) {
        ++last.count;
        return;
      }
    }
    steps.push_back({ScheduleStep::Kind::Extend, value, 0, leaf, 1, 1});
  }
  Slot merge(Slot a, Slot b) {
    steps.push_back({ScheduleStep::Kind::Merge, a, b, 0, 1, 0});
    return a;
  }
  Slot enter(Slot a) {
    steps.push_back({ScheduleStep::Kind::Enter, a, 0, 0, 1, 0});
    return a;
  }
  Slot item(const Items& items, std::int64_t i) { return items.make ? items.make(items.at(i)) : chain(items.at(i), 1, 1); }

  Slot sequence(const Order& order, const Items& items) {
    const std::int64_t n = items.count;
    const bool reversed = order.reversed;
    if (!items.make) return reversed ? chain(items.at(n - 1), -items.stride, n) : chain(items.first, items.stride, n);
    Slot state = item(items, reversed ? n - 1 : 0);
    if (order.started && n > 1) state = enter(state);
    for (std::int64_t i = 1; i < n; ++i) state = merge(state, item(items, reversed ? n - 1 - i : i));
    return state;
  }

  Slot below(const std::vector<Order>& order, const Items& items) {
    return order.empty() ? sequence({}, items) : run(order[0], items);
  }

  Slot interleaved(const Order& order, const Items& items) {
    const std::int64_t lanes = std::min(order.width, items.count);
    auto lane = [&](std::int64_t j) { return sequence({}, items.part(j, (items.count - j - 1) / lanes + 1, lanes)); };
    return below(order.outer, {lane, 0, 1, lanes});
  }

  Slot blocked(const Order& order, const Items& items) {
    const std::int64_t n = items.count, width = order.width;
    const std::int64_t blocks = (n - 1) / width + 1;
    // Where block b begins; b = blocks is the end.
    auto begin = [&](std::int64_t b) {
      if (b == 0 || b == blocks) return b == 0 ? 0 : n;
      if (order.ends == Order::Ends::ShortFirst) return n - (blocks - b) * width;
      if (order.ends == Order::Ends::ShortBoth) return b * width - (blocks * width - n) / 2;
      if (order.ends == Order::Ends::EvenLast && b == blocks - 1) {
        const std::int64_t before = (blocks - 2) * width;
        return before + (n - before + 1) / 2;
      }
      return b * width;
    };
    auto block = [&](std::int64_t b) { return below(order.inner, items.part(begin(b), begin(b + 1) - begin(b))); };
    return below(order.outer, {block, 0, 1, blocks});
  }

  Slot parts(const Order& order, const Items& items) {
    std::vector<std::int64_t> begin{0};
    for (const std::int64_t size : order.parts) begin.push_back(begin.back() + size);
    if (begin.back() != items.count)
      refuse(Code::ContractProgram, fmt::format("order: parts for {} items were given {}", begin.back(), items.count));
    auto part = [&](std::int64_t p) {
      const std::int64_t from = begin[static_cast<size_t>(p)];
      return below(order.inner, items.part(from, order.parts[static_cast<size_t>(p)]));
    };
    return below(order.outer, {part, 0, 1, static_cast<std::int64_t>(order.parts.size())});
  }

  Slot tailed(const Order& order, const Items& items) {
    const std::int64_t n = items.count, head = n - n % order.width;
    if (head == 0) return sequence({}, items);
    Slot state = below(order.inner, items.part(0, head));
    if (head == n) return state;
    if (order.tail == Order::Tail::Apart) return merge(state, sequence({}, items.part(head, n - head)));
    for (std::int64_t i = head; i < n; ++i) {
      if (order.tail == Order::Tail::Continued && !items.make) {
        extend(state, items.at(i));
      } else {
        state = merge(state, item(items, i));
      }
    }
    return state;
  }

  Slot pairwise(const Order& order, const Items& items) {
    if (items.count <= order.width) return below(order.inner, items);
    const std::int64_t half = items.count / 2;
    const std::int64_t split = std::max(order.multiple, half - half % order.multiple);
    const Slot left = pairwise(order, items.part(0, split));
    return merge(left, pairwise(order, items.part(split, items.count - split)));
  }

  Slot tree(const Order& order, const Items& items);

  Slot next_ = 0;
};

/// The side that needs more slots goes first (Sethi & Ullman 1970), so that a right-leaning tree needs two slots and not n.
/// An explicit stack: a tree may be as deep as it is long.
Slot Generator::tree(const Order& order, const Items& items) {
  const auto n = items.count;
  const auto& merges = order.merges;
  if (static_cast<std::int64_t>(merges.size()) + 1 != n)
    refuse(Code::ContractProgram, fmt::format("order: a tree for {} items was given {}", merges.size() + 1, n));
  const bool by_steps = order.steps && !items.make;
  const bool by_pairs = by_steps && order.pairs;
  std::vector<int> need(static_cast<size_t>(n) + merges.size(), by_steps ? 0 : 1);
  for (size_t t = 0; t < merges.size(); ++t) {
    const int a = need[static_cast<size_t>(merges[t].first)], b = need[static_cast<size_t>(merges[t].second)];
    need[static_cast<size_t>(n) + t] = by_pairs && a == 0 && b == 0 ? 2 : a == b ? a + 1 : std::max(a, b);
  }
  std::vector<Slot> value(need.size(), -1);
  std::vector<std::pair<std::int64_t, bool>> stack{{n + static_cast<std::int64_t>(merges.size()) - 1, false}};
  while (!stack.empty()) {
    auto& [node, opened] = stack.back();
    const std::int64_t current = node;
    if (current < n) {
      if (!by_steps || n == 1) value[static_cast<size_t>(current)] = item(items, current);
      stack.pop_back();
      continue;
    }
    const auto [a, b] = merges[static_cast<size_t>(current - n)];
    if (opened) {
      Slot& made = value[static_cast<size_t>(current)];
      const bool leaf_a = by_steps && a < n, leaf_b = by_steps && b < n;
      if (leaf_a && leaf_b && by_pairs) {
        made = item(items, a);
        made = merge(made, item(items, b));
      } else if (leaf_a && leaf_b) {
        made = item(items, a);
        extend(made, items.at(b));
      } else if (leaf_a || leaf_b) {
        made = value[static_cast<size_t>(leaf_a ? b : a)];
        extend(made, items.at(leaf_a ? a : b));
      } else {
        made = merge(value[static_cast<size_t>(a)], value[static_cast<size_t>(b)]);
      }
      stack.pop_back();
      continue;
    }
    opened = true;
    const bool b_first = need[static_cast<size_t>(b)] > need[static_cast<size_t>(a)];
    stack.emplace_back(b_first ? a : b, false);
    stack.emplace_back(b_first ? b : a, false);
  }
  return value.back();
}

/// Gives each value the lowest slot that is free while it lives; then swaps names so that the result is in slot 0.
std::int32_t assign_slots(std::vector<ScheduleStep>& steps, Slot result) {
  std::vector<std::int32_t> slot_of(steps.size() + 1, -1);
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> free;
  std::int32_t slots = 0;
  for (ScheduleStep& step : steps) {
    const auto value = static_cast<size_t>(step.slot);
    if (step.kind == ScheduleStep::Kind::Chain) {
      if (free.empty()) free.push(slots++);
      slot_of[value] = free.top();
      free.pop();
    } else if (step.kind == ScheduleStep::Kind::Merge) {
      step.other = slot_of[static_cast<size_t>(step.other)];
      free.push(step.other);
    }
    step.slot = slot_of[value];
  }
  const std::int32_t last = slot_of[static_cast<size_t>(result)];
  auto rename = [last](std::int32_t& slot) { slot = slot == last ? 0 : slot == 0 ? last : slot; };
  for (ScheduleStep& step : steps) {
    rename(step.slot);
    if (step.kind == ScheduleStep::Kind::Merge) rename(step.other);
  }
  return slots;
}

}  // namespace

Schedule schedule(const Order& order, std::int64_t n) {
  check_well_formed(order);
  if (n < 1) refuse(Code::ContractProgram, fmt::format("order: {} leaves; at least 1", n));
  Generator generator;
  const Slot result = generator.run(order, {{}, 0, 1, n});
  Schedule schedule{std::move(generator.steps), 0};
  schedule.slots = assign_slots(schedule.steps, result);
  return schedule;
}

}  // namespace bitpact
