// What becomes of subnormals, operand and result each on its own. All operands are tensors given at run time: a compiler folds
// x + 0.0 away, and then nothing is flushed that would be.
#include <fmt/format.h>

#include "backends/traits/elementwise.h"

namespace bitpact::traits {
namespace {

using Op = std::function<Bits(const Row&, const Policy&)>;

std::vector<Row> both_signs(std::vector<Row> rows) {
  const size_t n = rows.size();
  for (size_t i = 0; i < n; ++i) {
    Row row = rows[i];
    row[0] = {row[0].format, negate(row[0])};
    rows.push_back(row);
  }
  return rows;
}

struct Flush {
  std::string id, title, sheet;
  Format result;
  std::vector<std::string> body;
  std::vector<Row> rows;
  Op op;
};

Question flush_question(const Flush& q, std::vector<RowWord> words) {
  return make({q.id, "subnormals", q.title, q.sheet, q.rows, {q.result}, q.body, {"%r"}, std::move(words), false, true});
}

/// The operation under a policy, as a word's value.
auto under(const Flush& q, const Policy& policy) {
  return [op = q.op, policy](const Row& r) { return std::vector{op(r, policy)}; };
}

Question operand(const Flush& q) {
  return flush_question(q, {{"kept", "the operand counts", under(q, {})},
                            {"flushed", "the operand counts as a zero of its sign", under(q, {.flush_in = true})}});
}

Question result(const Flush& q) {
  return flush_question(q, {{"kept", "the result is there", under(q, {})},
                            {"flushed", "the result becomes a zero of its sign", under(q, {.flush_out = true})},
                            {"flushed-to-plus-zero", "the result becomes +0", [q](const Row& r) {
                               const Bits kept = q.op(r, {});
                               return std::vector{classify(q.result, kept) == Class::Subnormal ? positive_zero(q.result) : kept};
                             }}});
}

}  // namespace

std::vector<Question> subnormal_questions() {
  const Op times = [](const Row& r, const Policy& p) { return multiply(r[0], r[1], F, p); };
  const Op plus = [](const Row& r, const Policy& p) { return add(r[0], r[1], F, p); };
  const Op over = [](const Row& r, const Policy& p) { return divide(r[0], r[1], F, p); };
  const Op root = [](const Row& r, const Policy& p) { return square_root(r[0], F, p); };
  const auto op = [](const char* spelled) {
    return std::vector<std::string>{fmt::format("%r = stablehlo.{} : {{T}}f32>", spelled)};
  };
  const auto to = [](Format from, Format format) {
    return std::vector<std::string>{fmt::format("%r = stablehlo.convert %a : ({{T}}{}>) -> {{T}}{}>", name(from), name(format))};
  };
  const auto converted = [](Format format) {
    return [format](const Row& r, const Policy& p) { return convert(r[0], format, p); };
  };
  const Scalar tiny = f32_bits(1), some = f32_bits(0x0012'3456), most = f32_bits(0x007f'ffff), two64 = f32(0x1p64F);

  std::vector<Question> all;
  // -inf * 1.4e-45 is -inf; of a zero it is NaN.
  all.push_back(
      operand({"multiply_subnormal_operand", "multiply, a subnormal operand, f32", "elementwise", F, op("multiply %a, %b"),
               both_signs({{tiny, f32(0x1p100F)}, {some, two64}, {most, two64}, {tiny, {F, infinity(F, true)}}}), times}));
  all.push_back(result(
      {"multiply_subnormal_result", "multiply, a subnormal result, f32", "elementwise", F, op("multiply %a, %b"),
       both_signs({{f32(0x1p-100F), f32(0x1p-40F)}, {f32(0x1.8p-70F), f32(0x1.2p-60F)}, {f32(0x1p-126F), f32(0.5F)}}), times}));
  const Scalar low = f32(0x1.8p-126F), least = f32(0x1p-126F);
  all.push_back(
      operand({"add_subnormal_operand", "add, a subnormal operand, f32", "elementwise", F, op("add %a, %b"),
               both_signs({{some, f32(0x1p-120F)}, {most, f32(0x1p-121F)}, {f32_bits(0x0040'0000), f32(0x1p-110F)}}), plus}));
  std::vector<Row> differences{{low, {F, negate(least)}},
                               {{F, negate(low)}, least},
                               {f32(0x1.1p-125F), {F, negate(f32(0x1p-125F))}},
                               {f32(-0x1.1p-125F), f32(0x1p-125F)}};
  all.push_back(result({"add_subnormal_result", "add, a subnormal result of normal operands, f32", "elementwise", F,
                        op("add %a, %b"), differences, plus}));
  all.push_back(
      operand({"divide_subnormal_operand", "divide, a subnormal dividend or divisor, f32", "elementwise", F, op("divide %a, %b"),
               both_signs({{some, f32(0x1p-60F)}, {most, f32(0x1p-64F)}, {f32(0x1p-100F), f32_bits(0x0010'0000)}}), over}));
  all.push_back(result({"divide_subnormal_result", "divide, a subnormal result, f32", "elementwise", F, op("divide %a, %b"),
                        both_signs({{f32(0x1p-100F), f32(0x1p40F)}, {f32(0x1.8p-80F), f32(0x1p55F)}}), over}));
  all.push_back(operand({"sqrt_subnormal_operand",
                         "square root of a subnormal, f32",
                         "elementwise",
                         F,
                         op("sqrt %a"),
                         {{tiny}, {some}, {most}, {f32_bits(0x0040'0000)}},
                         root}));
  all.push_back(result({"convert_bf16_subnormal", "f32 to bf16, both subnormal", "narrow", Format::BF16, to(F, Format::BF16),
                        both_signs({{f32_bits(0x0012'0000)}, {f32_bits(0x0040'0000)}}), converted(Format::BF16)}));
  all.push_back(
      result({"convert_f16_subnormal_result", "f32 to f16, a subnormal result", "narrow", Format::F16, to(F, Format::F16),
              both_signs({{f32(0x1p-20F)}, {f32(0x1.8p-16F)}, {f32(0x1p-24F)}}), converted(Format::F16)}));
  all.push_back(operand({"convert_f16_subnormal_operand", "f16 to f32, a subnormal operand", "narrow", F, to(Format::F16, F),
                         both_signs({{{Format::F16, 1}}, {{Format::F16, 0x155}}, {{Format::F16, 0x3ff}}}), converted(F)}));
  all.push_back(
      operand({"add_f16_subnormal_operand",
               "add, a subnormal operand, f16",
               "narrow",
               Format::F16,
               {"%r = stablehlo.add %a, %b : {T}f16>"},
               both_signs({{{Format::F16, 0x155}, {Format::F16, 0x0c00}}, {{Format::F16, 0x3ff}, {Format::F16, 0x0800}}}),
               [](const Row& r, const Policy& p) { return add(r[0], r[1], Format::F16, p); }}));
  all.push_back(
      operand({"add_bf16_subnormal_operand",
               "add, a subnormal operand, bf16",
               "narrow",
               Format::BF16,
               {"%r = stablehlo.add %a, %b : {T}bf16>"},
               both_signs({{{Format::BF16, 0x55}, {Format::BF16, 0x0180}}, {{Format::BF16, 0x7f}, {Format::BF16, 0x0100}}}),
               [](const Row& r, const Policy& p) { return add(r[0], r[1], Format::BF16, p); }}));
  return all;
}

}  // namespace bitpact::traits
