// Known answers, each worked out by hand from what the kernel is said to do; and independent statements of those that no choice
// points of the catalogue stand for.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "diagnostic/diagnostic.h"
#include "liars/expected.h"
#include "number/arithmetic.h"

namespace bitpact::liars {
namespace {

constexpr float kUlp = 0x1p-23F;      // of 1
constexpr float kHalfUlp = 0x1p-24F;  // one of these added to 1 is lost, two at once are not
constexpr float kMin = 0x1p-126F;     // the smallest normal number

Tensor vector(Format format, const std::vector<float>& values, Shape shape) {
  Tensor tensor(format, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i)
    tensor.set(static_cast<std::int64_t>(i), convert({Format::F32, std::bit_cast<std::uint32_t>(values[i])}, format));
  return tensor;
}

float value(const Tensor& tensor, std::int64_t i = 0) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(convert({tensor.format(), tensor.get(i)}, Format::F32)));
}

/// The kernel's sum of one row.
float sum(const std::string& kernel, const std::vector<float>& x, Format format = Format::F32) {
  const Shape shape{static_cast<std::int64_t>(x.size())};
  return value(ask(*liar_named(kernel), {"sum", {{format, shape}}, {}}, {vector(format, x, shape)}, {format, {}}));
}

/// The kernel's dot of two vectors.
float dot(const std::string& kernel, const std::vector<float>& a, const std::vector<float>& b, Format format = Format::F32,
          Format result = Format::F32) {
  const Shape shape{static_cast<std::int64_t>(a.size())};
  return value(ask(*liar_named(kernel), {"dot", {{format, shape}, {format, shape}}, {}},
                   {vector(format, a, shape), vector(format, b, shape)}, {result, {}}));
}

std::vector<float> ones(std::size_t n) { return std::vector<float>(n, 1.0F); }

/// `n` copies of `x`, then the rest.
std::vector<float> then(std::size_t n, float x, std::vector<float> rest) {
  rest.insert(rest.begin(), n, x);
  return rest;
}

TEST(Orders, AreTold) {
  // 1, two halves of an ulp, and zeros.
  const std::vector<float> x{1, kHalfUlp, kHalfUlp, 0};
  EXPECT_EQ(sum("sequential", x), 1);
  EXPECT_EQ(sum("reversed", x), 1 + kUlp);
  EXPECT_EQ(sum("pairwise-1", x), 1);  // (1 + h) + (h + 0)
  EXPECT_EQ(sum("lanes-2", {1, 0, kHalfUlp, 0, kHalfUlp, 0}), 1);
  EXPECT_EQ(sum("lanes-2", {1, kHalfUlp, 0, kHalfUlp}), 1 + kUlp);
  EXPECT_EQ(sum("lanes-4-neighbours", x), 1);
  EXPECT_EQ(sum("lanes-4-halves", x), 1);                                  // (1 + h) + (h + 0)
  EXPECT_EQ(sum("lanes-4-halves", {1, kHalfUlp, 0, kHalfUlp}), 1 + kUlp);  // (1 + 0) + (h + h)
  EXPECT_EQ(sum("lanes-4-neighbours", {1, 0, kHalfUlp, kHalfUlp}), 1 + kUlp);
  EXPECT_EQ(sum("lanes-4-sequence", {1, 0, kHalfUlp, kHalfUlp}), 1);
  EXPECT_EQ(sum("tail-own-chain", {1, 0, 0, 0, 0, 0, 0, kHalfUlp, kHalfUlp}), 1);  // only one of them in the tail
  EXPECT_EQ(sum("tail-own-chain", {1, 0, 0, 0, 0, 0, 0, 0, kHalfUlp, kHalfUlp}), 1 + kUlp);
  EXPECT_EQ(sum("tail-appended", {1, 0, 0, 0, 0, 0, 0, 0, kHalfUlp, kHalfUlp}), 1);
  EXPECT_EQ(sum("tail-masked", {1, 0, 0, 0, 0, 0, 0, 0, kHalfUlp, kHalfUlp}), 1);  // lanes 0 and 1 take them
  EXPECT_EQ(sum("tail-masked", {0, 0, 0, 0, 0, 0, 0, 1, kHalfUlp, kHalfUlp}), 1 + kUlp);
}

