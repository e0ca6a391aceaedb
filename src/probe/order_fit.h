// Generators of orders that give a tree that was found.
#pragma once

#include <vector>

#include "probe/sum_tree.h"

namespace bitpact {

/// An order that gives the tree at its number of leaves.
struct FittedOrder {
  Order order;
  bool general = true;  ///< a generator for any number of leaves; else (parts, tree) for this one only
};

/// The simplest first; spellings that differ in whether a leaf is a step or a merge are both there, since they may round
/// differently, Never empty: the tree itself, by steps and by merges, is the last resort.
std::vector<FittedOrder> fit_orders(const SumTree& tree);

/// Orders with a tail apart that give the tree, whatever gives the head; for tails that have bodies of their own. Empty where the
/// tree's last join is not that of a head and of a chain behind it, shorter than the head.
std::vector<FittedOrder> fit_tails(const SumTree& tree);

}  // namespace bitpact
