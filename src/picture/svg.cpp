#include "picture/svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "picture/layout.h"
#include "picture/text.h"

namespace bitpact {
namespace {

using How = OrderShape::How;
using Kind = DrawnNode::Kind;

// Two palettes; shapes, dashes and words say the same as the colours.
constexpr std::string_view kStyle = R"(<style>
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; }
.heading { font-weight: bold; }
.quiet { fill: #59636e; }
.ground { fill: #ffffff; }
.box { fill: #eef4fb; stroke: #3f6ea3; }
.cell { stroke: #3f6ea3; stroke-opacity: 0.35; }
.other { fill: #f6f8fa; stroke: #59636e; stroke-dasharray: 4 3; }
.line { fill: none; stroke: #59636e; stroke-width: 1.5; }
.dotted { stroke-dasharray: 2 4; }
.merge { fill: #1f2328; stroke: #1f2328; }
.step { fill: #ffffff; stroke: #1f2328; stroke-width: 1.5; }
.joiner { fill: #fff8e5; stroke: #8a6100; }
.frame { fill: none; stroke: #59636e; stroke-opacity: 0.6; }
.part { fill: none; stroke: #b3261e; stroke-width: 2; stroke-dasharray: 8 4; }
.mark { fill: #ffffff; stroke: #b3261e; stroke-width: 3; }
.marked { fill: #b3261e; font-weight: bold; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.quiet { fill: #9198a1; }
.ground { fill: #0d1117; }
.box { fill: #15263a; stroke: #6ea8e6; }
.cell { stroke: #6ea8e6; }
.other { fill: #151b23; stroke: #9198a1; }
.line { stroke: #9198a1; }
.merge { fill: #e6edf3; stroke: #e6edf3; }
.step { fill: #0d1117; stroke: #e6edf3; }
.joiner { fill: #2e2408; stroke: #d9a520; }
.frame { stroke: #9198a1; }
.part { stroke: #ff8b82; }
.mark { fill: #0d1117; stroke: #ff8b82; }
.marked { fill: #ff8b82; }
}
</style>
)";

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? ' ' : c;
  }
  return safe;
}

std::string number(double value) {
  const auto tenths = static_cast<std::int64_t>(value * 10 + (value < 0 ? -0.5 : 0.5));
  return tenths % 10 == 0 ? fmt::format("{}", tenths / 10)
                          : fmt::format("{}{}.{}", tenths < 0 ? "-" : "", std::abs(tenths) / 10, std::abs(tenths) % 10);
}

std::string text_at(double x, double y, std::string_view text, std::string_view style = "", std::string_view anchor = "") {
  return fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", number(x), number(y),
                     style.empty() ? "" : fmt::format(" class=\"{}\"", style),
                     anchor.empty() ? "" : fmt::format(" text-anchor=\"{}\"", anchor), escaped(text));
}

std::string box(double x, double y, double width, double height, std::string_view style, double round = 4) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" class=\"{}\"/>\n", number(x), number(y),
                     number(width), number(height), number(round), style);
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style = "line") {
  return fmt::format("<path d=\"M{} {}L{} {}\" class=\"{}\"/>\n", number(x1), number(y1), number(x2), number(y2), style);
}

/// What was used, for the legend.
struct Used {
  bool merge = false, step = false, mark = false, part = false;
};

class Panel {
 public:
  explicit Panel(const Drawing& drawing) : drawing_(drawing), layout_(lay_out(drawing)) {}

  std::string run() {
    draw({});
    const NodeLayout& root = at(0);
    const double from = root.column == 0 ? root.x + root.width : root.x + (joiner_text(drawing_.node(0)).empty() ? 7 : 0);
    const double to = layout_.width - 70;
    lines_ += line(from, root.out_y, to, root.out_y);
    front_ += fmt::format("<path d=\"M{0} {1}l-8 -5v10z\" class=\"merge\"/>\n", number(to), number(root.out_y));
    front_ += text_at(to + 6, root.out_y + 4, "result", "quiet");
    return back_ + lines_ + front_;
  }

  double width() const { return layout_.width; }
  double height() const { return layout_.height; }
  Used used;

 private:
  const NodeLayout& at(int node) const { return layout_.nodes[static_cast<size_t>(node)]; }

  void draw(const DrawnEntry& entry) {
    const DrawnNode& node = drawing_.node(entry.node);
    const NodeLayout& place = at(entry.node);
    if (node.entries.empty()) {
      draw_row(entry, node, place);
      return;
    }
    draw_frame(entry, node, place);
    for (const DrawnEntry& below : node.entries) draw(below);
    draw_joiner(node, place);
  }

  void draw_row(const DrawnEntry& entry, const DrawnNode& node, const NodeLayout& place) {
    if (!place.label.empty()) front_ += text_at(place.x, place.y - 5, place.label);
    const std::string_view style = node.kind == Kind::Leaves ? "box" : "other";
    for (int card = entry.count > 1 ? 2 : 0; card > 0; --card)
      back_ += box(place.x + card * kCardOffset, place.y + card * kCardOffset, place.width, kRowHeight, style);
    const auto shown = cells(drawing_, node);
    back_ += box(place.x, place.y, place.width, kRowHeight, style);
    const double wide = cell_width(shown);
    for (size_t c = 0; c < shown.size(); ++c) {
      const double x = place.x + wide * static_cast<double>(c);
      if (c > 0) back_ += line(x, place.y, x, place.y + kRowHeight, "cell");
      front_ += text_at(x + wide / 2, place.y + 16, shown[c], "", "middle");
    }
  }

  void draw_frame(const DrawnEntry& entry, const DrawnNode& node, const NodeLayout& place) {
    if (!place.frame) return;
    for (int card = entry.count > 1 ? 2 : 0; card >= 0; --card)
      back_ += box(place.frame_x + card * kCardOffset, place.frame_y + card * kCardOffset, place.frame_width, place.frame_height,
                   node.different && card == 0 ? "part" : "frame", 8);
    used.part |= node.different;
    const double cards = entry.count > 1 ? 2 * kCardOffset : 0;
    if (!place.label.empty())
      front_ += text_at(place.frame_x + 10 + cards, place.frame_y + 18 + cards, place.label, node.different ? "marked" : "");
  }

  void draw_joiner(const DrawnNode& node, const NodeLayout& place) {
    const auto out = [&](const DrawnEntry& entry) {  // where an entry's line begins
      const NodeLayout& from = at(entry.node);
      return from.column > 0 ? from.x : from.x + from.width;
    };
    const std::string said = joiner_text(node);
    if (!said.empty()) {
      const double wide = kCharacter * static_cast<double>(said.size()) + 20;
      lines_ += line(out(node.entries[0]), place.y, place.x, place.y);
      front_ += box(place.x - wide / 2, place.y - 12, wide, 24, "joiner", 12);
      front_ += text_at(place.x, place.y + 4, said, "", "middle");
      return;
    }
    const double top = at(node.entries.front().node).out_y;
    lines_ += line(place.x, top, place.x, at(node.entries.back().node).out_y);
    for (size_t e = 0; e < node.entries.size(); ++e) {
      const DrawnEntry& entry = node.entries[e];
      const double y = at(entry.node).out_y;
      const bool omitted = drawing_.node(entry.node).kind == Kind::Omitted;
      lines_ += line(out(entry), y, place.x, y, omitted ? "line dotted" : "line");
      const bool dot_between = place.out_y != at(node.entries.back().node).out_y;
      if (!omitted && (e > 0 || entry.count > 1)) dot(entry, place.x, dot_between ? place.out_y : y);
    }
  }

  void dot(const DrawnEntry& entry, double x, double y) {
    const bool step = entry.how == How::GoesOn;
    if (entry.parts_here) {
      mark(x, y);
    } else {
      (step ? used.step : used.merge) = true;
      front_ +=
          fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"5\" class=\"{}\"/>\n", number(x), number(y), step ? "step" : "merge");
    }
    std::string beside = entry.how == How::JoinsLeft ? "left" : "";
    if (entry.count > 1) beside = fmt::format("x {}{}", entry.count, beside.empty() ? "" : " " + beside);
    if (!entry.parts_here && !beside.empty()) front_ += text_at(x + 9, y - 6, beside, "quiet");
  }

  void mark(double x, double y) {
    used.mark = true;
    front_ += fmt::format("<path d=\"M{} {}l10 10l-10 10l-10 -10z\" class=\"mark\"/>\n", number(x), number(y - 10));
    front_ += text_at(x + 12, y - 8, "parts here", "marked");
  }

  const Drawing& drawing_;
  Layout layout_;
  std::string back_, lines_, front_;
};

std::string legend(const Used& used, double y) {
  std::string svg;
  double x = 24;
  const auto entry = [&](const std::string& symbol, std::string_view words) {
    svg += symbol + text_at(x + 14, y + 4, words, "quiet");
    x += 14 + kCharacter * static_cast<double>(words.size()) + 24;
  };
  const auto circle = [&](std::string_view style) {
    return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"5\" class=\"{}\"/>\n", number(x), number(y), style);
  };
  if (used.merge) entry(circle("merge"), "joins two partial results");
  if (used.step) entry(circle("step"), "goes on over leaves");
  if (used.mark)
    entry(fmt::format("<path d=\"M{} {}l7 7l-7 7l-7 -7z\" class=\"mark\"/>\n", number(x), number(y - 7)), "here the orders part");
  if (used.part) entry(box(x - 8, y - 6, 16, 12, "part", 3), "the smallest part that differs");
  return svg;
}

}  // namespace

std::string to_svg(const std::vector<SvgPanel>& panels, const std::string& title) {
  std::string body, words;
  double width = 0, y = 0;
  Used used;
  for (const SvgPanel& panel : panels) {
    y += 12;
    const auto say = [&](const std::string& line, std::string_view style) {
      y += 18;
      body += text_at(24, y, line, style);
      words += line + "\n";
      width = std::max(width, 48 + kCharacter * static_cast<double>(line.size()));
    };
    say(panel.heading, "heading");
    for (const std::string& line : panel.lines) say(line, "");
    if (panel.drawing.nodes.empty()) continue;
    words += to_text(panel.drawing, true);
    Panel drawn(panel.drawing);
    body += fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n", number(y), drawn.run());
    y += drawn.height() + 12;
    width = std::max(width, drawn.width());
    used.merge |= drawn.used.merge;
    used.step |= drawn.used.step;
    used.mark |= drawn.used.mark;
    used.part |= drawn.used.part;
  }
  if (used.merge || used.step || used.mark || used.part) {
    body += legend(used, y + 6);
    width = std::max(width, 720.0);
    y += 24;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "aria-labelledby=\"title words\">\n<title id=\"title\">{2}</title>\n<desc id=\"words\">{3}</desc>\n{4}"
      "<rect width=\"100%\" height=\"100%\" class=\"ground\"/>\n{5}</svg>\n",
      number(width), number(y), escaped(title), escaped(words), kStyle, body);
}

}  // namespace bitpact