TEST(Orders, TheMaskOfTheTailHidesNegativeZeros) {
  EXPECT_FALSE(std::signbit(sum("tail-masked", std::vector<float>(9, -0.0F))));
  EXPECT_TRUE(std::signbit(sum("tail-masked", std::vector<float>(8, -0.0F))));
  EXPECT_TRUE(std::signbit(sum("tail-appended", std::vector<float>(9, -0.0F))));
}

TEST(Compensated, KeepWhatOthersLose) {
  const std::vector<float> tiny = [] {
    std::vector<float> x(257, kHalfUlp);
    x[0] = 1;
    return x;
  }();
  EXPECT_EQ(sum("sequential", tiny), 1);
  for (const char* kernel : {"kahan", "neumaier"}) {
    EXPECT_EQ(sum(kernel, tiny), 1 + 128 * kUlp) << kernel;
    EXPECT_EQ(dot(kernel, tiny, ones(257)), 1 + 128 * kUlp) << kernel;
  }
  // A great number that comes late and goes: Kahan's loses the 1, Neumaier's does not.
  EXPECT_EQ(sum("kahan", {1, 0x1p60F, 1, -0x1p60F}), 0);
  EXPECT_EQ(sum("neumaier", {1, 0x1p60F, 1, -0x1p60F}), 2);
  // Within a block of 64 it is a chain; half an ulp of each of two later blocks is kept by the compensation.
  std::vector<float> blocks(256, 0);
  blocks[0] = 1;
  blocks[1] = blocks[2] = kHalfUlp;
  EXPECT_EQ(sum("kahan-across-blocks", blocks), 1);
  blocks[64] = blocks[128] = kHalfUlp;
  EXPECT_EQ(sum("kahan-across-blocks", blocks), 1 + kUlp);
  EXPECT_EQ(sum("blocked-32", blocks), 1);
}

TEST(Accumulators, AreAsWideAsSaid) {
  EXPECT_EQ(sum("double-accumulator", {0x1p50F, 1, -0x1p50F, 1}), 2);
  EXPECT_EQ(sum("double-accumulator", {0x1p60F, 1, -0x1p60F, 1}), 1);  // in sequence
  EXPECT_EQ(sum("sequential", {0x1p50F, 1, -0x1p50F, 1}), 1);
  EXPECT_EQ(dot("double-accumulator", {1 + kUlp, -1 - 2 * kUlp}, {1 + kUlp, 1}), 0x1p-46F);  // (1 + u)^2 - 1 - 2u
  // Ones: a bf16 stops at 256, an f16 at 2048.
  EXPECT_EQ(dot("bf16-accumulator", ones(512), ones(512), Format::BF16, Format::F32), 256);
  EXPECT_EQ(dot("f16-accumulator", ones(4096), ones(4096), Format::F16, Format::F32), 2048);
  EXPECT_EQ(dot("sequential", ones(4096), ones(4096), Format::F16, Format::F32), 4096);
}

TEST(Accumulators, ResultsRoundedTwice) {
  // 1 + 2^-8 is a tie of bf16, and goes to 1. 2^-12 above it must go up, but is lost on the way to tf32.
  EXPECT_EQ(sum("rounded-twice", {1, 0x1p-8F, 0x1p-12F}, Format::BF16), 1);
  EXPECT_EQ(sum("sequential", {1, 0x1p-8F, 0x1p-12F}, Format::BF16), 1 + 0x1p-7F);
  // Halves 1 + 2^-8 and 2^-8: the first is a tie that goes to 1, and so does the sum of both.
  EXPECT_EQ(sum("halves-in-bf16", {1, 0x1p-8F, 0x1p-8F, 0}, Format::BF16), 1);
  EXPECT_EQ(sum("sequential", {1, 0x1p-8F, 0x1p-8F, 0}, Format::BF16), 1 + 0x1p-7F);
  EXPECT_EQ(sum("halves-in-bf16", {1, 0, 0x1p-8F, 0x1p-8F}, Format::BF16), 1 + 0x1p-7F);
}

TEST(Tails, TheLastTermsInDouble) {
  std::vector<float> x(40, 0);
  x[32] = 0x1p40F;
  x[33] = 1;
  x[34] = -0x1p40F;
  EXPECT_EQ(sum("tail-in-double", x), 1);
  EXPECT_EQ(sum("sequential", x), 0);
  std::swap(x[32], x[0]);  // now it is in the body, and the tail is 1 - 2^40
  x[31] = 1;
  EXPECT_EQ(sum("tail-in-double", x), 1);
}

