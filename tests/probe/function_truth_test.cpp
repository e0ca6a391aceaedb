// Correctly rounded functions against MPFR: all inputs of the 16-bit formats, many of f32; and how good the estimates are.
#include "probe/function_truth.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <random>

#include "diagnostic/diagnostic.h"
#include "functions/oracle.h"

namespace bitpact {
namespace {

/// 200 bits of the function, rounded once or (rsqrt, sigmoid) a few times.
class Wide {
 public:
  Wide() { mpfr_inits2(200, x_, y_, nullptr); }
  ~Wide() { mpfr_clears(x_, y_, nullptr); }
  Wide(const Wide&) = delete;
  Wide& operator=(const Wide&) = delete;

  /// |estimate / function - 1|
  double error(MathFunction f, double x) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    call(f);
    mpfr_t e;
    mpfr_init2(e, 200);
    mpfr_d_sub(e, estimate(f, x), y_, MPFR_RNDN);
    if (!mpfr_zero_p(e)) mpfr_div(e, e, y_, MPFR_RNDN);
    const double answer = mpfr_get_d(e, MPFR_RNDN);
    mpfr_clear(e);
    return answer < 0 ? -answer : answer;
  }
  double value(MathFunction f, double x) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    call(f);
    return mpfr_get_d(y_, MPFR_RNDN);
  }

 private:
  void call(MathFunction f) {
    switch (f) {
      case MathFunction::Exp:
        mpfr_exp(y_, x_, MPFR_RNDN);
        return;
      case MathFunction::Exp2:
        mpfr_exp2(y_, x_, MPFR_RNDN);
        return;
      case MathFunction::Expm1:
        mpfr_expm1(y_, x_, MPFR_RNDN);
        return;
      case MathFunction::Log:
        mpfr_log(y_, x_, MPFR_RNDN);
        return;
      case MathFunction::Log1p:
        mpfr_log1p(y_, x_, MPFR_RNDN);
        return;
      case MathFunction::Tanh:
        mpfr_tanh(y_, x_, MPFR_RNDN);
        return;
      case MathFunction::Sigmoid:  // exp(-x) as a square
        mpfr_div_2ui(y_, x_, 1, MPFR_RNDN);
        mpfr_neg(y_, y_, MPFR_RNDN);
        mpfr_exp(y_, y_, MPFR_RNDN);
        mpfr_sqr(y_, y_, MPFR_RNDN);
        mpfr_add_ui(y_, y_, 1, MPFR_RNDN);
        mpfr_ui_div(y_, 1, y_, MPFR_RNDN);
        return;
      case MathFunction::Erf:
        mpfr_erf(y_, x_, MPFR_RNDN);
        return;
      case MathFunction::Sin:
        mpfr_sin(y_, x_, MPFR_RNDN);
        return;
      case MathFunction::Cos:
        mpfr_cos(y_, x_, MPFR_RNDN);
        return;
      case MathFunction::Sqrt:
        mpfr_sqrt(y_, x_, MPFR_RNDN);
        return;
      case MathFunction::Rsqrt:
        mpfr_sqrt(y_, x_, MPFR_RNDN);
        mpfr_ui_div(y_, 1, y_, MPFR_RNDN);
        return;
      case MathFunction::Reciprocal:
        mpfr_ui_div(y_, 1, x_, MPFR_RNDN);
        return;
    }
  }
  mpfr_t x_, y_;
};

double widened(Format format, Bits bits) { return std::bit_cast<double>(convert({format, bits}, Format::F64)); }

/// Half of them where most functions are neither their limit nor their first term, the rest anywhere.
Bits random_f32(std::mt19937_64& random) {
  const std::uint64_t w = random();
  return w >> 63 ? (w & 0x807fffff) | (127 - 14 + (w >> 40) % 21) << 23 : w & 0xffffffff;
}

class Truth : public testing::TestWithParam<MathFunction> {};

TEST_P(Truth, AllInputsOfThe16BitFormats) {
  for (const Format format : {Format::BF16, Format::F16}) {
    FunctionTruth truth(GetParam(), format, format);
    for (Bits x = 0; x < 65536; ++x) {
      const Bits slow = truth.by_mpfr(x);
      const auto quick = truth.quick(x);
      ASSERT_TRUE(!quick || *quick == slow) << name(GetParam()) << " " << to_text(Scalar{format, x});
    }
    EXPECT_LE(truth.asked_mpfr(), 64);
  }
}

