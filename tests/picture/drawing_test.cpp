#include "picture/drawing.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "diagnostic/diagnostic.h"
#include "picture/associations.h"
#include "picture/svg.h"
#include "picture/text.h"
#include "picture/words.h"

using namespace bitpact;
using namespace bitpact::picture_tests;

namespace {

Drawing drawn(const Order& order, std::int64_t n, int most = 38) { return draw(order_tree(schedule(order, n)), most); }
std::string text(const Order& order, std::int64_t n) { return to_text(drawn(order, n), true); }

/// What an item stands for is what its entries stand for.
void check_sums(const Drawing& drawing) {
  for (const DrawnNode& node : drawing.nodes) {
    if (node.entries.empty()) continue;
    std::int64_t leaves = 0;
    for (const DrawnEntry& entry : node.entries) leaves += entry.count * drawing.node(entry.node).leaves;
    RC_ASSERT(leaves == node.leaves);
  }
}

}  // namespace

TEST(Drawing, ReadBackIsTheSchedule) {
  EXPECT_TRUE(rc::check("the drawing is the schedule", [] {
    generate::Random random(*generate::seed());
    for (int i = 0; i < 20; ++i) {
      const Case c = random_case(random);
      RC_LOG() << to_text(c.order) << " of " << c.leaves << "\n";
      const Schedule s = schedule(c.order, c.leaves);
      const Drawing drawing = draw(order_tree(s), 2000);
      check_sums(drawing);
      RC_ASSERT(association(drawing) == association(s));
    }
  }));
}

TEST(Drawing, IsNeverLargerThanAsked) {
  EXPECT_TRUE(rc::check("few items", [] {
    generate::Random random(*generate::seed());
    for (int i = 0; i < 20; ++i) {
      const Case c = random_case(random);
      const int most = random.between(8, 50);
      RC_LOG() << to_text(c.order) << " of " << c.leaves << ", at most " << most << "\n";
      const Schedule s = schedule(c.order, c.leaves);
      const Drawing drawing = draw(order_tree(s), most);
      check_sums(drawing);
      // Up to 16 leaves nothing is left out: at most 31 items, and one more where a chain begins with a leaf and goes on.
      RC_ASSERT(static_cast<int>(drawing.nodes.size()) <= (c.leaves <= 16 ? 32 : most));
      const std::string lines = to_text(drawing, true);
      RC_ASSERT(std::count(lines.begin(), lines.end(), '\n') == static_cast<std::ptrdiff_t>(drawing.nodes.size()));
      const std::string back = association(drawing);
      RC_ASSERT(back.empty() || back == association(s));
    }
  }));
}

TEST(Drawing, Text) {
  EXPECT_EQ(text(Order::sequential(), 4096), "leaves 0 .. 4095 in sequence\n");
  EXPECT_EQ(text(Order::backwards(), 20), "leaves 19 .. 0 in sequence\n");
  EXPECT_EQ(text(Order::sequential(), 1), "leaf 0\n");
  EXPECT_EQ(text(Order::interleaved(8), 64),
            "64 leaves, joined one after another\n"
            "`- x 8, starting at 0 .. 7: leaves 0, 8, .. 56 in sequence\n");
  EXPECT_EQ(text(Order::interleaved(8), 33),
            "33 leaves, joined one after another\n"
            "|- leaves 0, 8, .. 32 in sequence\n"
            "`- x 7, starting at 1 .. 7: leaves 1, 9, .. 25 in sequence\n");
  EXPECT_EQ(text(Order::blocked(64), 200),
            "200 leaves, joined one after another\n"
            "|- x 3, starting at 0, 64, 128: leaves 0 .. 63 in sequence\n"
            "`- leaves 192 .. 199 in sequence\n");
  EXPECT_EQ(text(Order::pairwise(128), 8192),
            "8192 leaves: 64 parts joined in pairs, 6 levels, neighbours first\n"
            "`- x 64, starting at 0, 128, .. 8064: leaves 0 .. 127 in sequence\n");
  EXPECT_EQ(text(Order::blocked(8, Order::interleaved(2), Order::sequential()), 64),
            "64 leaves, joined one after another\n"
            "`- x 8, starting at 0, 8, .. 56: 8 leaves, joined\n"
            "   `- x 2, starting at 0, 1: leaves 0, 2, .. 6 in sequence\n");
  EXPECT_EQ(to_text(drawn(Order::pairwise(1), 3), false, "  "),
            "  3 leaves, joined\n"
            "  ├─ leaf 0\n"
            "  └─ 2 leaves, joined\n"
            "     ├─ leaf 1\n"
            "     └─ leaf 2\n");
}

TEST(Drawing, EightLeavesAreAllDrawn) {
  const Drawing drawing = drawn(Order::pairwise(1), 8);
  EXPECT_EQ(drawing.nodes.size(), 15U);
  for (const DrawnNode& node : drawing.nodes) EXPECT_NE(node.kind, DrawnNode::Kind::Pairs);
}

// Lane 0 with lane 16, 1 with 17, ...: as vector units reduce.
TEST(Drawing, PairsOfTheFarthest) {
  std::vector<std::int64_t> items;
  for (std::int64_t i = 0; i < 32; ++i) items.push_back(i);
  std::vector<std::pair<std::int64_t, std::int64_t>> merges;
  while (items.size() > 1) {
    std::vector<std::int64_t> next;
    for (size_t i = 0; i < items.size() / 2; ++i) {
      next.push_back(32 + static_cast<std::int64_t>(merges.size()));
      merges.emplace_back(items[i], items[i + items.size() / 2]);
    }
    items = next;
  }
  EXPECT_EQ(text(Order::tree(merges), 32),
            "32 leaves: 32 parts joined in pairs, 5 levels, the farthest first\n"
            "`- x 32, starting at 0 .. 31: leaf 0\n");
}

