// Divisions and roots: rounded as IEEE 754 says, or rewritten into a product with a reciprocal.
#include <fmt/format.h>

#include <algorithm>

#include "backends/traits/elementwise.h"

namespace bitpact::traits {
namespace {

const Scalar kOne{F, 0x3f80'0000};

Bits root_then_divide(Scalar x) { return divide(kOne, {F, square_root(x, F)}, F); }

// 1 / sqrt(x) to 53 bits, rounded to f32; the operands are chosen so that it lies away from a tie, and is then the value rounded
// once.
Bits rounded_once(Scalar x) { return convert({D, divide({F, kOne.bits}, {D, square_root(x, D)}, D)}, F); }
bool away_from_tie(Scalar x) {
  const Bits low = divide({F, kOne.bits}, {D, square_root(x, D)}, D) & 0x1fff'ffff;
  return low < 0x0fff'ff00 || low > 0x1000'0100;
}

std::uint64_t greatest_distance(const Tensor& a, const Tensor& b) {
  std::uint64_t greatest = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) greatest = std::max(greatest, ulp_distance(F, a.get(i), b.get(i)));
  return greatest;
}

// Words by bits first; else within a few units in the last place of the first word's results it is an approximation.
std::function<Judged(std::span<const Tensor>)> or_approximate(const Question& q) {
  Question plain = q;
  plain.judge = nullptr;
  return [plain](std::span<const Tensor> results) -> Judged {
    Judged judged = judge(plain, results);
    if (judged.answer != kUnknown) return judged;
    const Tensor& exact = plain.words.front().results.front();
    const std::uint64_t ulps = greatest_distance(results[0], exact);
    constexpr std::uint64_t kStillClose = 8;
    if (ulps > kStillClose) return judged;
    // With what period: an approximation in the vector body only leaves the tail right.
    std::int64_t last_wrong = 0;
    for (std::int64_t i = 0; i < exact.size(); ++i)
      if (exact.get(i) != results[0].get(i)) last_wrong = i;
    return {"approximate",
            fmt::format("up to {} ulp off the rounded value, last at element {} of {}", ulps, last_wrong, exact.size())};
  };
}

std::vector<Row> roots(Draw& draw, size_t count) {
  std::vector<Row> rows;
  while (rows.size() < count) {
    Scalar x = draw.number(F, -20, 20);
    x.bits &= 0x7fff'ffff;
    if (away_from_tie(x) && root_then_divide(x) != rounded_once(x)) rows.push_back({x, x});
  }
  return rows;
}

}  // namespace

std::vector<Question> division_questions() {
  std::vector<Question> all;
  Draw draw(4);
  const std::vector<RowWord> divides{
      {"rounded", "the quotient, rounded once", [](const Row& r) { return std::vector{divide(r[0], r[1], F)}; }},
      {"reciprocal", "times the rounded reciprocal: two roundings", [](const Row& r) {
         return std::vector{multiply(r[0], {F, divide(kOne, r[1], F)}, F)};
       }}};
  const auto quotient = [](Draw& d) { return Row{d.number(F, -8, 8), d.number(F, -8, 8)}; };
  const auto approximate = [](Question q, const std::string& sentence) {
    q.judge = or_approximate(q);
    q.words.push_back({"approximate", sentence});
    return q;
  };
  all.push_back(approximate(make({"divide",
                                  "division",
                                  "x / y, f32",
                                  "elementwise",
                                  draw.parting(11, divides, quotient),
                                  {F},
                                  {"%r = stablehlo.divide %a, %b : {T}f32>"},
                                  {"%r"},
                                  divides,
                                  false,
                                  true}),
                            "neither the quotient nor the product with the reciprocal, but near"));

  // x / constant.
  std::vector<RowWord> by_seven = divides;
  const auto sevenths = draw.parting(11, divides, [](Draw& d) { return Row{d.number(F, -8, 8), f32(7)}; });
  std::vector<Row> dividends;
  for (const Row& row : sevenths) dividends.push_back({row[0]});
  for (RowWord& word : by_seven) word.value = [inner = word.value](const Row& r) { return inner(Row{r[0], f32(7)}); };
  all.push_back(make({"divide_by_constant",
                      "division",
                      "x / 7, the divisor a constant, f32",
                      "elementwise",
                      dividends,
                      {F},
                      {"%k = stablehlo.constant dense<7.0> : {T}f32>", "%r = stablehlo.divide %a, %k : {T}f32>"},
                      {"%r"},
                      by_seven,
                      false,
                      true}));

  // x / a value that is known at run time only, one for all x.
  Question broadcast = make(
      {"divide_by_broadcast",
       "division",
       "x / one run-time value for all x, f32",
       "elementwise",
       dividends,
       {F},
       {"%s = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> {T}f32>", "%r = stablehlo.divide %a, %s : {T}f32>"},
       {"%r"},
       by_seven,
       false,
       true});
  Tensor seven(F, {});
  seven.set(0, f32(7).bits);
  broadcast.operands.push_back(seven);
  all.push_back(broadcast);

  std::vector<Row> divisors{{kOne}, {f32(3)}};
  for (int i = 0; i < 9; ++i) divisors.push_back({draw.number(F, -8, 8)});
  all.push_back(approximate(
      make({"reciprocal",
            "division",
            "1 / x, f32",
            "elementwise",
            divisors,
            {F},
            {"%k = stablehlo.constant dense<1.0> : {T}f32>", "%r = stablehlo.divide %k, %a : {T}f32>"},
            {"%r"},
            {{"rounded", "the quotient, rounded once", [](const Row& r) { return std::vector{divide(kOne, r[0], F)}; }}},
            false,
            true}),
      "an approximation of the reciprocal"));

  std::vector<Row> radicands;
  for (int i = 0; i < 11; ++i) {
    Scalar x = draw.number(F, -20, 20);
    x.bits &= 0x7fff'ffff;
    radicands.push_back({x});
  }
  all.push_back(approximate(make({"sqrt",
                                  "division",
                                  "square root, f32",
                                  "elementwise",
                                  radicands,
                                  {F},
                                  {"%r = stablehlo.sqrt %a : {T}f32>"},
                                  {"%r"},
                                  {{"rounded", "rounded once", [](const Row& r) { return std::vector{square_root(r[0], F)}; }}},
                                  false,
                                  true}),
                            "an approximation"));

  const std::vector<RowWord> rsqrt{
      {"rounded-once", "the rounded value", [](const Row& r) { return std::vector{rounded_once(r[0])}; }},
      {"root-then-divide", "as 1 / sqrt(x): two roundings", [](const Row& r) { return std::vector{root_then_divide(r[0])}; }}};
  std::vector<Row> alone;
  for (const Row& row : roots(draw, 11)) alone.push_back({row[0]});
  all.push_back(approximate(
      make({"rsqrt", "division", "rsqrt, f32", "elementwise", alone, {F}, {"%r = stablehlo.rsqrt %a : {T}f32>"}, {"%r"}, rsqrt}),
      "an approximation"));

  // 1 / sqrt(x), with rsqrt of the same values beside it. Many: an approximation with a Newton step gives most roots rightly.
  Question rewritten = make({"one_over_sqrt",
                             "division",
                             "1 / sqrt(x), f32",
                             "elementwise",
                             roots(draw, 101),
                             {F, F},
                             {"%k = stablehlo.constant dense<1.0> : {T}f32>", "%s = stablehlo.sqrt %a : {T}f32>",
                              "%r = stablehlo.divide %k, %s : {T}f32>", "%q = stablehlo.rsqrt %b : {T}f32>"},
                             {"%r", "%q"},
                             {{"root-then-divide", "two roundings, as written",
                               [](const Row& r) {
                                 return std::vector{root_then_divide(r[0]), Bits{0}};
                               }},
                              {"rounded-once", "rewritten into the rounded reciprocal root",
                               [](const Row& r) {
                                 return std::vector{rounded_once(r[0]), Bits{0}};
                               }}},
                             false,
                             true});
  for (Word& word : rewritten.words) word.results[1] = Tensor(Format::I1, {});  // not looked at
  const auto by_words = or_approximate(rewritten);
  rewritten.words.push_back({"rewritten-to-rsqrt", "rewritten: the bits of rsqrt(x)"});
  rewritten.words.push_back({"approximate", "rewritten into an approximation that is not rsqrt's"});
  rewritten.judge = [by_words](std::span<const Tensor> results) -> Judged {
    const Judged judged = by_words(results);
    if (judged.answer == "approximate" && greatest_distance(results[0], results[1]) == 0)
      return {"rewritten-to-rsqrt", judged.seen};
    return judged;
  };
  all.push_back(rewritten);
  return all;
}

}  // namespace bitpact::traits
