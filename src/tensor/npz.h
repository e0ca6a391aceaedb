// NumPy's .npz files: .npy files in a .zip archive.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "tensor/dump.h"

namespace bitpact {

/// What numpy.savez and savez_compressed write, zip64 too. The archive is mapped; a stored entry is used where it lies, a
/// deflated one inflated into memory of its own by read(). Nothing is allocated for elements before the size of the .npy header
/// and that of the directory are one. An entry's CRC is checked when it is read first. Refuses `npz-malformed`, `npz-unsupported`
/// (see zip_archive.h; and an entry that is not .npy), and what read_npy refuses.
std::unique_ptr<Dump> open_npz(const std::string& path, const DumpOptions& options);

/// Stored, not compressed, in the order given; names as numpy.load shows them. The bytes depend on nothing else (no date).
/// Refuses `npz-unsupported`: a name twice, empty, absolute, upward, not UTF-8 or beyond 65,000 bytes; what write_npy refuses;
/// `file-unwritable`. Nothing half-written stays.
void write_npz(const std::string& path, std::span<const NamedTensor> tensors);

}  // namespace bitpact
