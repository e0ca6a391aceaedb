// Against the machine's own f32 and f64 arithmetic: its four rounding modes, and on x86 its flush-to-zero modes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>

#include "number/check.h"
#include "number/operands.h"
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace bitpact::oracle {
namespace {

template <class F>
struct Machine;
template <>
struct Machine<float> {
  static constexpr Format format = Format::F32;
  using Word = std::uint32_t;
};
template <>
struct Machine<double> {
  static constexpr Format format = Format::F64;
  using Word = std::uint64_t;
};

/// Operands and result go through volatiles, so that the compiler neither computes them itself nor moves them across a mode
/// switch.
template <class F>
Bits machine(Op op, const Operands& x) {
  using Word = typename Machine<F>::Word;
  volatile F a = std::bit_cast<F>(static_cast<Word>(x[0].bits));
  volatile F b = std::bit_cast<F>(static_cast<Word>(x[1].bits));
  volatile F c = std::bit_cast<F>(static_cast<Word>(x[2].bits));
  volatile F r = 0;
  switch (op) {
    case Op::Add:
      r = a + b;
      break;
    case Op::Subtract:
      r = a - b;
      break;
    case Op::Multiply:
      r = a * b;
      break;
    case Op::Divide:
      r = a / b;
      break;
    case Op::SquareRoot:
      r = std::sqrt(a);
      break;
    case Op::Fma:
      r = std::fma(a, b, c);
      break;
    case Op::Convert:
      break;
  }
  const F out = r;
  return out != out ? quiet_nan(Machine<F>::format) : std::bit_cast<Word>(out);
}

template <class F>
void compare_with_machine(const Policy& policy, bool with_fma, long cases) {
  constexpr Format format = Machine<F>::format;
  RandomOperands random(static_cast<std::uint64_t>(policy.rounding) * 100 + policy.flush_out);
  for (long n = 0; n < cases; ++n) {
    const Op op = all_ops[static_cast<size_t>(n) % (with_fma ? 6 : 5)];
    Operands x{Scalar{format, 0}, Scalar{format, 0}, Scalar{format, 0}};
    random.fill(op, x);
    const Bits want = machine<F>(op, x), got = run(op, x, format, policy);
    ASSERT_EQ(got, want) << describe(op, x, format, policy) << fmt::format(": got {:#x}, want {:#x} (hardware)", got, want);
  }
}

/// fma comes last in this order; the flushing modes leave it out, as it may be libm's software there.
static_assert(all_ops[5] == Op::Fma);

TEST(Hardware, FourRoundingModes) {
  constexpr std::pair<Rounding, int> modes[] = {{Rounding::NearestEven, FE_TONEAREST},
                                                {Rounding::TowardZero, FE_TOWARDZERO},
                                                {Rounding::Up, FE_UPWARD},
                                                {Rounding::Down, FE_DOWNWARD}};
  for (auto [rounding, mode] : modes) {
    ASSERT_EQ(std::fesetround(mode), 0);
    compare_with_machine<float>({rounding}, true, 300'000);
    compare_with_machine<double>({rounding}, true, 300'000);
    std::fesetround(FE_TONEAREST);
  }
}

#if defined(__SSE2__)
// MXCSR: FTZ is bit 15, DAZ bit 6 (Intel SDM 1, 10.2.3); x86 finds tininess after rounding, which flush_out is defined by.
TEST(Hardware, FlushToZeroAndDenormalsAreZero) {
  const unsigned saved = _mm_getcsr();
  for (bool in : {false, true}) {
    for (bool out : {false, true}) {
      for (Rounding rounding : {Rounding::NearestEven, Rounding::TowardZero, Rounding::Up, Rounding::Down}) {
        constexpr unsigned mode[] = {0, 0, 3, 2, 1};  // NearestEven, -, TowardZero, Up, Down
        _mm_setcsr((saved & ~0xe040u) | (in ? 0x40u : 0) | (out ? 0x8000u : 0) | mode[static_cast<int>(rounding)] << 13);
        compare_with_machine<float>({rounding, Overflow::Ieee, in, out}, false, 50'000);
        compare_with_machine<double>({rounding, Overflow::Ieee, in, out}, false, 50'000);
        _mm_setcsr(saved);
      }
    }
  }
}
#endif

}  // namespace
}  // namespace bitpact::oracle
