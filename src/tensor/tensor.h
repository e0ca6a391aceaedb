// Dense tensors: a shape, a format and row-major bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "number/format.h"

namespace bitpact {

/// Extents, outermost first. A scalar has none.
using Shape = std::vector<std::int64_t>;

/// Number of elements, 0 where an extent is 0. Refuses `too-large` where an extent is negative or the product of the extents that
/// are not 0 passes 2^62 (so that no stride overflows either).
std::int64_t element_count(const Shape& shape);
/// "4x8xf32", "f32" for a scalar.
std::string to_text(const Shape& shape, Format format);
/// Row-major strides in elements.
std::vector<std::int64_t> row_major_strides(const Shape& shape);
/// Coordinate of a flat row-major index, and back.
std::vector<std::int64_t> coordinate(const Shape& shape, std::int64_t flat);
std::int64_t flat_index(const Shape& shape, const std::vector<std::int64_t>& coordinate);

/// Contiguous row-major storage, 64-byte aligned, shared by copies (copies are cheap; mutable_bytes() detaches when shared).
class Tensor {
 public:
  Tensor() = default;
  Tensor(Format format, Shape shape);  ///< zero-filled; refuses `too-large` where there is no memory for it
  /// Storage that somebody else made (a mapped file, shared memory): 64-byte aligned, writable, of byte_size() bytes.
  Tensor(Format format, Shape shape, std::shared_ptr<std::byte[]> data);
  Format format() const { return format_; }
  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return size_; }
  std::size_t byte_size() const;
  const std::byte* bytes() const;
  std::byte* mutable_bytes();
  std::span<const std::byte> span() const { return {bytes(), byte_size()}; }
  /// One element's bits by flat index, as the format's storage bytes hold them (little-endian; I1 is one byte, 0 or 1).
  Bits get(std::int64_t flat) const;
  void set(std::int64_t flat, Bits bits);
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(bytes());
  }
  template <typename T>
  T* mutable_as() {
    return reinterpret_cast<T*>(mutable_bytes());
  }

 private:
  Format format_ = Format::F32;
  Shape shape_;
  std::int64_t size_ = 0;
  std::shared_ptr<std::byte[]> data_;
};

/// Flat index of the first element with a bit outside its format's encoding (i1, the 4-bit formats, tf32); none where there is
/// none.
std::optional<std::int64_t> first_with_stray_bits(Format format, std::span<const std::byte> elements);

}  // namespace bitpact
