// Floats that become integers. StableHLO leaves open what a value outside the integer's range becomes, so that no such value
// reaches its convert: what it becomes is selected.
#include <fmt/format.h>

#include "diagnostic/diagnostic.h"
#include "emit/scalar_text.h"
#include "number/layout.h"

namespace bitpact {
namespace {

/// 2^exponent, with its sign.
Bits power(Format format, int exponent, bool negative = false) {
  const Bits bits = convert({Format::F64, static_cast<Bits>(1023 + exponent) << 52}, format);
  return negative ? negate({format, bits}) : bits;
}

/// The integer's range in a float's terms: x is in it, its fraction cut off, where low < x (or low <= x) and x < high.
struct Range {
  Bits high = 0, low = 0;
  bool low_is_inside = false;
};

Range range_of(Format integer, Format format) {
  const Layout& l = layout(integer);
  const int width = info(integer).bits;
  Range range;
  range.high = power(format, l.sign != 0 ? width - 1 : width);
  if (l.sign == 0) {
    range.low = power(format, 0, true);
    return range;
  }
  // -2^(w-1) - 1, where the float has it; else nothing is between it and -2^(w-1).
  range.low_is_inside = width - 1 > info(format).mantissa_bits;
  const Scalar least{format, power(format, width - 1, true)};
  range.low = range.low_is_inside ? least.bits : subtract(least, {format, power(format, 0)}, format);
  return range;
}

}  // namespace

LaneValue ScalarText::to_integer(const Instruction& instruction, LaneValue& operand) {
  const Format to = instruction.format;
  const Policy& policy = instruction.policy;
  if (to == Format::I1 || info(to).bits < 8) refuse_instruction(instruction, "of floats no integer of fewer than 8 bits is made");
  if (policy.rounding != Rounding::TowardZero && policy.rounding != Rounding::NearestEven)
    refuse_instruction(instruction, "a fraction is cut off, or rounded to nearest even");
  TensorValue x = wide(operand, carrier(operand.format));
  if (policy.rounding == Rounding::NearestEven) x = f_.elementwise("stablehlo.round_nearest_even", {x}, x.format);
  const auto constant = [&](Format format, Bits bits) { return f_.constant(format, bits, x.axes, x.shape); };
  // What is not in the range is converted as 0; so is NaN, which no comparison holds for.
  const auto inside = [&](Format integer) {
    const Range range = range_of(integer, x.format);
    const TensorValue below = f_.compare("LT", x, constant(x.format, range.high));
    const TensorValue above = f_.compare(range.low_is_inside ? "GE" : "GT", x, constant(x.format, range.low));
    return f_.elementwise("stablehlo.and", {below, above}, Format::I1);
  };
  const auto converted = [&](Format integer, const TensorValue& in_range) {
    return f_.convert(f_.select(in_range, x, constant(x.format, positive_zero(x.format))), integer);
  };
  LaneValue value;
  value.format = value.origin = to;
  if (policy.overflow == Overflow::Ieee) {
    // The low bits. A float beyond i64's range is a multiple of 2^(63 - its precision + 1).
    if (info(to).bits > 63 - info(x.format).mantissa_bits)
      refuse_instruction(instruction, "its low bits are not those of an i64");
    value.tensor = f_.convert(converted(Format::I64, inside(Format::I64)), to);
    return value;
  }
  const Layout& l = layout(to);
  const TensorValue in_range = inside(to), integer = converted(to, in_range);
  if (policy.overflow == Overflow::Indefinite) {
    value.tensor = f_.select(in_range, integer, constant(to, l.sign != 0 ? l.sign : l.mask));
    return value;
  }
  const Range range = range_of(to, x.format);
  const TensorValue above = f_.compare("GE", x, constant(x.format, range.high));
  const TensorValue below = f_.compare(range.low_is_inside ? "LT" : "LE", x, constant(x.format, range.low));
  value.tensor = f_.select(above, constant(to, l.largest), f_.select(below, constant(to, l.sign), integer));
  return value;
}

LaneValue ScalarText::to_narrower_integer(const Instruction& instruction, const LaneValue& operand) {
  const Layout &from = layout(operand.format), &to = layout(instruction.format);
  if (from.sign == 0 || instruction.format == Format::I1) refuse_instruction(instruction, "only signed integers are saturated");
  const TensorValue& x = operand.tensor;
  const auto constant = [&](Bits bits) { return f_.constant(x.format, bits & from.mask, x.axes, x.shape); };
  TensorValue held = x;
  if (to.largest < from.largest) held = f_.elementwise("stablehlo.minimum", {held, constant(to.largest)}, x.format);
  if (to.sign < from.sign) held = f_.elementwise("stablehlo.maximum", {held, constant(Bits{0} - to.sign)}, x.format);
  LaneValue value;
  value.format = value.origin = instruction.format;
  value.tensor = f_.convert(held, instruction.format);
  return value;
}

}  // namespace bitpact
