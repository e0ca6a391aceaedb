// The order in which `dot_general` adds, at a few sizes, and whether it rounds the products.
#include <fmt/format.h>

#include "backends/traits/elementwise.h"
#include "backends/traits/order_probe.h"

namespace bitpact::traits {
namespace {

std::string dot(const Tensor& lhs, const Tensor& rhs, const OperandSpec& result) {
  return fmt::format("%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({}, {}) -> {}", type(lhs), type(rhs),
                     type(result));
}

Tensor filled(Format format, Shape shape, Bits bits) {
  Tensor t(format, std::move(shape));
  for (std::int64_t i = 0; i < t.size(); ++i) t.set(i, bits);
  return t;
}

/// Masks in the rows of the left operand, or in the columns of the right one; units elsewhere, and ones on the other side.
Question masked(const std::string& id, const std::string& title, const std::string& sheet, Format format, std::int64_t n,
                const Pairs& pairs, bool on_the_left, std::int64_t others) {
  Question q{id, "order of dot_general", title, sheet};
  const MaskValues values = mask_values(format);
  const auto count = static_cast<std::int64_t>(pairs.size());
  Tensor masks(format, on_the_left ? Shape{count, n} : Shape{n, count});
  for (std::int64_t p = 0; p < count; ++p)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto [plus, minus] = pairs[static_cast<size_t>(p)];
      masks.set(on_the_left ? p * n + i : i * count + p, i == plus    ? values.mask
                                                         : i == minus ? negate({format, values.mask})
                                                                      : values.unit);
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
      for (std::int64_t o = 0; o < others; ++o)
        sums.set(on_the_left ? p * others + o : o * count + p, multiply({F, ones_there}, {F, unit}, F));
    }
    return std::vector{sums};
  });
  q.judge = [=, plain = q](std::span<const Tensor> results) {
    return judge_order(plain, results, n, pairs, [&](std::int64_t p) {
      return whole_number({F, divide({F, results[0].get(on_the_left ? p * others : p)}, {F, unit}, F)});
    });
  };
  q.for_emission = true;
  return q;
}

// Five dots, one a bit of the leaf's number. Row (i, j): at a place j without that bit a product that f32 does not hold, at a
// place i with it the same product rounded and negated, as an exact product. Rounded products cancel wherever the two lie; a
// fused one that comes after the other in its chain leaves what its rounding would have dropped; an accumulator that holds
// products exactly leaves it everywhere. Any two leaves differ in a bit, so that no order hides a fusion.
Question products() {
  Question q{"dot_products", "order of dot_general", "products of 256x32 by 32x8, f32", "dot"};
  constexpr std::int64_t kBits = 5, kHalf = 16, kLeaves = 32, kColumns = 8, kRows = kHalf * kHalf;
  const Scalar a = f32(1.1F), b = f32(1.3F);
  const Scalar product{F, multiply(a, b, F)};
  const Bits dropped = fused_multiply_add(a, b, {F, negate(product)}, F);
  q.words = {{"rounded", "each product is rounded"},
             {"fused", "fused into the sum: not rounded"},
             {"exact", "products and sum are kept wider than f32"},
             {"some-fused", "fused into the sum where its order has them meet"}};
  for (std::int64_t bit = 0; bit < kBits; ++bit) {
    std::vector<std::int64_t> with, without;
    for (std::int64_t k = 0; k < kLeaves; ++k) (k >> bit & 1 ? with : without).push_back(k);
    Tensor lhs(F, {kRows, kLeaves}), rhs(F, {kLeaves, kColumns}), in_order(F, {kRows, kColumns});
    for (std::int64_t k = 0; k < kLeaves; ++k)
      for (std::int64_t c = 0; c < kColumns; ++c) rhs.set(k * kColumns + c, k >> bit & 1 ? one(F) : b.bits);
    for (std::int64_t r = 0; r < kRows; ++r) {
      const std::int64_t j = without[static_cast<size_t>(r % kHalf)], i = with[static_cast<size_t>(r / kHalf)];
      lhs.set(r * kLeaves + j, a.bits);
      lhs.set(r * kLeaves + i, negate(product));
      for (std::int64_t c = 0; c < kColumns; ++c) in_order.set(r * kColumns + c, j > i ? dropped : 0);
    }
    q.operands.push_back(lhs);
    q.operands.push_back(rhs);
    q.results.push_back({F, {kRows, kColumns}});
    q.body.push_back(fmt::format("%r{} = stablehlo.dot_general %{}, %{}, contracting_dims = [1] x [0] : ({}, {}) -> {}", bit,
                                 static_cast<char>('a' + 2 * bit), static_cast<char>('b' + 2 * bit), type(lhs), type(rhs),
                                 type(q.results.back())));
    q.returns.push_back(fmt::format("%r{}", bit));
    q.words[0].results.push_back(filled(F, {kRows, kColumns}, 0));
    q.words[1].results.push_back(in_order);
    q.words[2].results.push_back(filled(F, {kRows, kColumns}, dropped));
  }
  Question plain = q;
  q.judge = [plain, dropped](std::span<const Tensor> results) -> Judged {
    Judged judged = judge(plain, results);
    if (judged.answer != kUnknown) return judged;
    std::int64_t left = 0, all = 0;
    for (const Tensor& result : results)
      for (std::int64_t i = 0; i < result.size(); ++i, ++all) {
        const Bits bits = result.get(i);
        if (bits != 0 && bits != dropped) return judged;
        left += bits == dropped ? 1 : 0;
      }
    return {"some-fused", fmt::format("{} of {} pairs leave what the rounding drops", left, all)};
  };
  q.for_emission = true;
  return q;
}

}  // namespace

std::vector<Question> dot_questions() {
  return {
      masked("dot_32", "496x32 by 32x8, f32", "dot", F, 32, all_pairs(32), true, 8),
      masked("dot_64", "63x64 by 64x64, f32", "dot", F, 64, from_the_first(64, 63), true, 64),
      masked("dot_row_64", "1x64 by 64x63, f32", "dot", F, 64, from_the_first(64, 63), false, 1),
      masked("dot_column_64", "63x64 by 64x1, f32", "dot", F, 64, from_the_first(64, 63), true, 1),
      masked("dot_1100", "160x1100 by 1100x8, f32", "dot", F, 1100, from_the_first(1100, 160), true, 8),
      masked("dot_bf16_1100", "160x1100 by 1100x8, bf16 to f32", "dot", Format::BF16, 1100, from_the_first(1100, 160), true, 8),
      masked("dot_f16_1100", "160x1100 by 1100x8, f16 to f32", "dot", Format::F16, 1100, from_the_first(1100, 160), true, 8),
      products()};
}

}  // namespace bitpact::traits
