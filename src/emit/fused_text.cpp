// A fused multiply-add where the target contracts none: the product is exact in a wider format, the sum is rounded to odd there,
// and rounded once more. Rounding to odd with two bits to spare makes the second rounding right (Boldo & Melquiond 2008). The
// error of the sum is Knuth's TwoSum (1969); a contraction of these steps would change nothing, since the product is exact.
#include <fmt/format.h>

#include "diagnostic/diagnostic.h"
#include "emit/scalar_text.h"

namespace bitpact {
namespace {

/// x one unit in the last place towards `error` where its last bit is even and `error` is not 0 (nor NaN: infinities stay).
TensorValue move_to_odd(FunctionText& f, const TensorValue& x, const TensorValue& error) {
  const Format bits = x.format == Format::F64 ? Format::I64 : Format::I32;
  const auto c = [&](Format format, Bits value) { return f.constant(format, value, x.axes, x.shape); };
  const auto integer = [&](const char* op, const TensorValue& a, const TensorValue& b) {
    return f.elementwise(op, {a, b}, bits);
  };
  const TensorValue zero = c(error.format, 0);
  const Bits minus_one = bits == Format::I64 ? ~Bits{0} : Bits{0xffff'ffff};
  const TensorValue above = f.compare("GT", error, zero), below = f.compare("LT", error, zero);
  const TensorValue i = f.bitcast(x, bits);
  const TensorValue even = f.compare("EQ", integer("stablehlo.and", i, c(bits, 1)), c(bits, 0));
  // +1 makes a magnitude larger: that is towards the error where both have one sign.
  const TensorValue sign = integer("stablehlo.shift_right_arithmetic", i, c(bits, static_cast<Bits>(info(bits).bits - 1)));
  const TensorValue up = f.select(above, c(bits, 1), f.select(below, c(bits, minus_one), c(bits, 0)));
  const TensorValue step = integer("stablehlo.subtract", integer("stablehlo.xor", up, sign), sign);
  return f.bitcast(integer("stablehlo.add", i, f.select(even, step, c(bits, 0))), x.format);
}

/// a * b + c rounded to odd; the product of a and b must be exact in their format.
TensorValue sum_to_odd(FunctionText& f, const TensorValue& a, const TensorValue& b, const TensorValue& c) {
  const auto op = [&](const char* spelling, const TensorValue& x, const TensorValue& y) {
    return f.elementwise(spelling, {x, y}, a.format);
  };
  const TensorValue p = op("stablehlo.multiply", a, b);
  const TensorValue s = op("stablehlo.add", p, c);
  const TensorValue from_c = op("stablehlo.subtract", s, p);
  const TensorValue from_p = op("stablehlo.subtract", s, from_c);
  const TensorValue error = op("stablehlo.add", op("stablehlo.subtract", p, from_p), op("stablehlo.subtract", c, from_c));
  return move_to_odd(f, s, error);
}

}  // namespace

std::optional<LaneValue> ScalarText::fused_exactly(Format format, const std::vector<LaneValue*>& operands) {
  const auto all_in = [&](Format wide_format) {
    std::vector<TensorValue> all;
    for (LaneValue* operand : operands) {
      guard(*operand);
      all.push_back(wide(*operand, wide_format));
    }
    return all;
  };
  LaneValue value;
  value.format = value.origin = format;
  if (format == Format::F16) {
    // f32 holds products of f16 (22 bits, exponents from -48), its sums never leave the normal range, and 24 >= 11 + 2.
    const auto x = all_in(Format::F32);
    value.tensor = sum_to_odd(f_, x[0], x[1], x[2]);
    value.rounded = false;
    return value;
  }
  if (!traits_.keeps_f64 || (format != Format::F32 && format != Format::BF16)) return std::nullopt;
  const auto x = all_in(Format::F64);
  const TensorValue sum = sum_to_odd(f_, x[0], x[1], x[2]);
  value.tensor = f_.convert(sum, Format::F32);
  if (format == Format::BF16) {
    // Odd in f32, too, before the rounding on the bits. What overflows f32 becomes its largest value or an infinity: infinity in
    // bf16 either way.
    const TensorValue back = f_.convert(value.tensor, Format::F64);
    value.tensor = move_to_odd(f_, value.tensor, f_.elementwise("stablehlo.subtract", {sum, back}, Format::F64));
    value.rounded = false;
  }
  return value;
}

}  // namespace bitpact
