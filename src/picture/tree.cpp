#include "picture/tree.h"

#include <algorithm>
#include <optional>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

using How = OrderShape::How;
using Kind = OrderShape::Kind;

OrderShape run_shape(std::int64_t stride, std::int64_t count) {
  OrderShape run;
  run.stride = count == 1 ? 1 : stride;
  run.count = count;
  return run;
}

/// Takes as many of the leaves first, first + stride, ... (`count` of them) as continue the run; says how many.
std::int64_t absorb(OrderShape& run, std::int64_t run_at, std::int64_t first, std::int64_t stride, std::int64_t count) {
  if (run.count == 1) run.stride = first - run_at;
  if (first != run_at + run.stride * run.count) return 0;
  const std::int64_t taken = stride == run.stride ? count : 1;
  run.count += taken;
  return taken;
}

}  // namespace

size_t OrderTreeBuilder::Hash::operator()(const OrderShape& shape) const {
  std::uint64_t hash = static_cast<std::uint64_t>(shape.how);
  const auto mix = [&hash](std::int64_t value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32U;
  };
  mix(shape.head);
  mix(shape.item);
  mix(shape.first);
  mix(shape.stride);
  mix(shape.count);
  return hash;
}

std::int32_t OrderTreeBuilder::intern(const OrderShape& shape) {
  const auto [found, fresh] = numbers_.try_emplace(shape, static_cast<std::int32_t>(shapes_.size()));
  if (!fresh) return found->second;
  OrderShape whole = shape;
  // One end of what is repeated is at the first time, the other at the last.
  const std::int64_t last = whole.stride * (whole.count - 1);
  if (whole.kind == Kind::Run) {
    whole.leaves = whole.count;
    whole.lowest = std::min<std::int64_t>(0, last);
    whole.highest = std::max<std::int64_t>(0, last);
  } else {
    const OrderShape& head = shapes_[static_cast<size_t>(whole.head)];
    const OrderShape& item = shapes_[static_cast<size_t>(whole.item)];
    whole.leaves = head.leaves + whole.count * item.leaves;
    whole.lowest = std::min(head.lowest, item.lowest + whole.first + std::min<std::int64_t>(0, last));
    whole.highest = std::max(head.highest, item.highest + whole.first + std::max<std::int64_t>(0, last));
    whole.holds_mark = whole.marks != 0 || head.holds_mark || item.holds_mark;
  }
  shapes_.push_back(whole);
  return found->second;
}

void OrderTreeBuilder::push(Value& value, How how, std::int32_t item, std::int64_t first, std::uint8_t marks) {
  OrderShape& s = value.shape;
  const bool same = s.kind == Kind::Series && s.marks == 0 && marks == 0 && s.how == how && s.item == item;
  if (same && (s.count == 1 || first == s.first + s.stride * s.count)) {
    if (s.count == 1) s.stride = first - s.first;
    ++s.count;
  } else {
    OrderShape series;
    series.kind = Kind::Series;
    series.how = how;
    series.marks = marks;
    series.head = intern(s);
    series.item = item;
    series.first = first;
    series.stride = 0;
    series.count = 1;
    s = series;
  }
}

void OrderTreeBuilder::flush(Value& value) {
  if (value.tail.count == 0) return;
  if (value.shape.count == 0)
    value.shape = value.tail;
  else
    push(value, How::GoesOn, intern(value.tail), value.tail_at - value.origin, 0);
  value.tail.count = 0;
}

OrderTreeBuilder::Value OrderTreeBuilder::chain(std::int64_t first, std::int64_t stride, std::int64_t count) {
  return {first, count, {}, run_shape(stride, count), first};
}

void OrderTreeBuilder::go_on(Value& state, std::int64_t first, std::int64_t stride, std::int64_t count, std::uint8_t marks) {
  state.leaves += count;
  if (marks != 0) {
    if (count != 1) refuse(Code::Internal, "a mark on several steps at once");
    flush(state);
    push(state, How::GoesOn, intern(run_shape(1, 1)), first - state.origin, marks);
    return;
  }
  if (state.tail.count != 0) {
    const std::int64_t taken = absorb(state.tail, state.tail_at, first, stride, count);
    first += taken * stride;
    count -= taken;
    if (count == 0) return;
    flush(state);
  }
  state.tail = run_shape(stride, count);
  state.tail_at = first;
}

/// The series is that of the side that has more: a tree then is a path with smaller trees beside it, and no drawing recurs deeper
/// than a multiple of the logarithm of its leaves, however the tree leans. The left side is preferred, since most orders put the
/// state there: a first block that is shorter should not be another picture.
OrderTreeBuilder::Value OrderTreeBuilder::join(Value left, Value right, std::uint8_t marks) {
  flush(left);
  flush(right);
  const std::int64_t enough = (left.shape.kind == Kind::Run ? 4 : 8) * left.leaves;
  const bool into_right = right.shape.kind == Kind::Series && right.leaves >= enough;
  Value& state = into_right ? right : left;
  Value& item = into_right ? left : right;
  push(state, into_right ? How::JoinsLeft : How::Joins, intern(item.shape), item.origin - state.origin, marks);
  state.leaves += item.leaves;
  return state;
}

OrderTree OrderTreeBuilder::finish(Value value) {
  flush(value);
  OrderTree tree;
  tree.root = intern(value.shape);
  tree.origin = value.origin;
  tree.shapes = std::move(shapes_);
  numbers_.clear();
  return tree;
}

OrderTree order_tree(const Schedule& schedule, const MarkedJoins& marked) {
  OrderTreeBuilder builder;
  std::vector<std::optional<OrderTreeBuilder::Value>> slots(static_cast<size_t>(schedule.slots));
  const auto slot = [&slots](std::int32_t s) -> std::optional<OrderTreeBuilder::Value>& {
    return slots.at(static_cast<size_t>(s));
  };
  auto mark = marked.begin();
  std::int64_t joins = 0;
  const auto go_on = [&](OrderTreeBuilder::Value& state, std::int64_t first, std::int64_t stride, std::int64_t count) {
    while (count > 0) {
      const bool near = mark != marked.end() && mark->first < joins + count;
      const bool here = near && mark->first == joins;
      const std::int64_t plain = here ? 1 : near ? mark->first - joins : count;
      builder.go_on(state, first, stride, plain, here ? (mark++)->second : std::uint8_t{0});
      first += plain * stride;
      count -= plain;
      joins += plain;
    }
  };
  for (const ScheduleStep& step : schedule.steps) {
    auto& state = slot(step.slot);
    if (step.kind == ScheduleStep::Kind::Merge) {
      auto& other = slot(step.other);
      if (!state || !other || step.slot == step.other) refuse(Code::Internal, "a schedule merges what it does not have");
      const bool here = mark != marked.end() && mark->first == joins;
      state = builder.join(std::move(*state), std::move(*other), here ? (mark++)->second : std::uint8_t{0});
      other.reset();
      ++joins;
    } else if (step.kind == ScheduleStep::Kind::Enter) {
      continue;  // joins nothing
    } else if (step.count < 1) {
      refuse(Code::Internal, "a schedule has a chain of no leaves");
    } else if (!state) {
      state = OrderTreeBuilder::chain(step.first, 1, 1);
      go_on(*state, step.first + step.stride, step.stride, step.count - 1);
    } else {
      go_on(*state, step.first, step.stride, step.count);
    }
  }
  if (slots.empty() || !slots[0]) refuse(Code::Internal, "a schedule leaves nothing");
  return builder.finish(std::move(*slots[0]));
}

}  // namespace bitpact
