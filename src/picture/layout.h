// Where a drawing's items lie: leaves on the left, a row each; what joins them in columns to the right; the result at the far
// right.
#pragma once

#include <string>
#include <vector>

#include "picture/drawing.h"

namespace bitpact {

/// In pixels, from the panel's top left corner.
struct NodeLayout {
  double x = 0, y = 0;  ///< of a row's box: its top left corner; of a joiner: its centre
  double width = 0;     ///< of a row's box
  double out_y = 0;     ///< the height at which the result leaves
  int column = 0;       ///< 0: a row
  std::string label;    ///< above the row or the frame; may be empty
  bool frame = false;
  double frame_x = 0, frame_y = 0, frame_height = 0, frame_width = 0;
};

struct Layout {
  std::vector<NodeLayout> nodes;  ///< as in the drawing
  double width = 0, height = 0;
};

inline constexpr double kRowHeight = 24;   ///< of a box
inline constexpr double kCellWidth = 46;   ///< of a leaf in a box, at least
inline constexpr double kCardOffset = 4;   ///< of the copies behind something that is repeated
inline constexpr double kCharacter = 7.3;  ///< of 12px monospace, rounded up

/// What stands in the cells of a row's box: leaf numbers, "..." for those that are left out.
std::vector<std::string> cells(const Drawing& drawing, const DrawnNode& node);
double cell_width(const std::vector<std::string>& cells);
/// What a joiner says of itself: "8 one after another", "2 joined", "32 in pairs, 5 levels"; empty: a dot is enough.
std::string joiner_text(const DrawnNode& node);

Layout lay_out(const Drawing& drawing);

}  // namespace bitpact