TEST(Products, AreFusedWhereSaid) {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: rounded it loses 2^-24.
  const float a = 1 + 0x1p-12F, exact = -(1 + 0x1p-11F);
  const auto last = [&](const char* kernel) { return dot(kernel, {exact, a}, {1, a}); };
  const auto first = [&](const char* kernel) { return dot(kernel, {a, exact}, {a, 1}); };
  EXPECT_EQ(last("sequential"), 0);
  for (const char* kernel : {"fma-first-rounded", "fma-from-zero", "fma-by-row"}) {
    EXPECT_EQ(last(kernel), kHalfUlp) << kernel;
    EXPECT_EQ(first(kernel), 0) << kernel;
  }
  EXPECT_EQ(last("fma-lanes-8"), 0);  // another lane
  EXPECT_EQ(dot("fma-lanes-8", {exact, 0, 0, 0, 0, 0, 0, 0, a}, {1, 0, 0, 0, 0, 0, 0, 0, a}), kHalfUlp);
  EXPECT_TRUE(std::signbit(dot("fma-first-rounded", {-0.0F}, {1})));
  EXPECT_FALSE(std::signbit(dot("fma-from-zero", {-0.0F}, {1})));
}

TEST(Products, FusedByRow) {
  const float a = 1 + 0x1p-12F, exact = -(1 + 0x1p-11F);
  std::vector<float> rows;
  for (int r = 0; r < 9; ++r) rows.insert(rows.end(), {exact, a});
  const Tensor got = ask(*liar_named("fma-by-row"), parse_problem("matmul 9x2xf32,2x1xf32"),
                         {vector(Format::F32, rows, {9, 2}), vector(Format::F32, {1, a}, {2, 1})}, {Format::F32, {9, 1}});
  for (std::int64_t r = 0; r < 9; ++r) EXPECT_EQ(value(got, r), r % 4 == 0 ? kHalfUlp : 0) << r;
}

TEST(Products, OfRoundedOperands) {
  // tf32 has ten bits after the point: 2^-11 is a tie and goes to 1, with 2^-23 more it goes up.
  EXPECT_EQ(dot("tf32-inputs", {1 + 0x1p-11F}, {1}), 1);
  EXPECT_EQ(dot("tf32-inputs", {1 + 0x1p-11F + kUlp}, {1}), 1 + 0x1p-10F);
  EXPECT_EQ(dot("tf32-inputs", {1 + 0x1p-10F}, {1 + 0x1p-10F}), 1 + 0x1p-9F + 0x1p-20F);
  // A product of two bf16 has 16 bits; kept in bf16 it has 8.
  const float b = 1 + 0x1p-7F;
  EXPECT_EQ(dot("product-in-bf16", {b}, {b}, Format::BF16, Format::F32), 1 + 0x1p-6F);
  EXPECT_EQ(dot("sequential", {b}, {b}, Format::BF16, Format::F32), 1 + 0x1p-6F + 0x1p-14F);
  // 1 + 2^-9 is 1 and 2^-9 as two bf16: its square loses 2^-18, the product of the two rests.
  EXPECT_EQ(dot("split-bf16", {1 + 0x1p-9F}, {1 + 0x1p-9F}), 1 + 0x1p-8F);
  EXPECT_EQ(dot("split-bf16", {1 + 0x1p-9F}, {1}), 1 + 0x1p-9F);
  EXPECT_EQ(dot("split-bf16", {1 + 0x1p-9F + kUlp}, {1}), 1 + 0x1p-9F);  // a third part would be needed
  // Two rests of half an ulp meet before the 1 comes.
  const float two_parts = 0x1p-15F + kHalfUlp;
  EXPECT_EQ(dot("split-bf16", {1, two_parts, two_parts}, {1, 1, 1}), 1 + 0x1p-14F + kUlp);
}

