// Sums of two leaves, all others zero: what happens at one inner node of a tree, and at those above it.
#pragma once

#include <functional>

#include "probe/asking.h"
#include "probe/sum_site.h"
#include "probe/sum_tree.h"

namespace bitpact {

/// Operands for questions to the nodes: at each, two values whose sum is a tie, or just off one, in f32, in the operand's format
/// and in f64, both orders of magnitude, both signs; and two whose sum is tiny and below zero, all others -0. Many a set of
/// operands, one a position of the carrier with most positions. `give` gets each set; at most `most` sets are made, spread over
/// all nodes. Gives the number of questions in them.
std::int64_t for_node_questions(const Resolved& problem, const SumSite& site, const SumTree& tree, std::int64_t most,
                                const std::function<bool(std::vector<Tensor>)>& give);

}  // namespace bitpact
