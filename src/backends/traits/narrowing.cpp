// Whether a rounding to a narrow format stays where a wider one follows: on its own, between two roundings of a chain, and where
// the operations themselves are narrow.
#include <fmt/format.h>

#include <algorithm>

#include "backends/traits/elementwise.h"

namespace bitpact::traits {
namespace {

Scalar narrowed(Format format, Scalar x) { return in(F, in(format, x)); }
Scalar times(Scalar a, Scalar b) { return {F, multiply(a, b, F)}; }
Scalar plus(Scalar a, Scalar b) { return {F, add(a, b, F)}; }

Question there_and_back(Format format) {
  const std::string n(name(format));
  const std::vector<RowWord> words{
      {"kept", "the narrow format's rounding is there", [=](const Row& r) { return std::vector{narrowed(format, r[0]).bits}; }},
      {"elided", "dropped: the operand comes back unrounded", [](const Row& r) { return std::vector{r[0].bits}; }}};
  Draw draw(static_cast<std::uint32_t>(format) + 100);
  std::vector<Row> rows{{f32(1.00390625F)}, {f32(1.01F)}, {f32(3.1415927F)}};  // the first is a tie in bf16
  // Exponents that every narrow format has as normal numbers, f8E4M3FN's 448 and f4's 6 included.
  for (const Row& row : draw.parting(8, words, [](Draw& d) { return Row{d.number(F, 0, 1)}; })) rows.push_back(row);
  Question q = make({"narrow_widen_" + n,
                     "narrowing",
                     fmt::format("f32 to {} and back", n),
                     info(format).bits == 16 ? "narrow" : "narrow_" + n,
                     rows,
                     {F},
                     {fmt::format("%n = stablehlo.convert %a : ({{T}}f32>) -> {{T}}{}>", n),
                      fmt::format("%r = stablehlo.convert %n : ({{T}}{}>) -> {{T}}f32>", n)},
                     {"%r"},
                     words});
  return q;
}

// f(f32(a) * f32(b)) rounded to the format, widened, + f32(c), rounded to the format.
Question in_chain(Format format) {
  const std::string n(name(format));
  const auto product = [](const Row& r) { return times(in(F, r[0]), in(F, r[1])); };
  const std::vector<RowWord> words{
      {"kept", "rounded in the middle, too",
       [=](const Row& r) { return std::vector{in(format, plus(narrowed(format, product(r)), in(F, r[2]))).bits}; }},
      {"elided", "the rounding in the middle is dropped",
       [=](const Row& r) { return std::vector{in(format, plus(product(r), in(F, r[2]))).bits}; }}};
  Draw draw(static_cast<std::uint32_t>(format) + 200);
  const auto rows = draw.parting(11, words, [=](Draw& d) {
    return Row{d.number(format, -2, 2), d.number(format, -2, 2), d.number(format, -2, 2)};
  });
  std::vector<std::string> body;
  for (const char* x : {"a", "b", "c"})
    body.push_back(fmt::format("%{0}w = stablehlo.convert %{0} : ({{T}}{1}>) -> {{T}}f32>", x, n));
  body.push_back("%p = stablehlo.multiply %aw, %bw : {T}f32>");
  body.push_back(fmt::format("%n = stablehlo.convert %p : ({{T}}f32>) -> {{T}}{}>", n));
  body.push_back(fmt::format("%w = stablehlo.convert %n : ({{T}}{}>) -> {{T}}f32>", n));
  body.emplace_back("%s = stablehlo.add %w, %cw : {T}f32>");
  body.push_back(fmt::format("%r = stablehlo.convert %s : ({{T}}f32>) -> {{T}}{}>", n));
  return make({"narrow_in_chain_" + n,
               "narrowing",
               fmt::format("{0} operands, product rounded to {0}, then a sum", n),
               "narrow",
               rows,
               {format},
               body,
               {"%r"},
               words});
}

// multiply and add of the narrow format.
Question native_chain(Format format) {
  const std::string n(name(format));
  const std::vector<RowWord> words{{"kept", "each operation rounds",
                                    [=](const Row& r) {
                                      return std::vector{add({format, multiply(r[0], r[1], format)}, r[2], format)};
                                    }},
                                   {"elided", "computed wider, rounded at the end",
                                    [=](const Row& r) { return std::vector{fused_multiply_add(r[0], r[1], r[2], format)}; }}};
  Draw draw(static_cast<std::uint32_t>(format) + 300);
  const auto rows = draw.parting(11, words, [=](Draw& d) {
    return Row{d.number(format, -2, 2), d.number(format, -2, 2), d.number(format, -2, 2)};
  });
  return make(
      {"native_chain_" + n,
       "narrowing",
       fmt::format("multiply, then add, of {}", n),
       "narrow",
       rows,
       {format},
       {fmt::format("%p = stablehlo.multiply %a, %b : {{T}}{}>", n), fmt::format("%r = stablehlo.add %p, %c : {{T}}{}>", n)},
       {"%r"},
       words});
}

}  // namespace

std::vector<Question> narrowing_questions() {
  std::vector<Question> all;
  // The 8-bit formats that are known here, by name; f8E8M0FNU has no fraction to round to.
  for (const char* spelled : {"bf16", "f16", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"})
    if (const std::optional<Format> format = format_named(spelled)) all.push_back(there_and_back(*format));
  for (const Format format : {Format::BF16, Format::F16}) {
    all.push_back(in_chain(format));
    all.push_back(native_chain(format));
  }
  return all;
}

}  // namespace bitpact::traits
