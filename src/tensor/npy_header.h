// The header of a .npy file, read strictly: a grammar of its own, nothing is evaluated.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tensor/tensor.h"

namespace bitpact {

struct NpyHeader {
  std::string descr;  ///< "<f4"
  bool fortran_order = false;
  Shape shape;
  std::size_t data_offset = 0;  ///< where the elements begin
};

/// Reads as far as the elements begin. `bytes` is the whole file, so that a header length is checked against it.
/// Refuses `npy-malformed`, `npy-unsupported` (version, structured dtype); `where` is named.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& where);
/// Where the elements begin by the header's own length, of which not all need be there. Refuses as parse_npy_header does what
/// comes before that length.
std::uint64_t npy_header_end(std::span<const std::byte> bytes, const std::string& where);

}  // namespace bitpact
