// The algorithms of functions, step by step as the libraries write them, in the compiler's own arithmetic: all
// inputs of the 16-bit formats, and f32 where the exponent is not extreme and over all bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "diagnostic/diagnostic.h"
#include "functions/libm_algorithms.h"
#include "interpret/interpret.h"
#include "operators/catalogue.h"
#include "operators/function_algorithms.h"

namespace bitpact {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

float power_of_two(float k) { return std::bit_cast<float>(static_cast<std::uint32_t>(static_cast<int>(k) + 127) << 23); }

float exp2f_of_cephes(float x, Format /*format*/ = Format::F32) {
  if (std::isnan(x)) return x;
  if (x > 88.0F) return kInfinite;
  if (x < -88.0F) return 0.0F;
  const float y = x * 1.442695F;
  const auto k = static_cast<float>(std::floor(static_cast<double>(y) + 0.5));
  const float f = y - k;
  float p = 1.535336188319500e-4F;
  for (const float c :
       {1.339887440266574e-3F, 9.618437357674640e-3F, 5.550332471162809e-2F, 2.402264791363012e-1F, 6.931472028550421e-1F, 1.0F})
    p = std::fma(p, f, c);
  return power_of_two(k) * p;
}

float expf_of_cephes(float x, Format /*format*/ = Format::F32) {
  if (std::isnan(x)) return x;
  if (x < -88.0F) return 0.0F;
  if (x > 89.0F) return kInfinite;
  const float k = std::min(std::floor(std::fma(x, 1.44269504F, 0.5F)), 127.0F);
  const float r = std::fma(k, 2.12194440e-4F, std::fma(k, -0.693359375F, x));
  float p = 1.9875691500e-4F;
  for (const float c : {1.3981999507e-3F, 8.3334519073e-3F, 4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F})
    p = std::fma(p, r, c);
  return (std::fma(p, r * r, r) + 1.0F) * power_of_two(k);
}

float erf_of_hastings(float x, Format /*format*/ = Format::F32) {
  const float t = 1.0F / std::fma(0.3275911F, std::fabs(x), 1.0F);
  float p = 1.061405429F;
  for (const float c : {-1.453152027F, 1.421413741F, -0.284496736F, 0.254829592F}) p = std::fma(p, t, c);
  const float y = std::fma(-exp2f_of_cephes(-x * x) * t, p, 1.0F);
  return x > 0 ? y : -y;
}

float as_float(Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

float rounded(float x, Format format) {
  return as_float(convert({format, convert({Format::F32, std::bit_cast<std::uint32_t>(x)}, format)}, Format::F32));
}

float sigmoid_by_magnitude(float x, Format format) {
  const float y = 1.0F / (1.0F + rounded(exp2f_of_cephes(std::fabs(x)), format));
  return x < 0 ? y : 1.0F - y;
}

float sigmoid_by_negative(float x, Format format) { return 1.0F / rounded(1.0F + rounded(expf_of_cephes(-x), format), format); }

float exp2_by_exp(float x, Format format) { return expf_of_cephes(rounded(x * rounded(0.69314718F, format), format)); }

struct Case {
  const char* op;
  const char* algorithm;
  float (*value)(float, Format);
};

class Algorithms : public testing::TestWithParam<Case> {};

void expect_same(const Case& wanted, const Tensor& x) {
  const Resolved problem = resolve(Problem{wanted.op, {{x.format(), x.shape()}}, {}});
  const Operator& op = operator_named(wanted.op);
  const std::string result = x.format() == Format::F32 ? "once" : "f32-first";
  const Choices choices = complete_choices(op, problem.formats(), {{"algorithm", wanted.algorithm}, {"result", result}});
  const Tensor y = interpret(bind(op.build(problem.formats(), choices), problem.binding), std::vector<Tensor>{x}).results[0];
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const float value = wanted.value(as_float(convert({x.format(), x.get(i)}, Format::F32)), x.format());
    const Bits bits =
        std::isnan(value) ? quiet_nan(x.format()) : convert({Format::F32, std::bit_cast<std::uint32_t>(value)}, x.format());
    ASSERT_EQ(y.get(i), bits) << to_text(Scalar{x.format(), x.get(i)});
  }
}

TEST_P(Algorithms, AllInputsOfThe16BitFormats) {
  for (const Format format : {Format::BF16, Format::F16}) {
    Tensor x(format, {65536});
    for (std::int64_t i = 0; i < 65536; ++i) x.set(i, static_cast<Bits>(i));
    expect_same(GetParam(), x);
  }
}

TEST_P(Algorithms, ASampleOfF32) {
  constexpr std::int64_t kCount = 1 << 19;
  std::mt19937_64 random(21);
  Tensor x(Format::F32, {kCount});
  for (std::int64_t i = 0; i < kCount; ++i) {
    const std::uint64_t w = random();
    const Bits near_one = (w & 0x807fffff) | (127 - 14 + (w >> 40) % 21) << 23;
    x.set(i, i % 2 == 0 ? near_one : w & 0xffffffff);
  }
  // Around the ends of the range, where k is a tie, and what is special.
  std::int64_t at = 0;
  for (const float end : {88.0F, -88.0F, 89.0F, 88.722839F, -87.33655F, -87.68313F, 0.34657359F, 127.5F * 0.69314718F,
                          // of fdlibm's and Arm's: where k changes, where a case begins, where the value is no longer normal
                          -18.714973F, 1.0397208F, 22.0F, 0.41422F, -0.29289F, 1.0F, -1.0F, 2.0F, 0x1p-25F, 0x1p-29F, 0x1p-54F,
                          0x1p53F, 0x1p-126F, 0x1.66p-1F, 128.0F, -126.0F, -149.0F, -150.0F, 0x1p23F, 39.2F, 16.29F, 15.6F})
    for (std::uint32_t i = 0; i < 64; ++i) x.set(at++, std::bit_cast<std::uint32_t>(end) + i - 32);
  for (const Bits special : {0x0U, 0x80000000U, 0x1U, 0x7fffffU, 0x7f800000U, 0xff800000U, 0x7fc00000U, 0x7f7fffffU, 0xff7fffffU})
    x.set(at++, special);
  expect_same(GetParam(), x);
}

INSTANTIATE_TEST_SUITE_P(
    All, Algorithms,
    testing::Values(Case{"exp", "cephes-exp2f", exp2f_of_cephes}, Case{"exp", "cephes-expf", expf_of_cephes},
                    Case{"exp2", "exp-of-product", exp2_by_exp}, Case{"erf", "abramowitz-stegun", erf_of_hastings},
                    Case{"sigmoid", "exp-of-magnitude", sigmoid_by_magnitude},
                    Case{"sigmoid", "exp-of-negative", sigmoid_by_negative},
                    Case{"expm1", "fdlibm-expm1f", test::expm1f_of_fdlibm}, Case{"tanh", "fdlibm-tanhf", test::tanhf_of_fdlibm},
                    Case{"log1p", "fdlibm-log1pf", test::log1pf_of_fdlibm}, Case{"log", "arm-logf", test::logf_of_arm},
                    Case{"exp2", "arm-exp2f", test::exp2f_of_arm}, Case{"sin", "cephes-arm-sinf", test::sinf_of_mlx},
                    Case{"cos", "cephes-arm-cosf", test::cosf_of_mlx}),
    [](const auto& info) {
      std::string text = info.param.algorithm;
      std::erase(text, '-');
      return text;
    });

// Each in the list of its function has its case above.
TEST(AlgorithmNames, AreAllChecked) {
  std::size_t all = 0;
  for (const Function function : {Function::Exp, Function::Exp2, Function::Expm1, Function::Log, Function::Log1p, Function::Tanh,
                                  Function::Erf, Function::Sigmoid, Function::Sin, Function::Cos})
    all += algorithms(function).size();
  EXPECT_EQ(all, 13U);
}

TEST(AlgorithmNames, AValueOfF32IsRoundedAgain) {
  const OperatorFormats narrow{{Format::BF16}, Format::BF16};
  const Operator& op = operator_named("exp");
  try {
    op.build(narrow, complete_choices(op, narrow, {{"algorithm", "cephes-expf"}}));
    ADD_FAILURE();
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.diagnostic().code, Code::BadAttribute);
    EXPECT_NE(refused.diagnostic().reason.find("result=f32-first"), std::string::npos) << refused.diagnostic().reason;
  }
}

}  // namespace
}  // namespace bitpact