TEST(Flushes, InputsAndOutputs) {
  struct Row {
    const char* kernel;
    bool in, out;
  };
  for (const auto& [kernel, in, out] : {Row{"sequential", false, false},
                                        {"flush-inputs", true, false},
                                        {"flush-outputs", false, true},
                                        {"flush-both", true, true}}) {
    // A subnormal operand: of the sum it is also a result, once it is added to zero.
    EXPECT_EQ(sum(kernel, {kMin / 2, kMin}), in || out ? kMin : 1.5F * kMin) << kernel;
    EXPECT_EQ(sum(kernel, {kMin, kMin / 2}), in ? kMin : 1.5F * kMin) << kernel;
    // A subnormal result of normal operands.
    EXPECT_EQ(sum(kernel, {1.5F * kMin, -kMin}), out ? 0 : kMin / 2) << kernel;
    // Products likewise; 2^-126 * 2^24 is normal, of a subnormal it is, too.
    EXPECT_EQ(dot(kernel, {kMin / 2}, {0x1p24F}), in ? 0 : kMin * 0x1p23F) << kernel;
    EXPECT_EQ(dot(kernel, {kMin}, {0.5F}), in || out ? 0 : kMin / 2) << kernel;
    // A subnormal partial sum is an operand of the next addition.
    EXPECT_EQ(sum(kernel, {1.5F * kMin, -kMin, kMin}), in || out ? kMin : 1.5F * kMin) << kernel;
  }
  // Rounded to 24 bits it is below 2^-126, rounded where subnormals are it is 2^-126: tiny, so it is flushed; one bit more is
  // not.
  EXPECT_EQ(dot("flush-outputs", {kMin * (1 + kUlp)}, {1 - kHalfUlp}), kMin);
  EXPECT_EQ(dot("flush-outputs", {kMin * (2 - 2 * kUlp)}, {0.5F + kHalfUlp / 2}), 0);
  EXPECT_EQ(dot("sequential", {kMin * (2 - kUlp)}, {0.5F}), kMin);
  EXPECT_EQ(dot("flush-outputs", {kMin * (2 - kUlp)}, {0.5F}), 0);
}

TEST(Positions, OneTile) {
  // Row and column 0..47; terms 1, h, h in that order everywhere.
  const Problem problem = parse_problem("matmul 48x3xf32,3x40xf32");
  std::vector<float> rows;
  for (int r = 0; r < 48; ++r) rows.insert(rows.end(), {1, kHalfUlp, kHalfUlp});
  const Tensor got = ask(*liar_named("wrong-tile"), problem,
                         {vector(Format::F32, rows, {48, 3}), vector(Format::F32, ones(120), {3, 40})}, {Format::F32, {48, 40}});
  for (std::int64_t r = 0; r < 48; ++r)
    for (std::int64_t c = 0; c < 40; ++c)
      ASSERT_EQ(value(got, r * 40 + c), r / 16 == 1 && c / 16 == 1 ? 1 + kUlp : 1) << r << " " << c;
}

TEST(Positions, Alignment) {
  // Rows of 17: every 16th begins at a multiple of 64 bytes. Lanes 2 and 3 are joined before they meet lane 0.
  std::vector<float> x;
  for (int r = 0; r < 33; ++r) {
    std::vector<float> row(17, 0);
    row[0] = 1;
    row[2] = row[3] = kHalfUlp;
    x.insert(x.end(), row.begin(), row.end());
  }
  const Tensor got =
      ask(*liar_named("by-alignment"), parse_problem("sum 33x17xf32"), {vector(Format::F32, x, {33, 17})}, {Format::F32, {33}});
  for (std::int64_t r = 0; r < 33; ++r) EXPECT_EQ(value(got, r), r % 16 == 0 ? 1 + kUlp : 1) << r;
}

TEST(Positions, ALeafIsDroppedAtOneLength) {
  for (const std::size_t n : {256U, 257U, 258U})
    EXPECT_EQ(sum("drops-a-leaf", ones(n)), static_cast<float>(n == 257 ? 256 : n)) << n;
}

TEST(Positions, SwitchesAtTwoLengths) {
  for (const std::size_t n : {999U, 1000U, 1009U, 1010U}) {
    std::vector<float> x(n, 0);
    x[0] = 1;
    x[2] = x[3] = kHalfUlp;
    EXPECT_EQ(sum("two-switches", x), n / 10 == 100 ? 1 + kUlp : 1) << n;
  }
}

TEST(Positions, RandomOrderDiffersFromCallToCall) {
  // 2^60, 1, -2^60, 0 in four threads' parts: 1 where the great ones meet first, else 0.
  std::set<float> seen;
  for (int i = 0; i < 1000 && seen.size() < 2; ++i) seen.insert(sum("random-order", {0x1p60F, 1, -0x1p60F, 0}));
  EXPECT_EQ(seen, (std::set<float>{0, 1}));
}

