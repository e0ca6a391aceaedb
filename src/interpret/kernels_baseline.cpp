// The kernels for what every processor of the architecture has.
#include "interpret/kernels.h"
#include "number/layout.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define BITPACT_TIER baseline
#define BITPACT_VECTOR_BYTES 16
#include "interpret/kernels.inl"
