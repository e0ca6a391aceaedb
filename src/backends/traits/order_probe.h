// How a sum is associated, asked with masks: +M and -M among ones, M so large that M + 1 is M in a double, too. The ones that
// come through are those outside of the smallest group that holds both masks, so one number a pair of leaves tells the tree. All
// pairs of n leaves tell it whole; the pairs (0, j), for all j, tell a sequential order from every other.
#pragma once

#include <functional>
#include <utility>

#include "backends/traits/question.h"
#include "contract/order.h"

namespace bitpact::traits {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
Pairs all_pairs(std::int64_t n);
/// (0, j) for `count` values of j: the first 64, then spread evenly to the end.
Pairs from_the_first(std::int64_t n, std::int64_t count);

/// Element values: `mask`, its negation, and the unit.
struct MaskValues {
  Format format;
  Bits mask, unit;
};
MaskValues mask_values(Format format);

/// Ones that come through, a pair each, where n leaves are added in that order.
std::vector<std::int64_t> ones_through(const Order& order, std::int64_t n, const Pairs& pairs);

/// A word for each order that has a name here and does not give the same tree as one before: sequential, reversed, interleaved
/// lanes with their ways of joining, blocks, halves. `results_of` makes the question's results of what ones_through gives.
std::vector<Word> order_words(std::int64_t n, const Pairs& pairs,
                              const std::function<std::vector<Tensor>(const std::vector<std::int64_t>&)>& results_of);

/// Runs any schedule on values: leaf(i) and join(a, b) give a Value.
template <typename Value, typename Leaf, typename Join>
Value run_schedule(const Order& order, std::int64_t n, const Leaf& leaf, const Join& join) {
  const Schedule plan = schedule(order, n);
  std::vector<Value> slots(static_cast<size_t>(plan.slots));
  for (const ScheduleStep& step : plan.steps) {
    Value& slot = slots[static_cast<size_t>(step.slot)];
    if (step.kind == ScheduleStep::Kind::Merge) {
      slot = join(slot, slots[static_cast<size_t>(step.other)]);
      continue;
    }
    if (step.kind == ScheduleStep::Kind::Enter) continue;
    const bool fresh = step.kind == ScheduleStep::Kind::Chain;
    if (fresh) slot = leaf(step.first);
    for (std::int64_t i = fresh ? 1 : 0; i < step.count; ++i) slot = join(slot, leaf(step.first + i * step.stride));
  }
  return slots[0];
}

/// An order that has a word.
struct NamedOrder {
  std::string word, sentence;
  Order order;
};
const std::vector<NamedOrder>& named_orders();

/// The value, where it is a whole number of a reasonable size.
std::optional<std::int64_t> whole_number(Scalar x);

/// The words' bits decide; an order that has no word is described by the groups in which the first leaf is joined with others.
/// `through`: the ones that came through, a pair each, or empty where a result is no count.
Judged judge_order(const Question& question, std::span<const Tensor> results, std::int64_t n, const Pairs& pairs,
                   const std::function<std::optional<std::int64_t>(std::int64_t)>& through);

}  // namespace bitpact::traits
