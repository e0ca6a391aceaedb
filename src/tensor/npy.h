// NumPy's .npy files, both ways.
// Source of the layout: NEP 1 and numpy/lib/_format_impl.py's description ("\x93NUMPY", version, header length, a Python dict
// literal with the keys descr, fortran_order and shape, padded with spaces, ended by a newline; then the elements).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tensor/tensor.h"

namespace bitpact {

/// Reads versions 1.0, 2.0 and 3.0, either byte order, C and Fortran order (the result is row-major and little-endian).
/// dtypes: f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 and b1 (bytes 0 and 1 only).
/// .npy has no dtype for bf16, tf32 and the formats of 8 and 4 bits. With `as` one of them, the unsigned dtype of its size (u2; u4;
/// u1) is taken as its bits, and so is what ml_dtypes' arrays are saved as: V2 and 'bfloat16', V1, '<f1' (its float8_e5m2). Bits
/// outside a format's encoding are refused as malformed. Any other `as` must be the dtype's own format.
/// Refuses `file-unreadable`; `npy-malformed` (not a .npy file, a header that is not exactly the three keys, sizes that do not
/// match the file, trailing bytes; checked before anything is allocated); `npy-unsupported` (another dtype, another version);
/// `operand-mismatch` (another format than `as`).
/// Elements of large files stay in the mapped file: it must not be shortened while the tensor is in use.
Tensor read_npy(const std::string& path, std::optional<Format> as = {});

/// The same for bytes in memory; they are copied. `where` is named in refusals.
Tensor parse_npy(std::span<const std::byte> bytes, std::optional<Format> as = {}, const std::string& where = "npy");

/// Version 1.0 (2.0 where the header is too long for it), little-endian, C order, elements at a multiple of 64 bytes: byte for
/// byte what numpy.save writes. A format that .npy has no dtype for is
/// stored as its bits in the unsigned dtype of its size: read it back with `as`. Refuses
/// `file-unwritable`; nothing half-written stays, an existing file is replaced in one step.
void write_npy(const std::string& path, const Tensor& tensor);

/// What write_npy puts before the elements.
std::string npy_header(Format format, const Shape& shape);

}  // namespace bitpact
