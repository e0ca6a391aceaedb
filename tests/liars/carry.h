// Carries out an operator call with one of the kernels.
#pragma once

#include "backends/worker_host.h"
#include "liars/kernel.h"

namespace bitpact::liars {

/// `sum` of f32, bf16 and f16 along any axis; `matmul` (with transposes and batches) and `dot` of those; the same of ui8 and i8
/// into i32 under any name; `reciprocal` of f32. The result may have any of the float formats, and f64.
/// Refuses `backend-lacks-operator` what the kernel does not carry, `backend-lacks-format` other formats.
void carry_out(const Liar& liar, const WorkerCall& call);

}  // namespace bitpact::liars
