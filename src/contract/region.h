// The part of an output that a piece of a contract is for: where a kernel has an interior, edges and corners, each has a program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contract/program.h"

namespace bitpact {

/// Coordinates from, from + step, ... below `to`.
struct AxisRange {
  std::string axis;
  std::int64_t from = 0, to = 1, step = 1;
  bool operator==(const AxisRange&) const = default;
};
using RegionBox = std::vector<AxisRange>;  ///< an axis that is not named: all of it

/// A union of boxes; none: all of the output.
struct Region {
  std::vector<RegionBox> boxes;
  bool all() const { return boxes.empty(); }
  bool operator==(const Region&) const = default;
};

/// "all", or boxes: "m[0,32), n[448,500); m[32,33) ", with " step 4" behind a range where it is not 1. One spelling a region.
/// Refuses `contract-value`, saying what is wrong.
Region parse_region(std::string_view text);
std::string to_text(const Region& region);

/// One entry an element, row-major: 1 where it lies in the region. `axes` and `shape` are the output's. Refuses `contract-value`
/// where the region names an axis that the output lacks.
std::vector<std::uint8_t> region_mask(const Region& region, const Axes& axes, const Shape& shape);

/// Boxes that cover exactly the elements where `mask` is nonzero: products of one evenly spaced range an axis. Few where the
/// mask has such a structure, else as many as it takes.
Region region_of(const std::vector<std::uint8_t>& mask, const Axes& axes, const Shape& shape);

}  // namespace bitpact