// Two roundings of one value by MPFR, this one through f64 and to odd.
TEST(Truth, TheFunctionsThatTheOracleHas) {
  std::mt19937_64 random(3);
  for (const auto which : {test::Named::Exp, test::Named::Log, test::Named::Tanh, test::Named::Erf}) {
    const MathFunction f = *math_function_named(test::spelling(which));
    for (const Format format : {Format::BF16, Format::F16, Format::F32}) {
      const int count = 65536;
      FunctionTruth truth(f, format, format);
      std::vector<Bits> x, got;
      for (int i = 0; i < count; ++i) {
        x.push_back(format == Format::F32 ? random_f32(random) : static_cast<Bits>(i));
        got.push_back(truth.by_mpfr(x.back()));
      }
      const mpfr_exp_t least = mpfr_get_emin(), greatest = mpfr_get_emax();
      {
        test::FunctionOracle oracle(which, format);  // narrows MPFR's range on this thread
        for (int i = 0; i < count; ++i) {
          const auto at = static_cast<std::size_t>(i);
          ASSERT_EQ(got[at], oracle(x[at])) << name(f) << " " << to_text(Scalar{format, x[at]});
        }
      }
      mpfr_set_emin(least);
      mpfr_set_emax(greatest);
    }
  }
}

TEST_P(Truth, EstimatesAreFarBetterThanWhatIsAssumed) {
  std::mt19937_64 random(4);
  Wide wide;
  double greatest = 0, where = 0;
  for (int i = 0; i < 60000; ++i) {
    const double x = widened(Format::F32, random_f32(random));
    const double y = wide.value(GetParam(), x), magnitude = y < 0 ? -y : y;
    if (y != y || magnitude < 0x1p-150 || magnitude > 0x1p129) continue;  // beyond f32, on either side
    if (GetParam() == MathFunction::Erf && (x > 4.5 || x < -4.5)) continue;
    const double error = wide.error(GetParam(), x);
    if (error > greatest) greatest = error, where = x;
  }
  EXPECT_LT(greatest, 0x1p-48) << name(GetParam()) << " " << where;
  EXPECT_GT(greatest, 0) << "nothing was looked at";
}

TEST_P(Truth, ASampleOfF32) {
  std::mt19937_64 random(5);
  FunctionTruth truth(GetParam(), Format::F32, Format::F32);
  for (int i = 0; i < 60000; ++i) {
    const Bits x = random_f32(random);
    const auto quick = truth.quick(x);
    if (quick) {
      ASSERT_EQ(*quick, truth.by_mpfr(x)) << name(GetParam()) << " " << to_text(Scalar{Format::F32, x});
    }
  }
}

// Arguments near multiples of pi/2, where all but the last digits cancel: the last of them is the nearest that f32 has.
TEST(Truth, LargeArgumentsOfSinAndCos) {
  for (const MathFunction f : {MathFunction::Sin, MathFunction::Cos}) {
    FunctionTruth truth(f, Format::F32, Format::F32);
    Wide wide;
    for (Bits x = 0x3f000000; x < 0x7f800000; x += 0x3fff) {
      const double value = widened(Format::F32, x);
      ASSERT_LT(wide.error(f, value), 0x1p-50) << to_text(Scalar{Format::F32, x});
      ASSERT_EQ(truth(x), truth.by_mpfr(x));
    }
    for (const double x : {0x1.6ac5b2p+114, 0x1.921fb6p+0, 0x1.921fb6p+1, 0x1.5fdbbep-1, 0x1.f9cbe2p+7})
      EXPECT_LT(wide.error(f, x), 0x1p-50) << x;
  }
}

