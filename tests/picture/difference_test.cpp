#include "picture/difference.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <ctime>
#include <map>
#include <set>

#include "picture/associations.h"
#include "picture/text.h"

using namespace bitpact;
using namespace bitpact::picture_tests;

namespace {

using Leaves = std::vector<std::int64_t>;
using Kind = OrderDifference::Kind;

// ---- the definition: every partial result as text with its leaves, whatever it costs

struct Join {
  std::string left, right, text;
  Leaves left_leaves, right_leaves, leaves;
  bool step = false;
};

std::vector<Join> joins_of(const Schedule& schedule) {
  struct Value {
    std::string text;
    Leaves leaves;
  };
  std::vector<Value> slots(static_cast<size_t>(schedule.slots));
  std::vector<Join> joins;
  const auto join = [&](const Value& a, const Value& b, bool step) {
    Value both{"(" + a.text + " " + b.text + ")", a.leaves};
    both.leaves.insert(both.leaves.end(), b.leaves.begin(), b.leaves.end());
    std::sort(both.leaves.begin(), both.leaves.end());
    joins.push_back({a.text, b.text, both.text, a.leaves, b.leaves, both.leaves, step});
    return both;
  };
  for (const ScheduleStep& s : schedule.steps) {
    Value& state = slots.at(static_cast<size_t>(s.slot));
    if (s.kind == ScheduleStep::Kind::Merge) {
      Value& other = slots.at(static_cast<size_t>(s.other));
      state = join(state, other, false);
      other = {};
      continue;
    }
    for (std::int64_t i = 0; i < s.count; ++i) {
      const Value leaf{std::to_string(s.first + i * s.stride), {s.first + i * s.stride}};
      state = state.leaves.empty() ? leaf : join(state, leaf, true);
    }
  }
  return joins;
}

/// What `text` is joined with.
Leaves partner(const std::vector<Join>& joins, const std::string& text) {
  for (const Join& join : joins) {
    if (join.left == text) return join.right_leaves;
    if (join.right == text) return join.left_leaves;
  }
  return {};
}

OrderDifference by_definition(const Order& first, const Order& second, std::int64_t n) {
  const std::vector<Join> a = joins_of(schedule(first, n)), b = joins_of(schedule(second, n));
  std::map<std::string, bool> steps;
  std::set<Leaves> parts;
  for (const Join& join : b) {
    steps[join.text] = join.step;
    parts.insert(join.leaves);
  }
  OrderDifference d;
  size_t at = 0;
  while (at < a.size() && steps.contains(a[at].text)) ++at;
  d.kind = Kind::Parting;
  if (at == a.size()) {
    d.kind = Kind::Steps;
    for (at = 0; at < a.size() && a[at].step == steps[a[at].text];) ++at;
    if (at == a.size()) return {};
  }
  d.left = a[at].left_leaves;
  d.right = a[at].right_leaves;
  d.first_by_step = a[at].step;
  if (d.kind == Kind::Parting && steps.contains("(" + a[at].right + " " + a[at].left + ")")) d.kind = Kind::Sides;
  if (d.kind == Kind::Parting) {
    d.left_with = partner(b, a[at].left);
    d.right_with = partner(b, a[at].right);
  }
  for (size_t up = at; up < a.size(); ++up) {  // in the order of the schedule, so the first that holds it is the smallest
    const bool holds = std::includes(a[up].leaves.begin(), a[up].leaves.end(), a[at].leaves.begin(), a[at].leaves.end());
    if (!holds || !parts.contains(a[up].leaves)) continue;
    d.part = a[up].leaves;
    break;
  }
  return d;
}

/// The leaves of what is marked, in any order.
void marked(const OrderTree& tree, std::int32_t s, std::int64_t at, std::uint8_t mark, std::set<Leaves>& found, Leaves& leaves) {
  const OrderShape& shape = tree.shape(s);
  leaves.clear();
  if (shape.kind == OrderShape::Kind::Run) {
    for (std::int64_t i = 0; i < shape.count; ++i) leaves.push_back(at + i * shape.stride);
    return;
  }
  marked(tree, shape.head, at, mark, found, leaves);
  for (std::int64_t i = 0; i < shape.count; ++i) {
    Leaves item;
    marked(tree, shape.item, at + shape.first + i * shape.stride, mark, found, item);
    leaves.insert(leaves.end(), item.begin(), item.end());
  }
  std::sort(leaves.begin(), leaves.end());
  if ((shape.marks & mark) != 0) found.insert(leaves);
}

std::set<Leaves> marked(const OrderTree& tree, std::uint8_t mark) {
  std::set<Leaves> found;
  Leaves leaves;
  marked(tree, tree.root, tree.origin, mark, found, leaves);
  return found;
}

Leaves both(Leaves a, const Leaves& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  return a;
}

Leaves range(std::int64_t from, std::int64_t to) {
  Leaves leaves;
  for (std::int64_t i = from; i <= to; ++i) leaves.push_back(i);
  return leaves;
}

}  // namespace

