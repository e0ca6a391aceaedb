#include "picture/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "picture/words.h"

namespace bitpact {
namespace {

using How = OrderShape::How;
using Kind = DrawnNode::Kind;

constexpr std::int64_t kWhole = 16;  ///< leaves up to which nothing is collapsed

/// A part of the tree, at its leaves, as it becomes an entry.
struct Part {
  std::int32_t shape = -1;
  std::int64_t at = 0;
  How how = How::Joins;
  std::int64_t count = 1, stride = 0;
  bool parts_here = false;
  std::int64_t omitted = 0;  ///< leaves; the part then stands for `count` entries that are left out
};

class Drawer {
 public:
  Drawer(const OrderTree& tree, int most) : tree_(tree), most_(most), whole_(tree.shape(tree.root).leaves <= kWhole) {}

  Drawing run() {
    add({tree_.root, tree_.origin});
    while (!queue_.empty()) {
      const int node = std::get<3>(queue_.top());
      queue_.pop();
      open(node);
    }
    give_names();
    return std::move(drawing_);
  }

 private:
  struct Pairs {
    std::int32_t shape;
    int levels;
    bool halves;
    std::int64_t stride;
  };

  /// A run is drawn as it is; anything else is one item until it is opened.
  int add(const Part& part) {
    const auto number = static_cast<int>(drawing_.nodes.size());
    DrawnNode node;
    node.at = part.at;
    if (part.omitted != 0) {
      node.kind = Kind::Omitted;
      node.count = part.count;
      node.leaves = part.omitted;
      drawing_.nodes.push_back(std::move(node));
      shape_of_.push_back(-1);
      return number;
    }
    const OrderShape& shape = tree_.shape(part.shape);
    node.leaves = shape.leaves;
    node.lowest = part.at + shape.lowest;
    node.highest = part.at + shape.highest;
    node.different = (shape.marks & kDifferentPart) != 0;
    node.holds_mark = shape.holds_mark;
    if (shape.kind == OrderShape::Kind::Run) {
      node.kind = Kind::Leaves;
      node.stride = shape.stride;
      node.count = shape.count;
    } else {
      // Marked parts first, then the largest, then in the order in which they were met.
      queue_.emplace(shape.holds_mark, shape.leaves, -number, number);
    }
    drawing_.nodes.push_back(std::move(node));
    shape_of_.push_back(part.shape);
    return number;
  }

  void open(int number) {
    const std::int32_t s = shape_of_[static_cast<size_t>(number)];
    DrawnNode& node = drawing_.nodes[static_cast<size_t>(number)];
    const auto known = opened_.find(s);
    // A mark is seen where it is, and a few leaves are not worth a reference.
    if (!whole_ && known != opened_.end() && !node.holds_mark && node.leaves > 4) {
      node.kind = Kind::Alike;
      node.like = known->second;
      return;
    }
    const std::int64_t at = node.at;
    const Pairs pairs = whole_ ? Pairs{s, 0, false, 0} : pairs_of(s);
    std::vector<Part> parts =
        pairs.levels > 1 ? std::vector<Part>{{pairs.shape, at, How::Joins, std::int64_t{1} << pairs.levels, pairs.stride}}
                         : parts_of(s, at);
    const int most = node.holds_mark ? 2 * most_ : most_;  // what is marked should be seen
    const auto room = static_cast<size_t>(std::max(0, most - static_cast<int>(drawing_.nodes.size())));
    if (!whole_) leave_out(parts, std::min(room, static_cast<size_t>(std::max(14, most_ / 3))));  // no part takes all the room
    if (parts.empty() || (!whole_ && parts.size() > room)) return;                                // stays closed
    node.kind = pairs.levels > 1 ? Kind::Pairs : Kind::Sequence;
    node.levels = pairs.levels;
    node.halves = pairs.halves;
    opened_.emplace(s, number);
    std::vector<DrawnEntry> entries;
    for (const Part& part : parts)
      entries.push_back({add(part), part.how, part.omitted != 0 ? 1 : part.count, part.stride, part.parts_here});
    drawing_.nodes[static_cast<size_t>(number)].entries = std::move(entries);
  }

