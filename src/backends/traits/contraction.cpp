// What an elementwise multiply that feeds an addition becomes. The addend is the rounded product, negated: rounded twice the
// result is zero, fused it is what the first rounding dropped.
#include "backends/traits/elementwise.h"

namespace bitpact::traits {
namespace {

Scalar times(Scalar a, Scalar b) { return {F, multiply(a, b, F)}; }
Scalar minus(Scalar a) { return {F, negate(a)}; }

// Row: a, b and the rounded product.
Row factors(Draw& draw) {
  const Scalar a = draw.number(F, -3, 3), b = draw.number(F, -3, 3);
  return {a, b, times(a, b)};
}

std::vector<Row> with_last_negated(std::vector<Row> rows) {
  for (Row& row : rows) row.back() = minus(row.back());
  return rows;
}

}  // namespace

std::vector<Question> contraction_questions() {
  std::vector<Question> all;
  Draw draw(1);
  const std::string fused = "one fused multiply-add: the product is not rounded";
  const std::string rounded = "two roundings: the product is rounded, then the sum";

  const std::vector<RowWord> plus{
      {"fused", fused, [](const Row& r) { return std::vector{fused_multiply_add(r[0], r[1], r[2], F)}; }},
      {"rounded", rounded, [](const Row& r) { return std::vector{add(times(r[0], r[1]), r[2], F)}; }}};
  const auto sums = draw.parting(11, plus, [](Draw& d) {
    Row r = factors(d);
    r[2] = minus(r[2]);
    return r;
  });
  all.push_back(make({"multiply_add",
                      "contraction",
                      "multiply, then add, f32",
                      "elementwise",
                      sums,
                      {F},
                      {"%p = stablehlo.multiply %a, %b : {T}f32>", "%r = stablehlo.add %p, %c : {T}f32>"},
                      {"%r"},
                      plus,
                      false,
                      true}));

  const std::vector<RowWord> less{
      {"fused", fused, [](const Row& r) { return std::vector{fused_multiply_add(r[0], r[1], minus(r[2]), F)}; }},
      {"rounded", rounded, [](const Row& r) { return std::vector{subtract(times(r[0], r[1]), r[2], F)}; }}};
  all.push_back(make({"multiply_subtract",
                      "contraction",
                      "multiply, then subtract, f32",
                      "elementwise",
                      draw.parting(11, less, factors),
                      {F},
                      {"%p = stablehlo.multiply %a, %b : {T}f32>", "%r = stablehlo.subtract %p, %c : {T}f32>"},
                      {"%r"},
                      less,
                      false,
                      true}));

  const std::vector<RowWord> from{
      {"fused", fused, [](const Row& r) { return std::vector{fused_multiply_add(minus(r[0]), r[1], r[2], F)}; }},
      {"rounded", rounded, [](const Row& r) { return std::vector{subtract(r[2], times(r[0], r[1]), F)}; }}};
  all.push_back(make({"subtract_product",
                      "contraction",
                      "subtract a product, f32",
                      "elementwise",
                      draw.parting(11, from, factors),
                      {F},
                      {"%p = stablehlo.multiply %a, %b : {T}f32>", "%r = stablehlo.subtract %c, %p : {T}f32>"},
                      {"%r"},
                      from,
                      false,
                      true}));

  const std::vector<RowWord> twice{{"fused", "the sum fuses it, the other use rounds it",
                                    [](const Row& r) {
                                      return std::vector{fused_multiply_add(r[0], r[1], r[2], F), multiply(r[0], r[1], F)};
                                    }},
                                   {"rounded", "rounded once, for both uses", [](const Row& r) {
                                      return std::vector{add(times(r[0], r[1]), r[2], F), multiply(r[0], r[1], F)};
                                    }}};
  all.push_back(make({"product_used_twice",
                      "contraction",
                      "multiply, then add, the product also a result",
                      "elementwise",
                      with_last_negated(draw.parting(11, less, factors)),
                      {F, F},
                      {"%p = stablehlo.multiply %a, %b : {T}f32>", "%r = stablehlo.add %p, %c : {T}f32>"},
                      {"%r", "%p"},
                      twice,
                      false,
                      true}));

  all.push_back(make({"barrier_multiply_add",
                      "contraction",
                      "multiply, optimization_barrier, add, f32",
                      "elementwise",
                      draw.parting(11, plus,
                                   [](Draw& d) {
                                     Row r = factors(d);
                                     r[2] = minus(r[2]);
                                     return r;
                                   }),
                      {F},
                      {"%p = stablehlo.multiply %a, %b : {T}f32>", "%q = stablehlo.optimization_barrier %p : {T}f32>",
                       "%r = stablehlo.add %q, %c : {T}f32>"},
                      {"%r"},
                      plus,
                      false,
                      true}));

  // a * b - c * d with c = a and d = b in tensors of their own: nothing but the contraction tells the two products apart.
  const std::vector<RowWord> two{
      {"rounded", "both products rounded: equal ones cancel",
       [](const Row& r) { return std::vector{subtract(times(r[0], r[1]), times(r[2], r[3]), F)}; }},
      {"first-unrounded", "the first product stays unrounded: equal ones do not cancel",
       [](const Row& r) { return std::vector{fused_multiply_add(r[0], r[1], minus(times(r[2], r[3])), F)}; }},
      {"second-unrounded", "the second product stays unrounded: equal ones do not cancel",
       [](const Row& r) { return std::vector{fused_multiply_add(minus(r[2]), r[3], times(r[0], r[1]), F)}; }}};
  std::vector<Row> pairs{{f32(1e20F), f32(1e10F), f32(1e20F), f32(1e10F)},
                         {f32(1.1F), f32(1.3F), f32(1.1F), f32(1.3F)},
                         {f32(3.3F), f32(7.7F), f32(3.3F), f32(7.7F)}};
  const auto more = draw.parting(8, two, [](Draw& d) {
    const Row r = factors(d);
    return Row{r[0], r[1], r[0], r[1]};
  });
  pairs.insert(pairs.end(), more.begin(), more.end());
  all.push_back(make({"two_products",
                      "contraction",
                      "a*x - b*y, f32",
                      "elementwise",
                      pairs,
                      {F},
                      {"%p = stablehlo.multiply %a, %b : {T}f32>", "%s = stablehlo.multiply %c, %d : {T}f32>",
                       "%r = stablehlo.subtract %p, %s : {T}f32>"},
                      {"%r"},
                      two}));
  return all;
}

}  // namespace bitpact::traits
