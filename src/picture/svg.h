// Drawings as SVG: one file that needs no other, readable in light and dark, and in words for those who do not see it.
#pragma once

#include <string>
#include <vector>

#include "picture/drawing.h"

namespace bitpact {

struct SvgPanel {
  std::string heading;
  std::vector<std::string> lines;  ///< below it, in words
  Drawing drawing;                 ///< no nodes: words alone
};

/// Panels below each other. `title` is read out first, then what to_text says of each panel.
std::string to_svg(const std::vector<SvgPanel>& panels, const std::string& title);

}  // namespace bitpact
