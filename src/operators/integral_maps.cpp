// floor, ceil, round_nearest_even, round_nearest_afz: the integer beside every element. The value is exact in each of these
// formats, so implementations have no choice; zeros keep the operand's sign, and so does what is rounded to zero.
#include "operators/building.h"
#include "operators/families.h"
#include "operators/function_lines.h"

namespace bitpact {
namespace {

/// |x| < 2^23 without its fraction, and the fraction.
struct Parts {
  int integer;  ///< of i32
  int number;   ///< the same in f32
  int rest;
};

/// 1 where the magnitude goes up to the next integer, else 0: of i32.
using Step = int (*)(Lines& l, int x, const Parts& magnitude);

int up_where(Lines& l, int fraction, Comparison comparison, double bound) {
  return l.when(comparison, fraction, l.value(bound), l.word(1), l.word(0));
}

int floor_step(Lines& l, int x, const Parts& magnitude) {
  return l.when(Comparison::LT, x, l.value(0.0), up_where(l, magnitude.rest, Comparison::GT, 0.0), l.word(0));
}

int ceil_step(Lines& l, int x, const Parts& magnitude) {
  return l.when(Comparison::GT, x, l.value(0.0), up_where(l, magnitude.rest, Comparison::GT, 0.0), l.word(0));
}

int even_step(Lines& l, int /*x*/, const Parts& magnitude) {
  const int odd = l.integer(ScalarOp::And, magnitude.integer, l.word(1));
  const int above = up_where(l, magnitude.rest, Comparison::GT, 0.5);
  return l.when(Comparison::EQ, magnitude.rest, l.value(0.5), odd, above);
}

int away_step(Lines& l, int /*x*/, const Parts& magnitude) { return up_where(l, magnitude.rest, Comparison::GE, 0.5); }

/// In f32, where every value of bf16 and f16 is one; from 2^23 on all are integers, and NaN is as large.
int integral(BodyBuilder& b, int x, Step step) {
  Lines l(b, Format::F32);
  const int magnitude = l.magnitude(x);
  const int large = l.value(0x1p23);
  const int inside = l.when(Comparison::LT, magnitude, large, magnitude, l.value(0.0));
  Parts parts{};
  parts.integer = b.convert(inside, Format::I32, {.rounding = Rounding::TowardZero});
  parts.number = b.convert(parts.integer, Format::F32);
  parts.rest = l.subtract(inside, parts.number);
  const int rounded = b.convert(l.integer(ScalarOp::Add, parts.integer, step(l, x, parts)), Format::F32);
  const int sign = l.integer(ScalarOp::And, l.bits(x), l.word(0x80000000));
  const int with_sign = l.number(l.integer(ScalarOp::Or, l.bits(rounded), sign));
  return l.when(Comparison::LT, magnitude, large, with_sign, x);
}

Operator integral(const std::string& name, const std::string& summary, Step step) {
  Operator op = function_of_x(name, summary);
  op.choice_points = [](const OperatorFormats&) { return std::vector<ChoicePoint>{}; };
  op.build = [step](const OperatorFormats& formats, const Choices&) {
    BodyBuilder b(formats.operands);
    const int y = b.convert(integral(b, b.convert(0, Format::F32), step), formats.result);
    return one_map({"x"}, formats.operands, b.finish({y}));
  };
  return op;
}

}  // namespace

Operator ceil() { return integral("ceil", "the least integer that is not below x", ceil_step); }

Operator floor() { return integral("floor", "the greatest integer that is not above x", floor_step); }

Operator round_nearest_afz() {
  return integral("round_nearest_afz", "the integer nearest to x, of two the one away from zero", away_step);
}

Operator round_nearest_even() {
  Operator op = integral("round_nearest_even", "the integer nearest to x, of two the even one", even_step);
  op.aliases = {"rint"};
  return op;
}

}  // namespace bitpact
