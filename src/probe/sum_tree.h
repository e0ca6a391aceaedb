// The tree of a sum, from the sizes of the groups in which pairs of its leaves meet.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contract/order.h"

namespace bitpact {

/// Which leaves are added first: merges of leaves 0 .. n-1 and earlier merges (merge t is n + t), the last one the whole.
struct SumTree {
  std::int64_t leaves = 1;
  std::vector<std::pair<std::int64_t, std::int64_t>> merges;
};

using LeafPair = std::pair<std::int64_t, std::int64_t>;
/// How many leaves lie under the smallest partial sum that holds both: 2 .. n. Empty where it has not been asked; negative where
/// the answer was no such number.
using GroupSize = std::function<std::optional<std::int64_t>(const LeafPair&)>;

/// As far as the answers reach.
struct TreeSearch {
  std::optional<SumTree> tree;
  std::vector<LeafPair> open;           ///< what must be asked before the search goes on
  std::string contradiction;            ///< why no tree gives these answers; empty while one may
  std::vector<std::int64_t> witnesses;  ///< leaves of the contradiction
};

/// Basic method: FPRev (arXiv 2411.00442): a pivot against all leaves of its group; those that meet it in a group of one size are
/// a group of their own. All open questions of one round are independent, so that they can be asked together. Every answer is
/// checked: sizes must add up, which they do not where a sum is no binary tree. Deterministic; needs no recursion.
TreeSearch search_tree(std::int64_t leaves, const GroupSize& size);

/// Structure only: equal for two trees exactly if they join the same leaves (up to collisions of 64-bit sums, about n^2 / 2^64).
using TreeKey = std::vector<std::uint64_t>;
/// A group's key is the sum of its leaves' keys.
std::uint64_t leaf_key(std::int64_t leaf);
TreeKey key_of(const SumTree& tree);
/// Of an order: whether a leaf is a step or a merge does not count.
TreeKey key_of(const Order& order, std::int64_t leaves);

/// Leaves under each merge's two sides that stand for them: the first leaf of either. For questions to every inner node.
std::vector<LeafPair> node_witnesses(const SumTree& tree);
SumTree tree_of(const Order& order, std::int64_t leaves);

}  // namespace bitpact
