// Where and how a .npy file has its elements: what its header says, checked against the size of the file.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tensor/npy_header.h"
#include "tensor/tensor.h"

namespace bitpact {

struct NpyLayout {
  Format format = Format::F32;
  Shape shape;
  bool fortran_order = false;   ///< and more than one axis, so that it matters
  bool swapped = false;         ///< big-endian, and more than one byte an element
  std::size_t data_offset = 0;  ///< where the elements begin; they end where the file does
  std::size_t data_size = 0;
  /// Row-major and little-endian: the bytes of a Tensor.
  bool as_is() const { return !fortran_order && !swapped; }
};

/// `begin` holds at least the header, `file_size` is the whole file's. Refuses as read_npy does (see npy.h), but for stray bits.
NpyLayout npy_layout(std::span<const std::byte> begin, std::size_t file_size, std::optional<Format> as, const std::string& where);

/// The elements, brought into row-major order and little-endian. `data` are the data_size bytes from data_offset on.
Tensor npy_elements(const NpyLayout& layout, const std::byte* data);

/// Refuses `npy-malformed` where an element has a bit outside its format's encoding: an i1 that is neither 0 nor 1, say.
void check_npy_stray_bits(Format format, std::span<const std::byte> elements, const std::string& where);

/// "<f4"; formats that .npy has no dtype for are stored as the unsigned integer of their size.
std::string npy_descr(Format format);

}  // namespace bitpact
