#include "tensor/transpose.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

// One side of a transposing copy always strides through memory; square tiles keep both sides' cache lines in use.
constexpr std::int64_t kTile = 32;

template <std::size_t kBytes>
void copy_plane(std::byte* destination, const std::byte* source, std::int64_t rows, std::int64_t columns,
                std::int64_t destination_row, std::int64_t source_row, std::int64_t source_column) {
  for (std::int64_t r0 = 0; r0 < rows; r0 += kTile) {
    const std::int64_t r1 = std::min(rows, r0 + kTile);
    for (std::int64_t c0 = 0; c0 < columns; c0 += kTile) {
      const std::int64_t c1 = std::min(columns, c0 + kTile);
      for (std::int64_t r = r0; r < r1; ++r)
        for (std::int64_t c = c0; c < c1; ++c)
          std::memcpy(destination + (r * destination_row + c) * static_cast<std::int64_t>(kBytes),
                      source + (r * source_row + c * source_column) * static_cast<std::int64_t>(kBytes), kBytes);
    }
  }
}

template <std::size_t kBytes>
void copy(std::byte* destination, const std::byte* source, const Shape& shape, std::span<const std::int64_t> strides) {
  const std::int64_t size = element_count(shape);
  if (size == 0) return;
  if (shape.empty()) {
    std::memcpy(destination, source, kBytes);
    return;
  }
  const std::size_t last = shape.size() - 1;
  const auto out = row_major_strides(shape);
  // The plane: the last axis, and of the others the one along which the source is nearest to contiguous.
  std::size_t other = last;
  for (std::size_t axis = 0; axis < last; ++axis)
    if (shape[axis] > 1 && (other == last || std::abs(strides[axis]) < std::abs(strides[other]))) other = axis;
  const std::int64_t rows = other == last ? 1 : shape[other];
  std::vector<std::int64_t> at(shape.size(), 0);
  std::int64_t to = 0, from = 0;
  for (;;) {
    copy_plane<kBytes>(destination + to * static_cast<std::int64_t>(kBytes), source + from * static_cast<std::int64_t>(kBytes),
                       rows, shape[last], out[other], strides[other], strides[last]);
    std::size_t axis = last;
    while (axis-- > 0) {
      if (axis == other) continue;
      to += out[axis];
      from += strides[axis];
      if (++at[axis] < shape[axis]) break;
      to -= out[axis] * shape[axis];
      from -= strides[axis] * shape[axis];
      at[axis] = 0;
    }
    if (axis == static_cast<std::size_t>(-1)) return;
  }
}

}  // namespace

void copy_strided(std::byte* destination, const std::byte* source, const Shape& shape, std::span<const std::int64_t> strides,
                  int element_bytes) {
  switch (element_bytes) {
    case 1:
      return copy<1>(destination, source, shape, strides);
    case 2:
      return copy<2>(destination, source, shape, strides);
    case 4:
      return copy<4>(destination, source, shape, strides);
    case 8:
      return copy<8>(destination, source, shape, strides);
    default:
      refuse(Code::Internal, "elements of that many bytes cannot be copied");
  }
}

Tensor transpose(const Tensor& operand, std::span<const int> permutation) {
  const std::size_t rank = operand.shape().size();
  std::vector<bool> seen(rank, false);
  if (permutation.size() != rank) refuse(Code::Internal, "a permutation does not have the operand's rank");
  const auto strides_in = row_major_strides(operand.shape());
  Shape shape(rank);
  std::vector<std::int64_t> strides(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const auto axis = static_cast<std::size_t>(permutation[i]);
    if (axis >= rank || seen[axis]) refuse(Code::Internal, "a permutation names an axis twice or one that is not there");
    seen[axis] = true;
    shape[i] = operand.shape()[axis];
    strides[i] = strides_in[axis];
  }
  Tensor result(operand.format(), shape);
  copy_strided(result.mutable_bytes(), operand.bytes(), shape, strides, info(operand.format()).storage_bytes);
  return result;
}

}  // namespace bitpact
