// Expressions that a compiler may contract, compiled twice from one source (kernel.cpp): as the project compiles, and contracted
// on purpose. Both for a target that has fused multiply-add instructions.
#pragma once

#include <cstddef>

#define BITPACT_KERNELS                                                                                       \
  void multiply_add(const float* a, const float* b, const float* c, float* out, std::size_t n); /* a b + c */ \
  void multiply_add(const double* a, const double* b, const double* c, double* out, std::size_t n);           \
  float horner(float start, float x, const float* c, std::size_t n); /* a chain, not vectorised */            \
  double horner(double start, double x, const double* c, std::size_t n);                                      \
  float difference_of_products(float a, float b, float c, float d); /* a b - c d */

namespace as_built {
BITPACT_KERNELS
}
namespace contracted {
BITPACT_KERNELS
}
