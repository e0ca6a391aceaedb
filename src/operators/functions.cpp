// Argument reductions as in W. J. Cody and W. Waite, "Software Manual for the Elementary Functions" (1980); the last addition of
// each takes a high and a low part (T. J. Dekker 1971), so that little but its own rounding is lost.
#include "operators/functions.h"

#include <bit>
#include <limits>
#include <span>
#include <vector>

#include "operators/function_coefficients.h"
#include "operators/function_lines.h"
#include "operators/function_turns.h"

namespace bitpact {
namespace {

using namespace coefficients;

/// An exponent taken apart: 2^k e^(r + e) with |r| <= ln 2 / 2 and e what r lost; the low bits of `shifted` are k.
struct Reduced {
  int shifted, k, r, e;
};

/// Of e^x, |x| <= 700, NaN excluded.
Reduced reduced(Lines& l, int x) {
  const int shifted = l.fma(x, l.value(kLog2E), l.value(kIntegers));
  const int k = l.subtract(shifted, l.value(kIntegers));
  // x - k ln 2 as r + e: the first fma is exact.
  const int high = l.fma(l.negate(k), l.value(kLn2High), x);
  const int low = l.multiply(k, l.value(kLn2Low));
  const int r = l.subtract(high, low);
  return {shifted, k, r, l.subtract(l.subtract(high, r), low)};
}

/// Of 2^x, x of at most 24 bits: x - k is exact, and so is what its product with ln 2 loses.
Reduced reduced_by_two(Lines& l, int x) {
  const int shifted = l.add(x, l.value(kIntegers));
  const int k = l.subtract(shifted, l.value(kIntegers));
  const int f = l.subtract(x, k);
  const int high = l.multiply(f, l.value(kLn2High));
  const int lost = l.fma(f, l.value(kLn2High), l.negate(high));
  const int low = l.multiply(f, l.value(kLn2Low));
  const int r = l.add(high, low);
  return {shifted, k, r, l.add(l.add(l.subtract(high, r), low), lost)};
}

/// e^r - 1 - r.
int exp_tail(Lines& l, int r) {
  const int r2 = l.multiply(r, r);
  return l.fma(l.multiply(r2, r), l.polynomial(kExp, r), l.multiply(r2, l.value(0.5)));
}

/// y * 2^k, in the exponent's field.
int times_power(Lines& l, int y, const Reduced& x) {
  return l.number(l.integer(ScalarOp::Add, l.bits(y), l.integer(ScalarOp::ShiftLeft, l.bits(x.shifted), l.word(52))));
}

int exp_inside(Lines& l, const Reduced& x) {
  const int tail = exp_tail(l, x.r);
  const int one = l.value(1.0);
  const int sum = l.add(one, x.r);
  const int lost = l.add(l.subtract(one, sum), x.r);
  return times_power(l, l.add(sum, l.add(l.add(lost, x.e), tail)), x);
}

int exp_inside(Lines& l, int x) { return exp_inside(l, reduced(l, x)); }

// Beyond +-200 every format here has overflowed or is zero.
int exp_of(Lines& l, int x) { return l.unless_nan(x, exp_inside(l, l.clamped(x, -200.0, 200.0))); }

int exp2_of(Lines& l, int x) { return l.unless_nan(x, exp_inside(l, reduced_by_two(l, l.clamped(x, -200.0, 200.0)))); }

// (2^k - 1) + 2^k (e^r - 1): the power is exact, and its difference from 1 where the rest counts.
int expm1_of(Lines& l, int x) {
  const Reduced inside = reduced(l, l.clamped(x, -200.0, 200.0));
  const int one = l.value(1.0);
  const int power = times_power(l, one, inside);
  const int base = l.subtract(power, one);
  const int first = l.multiply(power, inside.r);
  const int sum = l.add(base, first);
  const int lost = l.add(l.subtract(base, sum), first);
  const int y = l.add(sum, l.fma(power, l.add(inside.e, exp_tail(l, inside.r)), lost));
  return l.when(Comparison::GT, l.magnitude(x), l.value(0.0), y, x);  // zeros keep their sign, NaN stays
}

/// log(x), plus `more` that is small beside it (negative: none).
int log_of(Lines& l, int x, int more = -1) {
  const int bits = l.bits(x);
  const int from_root = l.integer(ScalarOp::Subtract, bits, l.word(std::bit_cast<Bits>(0x1.6a09e667f3bcdp-1)));  // sqrt(1/2)
  const int k = l.integer(ScalarOp::ShiftRightArithmetic, from_root, l.word(52));
  const int m = l.number(l.integer(ScalarOp::Subtract, bits, l.integer(ScalarOp::ShiftLeft, k, l.word(52))));
  const int exponent =
      l.subtract(l.number(l.integer(ScalarOp::Add, k, l.word(std::bit_cast<Bits>(kIntegers)))), l.value(kIntegers));
  // log(1 + f) = f - f^2/2 + s (f^2/2 + s^2 P(s^2)) with s = f / (2 + f); f and f^2 are exact.
  const int f = l.subtract(m, l.value(1.0));
  const int half_square = l.multiply(l.multiply(f, f), l.value(0.5));
  const int high = l.subtract(f, half_square);
  const int lost = l.subtract(l.subtract(f, high), half_square);
  const int s = l.divide(f, l.add(f, l.value(2.0)));
  const int z = l.multiply(s, s);
  const int correction = l.multiply(s, l.fma(z, l.polynomial(kLog, z), half_square));
  const int scale = l.multiply(exponent, l.value(kLn2High));  // exact
  const int sum = l.add(scale, high);
  const int lost_there = l.add(l.subtract(scale, sum), high);
  int rest = l.fma(exponent, l.value(kLn2Low), l.add(lost, correction));
  if (more >= 0) rest = l.add(rest, more);
  const int y = l.add(sum, l.add(lost_there, rest));
  const int infinite = l.value(std::bit_cast<double>(infinity(Format::F64)));
  const int below = l.when(Comparison::EQ, x, l.value(0.0), l.value(std::bit_cast<double>(infinity(Format::F64, true))),
                           l.value(std::bit_cast<double>(quiet_nan(Format::F64))));
  const int positive = l.when(Comparison::GT, x, l.value(0.0), y, below);
  return l.when(Comparison::EQ, x, infinite, x, positive);
}

// Behind 1 + x as f64 has it, what it lost of x (D. E. Knuth's exact sum), to the first order.
int log1p_of(Lines& l, int x) {
  const int one = l.value(1.0);
  const int u = l.add(one, x);
  const int back = l.subtract(u, x);
  const int lost = l.add(l.subtract(one, back), l.subtract(x, l.subtract(u, back)));
  const int y = log_of(l, u, l.divide(lost, u));
  return l.when(Comparison::GT, l.magnitude(x), l.value(0.0), y, x);  // zeros keep their sign, NaN stays
}

int tanh_of(Lines& l, int x) {
  const int a = l.clamped(l.magnitude(x), 0.0, 20.0);
  const int z = l.multiply(x, x);
  const int near = l.fma(l.multiply(x, z), l.polynomial(kTanh, z), x);
  // 1 - 2 / (exp(2a) + 1)
  const int one = l.value(1.0);
  const int quotient = l.divide(l.value(2.0), l.add(exp_inside(l, l.add(a, a)), one));
  const int far = l.subtract(one, quotient);
  const int far_signed = l.when(Comparison::LT, x, l.value(0.0), l.negate(far), far);
  const int y = l.when(Comparison::LT, a, one, near, far_signed);
  return l.when(Comparison::GT, l.magnitude(x), l.value(0.0), y, x);  // zeros keep their sign, NaN stays
}

// Around zero the value comes so near to the middle between two of f32, 1/2 + x/4 itself, that f64 does not tell on which side it
// is. There the last bit says so: one more or less where all behind 1/2 + x/4 is lost.
int sigmoid_of(Lines& l, int x) {
  const int one = l.value(1.0);
  const int far = l.divide(one, l.add(one, exp_inside(l, l.clamped(l.negate(x), -200.0, 200.0))));
  const int z = l.multiply(x, x);
  const int line = l.fma(x, l.value(0.25), l.value(0.5));
  const int rest = l.multiply(l.multiply(x, z), l.fma(z, l.value(1.0 / 480), l.value(-1.0 / 48)));
  const int sum = l.add(line, rest);
  const int step = l.when(Comparison::LT, rest, l.value(0.0), l.word(~std::uint64_t{0}), l.word(1));
  const int beside = l.number(l.integer(ScalarOp::Add, l.bits(line), step));
  const int lost = l.when(Comparison::EQ, rest, l.value(0.0), sum, beside);
  const int near = l.when(Comparison::EQ, sum, line, lost, sum);
  return l.unless_nan(x, l.when(Comparison::LT, l.magnitude(x), l.value(0x1p-9), near, far));
}

/// `parts` unit intervals from 1 on; behind them it is taken to be where they end.
int erf_of(Lines& l, int x, int parts) {
  const int a = l.clamped(l.magnitude(x), 0.0, 1.0 + parts);
  const int one = l.value(1.0);
  // slope * x, in two parts, and the rest of the series.
  const int z = l.multiply(a, a);
  const int slope = l.value(kErfSlopeHigh);
  const int line = l.multiply(a, slope);
  const int lost = l.fma(a, l.value(kErfSlopeLow), l.fma(a, slope, l.negate(line)));
  const int near = l.add(line, l.fma(l.multiply(a, z), l.polynomial(kErf, z), lost));
  // The polynomial around the middle of its part.
  std::vector<int> in_part;
  for (int part = 0; part + 1 < parts; ++part) in_part.push_back(compare(l.b, Comparison::LT, a, l.value(2.0 + part)));
  const auto of_part = [&](const auto& value) {
    int chosen = l.value(value(parts - 1));
    for (int part = parts - 1; part-- > 0;)
      chosen = select(l.b, in_part[static_cast<size_t>(part)], l.value(value(part)), chosen);
    return chosen;
  };
  const auto row = [&](size_t i) { return of_part([i](int part) { return kErfParts[part][i]; }); };
  const int d = l.subtract(a, of_part([](int part) { return 1.5 + part; }));
  int sum = row(19);
  for (size_t i = 19; i-- > 2;) sum = l.fma(sum, d, row(i));
  const int far = l.add(row(0), l.fma(d, sum, row(1)));
  const int y = l.when(Comparison::LT, a, one, near, far);
  const int with_sign = l.when(Comparison::LT, x, l.value(0.0), l.negate(y), y);
  return l.when(Comparison::GT, l.magnitude(x), l.value(0.0), with_sign, x);
}

constexpr HardCase kHardLogs[] = {{0x1.827a74p-7, -0x1.1c2b1efffffffp+2},
                                  {0x1.2f1fd6p+3, 0x1.1fcbcefffffffp+1},
                                  {0x1.bacb4ap+25, 0x1.1e06950000001p+4},
                                  {0x1.b121a6p+76, 0x1.a9a3f10000001p+5},
                                  {0x1.6351d8p+95, 0x1.08b5110000001p+6}};

constexpr HardCase kHardSins[] = {{0x1.33333p+13, -0x1.63f4bafffffffp-2}, {-0x1.33333p+13, 0x1.63f4bafffffffp-2}};

constexpr HardCase kHardCoses[] = {{0x1.3170fp+63, 0x1.fe2976fffffffp-1},
                                   {-0x1.3170fp+63, 0x1.fe2976fffffffp-1},
                                   {0x1.2b9622p+67, 0x1.f0285d0000001p-1},
                                   {-0x1.2b9622p+67, 0x1.f0285d0000001p-1}};

constexpr HardCase kHardSigmoids[] = {{-0x1.250c02p-10, 0x1.ffb6bd0000001p-2}};

constexpr HardCase kHardLog1ps[] = {
    {-0x1.7ffffap-21, -0x1.800002fffffffp-21}, {-0x1.1fffcap-17, -0x1.20001afffffffp-17}, {-0x1.1d9188p-9, -0x1.1de1490000001p-9},
    {0x1.800006p-21, 0x1.7ffffd0000001p-21},   {0x1.200036p-17, 0x1.1fffe50000001p-17},   {0x1.fb035ap-2, 0x1.9bddc2fffffffp-2},
    {0x1.0f1fd6p+3, 0x1.1fcbcefffffffp+1},     {0x1.b121a6p+76, 0x1.a9a3f10000001p+5},    {0x1.6351d8p+95, 0x1.08b5110000001p+6}};

constexpr HardCase kHardExp2s[] = {{0x1.853a6ep-9, 0x1.0087090000001p+0}, {-0x1.e7526ep-6, 0x1.f58d610000001p-1}};

std::span<const HardCase> hard_cases(Function function) {
  if (function == Function::Exp2) return kHardExp2s;
  if (function == Function::Log1p) return kHardLog1ps;
  if (function == Function::Sigmoid) return kHardSigmoids;
  if (function == Function::Sin) return kHardSins;
  if (function == Function::Cos) return kHardCoses;
  if (function == Function::Log) return kHardLogs;
  return {};
}

int apply_in_f64(BodyBuilder& builder, Function function, int x, bool wide) {
  Lines l(builder, Format::F64);
  int y = 0;
  switch (function) {
    case Function::Exp:
      y = exp_of(l, x);
      if (wide) {  // the clamped value overflows every format but f64
        y = l.when(Comparison::EQ, x, l.value(std::numeric_limits<double>::infinity()), x, y);
        y = l.when(Comparison::EQ, x, l.value(-std::numeric_limits<double>::infinity()), l.value(0.0), y);
      }
      break;
    case Function::Exp2:
      y = exp2_of(l, x);
      break;
    case Function::Expm1:
      y = expm1_of(l, x);
      break;
    case Function::Log:
      y = log_of(l, x);
      break;
    case Function::Log1p:
      y = log1p_of(l, x);
      break;
    case Function::Tanh:
      y = tanh_of(l, x);
      break;
    case Function::Erf:
      y = erf_of(l, x, wide ? 5 : 3);  // it is 1 from 4 on in f32, and from 6 on in f64
      break;
    case Function::Sigmoid:
      y = sigmoid_of(l, x);
      break;
    case Function::Sin:
      y = sin_of(l, x);
      break;
    case Function::Cos:
      y = cos_of(l, x);
      break;
  }
  if (wide) return y;
  return l.corrected(hard_cases(function), x, y);
}

}  // namespace

int apply(BodyBuilder& builder, Function function, int x, Format format) {
  const int y = apply_in_f64(builder, function, builder.convert(x, Format::F64), format == Format::F64);
  return builder.convert(y, format);
}

}  // namespace bitpact
