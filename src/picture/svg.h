// Drawings as SVG: one file that needs no other, readable in light and dark, and in words for those who do not see it.
#pragma once

#include <string>
#include <vector>

#include "picture/drawing.h"

namespace bitpact {

struct SvgPanel {
  std::vector<std::string> heading;  ///< lines
  Drawing drawing;                   ///< no nodes: nothing below the heading
};

/// Panels below each other. `title` is read out first, then what to_text says of each panel.
std::string to_svg(const std::vector<SvgPanel>& panels, const std::string& title);

}  // namespace bitpact
