#include "picture/difference.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"
#include "picture/words.h"

namespace bitpact {
namespace {

using Node = std::int32_t;  ///< leaves are 0 .. n - 1, joins follow in the order of the schedule

/// A schedule as a binary tree over leaf numbers.
struct Association {
  std::int64_t n = 0;
  std::vector<Node> left, right;  ///< of each join
  std::vector<bool> by_step;      ///< of each join
  std::vector<Node> parent;       ///< of each node; -1 of the root

  Association(const Schedule& schedule, std::int64_t leaves) : n(leaves), parent(static_cast<size_t>(2 * leaves - 1), -1) {
    std::vector<Node> slots(static_cast<size_t>(schedule.slots), -1);
    for (const ScheduleStep& step : schedule.steps) {
      Node& state = slots.at(static_cast<size_t>(step.slot));
      if (step.kind == ScheduleStep::Kind::Merge) {
        Node& other = slots.at(static_cast<size_t>(step.other));
        state = join(state, other, false);
        other = -1;
        continue;
      }
      for (std::int64_t i = 0; i < step.count; ++i) {
        const auto leaf = static_cast<Node>(step.first + i * step.stride);
        state = state < 0 ? leaf : join(state, leaf, true);
      }
    }
    if (static_cast<std::int64_t>(left.size()) != n - 1) refuse(Code::Internal, "a schedule does not join all leaves");
  }

  Node nodes() const { return static_cast<Node>(parent.size()); }
  bool is_leaf(Node node) const { return node < n; }
  size_t join_of(Node node) const { return static_cast<size_t>(node - n); }
  Node parent_of(Node node) const { return parent[static_cast<size_t>(node)]; }
  Node sibling(Node node) const {
    const size_t join = join_of(parent_of(node));
    return left[join] == node ? right[join] : left[join];
  }

 private:
  Node join(Node a, Node b, bool step) {
    const auto node = static_cast<Node>(n + static_cast<std::int64_t>(left.size()));
    if (a < 0 || b < 0 || node >= nodes()) refuse(Code::Internal, "a schedule joins what it does not have");
    left.push_back(a);
    right.push_back(b);
    by_step.push_back(step);
    parent[static_cast<size_t>(a)] = parent[static_cast<size_t>(b)] = node;
    return node;
  }
};

/// The leaves from left to right; those of a node are neighbours.
struct Places {
  std::vector<std::int32_t> at, first, count;  ///< of each leaf; of each node: its first place, how many
  std::vector<std::int32_t> leaf;              ///< at each place

  explicit Places(const Association& tree) : first(tree.parent.size(), 0), count(tree.parent.size(), 1) {
    const Node nodes = tree.nodes();
    const auto size = [](Node node) { return static_cast<size_t>(node); };
    for (Node node = static_cast<Node>(tree.n); node < nodes; ++node)
      count[size(node)] = count[size(tree.left[tree.join_of(node)])] + count[size(tree.right[tree.join_of(node)])];
    for (Node node = nodes - 1; node >= tree.n; --node) {  // whoever joins comes after what it joins
      const Node a = tree.left[tree.join_of(node)], b = tree.right[tree.join_of(node)];
      first[size(a)] = first[size(node)];
      first[size(b)] = first[size(node)] + count[size(a)];
    }
    at.assign(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(tree.n));
    leaf.resize(at.size());
    for (size_t l = 0; l < at.size(); ++l) leaf[size(at[l])] = static_cast<std::int32_t>(l);
  }

