#include "build/kernel.h"

namespace BITPACT_KERNEL_NAMESPACE {

void multiply_add(const float* a, const float* b, const float* c, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i] + c[i];
}

void multiply_add(const double* a, const double* b, const double* c, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i] + c[i];
}

float dot(const float* a, const float* b, std::size_t n) {
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

float difference_of_products(float a, float b, float c, float d) { return a * b - c * d; }

}  // namespace BITPACT_KERNEL_NAMESPACE
