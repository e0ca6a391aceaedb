// Whether f64 inside a module is computed in f64, and whether the exact FMA that is made of f64 steps holds.
#include <fmt/format.h>

#include "backends/traits/elementwise.h"
#include "emit/emit.h"

namespace bitpact::traits {
namespace {

Question inside() {
  // (a + b) - c with c = a + round(b): what is left of b's low bits is there in f64, not in f32.
  const std::vector<RowWord> words{{"kept", "computed in f64",
                                    [](const Row& r) {
                                      return std::vector{convert({D, subtract({D, add(r[0], r[1], D)}, r[2], D)}, F)};
                                    }},
                                   {"demoted", "computed in f32", [](const Row& r) {
                                      return std::vector{subtract({F, add(r[0], r[1], F)}, r[2], F)};
                                    }}};
  Draw draw(9);
  const auto rows = draw.parting(11, words, [](Draw& d) {
    const Scalar a = d.number(F, 0, 4), b = d.number(F, -12, -6);
    return Row{a, b, {F, add(a, b, F)}};
  });
  std::vector<std::string> body;
  for (const char* x : {"a", "b", "c"})
    body.push_back(fmt::format("%{0}d = stablehlo.convert %{0} : ({{T}}f32>) -> {{T}}f64>", x));
  body.emplace_back("%s = stablehlo.add %ad, %bd : {T}f64>");
  body.emplace_back("%e = stablehlo.subtract %s, %cd : {T}f64>");
  body.emplace_back("%r = stablehlo.convert %e : ({T}f64>) -> {T}f32>");
  return make(
      {"f64_inside", "f64", "f32 to f64, computed on, back to f32", "narrow", rows, {F}, body, {"%r"}, words, false, true});
}

// The emitter's own FMA through f64, on sums that rounded to f64 first would be a tie in f32.
Question fma_through_f64() {
  const std::vector<RowWord> words{{"exact", "an exact FMA can be made of f64 steps",
                                    [](const Row& r) { return std::vector{fused_multiply_add(r[0], r[1], r[2], F)}; }},
                                   {"rounded-twice", "the sum is rounded to f64 first",
                                    [](const Row& r) {
                                      return std::vector{convert({D, fused_multiply_add(r[0], r[1], r[2], D)}, F)};
                                    }},
                                   {"product-rounded", "the product is rounded", [](const Row& r) {
                                      return std::vector{add({F, multiply(r[0], r[1], F)}, r[2], F)};
                                    }}};
  Draw draw(10);
  std::vector<Row> rows;
  for (int k = 15; k < 21; ++k)
    for (const int odd : {0x3f80'0001, 0x3fc0'0003}) {
      // (2^-12 + 2^(-12 - k)) (2^-12 - 2^(-12 - k)) is 2^-24 - 2^(-24 - 2k): just below half a unit of c, whose last bit is odd.
      const Scalar a = f32_bits((127 - 12) << 23 | 1U << (23 - k)),
                   b{F, subtract(f32(0x1p-12F), {F, Bits(127 - 12 - k) << 23}, F)};
      const Scalar c = f32_bits(static_cast<std::uint32_t>(odd));
      rows.push_back({a, b, c});
      rows.push_back({{F, negate(a)}, b, {F, negate(c)}});
    }
  const std::vector<RowWord> plain{words[0], words[2]};
  for (Row& row : draw.parting(13, plain, [](Draw& d) {
         return Row{d.number(F, -3, 3), d.number(F, -3, 3), d.number(F, -3, 3)};
       }))
    rows.push_back(std::move(row));
  Question q = make(
      {"fma_through_f64", "f64", "FMA made of f64 steps, f32", "fma_through_f64", rows, {F}, {}, {"%r"}, words, false, true});
  BodyBuilder body({F, F, F});
  const int fma = body.op(ScalarOp::Fma, F, {0, 1, 2});
  NumericProgram program;
  for (const char* name : {"a", "b", "c"}) program.nodes.emplace_back(Input{name, F, {"i"}});
  program.nodes.emplace_back(Map{{0, 1, 2}, body.finish({fma}), {"i"}});
  program.results = {3};
  Traits traits;
  traits.contracts_multiply_add = false;
  traits.keeps_f64 = true;
  q.module = emit({program, {{"i", q.operands[0].size()}}}, traits).front().module;
  return q;
}

}  // namespace

std::vector<Question> wide_questions() { return {inside(), fma_through_f64()}; }

}  // namespace bitpact::traits
