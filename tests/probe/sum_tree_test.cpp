// The search for a sum's tree, against sums whose tree is known: every answer is computed from the tree itself.
#include "probe/sum_tree.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>
#include <random>

#include "operators/operator.h"
#include "probe/order_fit.h"

namespace bitpact {
namespace {

/// Sizes of groups, leaf by leaf up the tree.
class Truth {
 public:
  explicit Truth(const SumTree& tree) : tree_(tree), parent_(items(), -1), size_(items(), 1) {
    for (size_t t = 0; t < tree.merges.size(); ++t) {
      const auto [a, b] = tree.merges[t];
      const auto whole = static_cast<size_t>(tree.leaves) + t;
      parent_[static_cast<size_t>(a)] = parent_[static_cast<size_t>(b)] = static_cast<std::int64_t>(whole);
      size_[whole] = size_[static_cast<size_t>(a)] + size_[static_cast<size_t>(b)];
    }
  }
  std::int64_t operator()(const LeafPair& pair) const {
    std::vector<bool> above(parent_.size(), false);
    for (std::int64_t at = pair.first; at >= 0; at = parent_[static_cast<size_t>(at)]) above[static_cast<size_t>(at)] = true;
    std::int64_t at = pair.second;
    while (!above[static_cast<size_t>(at)]) at = parent_[static_cast<size_t>(at)];
    return size_[static_cast<size_t>(at)];
  }

