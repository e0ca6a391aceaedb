// The order in which `reduce` adds, along rows and along columns, short and long, and over a whole vector.
#include <fmt/format.h>

#include "backends/traits/elementwise.h"
#include "backends/traits/order_probe.h"

namespace bitpact::traits {
namespace {

std::string reduction(const Tensor& x, const std::string& operand, std::int64_t dimension, const OperandSpec& result) {
  return fmt::format("stablehlo.reduce({} init: %z) applies stablehlo.add across dimensions = [{}] : ({}, tensor<f32>) -> {}",
                     operand, dimension, type(x), type(result));
}

// `along` 1: [pairs, n] reduced to [pairs]; 0: [n, pairs].
Question masked(const std::string& id, const std::string& title, std::int64_t n, const Pairs& pairs, std::int64_t along) {
  Question q{id, "order of reduce", title, "reduce"};
  const auto rows = static_cast<std::int64_t>(pairs.size());
  const MaskValues values = mask_values(F);
  Tensor x(F, along == 1 ? Shape{rows, n} : Shape{n, rows});
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto [plus, minus] = pairs[static_cast<size_t>(r)];
      x.set(along == 1 ? r * n + i : i * rows + r, i == plus ? values.mask : i == minus ? negate({F, values.mask}) : values.unit);
    }
  q.operands = {x};
  q.results = {{F, {rows}}};
  q.body = {"%z = stablehlo.constant dense<0.0> : tensor<f32>", "%r = " + reduction(x, "%a", along, q.results[0])};
  q.returns = {"%r"};
  q.words = order_words(n, pairs, [rows](const std::vector<std::int64_t>& through) {
    Tensor sums(F, {rows});
    for (std::int64_t r = 0; r < rows; ++r)
      sums.set(r, convert({Format::I64, static_cast<Bits>(through[static_cast<size_t>(r)])}, F));
    return std::vector{sums};
  });
  q.judge = [plain = q, n, pairs](std::span<const Tensor> results) {
    return judge_order(plain, results, n, pairs, [&](std::int64_t p) { return whole_number({F, results[0].get(p)}); });
  };
  q.for_emission = true;
  return q;
}

// A vector summed to one value: masks would take a run a pair; here values tell the orders apart.
Question whole(std::int64_t n) {
  Question q{"reduce_vector", "order of reduce", fmt::format("{} values to one, f32", n), "reduce"};
  Draw draw(7);
  Tensor x(F, {n}), y(F, {n});
  for (std::int64_t i = 0; i < n; ++i) {
    x.set(i, draw.number(F, -6, 6).bits);
    y.set(i, draw.number(F, -1, 1).bits);
  }
  q.operands = {x, y};
  q.results = {{F, {}}, {F, {}}};
  q.body = {"%z = stablehlo.constant dense<0.0> : tensor<f32>", "%r = " + reduction(x, "%a", 0, q.results[0]),
            "%s = " + reduction(y, "%b", 0, q.results[1])};
  q.returns = {"%r", "%s"};
  std::vector<std::vector<Bits>> seen;
  for (const NamedOrder& named : named_orders()) {
    std::vector<Bits> sums;
    for (const Tensor* t : {&x, &y})
      sums.push_back(run_schedule<Bits>(
          named.order, n, [t](std::int64_t i) { return t->get(i); },
          [](const Bits& a, const Bits& b) {
            return add({F, a}, {F, b}, F);
          }));
    if (std::find(seen.begin(), seen.end(), sums) != seen.end()) continue;
    seen.push_back(sums);
    Word word{named.word, named.sentence};
    for (const Bits bits : sums) {
      word.results.emplace_back(F, Shape{});
      word.results.back().set(0, bits);
    }
    q.words.push_back(word);
  }
  q.for_emission = true;
  return q;
}

}  // namespace

std::vector<Question> reduce_questions() {
  return {masked("reduce_rows_32", "496 rows of 32, f32", 32, all_pairs(32), 1),
          masked("reduce_columns_32", "496 columns of 32, f32", 32, all_pairs(32), 0),
          masked("reduce_rows_1100", "160 rows of 1100, f32", 1100, from_the_first(1100, 160), 1),
          masked("reduce_columns_1100", "160 columns of 1100, f32", 1100, from_the_first(1100, 160), 0), whole(1000)};
}

}  // namespace bitpact::traits
