// An association as text, three times: from a schedule, from a tree, from a drawing. In postfix: "3" begins a chain, ".4" is a
// step over leaf 4, "+" a merge of the two before it; "!" and "#" stand behind what is marked.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "contract/generate.h"
#include "picture/drawing.h"
#include "picture/tree.h"

namespace bitpact::picture_tests {

inline std::string marks_text(unsigned marks) {
  return std::string((marks & kPartsHere) != 0 ? "!" : "") + ((marks & kDifferentPart) != 0 ? "#" : "");
}

inline std::string association(const Schedule& schedule, const MarkedJoins& marked = {}) {
  std::vector<std::string> slots(static_cast<size_t>(schedule.slots));
  std::int64_t joins = 0;
  const auto mark = [&] {
    std::string text;
    for (const auto& [join, marks] : marked)
      if (join == joins) text = marks_text(marks);
    ++joins;
    return text;
  };
  for (const ScheduleStep& step : schedule.steps) {
    std::string& state = slots.at(static_cast<size_t>(step.slot));
    if (step.kind == ScheduleStep::Kind::Merge) {
      std::string& other = slots.at(static_cast<size_t>(step.other));
      state += other + " +" + mark();
      other.clear();
      continue;
    }
    for (std::int64_t i = 0; i < step.count; ++i) {
      const std::int64_t leaf = step.first + i * step.stride;
      state += state.empty() ? fmt::format(" {}", leaf) : fmt::format(" .{}{}", leaf, mark());
    }
  }
  return slots.at(0);
}

inline void add_run(std::string& text, std::int64_t at, std::int64_t stride, std::int64_t count, bool goes_on) {
  for (std::int64_t i = 0; i < count; ++i) text += (goes_on || i > 0 ? " ." : " ") + std::to_string(at + i * stride);
}

/// By recursion, which the code under test does without: for small trees.
inline std::string association(const OrderTree& tree, std::int32_t number, std::int64_t at) {
  const OrderShape& s = tree.shape(number);
  std::string text;
  if (s.kind == OrderShape::Kind::Run) {
    add_run(text, at, s.stride, s.count, false);
    return text;
  }
  text = association(tree, s.head, at);
  for (std::int64_t i = 0; i < s.count; ++i) {
    const std::int64_t there = at + s.first + i * s.stride;
    if (s.how == OrderShape::How::GoesOn)
      add_run(text, there, tree.shape(s.item).stride, tree.shape(s.item).count, true);
    else if (s.how == OrderShape::How::Joins)
      text += association(tree, s.item, there) + " +";
    else
      text = association(tree, s.item, there) + text + " +";
    text += marks_text(s.marks);
  }
  return text;
}
inline std::string association(const OrderTree& tree) { return association(tree, tree.root, tree.origin); }

/// "" where a part is not drawn.
inline std::string association(const Drawing& drawing, int number, std::int64_t shift, bool goes_on = false) {
  const DrawnNode& node = drawing.node(number);
  std::string text;
  switch (node.kind) {
    case DrawnNode::Kind::Leaves:
      add_run(text, node.at + shift, node.stride, node.count, goes_on);
      return text;
    case DrawnNode::Kind::Alike:
      return association(drawing, node.like, shift + node.at - drawing.node(node.like).at);
    case DrawnNode::Kind::Pairs: {
      std::vector<std::string> parts;
      const DrawnEntry& entry = node.entries[0];
      for (std::int64_t i = 0; i < entry.count; ++i) parts.push_back(association(drawing, entry.node, shift + i * entry.stride));
      for (const std::string& part : parts)
        if (part.empty()) return "";
      while (parts.size() > 1) {
        std::vector<std::string> joined;
        const size_t half = parts.size() / 2;
        for (size_t i = 0; i < half; ++i)
          joined.push_back(node.halves ? parts[i] + parts[i + half] + " +" : parts[2 * i] + parts[2 * i + 1] + " +");
        parts = std::move(joined);
      }
      return parts[0];
    }
    case DrawnNode::Kind::Sequence:
      for (const DrawnEntry& entry : node.entries) {
        for (std::int64_t i = 0; i < entry.count; ++i) {
          const bool steps = entry.how == OrderShape::How::GoesOn && !text.empty();
          const std::string part = association(drawing, entry.node, shift + i * entry.stride, steps);
          if (part.empty()) return "";
          if (text.empty() || steps)
            text += part;
          else
            text = entry.how == OrderShape::How::JoinsLeft ? part + text + " +" : text + part + " +";
        }
      }
      return text;
    default:
      return "";
  }
}
inline std::string association(const Drawing& drawing) { return association(drawing, 0, 0); }

/// Trees that lean in every way: each merge takes two loose items, near each other or not.
inline Order random_tree(generate::Random& random, std::int64_t n) {
  std::vector<std::int64_t> loose;
  for (std::int64_t i = 0; i < n; ++i) loose.push_back(i);
  std::vector<std::pair<std::int64_t, std::int64_t>> merges;
  const int manner = random.below(4);
  const auto take = [&](size_t at) {
    const std::int64_t item = loose[at];
    loose.erase(loose.begin() + static_cast<std::ptrdiff_t>(at));
    return item;
  };
  while (loose.size() > 1) {
    const auto last = static_cast<int>(loose.size()) - 1;
    // Anywhere; the first and its neighbour; the last two; neighbours.
    const int at = manner == 0 ? random.between(0, last) : manner == 1 ? 0 : manner == 2 ? last - 1 : random.between(0, last - 1);
    const std::int64_t a = take(static_cast<size_t>(at));
    const std::int64_t b = take(static_cast<size_t>(manner == 0 ? random.between(0, last - 1) : at));
    const std::int64_t item = n + static_cast<std::int64_t>(merges.size());
    merges.emplace_back(a, b);
    loose.insert(manner == 0 ? loose.end() : loose.begin() + at, item);
  }
  return Order::tree(merges);
}

struct Case {
  Order order;
  std::int64_t leaves;
};

inline Case random_case(generate::Random& random, int most = 300) {
  const std::int64_t n = random.between(1, random.chance(50) ? std::min(most, 24) : most);
  if (random.chance(30)) return {random_tree(random, n), n};
  if (random.chance(20)) return {Order::pairwise(random.between(1, 9)), n};
  return {generate::order(random, n), n};
}

}  // namespace bitpact::picture_tests
