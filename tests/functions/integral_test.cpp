// floor, ceil and the roundings to integers, by the C library and by counting in f64: every value of the 16-bit formats, and of
// f32 every exponent with the fractions around its integers and halves.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "interpret/interpret.h"
#include "operators/catalogue.h"

namespace bitpact {
namespace {

struct IntegralCase {
  const char* op;
  double (*library)(double);
};

class Integral : public testing::TestWithParam<IntegralCase> {};

double in_f64(Format format, Bits bits) { return std::bit_cast<double>(convert({format, bits}, Format::F64)); }

/// The whole number that is wanted, by its definition: the magnitude counted in integers of 64 bits.
double counted(const std::string& op, double x) {
  const double magnitude = std::abs(x);
  if (!(magnitude < 0x1p52)) return x;
  const auto below = static_cast<std::uint64_t>(magnitude);
  const double rest = magnitude - static_cast<double>(below);
  bool up = false;
  if (op == "floor") up = x < 0 && rest > 0;
  if (op == "ceil") up = x > 0 && rest > 0;
  if (op == "round_nearest_even") up = rest > 0.5 || (rest == 0.5 && below % 2 == 1);
  if (op == "round_nearest_afz") up = rest >= 0.5;
  return std::copysign(static_cast<double>(below + (up ? 1 : 0)), x);
}

void expect_integral(const IntegralCase& wanted, const Tensor& x) {
  const Resolved problem = resolve(Problem{wanted.op, {{x.format(), x.shape()}}, {}});
  const Operator& op = operator_named(wanted.op);
  const Tensor y = interpret(bind(op.build(problem.formats(), canonical_choices(op, problem.formats())), problem.binding),
                             std::vector<Tensor>{x})
                       .results[0];
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const double given = in_f64(x.format(), x.get(i));
    const double exact = wanted.library(given), also = counted(wanted.op, given);
    ASSERT_TRUE(std::isnan(given) || std::bit_cast<Bits>(exact) == std::bit_cast<Bits>(also)) << given;
    const Bits bits = std::isnan(given) ? quiet_nan(x.format()) : convert({Format::F64, std::bit_cast<Bits>(exact)}, x.format());
    ASSERT_EQ(y.get(i), bits) << wanted.op << " " << to_text(Scalar{x.format(), x.get(i)});
  }
}

TEST_P(Integral, EveryValueOfThe16BitFormats) {
  for (const Format format : {Format::BF16, Format::F16}) {
    Tensor x(format, {65536});
    for (std::int64_t i = 0; i < 65536; ++i) x.set(i, static_cast<Bits>(i));
    expect_integral(GetParam(), x);
  }
}

TEST_P(Integral, F32) {
  std::vector<Bits> all;
  std::mt19937_64 random(22);
  for (Bits sign = 0; sign < 2; ++sign)
    for (Bits exponent = 0; exponent < 256; ++exponent) {
      const auto take = [&](Bits fraction) { all.push_back(sign << 31 | exponent << 23 | (fraction & 0x7fffff)); };
      for (int bit = 0; bit < 23; ++bit)
        for (const Bits beside : {Bits{0}, Bits{1}, ~Bits{0}}) {
          take((Bits{1} << bit) + beside);
          take((Bits{3} << bit) + beside);
          take(0 - (Bits{1} << bit) + beside);
        }
      for (int i = 0; i < 2000; ++i) take(random());
    }
  Tensor x(Format::F32, {static_cast<std::int64_t>(all.size())});
  for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, all[static_cast<size_t>(i)]);
  expect_integral(GetParam(), x);
}

INSTANTIATE_TEST_SUITE_P(All, Integral,
                         testing::Values(IntegralCase{"floor", std::floor}, IntegralCase{"ceil", std::ceil},
                                         IntegralCase{"round_nearest_even", std::nearbyint},
                                         IntegralCase{"round_nearest_afz", std::round}),
                         [](const auto& info) { return std::string(info.param.op); });

}  // namespace
}  // namespace bitpact
