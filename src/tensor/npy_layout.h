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

/// `begin` holds at least the header, `file_size` is the whole file's. Refuses as read_npy does (see npy.h), but for bits outside
/// an encoding.
NpyLayout npy_layout(std::span<const std::byte> begin, std::size_t file_size, std::optional<Format> as, const std::string& where);

/// The elements, brought into row-major order and little-endian. `data` are the data_size bytes from data_offset on.
Tensor npy_elements(const NpyLayout& layout, const std::byte* data);

/// Refuses `npy-malformed` where an element (row-major, little-endian) has bits outside its format's encoding.
void check_npy_bits(Format format, std::span<const std::byte> elements, const std::string& where);

/// The format itself where .npy has a dtype for it, else the unsigned one of its size, which holds its bits.
Format npy_stored_format(Format format);

/// "<f4", of the format that is stored.
std::string npy_descr(Format format);

}  // namespace bitpact
