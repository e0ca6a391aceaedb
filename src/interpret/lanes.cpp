#include "interpret/lanes.h"

#include <algorithm>
#include <cstring>

namespace bitpact {

std::vector<std::int64_t> strides_along(const Axes& axes, const Shape& shape, const Axes& loop) {
  const std::vector<std::int64_t> own = row_major_strides(shape);
  std::vector<std::int64_t> strides(loop.size(), 0);
  for (size_t l = 0; l < loop.size(); ++l) {
    const auto at = std::find(axes.begin(), axes.end(), loop[l]);
    if (at != axes.end()) strides[l] = own[static_cast<size_t>(at - axes.begin())];
  }
  return strides;
}

LaneSpace collapse(Shape extents, std::vector<std::vector<std::int64_t>> strides) {
  LaneSpace space;
  space.strides.resize(strides.size());
  for (size_t a = 0; a < extents.size(); ++a) {
    if (extents[a] == 1) continue;
    bool joins = !space.extents.empty();
    for (size_t t = 0; t < strides.size() && joins; ++t) joins = space.strides[t].back() == strides[t][a] * extents[a];
    if (!joins) {
      space.extents.push_back(extents[a]);
      for (size_t t = 0; t < strides.size(); ++t) space.strides[t].push_back(strides[t][a]);
    } else {
      space.extents.back() *= extents[a];
      for (size_t t = 0; t < strides.size(); ++t) space.strides[t].back() = strides[t][a];
    }
  }
  if (space.extents.empty()) {
    space.extents.push_back(1);
    for (auto& row : space.strides) row.push_back(0);
  }
  return space;
}

namespace {
constexpr std::int64_t kLongRow = 32;  // where a broadcast element pays
}

Chunks::Chunks(const LaneSpace& space, std::int64_t lanes) {
  const std::int64_t all = space.count();
  if (all == 0) return;
  row_ = space.extents.back() >= kLongRow ? space.extents.back() : all;
  rows_ = all / row_;
  pieces_ = (row_ - 1) / lanes + 1;
  width_ = (row_ - 1) / pieces_ + 1;
}

Chunk Chunks::at(std::int64_t index) const {
  const std::int64_t row = index / pieces_, from = index % pieces_ * width_;
  return {row * row_ + std::min(from, row_), std::max<std::int64_t>(0, std::min(width_, row_ - from))};
}

void LaneOffsets::place(const LaneSpace& space, size_t tensor, Chunk chunk) {
  const std::vector<std::int64_t>& strides = space.strides[tensor];
  std::vector<std::int64_t> at = coordinate(space.extents, chunk.first);
  start = 0;
  for (size_t a = 0; a < at.size(); ++a) start += at[a] * strides[a];
  const std::int64_t inner = space.extents.back(), stride = strides.back();
  const bool in_row = at.back() + chunk.count <= inner;
  const bool all_zero = std::all_of(strides.begin(), strides.end(), [](std::int64_t s) { return s == 0; });
  if (chunk.count <= 1 || all_zero || (in_row && stride == 0)) {
    mode = Mode::Uniform;
    return;
  }
  if (in_row && stride == 1) {
    mode = Mode::Contiguous;
    return;
  }
  mode = Mode::Scattered;
  offsets.resize(static_cast<size_t>(chunk.count));
  std::int64_t offset = start;
  for (std::int64_t& o : offsets) {
    o = offset;
    for (size_t a = at.size(); a-- > 0;) {
      offset += strides[a];
      if (++at[a] < space.extents[a]) break;
      offset -= strides[a] * space.extents[a];
      at[a] = 0;
    }
  }
  // A chunk of whole rows may still lie in one run, or be one element.
  bool run = true, one = true;
  for (size_t l = 0; l < offsets.size(); ++l) {
    run = run && offsets[l] == start + static_cast<std::int64_t>(l);
    one = one && offsets[l] == start;
  }
  if (run) mode = Mode::Contiguous;
  if (one) mode = Mode::Uniform;
}

std::int64_t LaneOffsets::of(std::int64_t lane) const {
  switch (mode) {
    case Mode::Uniform:
      return start;
    case Mode::Contiguous:
      return start + lane;
    case Mode::Scattered:
      return offsets[static_cast<size_t>(lane)];
  }
  return start;
}

LeafOffsets::LeafOffsets(const Shape& over, const std::vector<std::int64_t>& strides) {
  const LaneSpace space = collapse(over, {strides});
  if (space.extents.size() == 1) {
    stride_ = space.strides[0][0];
    return;
  }
  LaneOffsets all;
  all.place(space, 0, {0, space.count()});
  table_.resize(static_cast<size_t>(space.count()));
  for (size_t leaf = 0; leaf < table_.size(); ++leaf) table_[leaf] = all.of(static_cast<std::int64_t>(leaf));
}

namespace {
template <class T>
void gather_words(void* out, const std::byte* data, const std::vector<std::int64_t>& offsets, std::int64_t shift) {
  auto* to = static_cast<T*>(out);
  const T* from = reinterpret_cast<const T*>(data) + shift;
  for (size_t l = 0; l < offsets.size(); ++l) to[l] = from[offsets[l]];
}
template <class T>
void scatter_words(std::byte* data, const void* lanes, const std::vector<std::int64_t>& offsets, std::int64_t shift) {
  T* to = reinterpret_cast<T*>(data) + shift;
  const T* from = static_cast<const T*>(lanes);
  for (size_t l = 0; l < offsets.size(); ++l) to[offsets[l]] = from[l];
}
}  // namespace

void gather(void* out, const std::byte* data, int bytes, const std::vector<std::int64_t>& offsets, std::int64_t shift) {
  switch (bytes) {
    case 1:
      return gather_words<std::uint8_t>(out, data, offsets, shift);
    case 2:
      return gather_words<std::uint16_t>(out, data, offsets, shift);
    case 4:
      return gather_words<std::uint32_t>(out, data, offsets, shift);
    default:
      return gather_words<std::uint64_t>(out, data, offsets, shift);
  }
}

void scatter(std::byte* data, const void* lanes, int bytes, const std::vector<std::int64_t>& offsets, std::int64_t shift) {
  switch (bytes) {
    case 1:
      return scatter_words<std::uint8_t>(data, lanes, offsets, shift);
    case 2:
      return scatter_words<std::uint16_t>(data, lanes, offsets, shift);
    case 4:
      return scatter_words<std::uint32_t>(data, lanes, offsets, shift);
    default:
      return scatter_words<std::uint64_t>(data, lanes, offsets, shift);
  }
}

}  // namespace bitpact