  /// Two parts that are alike, each of two that are alike, ...: as one step of several levels.
  Pairs pairs_of(std::int32_t s) const {
    Pairs pairs{s, 0, false, 0};
    std::int64_t distance = 0;
    while (true) {
      const OrderShape& shape = tree_.shape(pairs.shape);
      const bool pair = shape.kind == OrderShape::Kind::Series && !shape.holds_mark && shape.how == How::Joins &&
                        shape.count == 1 && shape.head == shape.item && shape.first > 0;
      if (!pair) break;
      if (pairs.levels == 1) pairs.halves = shape.first == 2 * distance;
      if (pairs.levels > 0 && (pairs.halves ? shape.first != 2 * distance : 2 * shape.first != distance)) break;
      distance = shape.first;
      if (pairs.levels == 0 || !pairs.halves) pairs.stride = distance;
      pairs.shape = shape.item;
      ++pairs.levels;
    }
    return pairs;
  }

  /// The entries of a series: its head's first, where that is a longer series of such parts and not a part of their size.
  std::vector<Part> parts_of(std::int32_t s, std::int64_t at) const {
    std::vector<Part> parts;  // the last first
    for (bool first = true;; first = false) {
      const OrderShape& shape = tree_.shape(s);
      const bool flat = first || (shape.kind == OrderShape::Kind::Series && (shape.marks & kDifferentPart) == 0);
      if (!flat || shape.kind == OrderShape::Kind::Run) {
        parts.push_back({s, at});
        break;
      }
      if (!first && !whole_ && pairs_of(s).levels > 1) {  // a balanced tree, not the beginning of a row
        parts.push_back({s, at});
        break;
      }
      const bool parts_here = (shape.marks & kPartsHere) != 0;
      const OrderShape& head = tree_.shape(shape.head);
      const bool alike =
          shape.head == shape.item && shape.how == How::Joins && !parts_here && (shape.count == 1 || shape.first == shape.stride);
      const bool one_by_one = whole_ || tree_.shape(shape.item).holds_mark;
      if (alike && !one_by_one) {
        parts.push_back({shape.head, at, How::Joins, shape.count + 1, shape.first});
        break;
      }
      if (one_by_one) {
        for (std::int64_t i = shape.count - 1; i >= 0; --i)
          parts.push_back({shape.item, at + shape.first + i * shape.stride, shape.how, 1, 0, parts_here});
      } else {
        parts.push_back({shape.item, at + shape.first, shape.how, shape.count, shape.stride, parts_here});
      }
      s = shape.head;
      if (shape.how != How::GoesOn && head.leaves < 2 * tree_.shape(shape.item).leaves) {
        parts.push_back({s, at});
        break;
      }
    }
    std::ranges::reverse(parts);
    return parts;
  }

  /// Keeps the first ones, the last ones and what is marked: at most `most`, or nothing where that is too few.
  void leave_out(std::vector<Part>& parts, size_t most) const {
    if (parts.size() <= most) return;
    std::vector<bool> keep(parts.size(), false);
    const auto marked = [&](size_t p) { return parts[p].parts_here || tree_.shape(parts[p].shape).holds_mark; };
    size_t kept = 0;
    for (size_t p = 0; p < parts.size(); ++p) {
      keep[p] = marked(p);
      kept += keep[p] ? 1 : 0;
    }
    if (most < 2 * kept + 3) {
      parts.clear();
      return;
    }
    const size_t ends = most - 2 * kept - 1;  // each marked one may need an omission before it, and there is one after the last
    for (size_t p = 0; p < ends - ends / 3; ++p) keep[p] = true;
    for (size_t p = 0; p < ends / 3; ++p) keep[parts.size() - 1 - p] = true;
    std::vector<Part> left;
    for (size_t p = 0; p < parts.size(); ++p) {
      if (keep[p]) {
        left.push_back(parts[p]);
        continue;
      }
      if (left.empty() || left.back().omitted == 0) {
        left.emplace_back();
        left.back().count = 0;
      }
      Part& hole = left.back();
      hole.omitted += tree_.shape(parts[p].shape).leaves * parts[p].count;
      hole.count += parts[p].count;
    }
    parts = std::move(left);
  }

