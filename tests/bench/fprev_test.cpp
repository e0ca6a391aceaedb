// The bench's FPRev, on sums whose trees are known.
#include "fprev.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>

using namespace bitpact::bench;

namespace {

using Joins = std::vector<std::vector<std::int64_t>>;

/// The sets of leaves below each node that joins some: the same for two trees only where they are one, up to the order of
/// children.
std::set<std::vector<std::int64_t>> subtrees(std::int64_t n, const Joins& joins) {
  std::vector<std::vector<std::int64_t>> below;
  for (std::int64_t i = 0; i < n; ++i) below.push_back({i});
  std::set<std::vector<std::int64_t>> sets;
  for (const auto& children : joins) {
    std::vector<std::int64_t> leaves;
    for (const std::int64_t child : children) {
      const auto& some = below.at(static_cast<std::size_t>(child));
      leaves.insert(leaves.end(), some.begin(), some.end());
    }
    std::sort(leaves.begin(), leaves.end());
    sets.insert(leaves);
    below.push_back(std::move(leaves));
  }
  return sets;
}

/// Two children: an addition in f32. More: all are cut to 24 bits below the greatest one and added exactly.
float add(const std::vector<float>& terms) {
  if (terms.size() == 2) return terms[0] + terms[1];
  float greatest = 0;
  for (const float term : terms) greatest = std::max(greatest, std::fabs(term));
  if (greatest == 0) return 0;
  const double unit = std::ldexp(1.0, std::ilogb(greatest) - 23);
  double sum = 0;
  for (const float term : terms) sum += std::trunc(static_cast<double>(term) / unit);
  return static_cast<float>(sum * unit);
}

Sum sum_of(std::int64_t n, const Joins& joins) {
  return [n, &joins](std::span<const float> operands) {
    EXPECT_EQ(static_cast<std::int64_t>(operands.size()), n);
    std::vector<float> values(operands.begin(), operands.end());
    for (const auto& children : joins) {
      std::vector<float> terms;
      for (const std::int64_t child : children) terms.push_back(values[static_cast<std::size_t>(child)]);
      values.push_back(add(terms));
    }
    return static_cast<double>(values.back());
  };
}

/// Joins up to `most` loose nodes, chosen at random, until one is left.
Joins random_tree(std::mt19937& random, std::int64_t n, std::size_t most) {
  std::vector<std::int64_t> loose(static_cast<std::size_t>(n));
  std::iota(loose.begin(), loose.end(), 0);
  Joins joins;
  while (loose.size() > 1) {
    std::vector<std::int64_t> children;
    const std::size_t count = std::min<std::size_t>(2 + random() % (most - 1), loose.size());
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(loose[random() % loose.size()], loose.back());
      children.push_back(loose.back());
      loose.pop_back();
    }
    loose.push_back(n + static_cast<std::int64_t>(joins.size()));
    joins.push_back(std::move(children));
  }
  return joins;
}

/// A spine with a random side of it: deep trees, which the above hardly makes.
Joins random_spine(std::mt19937& random, std::int64_t n) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  Joins joins;
  std::int64_t top = order[0];
  for (std::size_t i = 1; i < order.size(); ++i) {
    joins.push_back({top, order[i]});
    top = n + static_cast<std::int64_t>(joins.size()) - 1;
  }
  return joins;
}

void check(std::int64_t n, const Joins& joins) {
  const SummationTree found = reveal(sum_of(n, joins), n);
  EXPECT_EQ(subtrees(n, found.joins), subtrees(n, joins)) << n;
  EXPECT_EQ(found.joins.size(), joins.size());
  EXPECT_EQ(found.leaves, n);
  EXPECT_GE(found.calls, n - 1);
  EXPECT_LE(found.calls, n * (n - 1) / 2);
}

TEST(Fprev, RevealsRandomTrees) {
  std::mt19937 random(1);
  for (std::int64_t n = 1; n <= 40; ++n)
    for (int i = 0; i < 10; ++i) check(n, random_tree(random, n, 2));
  for (const std::int64_t n : {77, 128, 200, 299, 300}) {
    check(n, random_tree(random, n, 2));
    check(n, random_spine(random, n));
  }
}

TEST(Fprev, RevealsNodesOfSeveralChildren) {
  std::mt19937 random(2);
  for (std::int64_t n = 2; n <= 40; ++n)
    for (int i = 0; i < 10; ++i) check(n, random_tree(random, n, 5));
  for (const std::int64_t n : {100, 300}) check(n, random_tree(random, n, 16));
}

TEST(Fprev, InSequenceTakesOneCallALeaf) {
  for (const std::int64_t n : {1, 2, 3, 300, 3000}) {
    const SummationTree found = reveal([](auto x) { return std::accumulate(x.begin(), x.end(), 0.0F); }, n);
    EXPECT_EQ(found.calls, n - 1);
    for (std::int64_t t = 0; t + 1 < n; ++t)
      EXPECT_EQ(found.joins[static_cast<std::size_t>(t)], (std::vector<std::int64_t>{t == 0 ? 0 : n + t - 1, t + 1}));
  }
}

TEST(Fprev, BackwardsTakesOneCallAPair) {
  for (const std::int64_t n : {2, 3, 300}) {
    const SummationTree found = reveal([](auto x) { return std::accumulate(x.rbegin(), x.rend(), 0.0F); }, n);
    EXPECT_EQ(found.calls, n * (n - 1) / 2);
    EXPECT_EQ(static_cast<std::int64_t>(found.joins.size()), n - 1);
    EXPECT_EQ(found.joins.back().front(), 0);  // leaf 0 is the last that is added
    EXPECT_EQ(found.joins.front(), (std::vector<std::int64_t>{n - 2, n - 1}));
  }
}

TEST(Fprev, ThrowsAtCountsOfNoTree) {
  EXPECT_THROW(reveal([](auto) { return 0.5; }, 4), std::domain_error);
  EXPECT_THROW(reveal([](auto) { return 3.0; }, 4), std::domain_error);
  EXPECT_THROW(reveal([](auto) { return -1.0; }, 4), std::domain_error);
  EXPECT_THROW(reveal([](auto) { return std::nan(""); }, 4), std::domain_error);
  EXPECT_THROW(reveal([](auto) { return 0.0; }, 0), std::domain_error);
}

// The mask must swamp: in a double accumulator M = 2^30 swallows nothing, and the answer is one wide node.
TEST(Fprev, TakesAnotherMask) {
  const auto in_double = [](std::span<const float> x) { return std::accumulate(x.begin(), x.end(), 0.0); };
  EXPECT_EQ(reveal(in_double, 20).joins.size(), 19U);
  EXPECT_EQ(reveal(in_double, 20, {0x1p30F, 1}).joins.size(), 1U);
  EXPECT_EQ(reveal(in_double, 20, {0x1p90F, 0x1p-10F}).joins.size(), 19U);
}

}  // namespace
