// The kernels for x86-64-v3: AVX2, FMA.
#include "interpret/kernels.h"
#include "number/layout.h"

#if defined(__x86_64__)
#include <immintrin.h>

// After every header: nothing that other files share may be compiled for this processor only.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("arch=x86-64-v3"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#endif
#define BITPACT_TIER v3
#define BITPACT_VECTOR_BYTES 32
#include "interpret/kernels.inl"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
