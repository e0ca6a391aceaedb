// What a .npy file is within a dump: used where it lies if its bytes are those of a tensor, else read into memory of its own.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "tensor/dump.h"
#include "tensor/npy_layout.h"

namespace bitpact {

/// npy_layout under the options of a dump.
NpyLayout npy_dump_layout(std::span<const std::byte> begin, std::size_t file_size, const DumpOptions& options,
                          const std::string& where);

/// `data` are the elements as the file has them, kept by `owner`. Refuses `npy-malformed` (a boolean that is neither 0 nor 1).
DumpTensor npy_dump_tensor(const NpyLayout& layout, std::span<const std::byte> data, std::shared_ptr<const void> owner,
                           const std::string& where);

}  // namespace bitpact
