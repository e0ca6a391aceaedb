// Float to integer where the value does not fit: StableHLO leaves it open.
#include <fmt/format.h>

#include "backends/traits/elementwise.h"

namespace bitpact::traits {
namespace {

constexpr Policy kToZero{.rounding = Rounding::TowardZero};

Bits saturated(Scalar x, Format to) { return convert(x, to, {.rounding = Rounding::TowardZero, .overflow = Overflow::Saturate}); }

// As x86's conversion does: what does not fit i32, and NaN, becomes the smallest i32.
Bits or_smallest(Scalar x) {
  const bool fits = classify(F, x.bits) != Class::NaN && !less(x, f32(-0x1p31F)) && less(x, f32(0x1p31F));
  return fits ? convert(x, Format::I32, kToZero) : Bits{0x8000'0000};
}

Question to_integer(Format to, const std::vector<Row>& rows, std::vector<RowWord> words) {
  const std::string n(name(to));
  return make({"convert_f32_" + n,
               "float to integer",
               fmt::format("f32 to {}, out of range and NaN", n),
               "narrow",
               rows,
               {to},
               {fmt::format("%r = stablehlo.convert %a : ({{T}}f32>) -> {{T}}{}>", n)},
               {"%r"},
               std::move(words)});
}

}  // namespace

std::vector<Question> conversion_questions() {
  const Scalar nan{F, quiet_nan(F)}, inf{F, infinity(F)}, minus_inf{F, infinity(F, true)};
  std::vector<Row> small, large;
  for (const Scalar x :
       {f32(200), f32(-200), f32(0), f32(127), f32(-128), f32(1e10F), f32(-1e10F), nan, inf, minus_inf, f32(300.75F)})
    small.push_back({x});
  for (const Scalar x : {f32(3e9F), f32(-3e9F), f32(5.5F), f32(-5.5F), f32(6e9F), f32(-1e20F), nan, inf, minus_inf})
    large.push_back({x});
  return {
      to_integer(
          Format::I8, small,
          {{"wraps", "the low byte of the integer; NaN and the infinities give 0",
            [](const Row& r) {
              return std::vector{convert({Format::I32, or_smallest(r[0])}, Format::I8)};
            }},
           {"saturates", "the nearest i8; NaN gives 0", [](const Row& r) { return std::vector{saturated(r[0], Format::I8)}; }},
           {"smallest-saturates", "the nearest i8; -128 for whatever does not fit i32, NaN too",
            [](const Row& r) {
              return std::vector{convert({Format::I32, or_smallest(r[0])}, Format::I8, {.overflow = Overflow::Saturate})};
            }}}),
      to_integer(
          Format::I32, large,
          {{"smallest", "-2147483648 for whatever does not fit, NaN too",
            [](const Row& r) { return std::vector{or_smallest(r[0])}; }},
           {"saturates", "the nearest i32; NaN gives 0", [](const Row& r) { return std::vector{saturated(r[0], Format::I32)}; }},
           {"wraps", "the low 32 bits of the integer; NaN and the infinities give 0",
            [](const Row& r) { return std::vector{convert(r[0], Format::I32, kToZero)}; }}})};
}

}  // namespace bitpact::traits
