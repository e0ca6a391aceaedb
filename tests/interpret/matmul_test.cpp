// Matmuls and sums against plain loops of the language (this file, like all others, is compiled without contraction).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "interpret/interpret.h"
#include "interpret/random_program.h"
#include "interpret/same.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace bitpact;
using namespace bitpact::test;

namespace {

enum class Product { Rounded, Fused };

/// f32: sum over k of lhs * rhs, in order.
BoundProgram matmul(std::int64_t m, std::int64_t k, std::int64_t n, Product product, bool transposed, bool first_leaf) {
  Fold fold;
  fold.operands = {0, 1};
  fold.over = {"k"};
  fold.axes = {"i", "j"};
  constexpr Format f = Format::F32;
  BodyBuilder merge({f, f});
  fold.merge = merge.finish({merge.op(ScalarOp::Add, f, {0, 1})});
  fold.finish = identity_body({f});
  fold.start.first_leaf = first_leaf;
  if (!first_leaf) fold.start.values = {0};
  BodyBuilder leaf({f, f});
  if (product == Product::Rounded) {
    fold.leaf = leaf.finish({leaf.op(ScalarOp::Multiply, f, {0, 1})});
    BodyBuilder step({f, f});
    fold.step = step.finish({step.op(ScalarOp::Add, f, {0, 1})});
    if (first_leaf) fold.start.lift = identity_body({f});
  } else {
    fold.leaf = identity_body({f, f});
    BodyBuilder step({f, f, f});
    fold.step = step.finish({step.op(ScalarOp::Fma, f, {1, 2, 0})});
    BodyBuilder lift({f, f});
    if (first_leaf) fold.start.lift = lift.finish({lift.op(ScalarOp::Multiply, f, {0, 1})});
  }
  BoundProgram bound;
  bound.program.nodes = {Input{"lhs", f, {"i", "k"}}, Input{"rhs", f, transposed ? Axes{"j", "k"} : Axes{"k", "j"}}, fold};
  bound.program.results = {2};
  bound.extents = {{"i", m}, {"j", n}, {"k", k}};
  return bound;
}

Tensor random_floats(Random& random, Shape shape) {
  Tensor tensor(Format::F32, std::move(shape));
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const float x =
        std::ldexp(static_cast<float>(random.between(-(1 << 24), 1 << 24)), static_cast<int>(random.between(-34, -14)));
    tensor.mutable_as<float>()[i] = x;
  }
  return tensor;
}

void check_matmul(std::int64_t m, std::int64_t k, std::int64_t n) {
  Random random(static_cast<std::uint64_t>(m * 31 + n));
  const Tensor lhs = random_floats(random, {m, k}), rhs = random_floats(random, {k, n});
  Tensor turned(Format::F32, {n, k});
  for (std::int64_t i = 0; i < k; ++i)
    for (std::int64_t j = 0; j < n; ++j) turned.mutable_as<float>()[j * k + i] = rhs.as<float>()[i * n + j];
  for (Product product : {Product::Rounded, Product::Fused}) {
    for (bool first_leaf : {false, true}) {
      Tensor expected(Format::F32, {m, n});
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          const float *a = lhs.as<float>() + i * k, *b = rhs.as<float>() + j;
          float sum = first_leaf ? a[0] * b[0] : 0.0F;
          for (std::int64_t l = first_leaf ? 1 : 0; l < k; ++l) {
            if (product == Product::Fused) {
              sum = std::fma(a[l], b[l * n], sum);
            } else {
              const float rounded = a[l] * b[l * n];
              sum = sum + rounded;
            }
          }
          expected.mutable_as<float>()[i * n + j] = sum;
        }
      for (Simd simd : every_simd())
        for (bool transposed : {false, true}) {
          const BoundProgram bound = matmul(m, k, n, product, transposed, first_leaf);
          const std::array<Tensor, 2> inputs{lhs, transposed ? turned : rhs};
          EXPECT_TRUE(same_bits(expected, interpret(bound, inputs, {0, false, 0, simd}).results[0]))
              << m << "x" << k << "x" << n << " fused " << (product == Product::Fused) << " transposed " << transposed;
        }
    }
  }
}

}  // namespace

TEST(Matmul, OddShape) { check_matmul(33, 129, 17); }
TEST(Matmul, Square) { check_matmul(64, 64, 64); }
TEST(Matmul, LongRows) { check_matmul(3, 40, 1100); }
TEST(Matmul, OneRow) { check_matmul(1, 300, 64); }

