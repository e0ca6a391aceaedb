// What of a tree is drawn, before it is known how (text, SVG): a picture of few items, whatever the tree's size. What is repeated
// is drawn once, the largest parts are opened first, and what does not fit stays one item that says what it stands for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "picture/tree.h"

namespace bitpact {

struct DrawnEntry {
  int node = 0;  ///< of the drawing; where `count` > 1 it is the first one
  OrderShape::How how = OrderShape::How::Joins;
  std::int64_t count = 1, stride = 0;
  bool parts_here = false;  ///< the result of this step is marked
};

struct DrawnNode {
  enum class Kind : std::uint8_t {
    Leaves,    ///< a chain over leaves at, at + stride, ... (count)
    Sequence,  ///< the first entry is a state, each further one is joined to it; nothing is left to choose in their order
    Pairs,     ///< one entry, 2^levels of them joined in pairs, then the pairs in pairs, ...
    Alike,     ///< as the node `like`, at other leaves
    Closed,    ///< not drawn further
    Omitted,   ///< `count` entries of the sequence, together `leaves`
  };
  Kind kind = Kind::Closed;
  std::int64_t at = 0, stride = 1, count = 0;
  std::int64_t leaves = 0, lowest = 0, highest = 0;
  int levels = 0;           ///< Pairs
  bool halves = false;      ///< Pairs: the farthest are joined first (0 with 4, 1 with 5, ...), else neighbours
  int like = -1;            ///< Alike
  std::string name;         ///< of what others are like: "A", "B", ...
  bool different = false;   ///< kDifferentPart
  bool holds_mark = false;  ///< here or below
  std::vector<DrawnEntry> entries;
};

struct Drawing {
  std::vector<DrawnNode> nodes;  ///< the root is the first
  const DrawnNode& node(int n) const { return nodes[static_cast<size_t>(n)]; }
};

/// At most `most` items (at least 8), whatever the tree, and as many again where that shows what is marked. Up to 16 leaves
/// nothing is collapsed.
Drawing draw(const OrderTree& tree, int most);

/// "14 leaves of 10 .. 264, not drawn".
std::string closed_text(const DrawnNode& node);
/// What an entry and its node are, in words: "x 8, starting at 0 .. 7: leaves 0, 8, .. 56 in sequence".
std::string entry_text(const Drawing& drawing, const DrawnEntry& entry, bool begins);
/// "64 leaves, joined one after another", "leaves 0 .. 15 in sequence", "like [A], from leaf 64 on".
std::string node_text(const Drawing& drawing, const DrawnNode& node);

}  // namespace bitpact
