// The batches of an order against its schedule: the same expression, read off both as text.
#include "emit/fold_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "emit/take.h"
#include "interpret/random_program.h"

namespace bitpact {
namespace {

using Texts = std::vector<std::string>;

std::string expression(const Schedule& plan) {
  Texts slots(static_cast<size_t>(plan.slots));
  for (const ScheduleStep& step : plan.steps) {
    std::string& slot = slots[static_cast<size_t>(step.slot)];
    if (step.kind == ScheduleStep::Kind::Merge) {
      slot = fmt::format("({}+{})", slot, slots[static_cast<size_t>(step.other)]);
      continue;
    }
    if (step.kind == ScheduleStep::Kind::Enter) slot = fmt::format("<{}>", slot);
    if (step.kind == ScheduleStep::Kind::Chain) slot.clear();
    for (std::int64_t i = 0; i < step.count; ++i) slot += fmt::format(".{}", step.first + i * step.stride);
  }
  return slots[0];
}

std::string expression(const FoldPlan& plan) {
  std::vector<Texts> made;
  const auto at = [&](const FoldPlan::Row& row) {
    return made.at(static_cast<size_t>(row.batch)).at(static_cast<size_t>(row.row));
  };
  for (const FoldPlan::Batch& batch : plan.batches) {
    Texts rows;
    for (size_t r = 0; r < batch.rows(); ++r) {
      std::string text = batch.heads.empty() ? "" : at(batch.heads.at(r));
      if (batch.kind == FoldPlan::Kind::Enters) text = fmt::format("<{}>", text);
      if (batch.kind == FoldPlan::Kind::Merges)
        for (const FoldPlan::Row& item : batch.items[r]) text = fmt::format("({}+{})", text, at(item));
      else
        for (const std::int64_t leaf : batch.leaves[r]) text += fmt::format(".{}", leaf);
      EXPECT_GE(batch.count(r == 0 ? r : r - 1), batch.count(r));
      rows.push_back(std::move(text));
    }
    made.push_back(std::move(rows));
  }
  return at(plan.result);
}

TEST(FoldPlan, SaysWhatTheScheduleSays) {
  test::Random random(41);
  for (int i = 0; i < 3000; ++i) {
    const std::int64_t n = random.one_in(20) ? random.between(700, 3000) : random.between(1, 90);
    const Order order = test::random_order(random, n);
    EXPECT_EQ(expression(fold_plan(order, n)), expression(schedule(order, n))) << to_text(order) << " of " << n;
  }
}

size_t groups(const FoldPlan& plan) {
  size_t count = 0;
  for (const FoldPlan::Batch& batch : plan.batches)
    for (size_t r = 0; r < batch.rows(); ++r)
      if (r == 0 || batch.count(r) != batch.count(r - 1)) ++count;
  return count;
}

// What makes modules small: equal parts are one batch, and chains of different lengths are, too.
TEST(FoldPlan, EqualPartsAreOneBatch) {
  const FoldPlan blocked = fold_plan(Order::blocked(128), 512);
  ASSERT_EQ(blocked.batches.size(), 2U);
  EXPECT_EQ(blocked.batches[0].rows(), 4U);
  EXPECT_EQ(blocked.batches[1].items[0].size(), 3U);
  const Order lanes = Order::interleaved(8, Order::pairwise(1));
  EXPECT_EQ(groups(fold_plan(lanes, 4096)), 4U);
  EXPECT_EQ(groups(fold_plan(lanes, 4099)), 5U);
  EXPECT_LE(groups(fold_plan(Order::pairwise(128, 8, Order::tailed(8, lanes)), 4097)), 20U);
  EXPECT_LE(groups(fold_plan(Order::pairwise(1), 1'000'000)), 60U);
}

std::vector<std::int64_t> listed(const std::vector<IndexPattern>& patterns) {
  std::vector<std::int64_t> all;
  for (const IndexPattern& pattern : patterns) {
    std::vector<std::int64_t> indices{pattern.base};
    for (const IndexPattern::Level& level : pattern.levels) {
      std::vector<std::int64_t> deeper;
      for (const std::int64_t index : indices)
        for (std::int64_t d = 0; d < level.count; ++d) deeper.push_back(index + d * level.stride);
      indices = std::move(deeper);
    }
    EXPECT_EQ(static_cast<std::int64_t>(indices.size()), pattern.size());
    all.insert(all.end(), indices.begin(), indices.end());
  }
  return all;
}

TEST(IndexPatterns, AreTheList) {
  test::Random random(43);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::int64_t> indices{random.below(50)};
    for (std::int64_t n = random.below(40); n > 0; --n)
      indices.push_back(random.one_in(4) ? random.below(50) : indices.back() + 1 + random.below(2));
    EXPECT_EQ(listed(index_patterns(indices)), indices);
  }
  // The leaves of 8 lanes in each of 3 blocks of 128, step by step: one pattern.
  std::vector<std::int64_t> lanes;
  for (std::int64_t step = 0; step < 16; ++step)
    for (std::int64_t block = 0; block < 3; ++block)
      for (std::int64_t lane = 0; lane < 8; ++lane) lanes.push_back(128 * block + 8 * step + lane);
  const std::vector<IndexPattern> one = index_patterns(lanes);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].levels, (std::vector<IndexPattern::Level>{{16, 8}, {3, 128}, {8, 1}}));
}

}  // namespace
}  // namespace bitpact
