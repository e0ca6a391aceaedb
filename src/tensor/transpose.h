// Copies that put the axes of a tensor in another order. No bit of an element changes.
#pragma once

#include <span>

#include "tensor/tensor.h"

namespace bitpact {

/// Axis i of the result is axis permutation[i] of the operand (as numpy.transpose and StableHLO's transpose have it).
/// Refuses `internal` where `permutation` is not one of the operand's axes.
Tensor transpose(const Tensor& operand, std::span<const int> permutation);

/// Copies elements into row-major order: destination element at coordinate x is the source element at sum x[i] * strides[i].
/// `strides` and `source` count elements of `element_bytes` (1, 2, 4 or 8) bytes; nothing needs to be aligned.
void copy_strided(std::byte* destination, const std::byte* source, const Shape& shape, std::span<const std::int64_t> strides,
                  int element_bytes);

}  // namespace bitpact
