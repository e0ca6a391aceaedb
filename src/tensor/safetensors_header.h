// The header of a .safetensors file, read strictly and without a tree of it in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tensor/dump.h"

namespace bitpact {

/// The reference refuses longer ones, reading and writing.
inline constexpr std::size_t kMostSafetensorsHeaderBytes = 100'000'000;

struct SafetensorsHeader {
  std::vector<DumpEntry> entries;               ///< by offset; tensors of no bytes at one offset as the header has them
  std::vector<std::uint64_t> begins;            ///< of each entry, in the whole file
  std::map<std::string, std::string> metadata;  ///< `__metadata__`
};

/// `file` is the whole file. Refuses `safetensors-malformed` unless every rule of the format holds: the header's length (at most
/// 100 MB, as the reference has it) lies in the file; it begins with '{', is JSON in UTF-8 without a name twice, and only spaces
/// follow; `__metadata__` maps strings to strings; each tensor has exactly dtype, shape and data_offsets; begin <= end; the size
/// is that of dtype and shape; the tensors follow each other without overlap or hole and end where the file ends. Refuses
/// `safetensors-unsupported`: a dtype without a format here, more than 64 axes. Elements are not looked at. What is allocated is
/// bounded by the header's own bytes.
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file, const std::string& where);

}  // namespace bitpact
