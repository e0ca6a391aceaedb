// Drawings for a terminal.
#pragma once

#include <string>

#include "picture/drawing.h"

namespace bitpact {

/// An indented tree, a line an item. In box-drawing characters (UTF-8), or in ASCII.
std::string to_text(const Drawing& drawing, bool ascii, const std::string& indent = "");

}  // namespace bitpact