 private:
  size_t items() const { return static_cast<size_t>(tree_.leaves) + tree_.merges.size(); }
  const SumTree& tree_;
  std::vector<std::int64_t> parent_, size_;
};

struct Asked {
  TreeSearch found;
  std::int64_t questions = 0, rounds = 0;
};

Asked search(std::int64_t leaves, const std::function<std::int64_t(const LeafPair&)>& answer) {
  std::map<LeafPair, std::int64_t> answers;
  Asked asked;
  while (true) {
    asked.found = search_tree(leaves, [&](const LeafPair& pair) -> std::optional<std::int64_t> {
      const auto at = answers.find(pair);
      return at == answers.end() ? std::nullopt : std::optional(at->second);
    });
    if (asked.found.open.empty() || !asked.found.contradiction.empty()) return asked;
    ++asked.rounds;
    for (const LeafPair& pair : asked.found.open) {
      ++asked.questions;
      answers[pair] = answer(pair);
    }
  }
}

SumTree random_tree(std::int64_t n, std::mt19937_64& engine) {
  SumTree tree{n, {}};
  std::vector<std::int64_t> loose(static_cast<size_t>(n));
  std::iota(loose.begin(), loose.end(), 0);
  const bool chains = engine() % 2 == 0;
  while (loose.size() > 1) {
    const auto take = [&](bool state) {
      const size_t at = state ? loose.size() - 1 : engine() % loose.size();
      const std::int64_t item = loose[at];
      loose.erase(loose.begin() + static_cast<std::ptrdiff_t>(at));
      return item;
    };
    const std::int64_t a = take(chains && engine() % 4 != 0), b = take(false);
    tree.merges.emplace_back(a, b);
    loose.push_back(n + static_cast<std::int64_t>(tree.merges.size()) - 1);
  }
  return tree;
}

RC_GTEST_PROP(SumTree, RandomOrdersUpTo300AreFound, ()) {
  std::mt19937_64 engine(*rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>()));
  const auto n = static_cast<std::int64_t>(engine() % 300 + 1);
  const SumTree tree = random_tree(n, engine);
  const Truth truth(tree);
  const Asked asked = search(n, truth);
  RC_ASSERT(asked.found.contradiction.empty());
  RC_ASSERT(key_of(*asked.found.tree) == key_of(tree));
  RC_ASSERT(asked.questions <= n * (n - 1) / 2);
}

TEST(SumTree, UsualOrdersTakeFewRounds) {
  for (const char* text : {"sequential", "reversed", "interleaved(8, pairwise(1))", "pairwise(1)", "blocked(512)",
                           "pairwise(128, 8, tailed(8, interleaved(8, pairwise(1)), joined))"}) {
    const std::int64_t n = 4097;
    const SumTree tree = tree_of(parse_order(text), n);
    const Truth truth(tree);
    const Asked asked = search(n, truth);
    ASSERT_TRUE(asked.found.tree) << text << ": " << asked.found.contradiction;
    EXPECT_EQ(key_of(*asked.found.tree), key_of(tree)) << text;
    EXPECT_LE(asked.rounds, 20) << text;
    EXPECT_LE(asked.questions, 13 * n) << text;
  }
}

TEST(SumTree, WhatIsNoTreeIsSaid) {
  // Four at once: every pair of 0..3 meets in a group of four.
  const Asked at_once = search(8, [](const LeafPair& pair) {
    return pair.second < 4 ? 4 : pair.second < 8 && pair.first >= 4 ? 4 : 8;
  });
  EXPECT_NE(at_once.found.contradiction.find("more than two partial sums"), std::string::npos) << at_once.found.contradiction;
  // A compensated sum swallows nothing.
  const Asked kahan = search(8, [](const LeafPair&) { return std::int64_t{2}; });
  EXPECT_NE(kahan.found.contradiction.find("has met"), std::string::npos) << kahan.found.contradiction;
  const Asked none = search(8, [](const LeafPair&) { return std::int64_t{-1}; });
  EXPECT_NE(none.found.contradiction.find("no count"), std::string::npos) << none.found.contradiction;
}

TEST(OrderFit, FindsTheGenerator) {
  const auto best = [](const char* text, std::int64_t n) { return fit_orders(tree_of(parse_order(text), n)); };
  for (const char* text :
       {"sequential", "reversed", "interleaved(8, pairwise(1))",
        "interleaved(16, interleaved(8, interleaved(4, interleaved(2))))", "tailed(8, interleaved(8, pairwise(1)), joined)",
        "tailed(32, interleaved(32, interleaved(8)), apart)", "blocked(512)", "blocked_even(448)",
        "blocked_short_first(32, sequential, blocked_short_first(32))", "blocked(100)", "pairwise(1)", "pairwise(128)",
        "pairwise(128, 8, tailed(8, interleaved(8, pairwise(1)), joined))", "blocked(256, interleaved(4))"})
    for (const std::int64_t n : {600, 1000, 1025, 4097}) {
      const auto found = best(text, n);
      EXPECT_TRUE(found.front().general) << text << " of " << n << " gave " << spelled(found.front().order).substr(0, 100);
      // Each gives this very tree, and the generator itself, or one that other lengths cannot tell from it, is among them.
      bool elsewhere = false;
      for (const FittedOrder& f : found) {
        EXPECT_EQ(key_of(f.order, n), key_of(parse_order(text), n)) << text << " of " << n;
        elsewhere = elsewhere || (f.general && key_of(f.order, 1729) == key_of(parse_order(text), 1729) &&
                                  key_of(f.order, 2503) == key_of(parse_order(text), 2503));
      }
      EXPECT_TRUE(elsewhere) << text << " of " << n << " gave " << spelled(found.front().order);
    }
}

// Heads with a chain behind them, whatever the heads are.
TEST(OrderFit, FindsTailsApart) {
  const auto fits = [](const char* text, std::int64_t n) {
    const std::vector<FittedOrder> found = fit_tails(tree_of(parse_order(text), n));
    const TreeKey key = key_of(parse_order(text), n);
    bool itself = false;
    for (const FittedOrder& f : found) {
      EXPECT_EQ(key_of(f.order, n), key) << spelled(f.order);
      EXPECT_EQ(tail_length(f.order, n), tail_length(parse_order(text), n)) << spelled(f.order);
      itself = itself || f.order == parse_order(text);
    }
    return itself;
  };
  EXPECT_TRUE(fits("tailed(32, sequential, apart)", 287));
  EXPECT_TRUE(fits("tailed(32, interleaved(8, pairwise(1)), apart)", 63));
  EXPECT_TRUE(fits("tailed(32, sequential, apart)", 33));
  // A head that no generator gives, and trees that end otherwise.
  std::mt19937_64 engine(4);
  const SumTree head = random_tree(96, engine);
  const Order order = Order::tailed(32, Order::tree(head.merges, true), Order::Tail::Apart);
  const auto found = fit_tails(tree_of(order, 100));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].order.width, 32);
  EXPECT_EQ(key_of(found[0].order, 100), key_of(order, 100));
  EXPECT_FALSE(found[0].general);
  EXPECT_TRUE(fit_tails(tree_of(parse_order("tailed(32, interleaved(8), joined)"), 63)).size() == 0 ||
              tail_length(fit_tails(tree_of(parse_order("tailed(32, interleaved(8), joined)"), 63))[0].order, 63) == 1);
  EXPECT_TRUE(fit_tails(tree_of(parse_order("interleaved(2)"), 7)).empty());
  EXPECT_TRUE(fit_tails(tree_of(parse_order("blocked(4, pairwise(1))"), 7)).empty());  // no chain behind it
  EXPECT_TRUE(fit_tails(SumTree{1, {}}).empty());
}

TEST(OrderFit, TheTreeItselfIsTheLastResort) {
  std::mt19937_64 engine(3);
  const SumTree tree = random_tree(50, engine);
  const auto found = fit_orders(tree);
  ASSERT_EQ(found.size(), 3U);  // by steps, by merges, and by steps where two leaves are merged
  EXPECT_FALSE(found[0].general);
  for (const FittedOrder& f : found) EXPECT_EQ(key_of(f.order, 50), key_of(tree));
  const auto parts = fit_orders(tree_of(parse_order("parts(500 300 201)"), 1001));
  EXPECT_EQ(spelled(parts.front().order), "parts(500 300 201)");
}

}  // namespace
}  // namespace bitpact
