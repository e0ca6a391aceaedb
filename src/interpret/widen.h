// A narrow operand that a fold reads many times is widened once instead, where that is exact and nothing can tell.
#pragma once

#include <optional>

#include "contract/program.h"
#include "interpret/kernels.h"

namespace bitpact {

/// The body with argument `argument` (f16 or bf16) given as f32: where all that the body does with it is to convert it to f32, or
/// to compute an f32 result from it, both with the plain policy. Otherwise nothing.
std::optional<ScalarBody> with_widened_argument(const ScalarBody& body, size_t argument);

/// Every element as f32.
Tensor widened_to_f32(const Tensor& narrow, const KernelSet& kernels);

}  // namespace bitpact
