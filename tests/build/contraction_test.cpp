// The compiler does not contract a*b + c under this project's flags. The same source contracted on purpose must give other bits,
// so these tests can fail.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "build/kernel.h"

namespace {

// (1 + e)^2 = 1 + 2e + e^2, where e^2 is no more than half an ulp of 1: rounded, the product is 1 + 2e (in f32 a tie, to even),
// and taking that away leaves 0. A fused operation keeps e^2.
constexpr float kF = 0x1p-12f;
constexpr double kD = 0x1p-27;

template <typename T>
struct Operands {
  static constexpr std::size_t kCount = 37;  // vector bodies and a tail
  std::array<T, kCount> a, b, c, out{};
  explicit Operands(T e) {
    a.fill(1 + e);
    b.fill(1 + e);
    c.fill(-(1 + 2 * e));
  }
};

bool has_fma() {
#if defined(__x86_64__)
  // What kernel.cpp is compiled for.
  const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (!has) {
    std::fputs("*** this CPU has no fused multiply-add: nothing ran; only the disassembly (disassembly_test.py) was checked\n",
               stderr);
  }
  return has;
#else
  return true;
#endif
}

template <typename T>
void expect_elementwise(T e) {
  Operands<T> x(e);
  as_built::multiply_add(x.a.data(), x.b.data(), x.c.data(), x.out.data(), x.kCount);
  for (std::size_t i = 0; i < x.kCount; ++i) EXPECT_EQ(x.out[i], T(0)) << "contracted at " << i;
  contracted::multiply_add(x.a.data(), x.b.data(), x.c.data(), x.out.data(), x.kCount);
  for (std::size_t i = 0; i < x.kCount; ++i) EXPECT_EQ(x.out[i], e * e) << "the control is not contracted at " << i;
}

template <typename T>
void expect_horner(T e) {
  const T c = -(1 + 2 * e);
  EXPECT_EQ(as_built::horner(1 + e, 1 + e, &c, 1), T(0));
  EXPECT_EQ(contracted::horner(1 + e, 1 + e, &c, 1), e * e) << "the control is not contracted";
}

TEST(Contraction, F32Elementwise) {
  if (has_fma()) expect_elementwise(kF);
}
TEST(Contraction, F64Elementwise) {
  if (has_fma()) expect_elementwise(kD);
}
TEST(Contraction, F32Chain) {
  if (has_fma()) expect_horner(kF);
}
TEST(Contraction, F64Chain) {
  if (has_fma()) expect_horner(kD);
}

TEST(Contraction, F32DifferenceOfEqualProducts) {
  if (!has_fma()) return;
  // Volatile, so that nothing is folded at compile time.
  volatile float a = 1.1f, b = 1.3f;
  EXPECT_EQ(as_built::difference_of_products(a, b, a, b), 0.0f);
  EXPECT_NE(contracted::difference_of_products(a, b, a, b), 0.0f) << "the control is not contracted";
}

}  // namespace
