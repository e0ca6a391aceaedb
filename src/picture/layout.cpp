#include "picture/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "picture/words.h"

namespace bitpact {
namespace {

using How = OrderShape::How;
using Kind = DrawnNode::Kind;

constexpr double kMargin = 24, kIndent = 16, kGap = 10, kLabel = 17, kColumn = 44;

double text_width(const std::string& text) { return kCharacter * static_cast<double>(text.size()); }

bool is_row(const DrawnNode& node) { return node.entries.empty(); }

/// On both sides of the centre.
struct Column {
  double left = kColumn / 2, right = kColumn / 2;
};

class Placer {
 public:
  explicit Placer(const Drawing& drawing) : drawing_(drawing) { layout_.nodes.resize(drawing.nodes.size()); }

  Layout run() {
    const DrawnEntry root;
    place(root, true, 0);
    columns(root.node);
    double x = rows_width_ + kMargin;
    std::vector<double> centre(columns_.size(), 0), right(columns_.size(), x);
    for (size_t c = 1; c < columns_.size(); ++c) {
      centre[c] = x + columns_[c].left;
      x = centre[c] + columns_[c].right;
      right[c] = x;
    }
    for (NodeLayout& node : layout_.nodes) {
      const auto c = static_cast<size_t>(node.column);
      if (node.column > 0) node.x = centre[c];
      if (node.frame) node.frame_width = right[c] - node.frame_x - 4;
    }
    layout_.width = x + 90;  // the arrow to the result
    layout_.height = y_;
    return std::move(layout_);
  }

 private:
  NodeLayout& at(int node) { return layout_.nodes[static_cast<size_t>(node)]; }

  /// As deep as the drawing, which holds few items.
  void place(const DrawnEntry& entry, bool begins, int depth) {
    const DrawnNode& node = drawing_.node(entry.node);
    NodeLayout& place_of = at(entry.node);
    place_of.label = label(entry, node, begins);
    if (is_row(node)) {
      if (!place_of.label.empty()) y_ += kLabel;
      place_of.x = kMargin + kIndent * depth;
      place_of.y = y_;
      const auto shown = cells(drawing_, node);
      place_of.width = cell_width(shown) * static_cast<double>(shown.size());
      place_of.out_y = y_ + kRowHeight / 2;
      rows_width_ = std::max(rows_width_, place_of.x + std::max(place_of.width + 2 * kCardOffset, text_width(place_of.label)));
      y_ += kRowHeight + kGap + (entry.count > 1 ? 2 * kCardOffset : 0);
      return;
    }
    place_of.frame = entry.count > 1 || !node.name.empty() || node.different;
    const int inside = depth + (place_of.frame ? 1 : 0);
    if (place_of.frame) {
      place_of.frame_x = kMargin + kIndent * depth - 4;
      place_of.frame_y = y_;
      y_ += 6 + (entry.count > 1 ? 2 * kCardOffset : 0);
    }
    if (!place_of.label.empty()) {
      y_ += kLabel + 3;
      rows_width_ = std::max(rows_width_, kMargin + kIndent * inside + text_width(place_of.label));
    }
    for (size_t e = 0; e < node.entries.size(); ++e) place(node.entries[e], e == 0, inside);
    NodeLayout& done = at(entry.node);
    const double top = at(node.entries.front().node).out_y, bottom = at(node.entries.back().node).out_y;
    const bool two = node.entries.size() == 2 && node.entries[0].count == 1 && node.entries[1].count == 1 &&
                     node.entries[1].how != How::GoesOn;
    done.out_y = done.y = two ? (top + bottom) / 2 : bottom;
    if (done.frame) {
      done.frame_height = y_ - done.frame_y;
      y_ += kGap + (entry.count > 1 ? 2 * kCardOffset : 0);
    }
  }

  int columns(int n) {
    const DrawnNode& node = drawing_.node(n);
    if (is_row(node)) return 0;
    int column = 0;
    Column wide;
    for (const DrawnEntry& entry : node.entries) {
      column = std::max(column, columns(entry.node));
      // Words stand on the right of a dot.
      if (entry.parts_here) wide.right = std::max(wide.right, text_width("parts here") + 18);
      const bool said = entry.how == How::JoinsLeft || (entry.count > 1 && node.entries.size() > 1);
      if (said) wide.right = std::max(wide.right, text_width(fmt::format("x {} left", entry.count)) + 18);
    }
    const std::string text = joiner_text(node);
    if (!text.empty()) {
      wide.left = std::max(wide.left, text_width(text) / 2 + 22);
      wide.right = std::max(wide.right, wide.left);
    }
    ++column;
    if (columns_.size() <= static_cast<size_t>(column)) columns_.resize(static_cast<size_t>(column) + 1);
    Column& all = columns_[static_cast<size_t>(column)];
    all = {std::max(all.left, wide.left), std::max(all.right, wide.right)};
    at(n).column = column;
    return column;
  }

  /// What the boxes do not say by themselves.
  std::string label(const DrawnEntry& entry, const DrawnNode& node, bool begins) const {
    const bool all_in_cells = node.kind == Kind::Leaves && node.count <= 8;
    DrawnEntry shown = entry;
    shown.parts_here = false;
    std::string text = entry_text(drawing_, shown, begins);
    if (entry.count > 1 || !node.name.empty() || node.different ||
        (entry.how == How::GoesOn && !begins && node.kind == Kind::Leaves))
      return text;
    return node.kind == Kind::Leaves && !all_in_cells ? text + ", " + leaf_count(node.leaves) : "";
  }

  const Drawing& drawing_;
  Layout layout_;
  double y_ = kGap, rows_width_ = 0;
  std::vector<Column> columns_{1};
};

}  // namespace

std::vector<std::string> cells(const Drawing& drawing, const DrawnNode& node) {
  std::vector<std::string> text;
  const auto leaf = [&](std::int64_t i) { text.push_back(fmt::format("{}", node.at + i * node.stride)); };
  switch (node.kind) {
    case Kind::Leaves:
      for (std::int64_t i = 0; i < std::min<std::int64_t>(node.count, node.count <= 8 ? 8 : 3); ++i) leaf(i);
      if (node.count > 8) {
        text.emplace_back("...");
        leaf(node.count - 1);
      }
      return text;
    case Kind::Closed:
      return {closed_text(node)};
    case Kind::Omitted:
      return {fmt::format("... {} more, {}", node.count, leaf_count(node.leaves))};
    case Kind::Alike:
      return {fmt::format("like [{}], from leaf {} on", drawing.node(node.like).name, node.lowest)};
    default:
      return {};
  }
}

double cell_width(const std::vector<std::string>& cells) {
  double width = kCellWidth;
  for (const std::string& cell : cells) width = std::max(width, text_width(cell) + 14);
  return width;
}

std::string joiner_text(const DrawnNode& node) {
  if (node.kind == Kind::Pairs) return fmt::format("{} in pairs, {} levels", std::int64_t{1} << node.levels, node.levels);
  if (node.entries.size() != 1) return "";
  return node.entries[0].count == 2 ? "2 joined" : fmt::format("{} one after another", node.entries[0].count);
}

Layout lay_out(const Drawing& drawing) { return Placer(drawing).run(); }

}  // namespace bitpact