TEST(Matmul, RowsOverlapNothing) {
  // 1 + 2^-24 twice: unfused in order stays 1; the products tell an order of leaves and a fused step apart.
  const BoundProgram bound = matmul(1, 3, 1, Product::Rounded, false, false);
  Tensor lhs(Format::F32, {1, 3}), rhs(Format::F32, {3, 1});
  const std::array<float, 3> a{1.0F, 0x1p-24F, 0x1p-24F};
  for (int i = 0; i < 3; ++i) {
    lhs.mutable_as<float>()[i] = a[static_cast<size_t>(i)];
    rhs.mutable_as<float>()[i] = 1.0F;
  }
  EXPECT_EQ(interpret(bound, std::array{lhs, rhs}).results[0].get(0), std::bit_cast<std::uint32_t>(1.0F));
  BoundProgram backwards = bound;
  std::get<Fold>(backwards.program.nodes[2]).order = Order::backwards();
  EXPECT_EQ(interpret(backwards, std::array{lhs, rhs}).results[0].get(0), std::bit_cast<std::uint32_t>(1.0F + 0x1p-23F));
}

TEST(Sum, PrefixesEqualPartialSums) {
  Random random(9);
  for (const Shape& shape : {Shape{5, 7}, Shape{70, 3}, Shape{4, 600}}) {
    const Tensor x = random_floats(random, shape);
    for (const char* over : {"i", "j"}) {
      for (bool backwards : {false, true}) {
        Fold fold;
        fold.operands = {0};
        fold.over = {over};
        fold.axes = {"j", "i"};
        fold.leaf = fold.finish = fold.start.lift = identity_body({Format::F32});
        BodyBuilder step({Format::F32, Format::F32});
        fold.step = step.finish({step.op(ScalarOp::Add, Format::F32, {0, 1})});
        fold.order = backwards ? Order::backwards() : Order::sequential();
        fold.emit = Emit::Prefixes;
        BoundProgram bound;
        bound.program.nodes = {Input{"x", Format::F32, {"i", "j"}}, fold};
        bound.program.results = {1};
        bound.extents = {{"i", shape[0]}, {"j", shape[1]}};
        Tensor expected(Format::F32, {shape[1], shape[0]});
        const bool rows = over[0] == 'j';
        const std::int64_t outer = rows ? shape[0] : shape[1], inner = rows ? shape[1] : shape[0];
        for (std::int64_t o = 0; o < outer; ++o) {
          float sum = 0;
          for (std::int64_t t = 0; t < inner; ++t) {
            const std::int64_t l = backwards ? inner - 1 - t : t;
            const std::int64_t i = rows ? o : l, j = rows ? l : o;
            const float element = x.as<float>()[i * shape[1] + j];
            sum = t == 0 ? element : sum + element;
            expected.mutable_as<float>()[j * shape[0] + i] = sum;
          }
        }
        for (int lanes : {0, 3})
          EXPECT_TRUE(same_bits(expected, interpret(bound, std::array{x}, {2, false, lanes}).results[0]))
              << to_text(shape, Format::F32) << " over " << over << " backwards " << backwards;
      }
    }
  }
}

#if defined(__x86_64__)
TEST(Interpret, TheCallersFloatModesChangeNothing) {
  // Products and sums of subnormals, and roundings: flush to zero, subnormals as zero, rounding up would each change some.
  Random random(5);
  Tensor lhs = random_floats(random, {4, 50}), rhs = random_floats(random, {50, 40});
  for (std::int64_t i = 0; i < rhs.size(); i += 3)
    rhs.set(i, smallest_subnormal(Format::F32) + static_cast<Bits>(random.below(1 << 22)));
  for (std::int64_t i = 0; i < lhs.size(); i += 5) lhs.set(i, smallest_normal(Format::F32));
  for (Product product : {Product::Rounded, Product::Fused}) {
    const BoundProgram bound = matmul(4, 50, 40, product, false, false);
    const Tensor expected = interpret_slowly(bound, std::array{lhs, rhs}).results[0];
    for (int threads : {1, 3}) {
      const unsigned before = _mm_getcsr();
      constexpr unsigned kFlush = 0x8040, kUp = 0x4000;
      _mm_setcsr(before | kFlush | kUp);
      const Tensor actual = interpret(bound, std::array{lhs, rhs}, {threads}).results[0];
      const unsigned after = _mm_getcsr();
      _mm_setcsr(before);
      EXPECT_EQ(after & (kFlush | kUp), kFlush | kUp) << "not restored";
      EXPECT_TRUE(same_bits(expected, actual));
    }
  }
}
#endif