  /// In the order of the picture: A, B, ... AA.
  void give_names() {
    std::vector<bool> named(drawing_.nodes.size(), false);
    for (const DrawnNode& node : drawing_.nodes)
      if (node.kind == Kind::Alike) named[static_cast<size_t>(node.like)] = true;
    int next = 0;
    std::vector<int> stack{0};
    while (!stack.empty()) {
      const int n = stack.back();
      stack.pop_back();
      DrawnNode& node = drawing_.nodes[static_cast<size_t>(n)];
      if (named[static_cast<size_t>(n)]) {
        for (int i = next++; i >= 0; i = i / 26 - 1) node.name.insert(node.name.begin(), static_cast<char>('A' + i % 26));
      }
      for (auto entry = node.entries.rbegin(); entry != node.entries.rend(); ++entry) stack.push_back(entry->node);
    }
  }

  const OrderTree& tree_;
  int most_;
  bool whole_;
  Drawing drawing_;
  std::vector<std::int32_t> shape_of_;
  std::unordered_map<std::int32_t, int> opened_;
  std::priority_queue<std::tuple<bool, std::int64_t, int, int>> queue_;
};

std::int64_t joined_parts(const DrawnNode& node) {
  std::int64_t parts = 0;
  for (const DrawnEntry& entry : node.entries) parts += entry.count;
  return parts;
}

}  // namespace

Drawing draw(const OrderTree& tree, int most) { return Drawer(tree, most).run(); }

std::string closed_text(const DrawnNode& node) {
  return fmt::format("{} of {} .. {}, not drawn{}", leaf_count(node.leaves), node.lowest, node.highest,
                     node.holds_mark ? "; the orders part in there" : "");
}

std::string node_text(const Drawing& drawing, const DrawnNode& node) {
  std::string text = node.name.empty() ? "" : fmt::format("[{}] ", node.name);
  const std::string many = leaf_count(node.leaves);
  switch (node.kind) {
    case Kind::Leaves:
      text += leaves_text(node.at, node.stride, node.count) + (node.count > 1 ? " in sequence" : "");
      break;
    case Kind::Sequence:
      text += fmt::format("{}, joined", many);
      if (joined_parts(node) > 2) text += " one after another";
      break;
    case Kind::Pairs:
      text += fmt::format("{}: {} parts joined in pairs, {} levels, {} first", many, std::int64_t{1} << node.levels, node.levels,
                          node.halves ? "the farthest" : "neighbours");
      break;
    case Kind::Alike:
      text += fmt::format("like [{}], from leaf {} on", drawing.node(node.like).name, node.lowest);
      break;
    case Kind::Closed:
      text += closed_text(node);
      break;
    case Kind::Omitted:
      text += fmt::format("... {} more, {}", node.count, many);
      break;
  }
  if (node.different) text += "  [the smallest part that differs]";
  return text;
}

std::string entry_text(const Drawing& drawing, const DrawnEntry& entry, bool begins) {
  const DrawnNode& node = drawing.node(entry.node);
  std::string text;
  if (entry.how == How::GoesOn && !begins) text += "goes on over ";
  if (entry.how == How::JoinsLeft) text += "joined on the left: ";
  if (entry.count > 1)
    text += fmt::format("x {}, starting at {}: ", entry.count, progression(node.at, entry.stride, entry.count));
  text += node_text(drawing, node);
  if (entry.parts_here) text += "  <- parts here";
  return text;
}

}  // namespace bitpact