TEST(Drawing, WhatIsAlikeIsDrawnOnce) {
  const std::string lines = text(Order::blocked(64, Order::interleaved(4), Order::pairwise(1)), 1000);
  EXPECT_NE(lines.find("[A] 64 leaves"), std::string::npos) << lines;
  EXPECT_NE(lines.find("like [A], from leaf 896 on"), std::string::npos) << lines;
}

TEST(Drawing, AChainThatGoesOn) {
  Schedule s;
  s.slots = 2;
  s.steps = {{ScheduleStep::Kind::Chain, 0, 0, 0, 1, 20},
             {ScheduleStep::Kind::Chain, 1, 0, 20, 1, 20},
             {ScheduleStep::Kind::Merge, 0, 1, 0, 1, 0},
             {ScheduleStep::Kind::Chain, 0, 0, 40, 1, 3}};
  EXPECT_EQ(to_text(draw(order_tree(s), 38), true),
            "43 leaves, joined one after another\n"
            "|- x 2, starting at 0, 20: leaves 0 .. 19 in sequence\n"
            "`- goes on over leaves 40 .. 42 in sequence\n");
}

// Eight lanes joined in pairs, and what was left over: the lanes are one part, not two of four lanes each.
TEST(Drawing, PairsAndTheRest) {
  Schedule s = schedule(Order::interleaved(8, Order::pairwise(1)), 344);
  s.steps.push_back({ScheduleStep::Kind::Chain, 1, 0, 344, 1, 6});
  s.steps.push_back({ScheduleStep::Kind::Merge, 0, 1, 0, 1, 0});
  EXPECT_EQ(to_text(draw(order_tree(s), 38), true),
            "350 leaves, joined\n"
            "|- 344 leaves: 8 parts joined in pairs, 3 levels, neighbours first\n"
            "|  `- x 8, starting at 0 .. 7: leaves 0, 8, .. 336 in sequence\n"
            "`- leaves 344 .. 349 in sequence\n");
}

TEST(Drawing, AnOrderThatHasNoWordsIsDrawn) {
  Order order;
  order.kind = static_cast<Order::Kind>(200);
  EXPECT_THROW(to_text(order), Refused);
  EXPECT_EQ(order_words(order), "an order that has no words");
  EXPECT_EQ(order_words(Order::interleaved(2)), to_text(Order::interleaved(2)));
  EXPECT_LE(order_words(Order::tree(std::vector<std::pair<std::int64_t, std::int64_t>>(1000, {1, 2}))).size(), 104U);
}

TEST(Drawing, LeavesInWords) {
  EXPECT_EQ(leaves_text({5}), "leaf 5");
  EXPECT_EQ(leaves_text({0, 1, 2, 3}), "leaves 0 .. 3");
  EXPECT_EQ(leaves_text({0, 8, 16, 24}), "leaves 0, 8, .. 24");
  EXPECT_EQ(leaves_text({0, 1, 2, 9}), "leaves 0 .. 2 and 9");
  EXPECT_EQ(leaves_text({0, 1, 5, 6, 9}), "leaves 0, 1; 5, 6 and 9");
  EXPECT_EQ(leaves_text({0, 1, 5, 6, 9, 10, 20}), "leaves 0, 1; 5, 6 and others, 7 in all");
  EXPECT_EQ(progression(7, -1, 8), "7 .. 0");
}

// However little room there is: what is marked is neither left out of a long row nor hidden behind a part that is alike.
TEST(Drawing, MarksAreSeen) {
  const auto marks_in = [](const OrderTree& tree, int most) {
    const std::string lines = to_text(draw(tree, most), true);
    int found = 0;
    for (size_t at = lines.find("parts here"); at != std::string::npos; at = lines.find("parts here", at + 1)) ++found;
    return found;
  };
  Schedule row;
  row.slots = 2;
  std::int64_t leaf = 0;
  for (int block = 0; block < 60; ++block) {  // no two neighbours of one length
    row.steps.push_back({ScheduleStep::Kind::Chain, block == 0 ? 0 : 1, 0, leaf, 1, 2 + block % 3});
    if (block > 0) row.steps.push_back({ScheduleStep::Kind::Merge, 0, 1, 0, 1, 0});
    leaf += 2 + block % 3;
  }
  for (const std::int64_t join : {1, 30, 60, 110}) EXPECT_EQ(marks_in(order_tree(row, {{join, kPartsHere}}), 12), 1) << join;
  // The first and the third eight leaves of 64.
  EXPECT_EQ(marks_in(order_tree(schedule(Order::pairwise(1), 64), {{6, kPartsHere}, {21, kPartsHere}}), 38), 2);
}

TEST(Svg, HasWordsAndNothingForeign) {
  const std::string svg = to_svg({{"a <heading> & \"more\"", {"a line"}, drawn(Order::interleaved(8), 33)}}, "title & <words>");
  for (const char* part :
       {"<title id=\"title\">title &amp; &lt;words&gt;</title>", "a &lt;heading&gt; &amp; &quot;more&quot;", "a line",
        "prefers-color-scheme: dark", "x 7, starting at 1 .. 7", "role=\"img\"", "|- leaves 0, 8, .. 32 in sequence"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_EQ(svg.find("http", svg.find("viewBox")), std::string::npos);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
}

TEST(Svg, IsSmallForAMillionLeaves) {
  for (const Order& order :
       {Order::sequential(), Order::interleaved(8), Order::pairwise(1), Order::pairwise(128, 8, Order::interleaved(8))})
    EXPECT_LT(to_svg({{to_text(order), {}, drawn(order, 1000000, 48)}}, "a million").size(), 40000U) << to_text(order);
}
