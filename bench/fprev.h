// FPRev's method (Xie et al., arXiv 2411.00442), from its description, one mask a call: what other ways to probe are timed
// against. It checks nothing: of what is no tree of additions it gives some tree, or throws.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace bitpact::bench {

/// Nodes 0 .. n-1 are the leaves, the others join earlier ones, the root is the last. Two children, or more where the
/// implementation adds several at once.
struct SummationTree {
  std::int64_t leaves = 0;
  std::vector<std::vector<std::int64_t>> joins;  ///< children of node leaves + t, the one with the smallest leaf first
  std::int64_t calls = 0;                        ///< how often the sum was asked
};

/// Adds up its operand; must be the same sum at every call.
using Sum = std::function<double(std::span<const float>)>;

struct Mask {
  float mask = 0x1p127F;  ///< M: M + n * unit == M in the accumulator, and M - M is 0
  float unit = 1;         ///< 1 .. n units are exact in accumulator and result
};

/// All operands are units, but for +M at one leaf and -M at another: units that meet one of these before both meet are lost, and
/// the number of those that are left tells how many leaves hang below the node where the two meet. Leaf i is asked against the
/// others of its subtree, which part into the subtrees that join the path from i to the root; each of these is asked likewise.
/// n-1 calls for a sum in sequence, n(n-1)/2 for one backwards. Throws std::domain_error where a count is no integer of 2 .. n.
SummationTree reveal(const Sum& sum, std::int64_t n, const Mask& mask = {});

}  // namespace bitpact::bench