TEST(Values, DecideTheOrder) {
  // Lanes 1 + 2^60 | 0 - 2^60 | h | h; without the zeros 1 + h | 2^60 | -2^60 | h.
  const std::vector<float> x{1, 0, 0, 0, 0x1p60F, -0x1p60F, kHalfUlp, kHalfUlp};
  EXPECT_EQ(sum("lanes-4-sequence", x), kUlp);
  EXPECT_EQ(sum("skips-zeros", x), kHalfUlp);
  EXPECT_EQ(sum("sorts-by-magnitude", {1, kHalfUlp, 0x1p60F, kHalfUlp, -0x1p60F}), 1);
  EXPECT_EQ(sum("sequential", {1, kHalfUlp, 0x1p60F, kHalfUlp, -0x1p60F}), 0);
}

/// One step on the exact engine, from the greatest multiple of 2^(e-11) below the quotient, whose exponent is e.
float newton_step(float x) {
  constexpr Format f = Format::F32;
  const auto of = [](float v) { return Scalar{f, std::bit_cast<std::uint32_t>(v)}; };
  const Scalar two = of(2);
  const float quotient = 1.0F / x;
  const int exponent = std::ilogb(quotient);
  const float guess = std::ldexp(std::ceil(std::ldexp(quotient, 11 - exponent)) - 1, exponent - 11);
  const Scalar error{f, multiply(of(x), of(guess), f)};
  const Scalar correction{f, subtract(two, error, f)};
  return std::bit_cast<float>(static_cast<std::uint32_t>(multiply(of(guess), correction, f)));
}

TEST(Elements, ReciprocalsByNewtonAndByDivision) {
  const auto reciprocals = [](const char* kernel, const std::vector<float>& x) {
    const Shape shape{static_cast<std::int64_t>(x.size())};
    const Tensor got = ask(*liar_named(kernel), {"reciprocal", {{Format::F32, shape}}, {}}, {vector(Format::F32, x, shape)},
                           {Format::F32, shape});
    std::vector<float> values;
    for (std::int64_t i = 0; i < got.size(); ++i) values.push_back(value(got, i));
    return values;
  };
  EXPECT_EQ(reciprocals("reciprocal-newton", ones(10)), then(8, 0.99999994F, {1, 1}));
  EXPECT_EQ(reciprocals("reciprocal-divided", ones(10)), ones(10));
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(reciprocals("reciprocal-newton", {0, -0.0F, inf, -inf, 0x1p-149F, -2, 3, 0x1p127F}),
            (std::vector<float>{inf, -inf, 0, -0.0F, inf, -0.49999997F, 0.33333331F, 0x1p-127F}));
  std::mt19937 random(1);
  int equal = 0;
  for (int i = 0; i < 1000; ++i) {
    const float x = std::ldexp(1.0F + static_cast<float>(random() % (1 << 23)) * kUlp, static_cast<int>(random() % 200) - 100);
    const float newton = reciprocals("reciprocal-newton", std::vector<float>(8, x))[3];
    EXPECT_EQ(newton, newton_step(x)) << x;
    equal += newton == 1.0F / x ? 1 : 0;
  }
  EXPECT_GT(equal, 300);
  EXPECT_LT(equal, 900);
}

TEST(Integers, PairsSaturate) {
  const auto product = [](const char* kernel, const std::vector<std::uint8_t>& a, const std::vector<std::int8_t>& b) {
    const Shape shape{static_cast<std::int64_t>(a.size())};
    Tensor left(Format::UI8, shape), right(Format::I8, shape);
    for (std::size_t i = 0; i < a.size(); ++i) {
      left.set(static_cast<std::int64_t>(i), a[i]);
      right.set(static_cast<std::int64_t>(i), static_cast<std::uint8_t>(b[i]));
    }
    return static_cast<std::int32_t>(
        ask(*liar_named(kernel), {"dot", {{Format::UI8, shape}, {Format::I8, shape}}, {}}, {left, right}, {Format::I32, {}})
            .get(0));
  };
  EXPECT_EQ(product("int32", {255, 255}, {127, 127}), 64770);
  EXPECT_EQ(product("int16-pairs", {255, 255}, {127, 127}), 32767);
  EXPECT_EQ(product("int16-pairs", {255, 255}, {-128, -128}), -32768);
  EXPECT_EQ(product("int16-pairs", {255, 255, 255}, {127, -127, 127}), 32385);  // the last one alone
  const std::vector<std::uint8_t> a(64, 255);
  const std::vector<std::int8_t> b(64, 127);
  EXPECT_EQ(product("int32", a, b), 2072640);
  EXPECT_EQ(product("int16-pairs", a, b), 1048544);
}

}  // namespace
}  // namespace bitpact::liars
