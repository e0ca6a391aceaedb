// The dtypes of .safetensors, and what they are here.
// Source: the enumeration Dtype of the reference implementation, safetensors/src/tensor.rs, version 0.8.
#pragma once

#include <optional>
#include <string_view>

#include "number/format.h"

namespace bitpact {

struct SafetensorsDtype {
  std::string_view name;
  int bits;                      ///< of one element in the file; below 8, elements are packed
  std::optional<Format> format;  ///< none: there is no such format here yet
};

/// Null where the format has no dtype of that name.
const SafetensorsDtype* safetensors_dtype(std::string_view name);
/// Null where .safetensors has no dtype for the format.
const SafetensorsDtype* safetensors_dtype(Format format);

}  // namespace bitpact
