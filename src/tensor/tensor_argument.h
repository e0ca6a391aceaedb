// A tensor named on the command line.
#pragma once

#include <optional>
#include <string>

#include "tensor/tensor.h"

namespace bitpact {

/// "FILE.npy", "DUMP:NAME" (a tensor of a .safetensors or .npz file or of a folder of .npy files), or "DUMP" where it holds one
/// tensor only. The dump ends at the first ':' before which something is there, so that a name may hold ':'. `as` as read_npy has
/// it: the format that the tensor must have; bf16 is also taken from .npy files' bits. Refuses `operand-mismatch` (no such
/// tensor, not one tensor, another format) and what the readers refuse.
Tensor read_tensor_argument(const std::string& text, std::optional<Format> as = {});

}  // namespace bitpact
