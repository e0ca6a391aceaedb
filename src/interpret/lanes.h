// Outputs are computed side by side, in lanes. Where lanes and leaves find their elements in a tensor.
#pragma once

#include <vector>

#include "contract/program.h"

namespace bitpact {

/// Strides in elements of a tensor with these axes along each of `loop` (0 where it lacks the axis).
std::vector<std::int64_t> strides_along(const Axes& axes, const Shape& shape, const Axes& loop);

/// The outputs of a node in row-major order, and how each tensor is stepped through meanwhile.
struct LaneSpace {
  Shape extents;                                   ///< never empty, none is 1 unless it is the only one
  std::vector<std::vector<std::int64_t>> strides;  ///< one row a tensor, in elements
  std::int64_t count() const { return element_count(extents); }
};
/// Joins neighbouring axes where every tensor allows it; flat indices stay the same.
LaneSpace collapse(Shape extents, std::vector<std::vector<std::int64_t>> strides);

/// Consecutive outputs.
struct Chunk {
  std::int64_t first = 0, count = 0;
};

/// Cuts the outputs into chunks of at most `lanes`; chunks keep to rows where rows are long, so that an operand that is the same
/// along a row is one element.
class Chunks {
 public:
  Chunks(const LaneSpace& space, std::int64_t lanes);
  std::int64_t count() const { return rows_ * pieces_; }
  Chunk at(std::int64_t index) const;
  std::int64_t lanes() const { return width_; }  ///< of the longest chunk

 private:
  std::int64_t rows_ = 0, row_ = 0, pieces_ = 0, width_ = 0;
};

/// Where the lanes of one chunk are in one tensor.
struct LaneOffsets {
  enum class Mode : std::uint8_t { Uniform, Contiguous, Scattered };
  Mode mode = Mode::Uniform;
  std::int64_t start = 0;             ///< Uniform, Contiguous
  std::vector<std::int64_t> offsets;  ///< Scattered: one a lane

  void place(const LaneSpace& space, size_t tensor, Chunk chunk);
  std::int64_t of(std::int64_t lane) const;
};

/// Element offsets of every leaf of a fold in one tensor.
class LeafOffsets {
 public:
  LeafOffsets(const Shape& over, const std::vector<std::int64_t>& strides);
  std::int64_t of(std::int64_t leaf) const { return table_.empty() ? leaf * stride_ : table_[static_cast<size_t>(leaf)]; }
  bool linear() const { return table_.empty(); }

 private:
  std::int64_t stride_ = 0;
  std::vector<std::int64_t> table_;
};

/// Elements of a tensor at offsets + shift, one after the other.
void gather(void* out, const std::byte* data, int bytes, const std::vector<std::int64_t>& offsets, std::int64_t shift);
void scatter(std::byte* data, const void* lanes, int bytes, const std::vector<std::int64_t>& offsets, std::int64_t shift);

}  // namespace bitpact
