// Elements of four bits: two a byte in files, one a byte in a Tensor.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bitpact {

/// The first of two lies in the low half, as in PyTorch's float4_e2m1fn_x2 and ONNX's 4-bit tensors. `packed` has half as many
/// bytes as `elements`, which are even in number. Both refuse `internal` where they are not.
void unpack_halves(std::span<const std::byte> packed, std::span<std::byte> elements);
std::vector<std::byte> pack_halves(std::span<const std::byte> elements);

}  // namespace bitpact
