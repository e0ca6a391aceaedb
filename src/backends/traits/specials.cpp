// NaN and -0.
#include <fmt/format.h>

#include "backends/traits/elementwise.h"

namespace bitpact::traits {
namespace {

const Scalar kNan{F, 0x7fc0'0000}, kOne{F, 0x3f80'0000}, kTwo{F, 0x4000'0000}, kPlus{F, 0}, kMinus{F, 0x8000'0000};

Question nan_of(const std::string& op, bool maximum) {
  const auto better = [maximum](Scalar a, Scalar b) { return maximum ? less(b, a) : less(a, b); };
  const auto is_nan = [](Scalar a) { return classify(F, a.bits) == Class::NaN; };
  return make({op + "_nan",
               "NaN",
               fmt::format("{} of a NaN and a number", op),
               "elementwise",
               {{kNan, kOne},
                {kOne, kNan},
                {kOne, kTwo},
                {kTwo, kOne},
                {kNan, kNan},
                {{F, infinity(F)}, kNan},
                {kNan, {F, infinity(F, true)}}},
               {F},
               {fmt::format("%r = stablehlo.{} %a, %b : {{T}}f32>", op)},
               {"%r"},
               {{"propagates", "a NaN operand gives NaN",
                 [=](const Row& r) {
                   return std::vector{is_nan(r[0]) || is_nan(r[1]) ? kNan.bits : better(r[0], r[1]) ? r[0].bits : r[1].bits};
                 }},
                {"ignores", "the number wins",
                 [=](const Row& r) {
                   return std::vector{is_nan(r[0]) ? r[1].bits : is_nan(r[1]) || better(r[0], r[1]) ? r[0].bits : r[1].bits};
                 }},
                {"second", "the second operand wins where one is a NaN: depends on position",
                 [=](const Row& r) { return std::vector{better(r[0], r[1]) ? r[0].bits : r[1].bits}; }},
                {"first", "the first operand wins where one is a NaN: depends on position",
                 [=](const Row& r) { return std::vector{better(r[1], r[0]) ? r[1].bits : r[0].bits}; }}}});
}

Question zero_of(const std::string& op, bool maximum) {
  return make({op + "_zeros",
               "-0",
               fmt::format("{} of -0 and +0", op),
               "elementwise",
               {{kMinus, kPlus}, {kPlus, kMinus}, {kMinus, kMinus}, {kPlus, kPlus}},
               {F},
               {fmt::format("%r = stablehlo.{} %a, %b : {{T}}f32>", op)},
               {"%r"},
               {{"ordered", "-0 is less than +0",
                 [=](const Row& r) { return std::vector{maximum ? r[0].bits & r[1].bits : r[0].bits | r[1].bits}; }},
                {"first", "the first operand", [](const Row& r) { return std::vector{r[0].bits}; }},
                {"second", "the second operand", [](const Row& r) { return std::vector{r[1].bits}; }}}});
}

}  // namespace

std::vector<Question> special_questions() {
  std::vector<Question> all{nan_of("maximum", true), nan_of("minimum", false)};
  const std::vector<Row> payloads{{f32_bits(0x7fc1'2345), kOne}, {f32_bits(0xffc5'4321), kTwo}, {f32_bits(0x7fe0'0001), kOne}};
  Elementwise payload{
      "nan_payload",
      "NaN",
      "the payload of a NaN through multiply",
      "elementwise",
      payloads,
      {F},
      {"%r = stablehlo.multiply %a, %b : {T}f32>"},
      {"%r"},
      {{"handed-on", "sign and payload stay", [](const Row& r) { return std::vector{r[0].bits}; }},
       {"canonical", "0x7fc00000 whatever the operand", [](const Row&) { return std::vector<Bits>{0x7fc0'0000}; }},
       {"sign-dropped", "the payload stays, the sign does not",
        [](const Row& r) { return std::vector{r[0].bits & 0x7fff'ffff}; }}}};
  payload.raw_nans = true;
  all.push_back(make(payload));
  Elementwise made{"nan_made",
                   "NaN",
                   "the NaN that infinity - infinity and 0 * infinity make",
                   "elementwise",
                   {{{F, infinity(F)}, kPlus}, {{F, infinity(F, true)}, kPlus}},
                   {F, F},
                   {"%r = stablehlo.multiply %a, %b : {T}f32>", "%s = stablehlo.subtract %a, %a : {T}f32>"},
                   {"%r", "%s"},
                   {{"positive", "0x7fc00000",
                     [](const Row&) {
                       return std::vector<Bits>{0x7fc0'0000, 0x7fc0'0000};
                     }},
                    {"negative", "0xffc00000", [](const Row&) {
                       return std::vector<Bits>{0xffc0'0000, 0xffc0'0000};
                     }}}};
  made.raw_nans = true;
  all.push_back(make(made));

  all.push_back(make({"add_minus_zeros",
                      "-0",
                      "-0 + -0",
                      "elementwise",
                      {{kMinus, kMinus}},
                      {F},
                      {"%r = stablehlo.add %a, %b : {T}f32>"},
                      {"%r"},
                      {{"minus-zero", "-0, as IEEE 754 says", [](const Row&) { return std::vector{kMinus.bits}; }},
                       {"plus-zero", "+0", [](const Row&) { return std::vector{kPlus.bits}; }}}}));
  all.push_back(make({"add_constant_zero",
                      "-0",
                      "x + 0.0, the zero a constant, x = -0",
                      "elementwise",
                      {{kMinus}, {kPlus}, {kOne}},
                      {F},
                      {"%z = stablehlo.constant dense<0.0> : {T}f32>", "%r = stablehlo.add %a, %z : {T}f32>"},
                      {"%r"},
                      {{"added", "+0: the addition is there", [](const Row& r) { return std::vector{add(r[0], kPlus, F)}; }},
                       {"folded-away", "-0: the addition is dropped", [](const Row& r) { return std::vector{r[0].bits}; }}}}));
  all.push_back(zero_of("maximum", true));
  all.push_back(zero_of("minimum", false));
  return all;
}

}  // namespace bitpact::traits
