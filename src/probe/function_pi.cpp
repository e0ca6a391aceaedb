// After M. Payne and R. Hanek, "Radian reduction for trigonometric functions" (1983): the product of x with those digits of 2/pi
// that matter.
#include "probe/function_pi.h"

#include <mpfr.h>

#include <array>
#include <bit>
#include <cstdint>

namespace bitpact {
namespace {

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

constexpr double kHalfPi = 0x1.921fb54442d18p0;

/// Bits of 2/pi = 0.1010001..., the first one uppermost in the first word.
const std::array<std::uint64_t, 5>& two_over_pi() {
  static const std::array<std::uint64_t, 5> words = [] {
    mpfr_t value;
    mpfr_init2(value, 400);
    mpfr_const_pi(value, MPFR_RNDN);
    mpfr_ui_div(value, 2, value, MPFR_RNDN);
    std::array<std::uint64_t, 5> bits{};
    for (std::uint64_t& word : bits)
      for (int i = 0; i < 64; ++i) {
        mpfr_mul_2ui(value, value, 1, MPFR_RNDN);  // exact
        const bool bit = mpfr_cmp_ui(value, 1) >= 0;
        if (bit) mpfr_sub_ui(value, value, 1, MPFR_RNDN);  // exact
        word = word << 1 | (bit ? 1 : 0);
      }
    mpfr_clear(value);
    return bits;
  }();
  return words;
}

/// 128 bits of 2/pi from bit `first` on; bit 1 is the first behind the point, those before it are zero.
Wide window(int first) {
  Wide bits = 0;
  const auto& words = two_over_pi();
  for (int i = first; i < first + 128; ++i) {
    const int at = i - 1;
    const std::uint64_t bit = at < 0 ? 0 : words[static_cast<std::size_t>(at / 64)] >> (63 - at % 64) & 1;
    bits = bits << 1 | bit;
  }
  return bits;
}

/// window(exponent - 1) by exponent, from -30 on.
constexpr int kLeast = -30;
const std::array<Wide, 140>& windows() {
  static const std::array<Wide, 140> all = [] {
    std::array<Wide, 140> made{};
    for (int i = 0; i < 140; ++i) made[static_cast<std::size_t>(i)] = window(i + kLeast - 1);
    return made;
  }();
  return all;
}

}  // namespace

Reduced reduce_by_half_pi(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const bool negative = bits >> 63 != 0;
  const double a = negative ? -x : x;
  if (a < 0x1p-1) return {0, x};
  // a = m * 2^e with a whole m of 24 bits. Digits of 2/pi before the window only add whole turns.
  const int e = static_cast<int>(bits >> 52 & 0x7ff) - 1023 - 23;
  const std::uint64_t m = ((bits & 0xfffffffffffff) | std::uint64_t{1} << 52) >> 29;
  const Wide product = windows()[static_cast<std::size_t>(e - kLeast)] * m;  // quarters in the two highest bits
  const int quarters = static_cast<int>((product + (Wide{1} << 125)) >> 126) & 3;
  const auto fraction = static_cast<SignedWide>(product - (static_cast<Wide>(quarters) << 126));
  const double rest = static_cast<double>(fraction) * 0x1p-126 * kHalfPi;
  return negative ? Reduced{-quarters & 3, -rest} : Reduced{quarters, rest};
}

}  // namespace bitpact
