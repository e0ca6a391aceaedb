#include "build/kernel.h"

namespace BITPACT_KERNEL_NAMESPACE {

void multiply_add(const float* a, const float* b, const float* c, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i] + c[i];
}

void multiply_add(const double* a, const double* b, const double* c, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i] + c[i];
}

float horner(float start, float x, const float* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) start = start * x + c[i];
  return start;
}

double horner(double start, double x, const double* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) start = start * x + c[i];
  return start;
}

float difference_of_products(float a, float b, float c, float d) { return a * b - c * d; }

}  // namespace BITPACT_KERNEL_NAMESPACE
