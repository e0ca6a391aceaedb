// log, 2^x, sin and cos of f32 by f64 arithmetic, as in S. Nagy's and W. Dijkstra's "Arm Optimized Routines" (2017-2018), which
// the C library took over; where the processor has FMAs, with those that its compiler makes. Found on glibc 2.36.
#pragma once

#include "operators/function_algorithms.h"

namespace bitpact {

int arm_logf(BodyBuilder& builder, int x, Format format);
/// powf(2, x).
int arm_exp2f(BodyBuilder& builder, int x, Format format);
/// Cephes' sinf and cosf in f32 for |x| <= 2^23, Arm's beyond: so in MLX.
int cephes_arm_sinf(BodyBuilder& builder, int x, Format format);
int cephes_arm_cosf(BodyBuilder& builder, int x, Format format);

}  // namespace bitpact