TEST(Truth, SpecialValues) {
  const Bits nan = quiet_nan(Format::F32), inf = infinity(Format::F32), minus_inf = infinity(Format::F32, true);
  const Bits zero = 0, minus_zero = 0x80000000, one = 0x3f800000, minus_one = 0xbf800000;
  struct Case {
    MathFunction f;
    Bits x, y;
  };
  const Case cases[] = {
      {MathFunction::Exp, minus_inf, zero},
      {MathFunction::Exp, inf, inf},
      {MathFunction::Exp, minus_zero, one},
      {MathFunction::Exp2, 0xc3150000, 1},  // 2^-149
      {MathFunction::Expm1, minus_zero, minus_zero},
      {MathFunction::Expm1, minus_inf, minus_one},
      {MathFunction::Log, minus_zero, minus_inf},
      {MathFunction::Log, minus_one, nan},
      {MathFunction::Log, one, zero},
      {MathFunction::Log1p, minus_one, minus_inf},
      {MathFunction::Log1p, minus_zero, minus_zero},
      {MathFunction::Log1p, minus_inf, nan},
      {MathFunction::Tanh, minus_inf, minus_one},
      {MathFunction::Tanh, minus_zero, minus_zero},
      {MathFunction::Sigmoid, minus_inf, zero},
      {MathFunction::Sigmoid, inf, one},
      {MathFunction::Sigmoid, zero, 0x3f000000},
      {MathFunction::Erf, minus_zero, minus_zero},
      {MathFunction::Erf, inf, one},
      {MathFunction::Sin, inf, nan},
      {MathFunction::Sin, minus_zero, minus_zero},
      {MathFunction::Cos, minus_inf, nan},
      {MathFunction::Cos, zero, one},
      {MathFunction::Sqrt, minus_zero, minus_zero},
      {MathFunction::Sqrt, minus_one, nan},
      {MathFunction::Rsqrt, minus_zero, minus_inf},
      {MathFunction::Rsqrt, inf, zero},
      {MathFunction::Reciprocal, minus_zero, minus_inf},
      {MathFunction::Reciprocal, minus_inf, minus_zero},
  };
  for (const Case& c : cases) {
    FunctionTruth truth(c.f, Format::F32, Format::F32);
    EXPECT_EQ(truth(c.x), c.y) << name(c.f) << " " << to_text(Scalar{Format::F32, c.x});
    EXPECT_EQ(truth.by_mpfr(c.x), c.y) << name(c.f) << " " << to_text(Scalar{Format::F32, c.x});
  }
  for (const MathFunction f : all_math_functions()) {
    FunctionTruth truth(f, Format::F32, Format::F32);
    EXPECT_EQ(truth(0xffc00001), nan) << name(f);
    EXPECT_EQ(math_function_named(name(f)), f);
  }
  EXPECT_THROW(FunctionTruth(MathFunction::Exp, Format::F64, Format::F64), Refused);
  EXPECT_THROW(FunctionTruth(MathFunction::Exp, Format::I32, Format::F32), Refused);
}

// The argument lies in the middle between two values of the result's format, the function's value 2^-60 of it to one side.
TEST(Truth, NextToAMiddle) {
  const Bits x = 0x21808000;  // (1 + 2^-8) 2^-60
  EXPECT_EQ(FunctionTruth(MathFunction::Expm1, Format::F32, Format::BF16)(x), 0x2181U);
  EXPECT_EQ(FunctionTruth(MathFunction::Log1p, Format::F32, Format::BF16)(x), 0x2180U);
  EXPECT_EQ(FunctionTruth(MathFunction::Expm1, Format::F32, Format::BF16)(x | 0x80000000), 0xa180U);
  EXPECT_EQ(FunctionTruth(MathFunction::Log1p, Format::F32, Format::BF16)(x | 0x80000000), 0xa181U);
}

// What a port of MLX's exp meets (its own approximation ends at 88).
TEST(Truth, WhereExpLeavesItsRange) {
  FunctionTruth truth(MathFunction::Exp, Format::F32, Format::F32);
  EXPECT_EQ(truth(0x42b17217), 0x7f7fff84);
  EXPECT_EQ(truth(0x42b17218), infinity(Format::F32));
  EXPECT_EQ(truth(0xc2af0000), 0x006cb2bc);  // exp(-87.5) = 9.982351e-39
}

INSTANTIATE_TEST_SUITE_P(All, Truth, testing::ValuesIn(all_math_functions()),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace bitpact
