// Strassen's product and the fused sums, each against another statement of it; and the calls that every operator shares.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "diagnostic/diagnostic.h"
#include "liars/expected.h"
#include "operators/recipe.h"

namespace bitpact::liars {
namespace {

Tensor integers(std::mt19937& random, const Shape& shape, int most, float unit = 1) {
  Tensor tensor(Format::F32, shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    tensor.mutable_as<float>()[i] =
        unit * static_cast<float>(static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most);
  return tensor;
}

Tensor matmul(const char* kernel, const Tensor& a, const Tensor& b, const Shape& result,
              std::map<std::string, std::string> attributes = {}) {
  return ask(*liar_named(kernel), {"matmul", {{a.format(), a.shape()}, {b.format(), b.shape()}}, std::move(attributes)}, {a, b},
             {Format::F32, result});
}

TEST(Strassen, IsExactForSmallIntegers) {
  std::mt19937 random(1);
  for (const auto& [m, k, n] : {std::array<std::int64_t, 3>{16, 64, 24}, {17, 33, 15}, {1, 1, 1}, {2, 3, 1}}) {
    const Tensor a = integers(random, {m, k}, 100), b = integers(random, {k, n}, 100);
    const Tensor got = matmul("strassen", a, b, {m, n}), plain = matmul("sequential", a, b, {m, n});
    for (std::int64_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(got.as<float>()[i], plain.as<float>()[i]) << m << "x" << k << "x" << n;
  }
}

// A great element in one quarter spoils outputs that it is no factor of: no sum of the output's own products does that.
TEST(Strassen, MixesWhatIsNotInTheProduct) {
  Tensor a(Format::F32, {2, 2}), b(Format::F32, {2, 2});
  a.mutable_as<float>()[3] = 0x1p60F;  // a22
  a.mutable_as<float>()[0] = 1;        // a11
  b.mutable_as<float>()[0] = 1;        // b11
  // c11 = a11 b11 + a12 b21 = 1; but p1 = (1 + 2^60) 1 and p4 = 2^60 (0 - 1) cancel.
  EXPECT_EQ(matmul("strassen", a, b, {2, 2}).as<float>()[0], 0);
  EXPECT_EQ(matmul("sequential", a, b, {2, 2}).as<float>()[0], 1);
}

// Fused sums of integers times 2^-20, on 64-bit integers: every term is cut to a multiple of the unit 2^(e - 24), where e is the
// greatest of the terms' exponents (of a product: the sum of its factors'); the sum is cut to 24 bits.
std::int64_t cut(std::int64_t value, std::int64_t unit) { return value / unit * unit; }  // toward zero

int exponent(double x) { return x == 0 ? -10000 : std::ilogb(x); }

float fused(const std::vector<float>& a, const std::vector<float>& b, std::size_t width) {
  constexpr int kScale = 60;  // values are multiples of 2^-kScale/2
  float sum = 0;
  for (std::size_t begin = 0; begin < a.size(); begin += width) {
    const std::size_t end = std::min(begin + width, a.size());
    int greatest = exponent(sum);
    for (std::size_t i = begin; i < end; ++i)
      if (a[i] != 0 && b[i] != 0) greatest = std::max(greatest, exponent(a[i]) + exponent(b[i]));
    if (greatest == -10000) continue;
    const int shift = std::max(0, greatest - 24 + kScale / 2);
    const auto whole = [&](double x) {
      return cut(static_cast<std::int64_t>(std::ldexp(x, kScale / 2)), std::int64_t{1} << shift);
    };
    std::int64_t total = whole(sum);
    for (std::size_t i = begin; i < end; ++i) total += whole(static_cast<double>(a[i]) * static_cast<double>(b[i]));
    int bits = 0;
    while ((std::abs(total) >> bits) >= (1 << 24)) ++bits;
    sum = static_cast<float>(std::ldexp(static_cast<double>(cut(total, std::int64_t{1} << bits)), -kScale / 2));
  }
  return sum;
}

TEST(Fused, AgreeWithIntegers) {
  std::mt19937 random(2);
  int cut_off = 0;
  for (const int width : {2, 4, 8, 16}) {
    const std::string kernel = "fused-" + std::to_string(width);
    for (int repeat = 0; repeat < 200; ++repeat) {
      const std::int64_t n = 1 + static_cast<std::int64_t>(random() % 70);
      Tensor a = integers(random, {1, n}, 255, 0x1p-7F), b = integers(random, {n, 1}, 255, 0x1p-7F);
      for (std::int64_t i = 0; i < n; ++i)  // of many magnitudes, the products still multiples of 2^-30
        a.mutable_as<float>()[i] *= std::ldexp(1.0F, static_cast<int>(random() % 28) - 12);
      const std::vector<float> left(a.as<float>(), a.as<float>() + n), right(b.as<float>(), b.as<float>() + n);
      const float expected = fused(left, right, static_cast<std::size_t>(width));
      EXPECT_EQ(matmul(kernel.c_str(), a, b, {1, 1}).as<float>()[0], expected) << kernel << " of " << n;
      cut_off += matmul("sequential", a, b, {1, 1}).as<float>()[0] != expected ? 1 : 0;
    }
  }
  EXPECT_GT(cut_off, 200);
}

// By hand: 2^24, four times 1.75 in one group. Cut to units of 1 each is 1; rounded one by one each would be 2.
TEST(Fused, TermsAreCutToTheGreatestOne) {
  Tensor x(Format::F32, {5});
  x.mutable_as<float>()[0] = 0x1p24F;
  for (int i = 1; i < 5; ++i) x.mutable_as<float>()[i] = 1.75F;
  const auto sum = [&](const char* kernel) {
    return ask(*liar_named(kernel), parse_problem("sum 5xf32"), {x}, {Format::F32, {}}).as<float>()[0];
  };
  EXPECT_EQ(sum("fused-8"), 0x1p24F + 4);
  EXPECT_EQ(sum("sequential"), 0x1p24F + 8);
}

// ---- calls

TEST(Calls, TransposesBatchesAndAxes) {
  std::mt19937 random(3);
  const Tensor a = integers(random, {2, 5, 7}, 9), b = integers(random, {2, 7, 3}, 9);
  Tensor turned_a(Format::F32, {2, 7, 5}), turned_b(Format::F32, {2, 3, 7});
  const auto turn = [](const Tensor& from, Tensor& to) {
    for (std::int64_t i = 0; i < from.size(); ++i) {
      auto at = coordinate(from.shape(), i);
      std::swap(at[1], at[2]);
      to.set(flat_index(to.shape(), at), from.get(i));
    }
  };
  turn(a, turned_a);
  turn(b, turned_b);
  const Tensor plain = matmul("sequential", a, b, {2, 5, 3});
  for (std::int64_t i = 0; i < plain.size(); ++i) {
    const auto at = coordinate(plain.shape(), i);
    float sum = 0;
    for (std::int64_t k = 0; k < 7; ++k)
      sum += a.as<float>()[(at[0] * 5 + at[1]) * 7 + k] * b.as<float>()[(at[0] * 7 + k) * 3 + at[2]];
    EXPECT_EQ(plain.as<float>()[i], sum);
    const Tensor both = matmul("sequential", turned_a, turned_b, {2, 5, 3}, {{"transpose_a", "true"}, {"transpose_b", "true"}});
    EXPECT_EQ(both.as<float>()[i], sum);
  }
  for (std::int64_t axis = 0; axis < 3; ++axis) {
    Shape shape = a.shape();
    shape.erase(shape.begin() + axis);
    const Tensor got = ask(*liar_named("reversed"), {"sum", {{Format::F32, a.shape()}}, {{"axis", std::to_string(axis)}}}, {a},
                           {Format::F32, shape});
    std::vector<float> sums(static_cast<std::size_t>(got.size()), 0);
    for (std::int64_t i = 0; i < a.size(); ++i) {
      auto at = coordinate(a.shape(), i);
      at.erase(at.begin() + axis);
      sums[static_cast<std::size_t>(flat_index(shape, at))] += a.as<float>()[i];
    }
    for (std::int64_t i = 0; i < got.size(); ++i) EXPECT_EQ(got.as<float>()[i], sums[static_cast<std::size_t>(i)]) << axis;
  }
}

TEST(Calls, WhatAKernelDoesNotCarryIsRefused) {
  const auto code = [](const char* kernel, const char* line, const OperandSpec& result) {
    const Problem problem = parse_problem(line);
    std::vector<Tensor> operands;
    for (const OperandSpec& spec : problem.operands) operands.emplace_back(spec.format, spec.shape);
    try {
      ask(*liar_named(kernel), problem, operands, result);
    } catch (const Refused& refused) {
      return std::string(info(refused.diagnostic().code).name);
    }
    return std::string("ran");
  };
  const OperandSpec scalar{Format::F32, {}}, four{Format::F32, {4}};
  EXPECT_EQ(code("fma-from-zero", "sum 4xf32", scalar), "backend-lacks-operator");
  EXPECT_EQ(code("int32", "sum 4xf32", scalar), "backend-lacks-operator");
  EXPECT_EQ(code("kahan", "reciprocal 4xf32", four), "backend-lacks-operator");
  EXPECT_EQ(code("kahan", "max 4xf32", scalar), "backend-lacks-operator");
  EXPECT_EQ(code("kahan", "dot 4xui8,4xi8", {Format::I32, {}}), "backend-lacks-operator");
  EXPECT_EQ(code("int32", "dot 4xi8,4xi8", {Format::I32, {}}), "backend-lacks-format");
  EXPECT_EQ(code("kahan", "sum 4xf64", {Format::F64, {}}), "backend-lacks-format");
  EXPECT_EQ(code("kahan", "sum 4xf32", scalar), "ran");
}

}  // namespace
}  // namespace bitpact::liars
