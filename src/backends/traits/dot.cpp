// The order in which `dot_general` adds, at a few sizes, and whether it rounds the products.
#include <fmt/format.h>

#include "backends/traits/elementwise.h"
#include "backends/traits/order_probe.h"

namespace bitpact::traits {
namespace {

constexpr Format F = Format::F32;

std::string dot(const Tensor& lhs, const Tensor& rhs, const OperandSpec& result) {
  return fmt::format("%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({}, {}) -> {}", type(lhs), type(rhs), type(result));
}

Tensor filled(Format format, Shape shape, Bits bits) {
  Tensor t(format, std::move(shape));
  for (std::int64_t i = 0; i < t.size(); ++i) t.set(i, bits);
  return t;
}

/// Masks in the rows of the left operand, or in the columns of the right one; units elsewhere, and ones on the other side.
Question masked(const std::string& id, const std::string& title, const std::string& sheet, Format format, std::int64_t n, const Pairs& pairs,
                bool on_the_left, std::int64_t others) {
  Question q{id, "order of dot_general", title, sheet};
  const MaskValues values = mask_values(format);
  const auto count = static_cast<std::int64_t>(pairs.size());
  Tensor masks(format, on_the_left ? Shape{count, n} : Shape{n, count});
  for (std::int64_t p = 0; p < count; ++p)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto [plus, minus] = pairs[static_cast<size_t>(p)];
      masks.set(on_the_left ? p * n + i : i * count + p, i == plus ? values.mask : i == minus ? negate({format, values.mask}) : values.unit);
    }
  const Tensor ones = filled(format, on_the_left ? Shape{n, others} : Shape{others, n}, one(format));
  q.operands = on_the_left ? std::vector{masks, ones} : std::vector{ones, masks};
  q.results = {{F, on_the_left ? Shape{count, others} : Shape{others, count}}};
  q.body = {dot(q.operands[0], q.operands[1], q.results[0])};
  q.returns = {"%r"};
  const Bits unit = convert({format, values.unit}, F);
  q.words = order_words(n, pairs, [=](const std::vector<std::int64_t>& through) {
    Tensor sums(F, on_the_left ? Shape{count, others} : Shape{others, count});
    for (std::int64_t p = 0; p < count; ++p) {
      const Bits ones_there = convert({Format::I64, static_cast<Bits>(through[static_cast<size_t>(p)])}, F);
      for (std::int64_t o = 0; o < others; ++o) sums.set(on_the_left ? p * others + o : o * count + p, multiply({F, ones_there}, {F, unit}, F));
    }
    return std::vector{sums};
  });
  q.for_emission = true;
  return q;
}

// Row (i, j): at an even place j a product that f32 does not hold, at an odd place i the same product rounded and negated, as an
// exact product. Rounded products cancel wherever the two lie; a fused one that comes after the other leaves what its rounding
// would have dropped; an accumulator that holds products exactly leaves it everywhere.
Question products() {
  Question q{"dot_products", "order of dot_general", "products of 256x32 by 32x8, f32", "dot"};
  constexpr std::int64_t kHalf = 16, kLeaves = 2 * kHalf, kColumns = 8, kRows = kHalf * kHalf;
  const Scalar a = f32(1.1F), b = f32(1.3F);
  const Scalar product{F, multiply(a, b, F)};
  const Bits dropped = fused_multiply_add(a, b, {F, negate(product)}, F);
  Tensor lhs(F, {kRows, kLeaves}), rhs(F, {kLeaves, kColumns});
  for (std::int64_t k = 0; k < kLeaves; ++k)
    for (std::int64_t c = 0; c < kColumns; ++c) rhs.set(k * kColumns + c, k % 2 == 0 ? b.bits : one(F));
  for (std::int64_t r = 0; r < kRows; ++r) {
    lhs.set(r * kLeaves + 2 * (r % kHalf), a.bits);
    lhs.set(r * kLeaves + 2 * (r / kHalf) + 1, negate(product));
  }
  q.operands = {lhs, rhs};
  q.results = {{F, {kRows, kColumns}}};
  q.body = {dot(lhs, rhs, q.results[0])};
  q.returns = {"%r"};
  Tensor in_order(F, {kRows, kColumns});
  for (std::int64_t r = 0; r < kRows; ++r)
    for (std::int64_t c = 0; c < kColumns; ++c) in_order.set(r * kColumns + c, 2 * (r % kHalf) > 2 * (r / kHalf) + 1 ? dropped : 0);
  q.words = {{"rounded", "each product is rounded", {filled(F, {kRows, kColumns}, 0)}},
             {"fused", "fused into the sum: not rounded", {in_order}},
             {"exact", "products and sum are kept wider than f32", {filled(F, {kRows, kColumns}, dropped)}},
             {"some-fused", "some products are fused into the sum, as its order has it"}};
  Question plain = q;
  q.judge = [plain, dropped](std::span<const Tensor> results) -> Judged {
    Judged judged = judge(plain, results);
    if (judged.answer != kUnknown) return judged;
    std::int64_t left = 0;
    for (std::int64_t i = 0; i < results[0].size(); ++i) {
      const Bits bits = results[0].get(i);
      if (bits != 0 && bits != dropped) return judged;
      left += bits == dropped ? 1 : 0;
    }
    return {"some-fused", fmt::format("{} of {} pairs leave what the rounding drops", left, results[0].size())};
  };
  q.for_emission = true;
  return q;
}

}  // namespace

std::vector<Question> dot_questions() {
  return {masked("dot_32", "496x32 by 32x8, f32", "dot", F, 32, all_pairs(32), true, 8),
          masked("dot_64", "63x64 by 64x64, f32", "dot", F, 64, from_the_first(64, 63), true, 64),
          masked("dot_row_64", "1x64 by 64x63, f32", "dot", F, 64, from_the_first(64, 63), false, 1),
          masked("dot_column_64", "63x64 by 64x1, f32", "dot", F, 64, from_the_first(64, 63), true, 1),
          masked("dot_1100", "160x1100 by 1100x8, f32", "dot", F, 1100, from_the_first(1100, 160), true, 8),
          masked("dot_bf16_1100", "160x1100 by 1100x8, bf16 to f32", "dot_narrow", Format::BF16, 1100, from_the_first(1100, 160), true, 8),
          masked("dot_f16_1100", "160x1100 by 1100x8, f16 to f32", "dot_narrow", Format::F16, 1100, from_the_first(1100, 160), true, 8),
          products()};
}

}  // namespace bitpact::traits
