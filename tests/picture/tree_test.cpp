#include "picture/tree.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "picture/associations.h"
#include "picture/text.h"

using namespace bitpact;
using namespace bitpact::picture_tests;

namespace {

constexpr std::int64_t kMillion = 1000000;

std::vector<Order> orders_of_any_length() {
  return {Order::sequential(),
          Order::backwards(),
          Order::interleaved(8),
          Order::interleaved(64, Order::pairwise(1)),
          Order::blocked(1),
          Order::blocked(64),
          Order::blocked(64, Order::interleaved(4), Order::pairwise(1)),
          Order::blocked(1000, Order::pairwise(8), Order::backwards()),
          Order::pairwise(1),
          Order::pairwise(128, 8, Order::interleaved(8))};
}

bool same(const OrderTree& a, const OrderTree& b) { return a.root == b.root && a.origin == b.origin && a.shapes == b.shapes; }

}  // namespace

TEST(OrderTree, ExpandsToTheSchedule) {
  EXPECT_TRUE(rc::check("the tree is the schedule", [] {
    generate::Random random(*generate::seed());
    for (int i = 0; i < 20; ++i) {
      const Case c = random_case(random);
      RC_LOG() << to_text(c.order) << " of " << c.leaves << "\n";
      const Schedule s = schedule(c.order, c.leaves);
      const OrderTree tree = order_tree(s);
      RC_ASSERT(association(tree) == association(s));
      RC_ASSERT(tree.shape(tree.root).leaves == c.leaves);
      RC_ASSERT(tree.origin + tree.shape(tree.root).lowest == 0);
      RC_ASSERT(tree.origin + tree.shape(tree.root).highest == c.leaves - 1);
    }
  }));
}

TEST(OrderTree, MarksStandAtTheirJoins) {
  EXPECT_TRUE(rc::check("marks", [] {
    generate::Random random(*generate::seed());
    for (int i = 0; i < 20; ++i) {
      const Case c = random_case(random);
      const Schedule s = schedule(c.order, c.leaves);
      MarkedJoins marked;
      for (std::int64_t join = 0; join + 1 < c.leaves; ++join)
        if (random.chance(5)) marked.emplace_back(join, static_cast<std::uint8_t>(random.between(1, 3)));
      RC_LOG() << to_text(c.order) << " of " << c.leaves << "\n";
      RC_ASSERT(association(order_tree(s, marked)) == association(s, marked));
    }
  }));
}

// A step that goes on with a chain is any step on a slot that holds one.
TEST(OrderTree, HoweverAChainIsCut) {
  EXPECT_TRUE(rc::check("chains in pieces", [] {
    generate::Random random(*generate::seed());
    const std::int64_t n = random.between(1, 40);
    std::vector<std::int64_t> leaves;
    for (std::int64_t i = 0; i < n; ++i) leaves.push_back(i);
    if (random.chance(50)) random.shuffle(leaves);
    std::vector<OrderTree> trees;
    for (const int longest : {1, 2, 40}) {
      Schedule s;
      s.slots = 1;
      for (size_t at = 0; at < leaves.size();) {
        const std::int64_t stride = at + 1 < leaves.size() ? leaves[at + 1] - leaves[at] : 1;
        size_t end = at + 1;
        while (end < leaves.size() && end - at < static_cast<size_t>(longest) && leaves[end] - leaves[end - 1] == stride) ++end;
        const auto count = static_cast<std::int64_t>(end - at);
        s.steps.push_back({ScheduleStep::Kind::Chain, 0, 0, leaves[at], count == 1 ? 1 : stride, count});
        at = end;
      }
      trees.push_back(order_tree(s));
      RC_ASSERT(association(trees.back()) == association(s));
      RC_ASSERT(same(trees.back(), trees.front()));
    }
  }));
}

TEST(OrderTree, EqualPartsAreOne) {
  const auto shapes = [](const Order& order, std::int64_t n) { return order_tree(schedule(order, n)).shapes.size(); };
  EXPECT_EQ(shapes(Order::sequential(), 4096), 1U);
  EXPECT_EQ(shapes(Order::interleaved(8), 4096), 2U);   // a lane, and eight of them
  EXPECT_EQ(shapes(Order::blocked(64), 4096 + 5), 4U);  // a block, 64 of them, the last, the last joined
  EXPECT_EQ(shapes(Order::pairwise(1), 1 << 20), 21U);  // one a level
  EXPECT_EQ(shapes(Order::pairwise(128), 1 << 20), 14U);
}

TEST(OrderTree, AMillionLeavesAreFewShapes) {
  for (const Order& order : orders_of_any_length()) {
    const OrderTree tree = order_tree(schedule(order, kMillion));
    const std::string text = to_text(draw(tree, 38), true);
    EXPECT_LE(tree.shapes.size(), 100U) << to_text(order);
    EXPECT_EQ(tree.shape(tree.root).leaves, kMillion);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 38) << to_text(order);
  }
}

// As deep as they are long; nothing may recur that deep.
TEST(OrderTree, TreesThatLean) {
  constexpr std::int64_t n = 200000;
  std::vector<std::pair<std::int64_t, std::int64_t>> left, right, zigzag;
  for (std::int64_t t = 0; t + 1 < n; ++t) {
    const std::int64_t state = n + t - 1;
    left.emplace_back(t == 0 ? 0 : state, t + 1);
    right.emplace_back(n - 2 - t, t == 0 ? n - 1 : state);
    zigzag.emplace_back(t % 2 == 0 ? (t == 0 ? 0 : state) : t + 1, t % 2 == 0 ? t + 1 : state);
  }
  for (const auto& merges : {left, right, zigzag}) {
    const OrderTree tree = order_tree(schedule(Order::tree(merges), n));
    const Drawing drawing = draw(tree, 38);
    EXPECT_LE(drawing.nodes.size(), 38U);
    EXPECT_EQ(drawing.nodes[0].leaves, n);
  }
  EXPECT_EQ(order_tree(schedule(Order::tree(left), n)).shapes.size(), 2U);
  EXPECT_LE(order_tree(schedule(Order::tree(right), n)).shapes.size(), 8U);
}
