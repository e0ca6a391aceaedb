// expm1, log1p and tanh as the C library has them since K. C. Ng's fdlibm (Sun Microsystems, 1993), whose f32 versions are I. L.
// Taylor's: every operation in f32, rounded, none fused. Found on glibc 2.36.
#pragma once

#include "operators/function_algorithms.h"

namespace bitpact {

int fdlibm_expm1f(BodyBuilder& builder, int x, Format format);
int fdlibm_log1pf(BodyBuilder& builder, int x, Format format);
int fdlibm_tanhf(BodyBuilder& builder, int x, Format format);

}  // namespace bitpact