  std::vector<std::int64_t> leaves_of(Node node) const {
    const auto from = leaf.begin() + first[static_cast<size_t>(node)];
    std::vector<std::int64_t> leaves(from, from + count[static_cast<size_t>(node)]);
    std::ranges::sort(leaves);
    return leaves;
  }
};

/// The first join of `a` that `b` lacks, in a's order; -1: none. All before it are in b: `same` says where.
Node first_missing(const Association& a, const Association& b, std::vector<Node>& same) {
  same.resize(a.parent.size());
  for (Node leaf = 0; leaf < a.n; ++leaf) same[static_cast<size_t>(leaf)] = leaf;
  for (Node node = static_cast<Node>(a.n); node < a.nodes(); ++node) {
    const Node x = same[static_cast<size_t>(a.left[a.join_of(node)])], y = same[static_cast<size_t>(a.right[a.join_of(node)])];
    const Node there = b.parent_of(x);
    if (there < 0 || there != b.parent_of(y) || b.left[b.join_of(there)] != x) return node;
    same[static_cast<size_t>(node)] = there;
  }
  return -1;
}

struct Part {
  Node in_a, in_b;
};

/// The smallest part of `a` that holds `node` and is a part of `b`, too: its leaves are those of one node of b.
Part smallest_part(const Association& a, const Association& b, const Places& places_a, const Places& places_b, Node node) {
  // Places in b of the leaves under `node`, which grows; the node of b that holds them all, which goes up.
  const auto index = [](Node x) { return static_cast<size_t>(x); };
  std::int32_t low = INT32_MAX, high = -1;
  const auto take = [&](Node part) {
    const std::int32_t from = places_a.first[index(part)];
    for (std::int32_t p = from; p < from + places_a.count[index(part)]; ++p) {
      const std::int32_t place = places_b.at[index(places_a.leaf[index(p)])];
      low = std::min(low, place);
      high = std::max(high, place);
    }
  };
  take(node);
  Node in_b = places_a.leaf[index(places_a.first[index(node)])];
  while (true) {
    while (low < places_b.first[index(in_b)] || high >= places_b.first[index(in_b)] + places_b.count[index(in_b)])
      in_b = b.parent_of(in_b);
    if (places_b.count[index(in_b)] == places_a.count[index(node)]) return {node, in_b};
    take(a.sibling(node));
    node = a.parent_of(node);
  }
}

std::int64_t join_number(const Association& tree, Node node) { return node - tree.n; }

void add_mark(MarkedJoins& marks, std::int64_t join, OrderMark mark) {
  for (auto& [at, flags] : marks) {
    if (at == join) {
      flags = static_cast<std::uint8_t>(flags | mark);
      return;
    }
  }
  marks.emplace_back(join, mark);
  std::ranges::sort(marks);
}

}  // namespace

OrderDifference difference(const Order& first, const Order& second, std::int64_t n) {
  const Schedule schedule_a = schedule(first, n), schedule_b = schedule(second, n);
  const Association a(schedule_a, n), b(schedule_b, n);
  OrderDifference result;
  result.leaves = n;
  MarkedJoins marks_a, marks_b;
  std::vector<Node> same;
  Node step = first_missing(a, b, same);
  if (step < 0) {
    for (Node node = static_cast<Node>(n); node < a.nodes() && step < 0; ++node)
      if (a.by_step[a.join_of(node)] != b.by_step[b.join_of(same[static_cast<size_t>(node)])]) step = node;
    if (step >= 0) result.kind = OrderDifference::Kind::Steps;
  } else {
    result.kind = OrderDifference::Kind::Parting;
  }
  if (step >= 0) {
    const Places places_a(a), places_b(b);
    const Node left = a.left[a.join_of(step)], right = a.right[a.join_of(step)];
    result.left = places_a.leaves_of(left);
    result.right = places_a.leaves_of(right);
    result.first_by_step = a.by_step[a.join_of(step)];
    add_mark(marks_a, join_number(a, step), kPartsHere);
    const Node left_b = same[static_cast<size_t>(left)], right_b = same[static_cast<size_t>(right)];
    if (result.kind == OrderDifference::Kind::Parting && b.parent_of(left_b) == b.parent_of(right_b))
      result.kind = OrderDifference::Kind::Sides;
    for (const Node operand : {left_b, right_b}) add_mark(marks_b, join_number(b, b.parent_of(operand)), kPartsHere);
    if (result.kind == OrderDifference::Kind::Parting) {
      result.left_with = places_b.leaves_of(b.sibling(left_b));
      result.right_with = places_b.leaves_of(b.sibling(right_b));
    }
    const Part part = smallest_part(a, b, places_a, places_b, step);
    result.part = places_a.leaves_of(part.in_a);
    if (static_cast<std::int64_t>(result.part.size()) < n) {
      add_mark(marks_a, join_number(a, part.in_a), kDifferentPart);
      add_mark(marks_b, join_number(b, part.in_b), kDifferentPart);
    }
  }
  result.first = order_tree(schedule_a, marks_a);
  result.second = order_tree(schedule_b, marks_b);
  return result;
}

OrderTree worth_drawing(const OrderTree& tree) {
  constexpr std::int64_t small = 16;
  if (tree.shape(tree.root).leaves <= small) return tree;
  OrderTree part = tree;
  // Every mark lies in the part, so that above it one side holds marks and the other does not.
  while ((part.shape(part.root).marks & kDifferentPart) == 0) {
    const OrderShape& shape = part.shape(part.root);
    if (shape.kind == OrderShape::Kind::Run || !shape.holds_mark || shape.marks != 0) return tree;
    const bool in_head = part.shape(shape.head).holds_mark;
    if (in_head && part.shape(shape.item).holds_mark) return tree;
    part.origin += in_head ? 0 : shape.first;
    part.root = in_head ? shape.head : shape.item;
  }
  return part;
}

std::vector<std::string> in_words(const OrderDifference& d) {
  using Kind = OrderDifference::Kind;
  const std::string left = leaves_text(d.left), right = leaves_text(d.right);
  std::vector<std::string> words;
  switch (d.kind) {
    case Kind::None:
      return {};
    case Kind::Steps:
      words.push_back(fmt::format(
          "the same leaves are joined everywhere, but {} with {} by {} in the first and by {} in the second", left, right,
          d.first_by_step ? "a step of a chain" : "a merge", d.first_by_step ? "a merge" : "a step of a chain"));
      return words;
    case Kind::Sides:
      words.push_back(fmt::format("both join {} with {}: in the first the former is the left side, in the second the right one",
                                  left, right));
      break;
    case Kind::Parting:
      words.push_back(fmt::format("the first joins {} with {}; the second joins {} with {}, and {} with {}", left, right, left,
                                  leaves_text(d.left_with), right, leaves_text(d.right_with)));
      break;
  }
  words.push_back(static_cast<std::int64_t>(d.part.size()) == d.leaves
                      ? "no smaller part that holds this step is computed by both"
                      : fmt::format("the smallest part that holds this step and that both compute: {}", leaves_text(d.part)));
  return words;
}

}  // namespace bitpact