TEST(Difference, IsAsDefined) {
  EXPECT_TRUE(rc::check("where orders part", [] {
    generate::Random random(*generate::seed());
    for (int i = 0; i < 20; ++i) {
      const Case c = random_case(random, 40);
      Order other = c.order;
      if (random.chance(50) && c.order.kind == Order::Kind::Tree && !other.merges.empty()) {
        auto& merge = other.merges[static_cast<size_t>(random.below(static_cast<int>(other.merges.size())))];
        std::swap(merge.first, merge.second);
      } else {
        other = random.chance(50) ? random_tree(random, c.leaves) : generate::order(random, c.leaves);
      }
      RC_LOG() << to_text(c.order) << " and " << to_text(other) << " of " << c.leaves << "\n";
      const OrderDifference d = difference(c.order, other, c.leaves), right = by_definition(c.order, other, c.leaves);
      RC_ASSERT(d.kind == right.kind);
      RC_ASSERT(d.left == right.left);
      RC_ASSERT(d.right == right.right);
      RC_ASSERT(d.left_with == right.left_with);
      RC_ASSERT(d.right_with == right.right_with);
      RC_ASSERT(d.part == right.part);
      RC_ASSERT(in_words(d).empty() == (d.kind == Kind::None));
      if (d.kind == Kind::None) continue;
      const bool proper = static_cast<std::int64_t>(d.part.size()) < c.leaves;
      const std::set<Leaves> part = proper ? std::set<Leaves>{d.part} : std::set<Leaves>{};
      RC_ASSERT(marked(d.first, kPartsHere) == std::set<Leaves>{both(d.left, d.right)});
      RC_ASSERT(marked(d.first, kDifferentPart) == part);
      RC_ASSERT(marked(d.second, kDifferentPart) == part);
      const std::set<Leaves> there = d.kind == Kind::Parting
                                         ? std::set<Leaves>{both(d.left, d.left_with), both(d.right, d.right_with)}
                                         : std::set<Leaves>{both(d.left, d.right)};
      RC_ASSERT(marked(d.second, kPartsHere) == there);
      for (const OrderTree* tree : {&d.first, &d.second}) {
        const OrderTree shown = worth_drawing(*tree);
        RC_ASSERT(marked(shown, kPartsHere) == marked(*tree, kPartsHere));
        const std::string text = to_text(draw(shown, 24), true);
        RC_ASSERT(text.find("parts here") != std::string::npos || text.find("part in there") != std::string::npos);
      }
    }
  }));
}

TEST(Difference, SequentialAndPairwise) {
  const OrderDifference d = difference(Order::sequential(), Order::pairwise(1), 16);
  EXPECT_EQ(d.kind, Kind::Parting);
  EXPECT_EQ(d.left, range(0, 1));
  EXPECT_EQ(d.right, range(2, 2));
  EXPECT_EQ(d.left_with, range(2, 3));
  EXPECT_EQ(d.right_with, range(3, 3));
  EXPECT_EQ(d.part, range(0, 3));
  EXPECT_EQ(in_words(d),
            (std::vector<std::string>{
                "the first joins leaves 0, 1 with leaf 2; the second joins leaves 0, 1 with leaves 2, 3, and leaf 2 with leaf 3",
                "the smallest part that holds this step and that both compute: leaves 0 .. 3"}));
}

TEST(Difference, StepsAndSides) {
  const OrderDifference steps = difference(Order::tree({{0, 1}, {3, 2}}), Order::sequential(), 3);
  EXPECT_EQ(steps.kind, Kind::Steps);
  EXPECT_FALSE(steps.first_by_step);
  EXPECT_EQ(in_words(steps),
            (std::vector<std::string>{
                "the same leaves are joined everywhere, but leaf 0 with leaf 1 by a merge in the first and by a step of a "
                "chain in the second"}));
  const OrderDifference sides = difference(Order::tree({{0, 1}, {2, 3}}), Order::tree({{0, 1}, {3, 2}}), 3);
  EXPECT_EQ(sides.kind, Kind::Sides);
  EXPECT_EQ(sides.left, range(2, 2));
  EXPECT_EQ(sides.right, range(0, 1));
  EXPECT_EQ(difference(Order::interleaved(1), Order::sequential(), 100).kind, Kind::None);
  EXPECT_EQ(difference(Order::backwards(), Order::sequential(), 1).kind, Kind::None);
}

TEST(Difference, TheLastBlockOfAMillion) {
  // Blocks of 64, but the last 64 leaves in pairs.
  const std::clock_t start = std::clock();
  const OrderDifference d = difference(Order::blocked(64), Order::blocked(64, Order::pairwise(32), Order::sequential()), 1000000);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 2.0);
  EXPECT_EQ(d.left, range(0, 31));
  EXPECT_EQ(d.right, range(32, 32));
  EXPECT_EQ(d.right_with, range(33, 33));
  EXPECT_EQ(d.part, range(0, 63));
  EXPECT_EQ(to_text(draw(worth_drawing(d.second), 24), true),
            "64 leaves, joined  [the smallest part that differs]\n"
            "|- leaves 0 .. 31 in sequence\n"
            "`- 32 leaves, joined one after another  <- parts here\n"
            "   |- leaf 32\n"
            "   |- goes on over leaf 33  <- parts here\n"
            "   `- goes on over leaves 34 .. 63 in sequence\n");
}
