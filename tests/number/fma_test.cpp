// f64 triples that random operands miss: the product of 106 bits and the addend nearly make a tie, and what decides is more than
// 128 bits below the leading one, where an implementation keeps only a sticky bit.
#include <cmath>
#include <random>

#include "number/check.h"
#include "number/operands.h"

namespace bitpact::oracle {
namespace {

Scalar f64(double value) { return {Format::F64, std::bit_cast<Bits>(value)}; }

void check_all(Checker& checker, double a, double b, double c) {
  for (double sign : {1.0, -1.0}) {
    checker.set(Op::Fma, {f64(a), f64(b * sign), f64(c * sign)}, false);
    for (Rounding r : all_roundings) checker.check(Format::F64, {r});
  }
}

/// (2^52 + 2^i + s) (2^52 + 2^(51-i)) = 2^104 + ... + 2^51 + s 2^(51-i): a tie of 53 bits, and a little more, d = s 2^(51-i).
/// c takes d away again, give or take its last bit.
TEST(FmaHard, AddendUndoesANearTieOfTheProduct) {
  Checker checker;
  for (int i = 1; i <= 50; ++i) {
    for (int s : {-3, -1, 1, 2, 3}) {
      const double a = std::ldexp(1, 52) + std::ldexp(1, i) + s, b = std::ldexp(1, 52) + std::ldexp(1, 51 - i);
      const double d = std::ldexp(s, 51 - i);
      for (double c : {-d, std::nextafter(-d, 0), std::nextafter(-d, -2 * d)}) {
        check_all(checker, a, b, c);
        check_all(checker, std::ldexp(a, -500), std::ldexp(b, -500), std::ldexp(c, -1000));
        check_all(checker, std::ldexp(a, -560), std::ldexp(b, -566), std::ldexp(c, -1126));  // a subnormal result
      }
    }
  }
  EXPECT_GT(checker.checks(), 20'000);
}

/// (2^52 + t) (2^53 - 2t + k) = 2^105 + r where r = k (2^52 + t) - 2 t^2; the two t next to sqrt(k 2^51) make |r| < 2^33, so that
/// the product is a power of two but for its last bits. The addend's half ulp is that power.
TEST(FmaHard, ProductIsAlmostHalfAnUlpOfTheAddend) {
  Checker checker;
  std::mt19937_64 random(21);
  for (int k = 1; k <= 255; ++k) {
    const auto root = static_cast<std::int64_t>(std::sqrt(std::ldexp(k, 51)));
    for (std::int64_t t = root - 1; t <= root + 2; ++t) {
      const double a = std::ldexp(1, 52) + static_cast<double>(t), b = std::ldexp(1, 53) - 2 * static_cast<double>(t) + k;
      ASSERT_NEAR(a * b, std::ldexp(1, 105), std::ldexp(1, 60));
      for (int above = 105; above <= 107; ++above) {  // ulp of c, so that the product is one, a half or a quarter of it
        const auto significand = static_cast<double>((random() >> 12) | std::uint64_t{1} << 52);
        for (double c : {std::ldexp(significand, above), std::ldexp(1, above + 52)}) {
          check_all(checker, a, b, c);
          check_all(checker, a, b, -c);
        }
      }
    }
  }
  EXPECT_GT(checker.checks(), 100'000);
}

}  // namespace
}  // namespace bitpact::oracle
