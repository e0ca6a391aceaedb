// The polynomials are those of S. L. Moshier's Cephes library, and of C. Hastings as M. Abramowitz and I. A. Stegun give it
// ("Handbook of Mathematical Functions" (1964), 7.1.26).
#include "operators/function_algorithms.h"

#include <limits>
#include <map>

#include "operators/function_algorithms_arm.h"
#include "operators/function_algorithms_fdlibm.h"
#include "operators/function_lines.h"

namespace bitpact {
namespace {

/// 2^f for |f| <= 1/2, lowest power first.
constexpr double kExp2f[] = {1.0F,
                             6.931472028550421e-1F,
                             2.402264791363012e-1F,
                             5.550332471162809e-2F,
                             9.618437357674640e-3F,
                             1.339887440266574e-3F,
                             1.535336188319500e-4F};
/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2, lowest power first.
constexpr double kExpf[] = {5.0000001201e-1F, 1.6666665459e-1F, 4.1665795894e-2F,
                            8.3334519073e-3F, 1.3981999507e-3F, 1.9875691500e-4F};

/// An integer k as a number and as one of i32.
struct Whole {
  int number, integer;
};

Whole whole(Lines& l, int integer) { return {l.b.convert(integer, Format::F32), integer}; }

Whole floor_of(Lines& l, int x) { return whole(l, l.floored(x)); }

/// The nearest integer, of two the upper, |x| < 2^22: floor(x + 1/2) without the rounding of that sum.
Whole nearest_up(Lines& l, int x) {
  const Whole below = floor_of(l, x);
  const int rest = l.subtract(x, below.number);
  return whole(l, l.integer(ScalarOp::Add, below.integer, l.when(Comparison::GE, rest, l.value(0.5), l.word(1), l.word(0))));
}

/// y * 2^k, the power made in the exponent's field, where k = -127 gives zero.
int times_power(Lines& l, int y, int k) {
  const int biased = l.integer(ScalarOp::Add, k, l.word(127));
  return l.multiply(l.number(l.integer(ScalarOp::ShiftLeft, biased, l.word(23))), y);
}

int cephes_exp2f(BodyBuilder& builder, int x, Format /*format*/) {
  Lines l(builder, Format::F32);
  const int y = l.multiply(l.clamped(x, -88.0, 88.0), l.value(1.442695F));
  const Whole k = nearest_up(l, y);
  const int scaled = times_power(l, l.polynomial(kExp2f, l.subtract(y, k.number)), k.integer);
  const int above = l.when(Comparison::GT, x, l.value(88.0), l.value(std::numeric_limits<double>::infinity()), scaled);
  return l.unless_nan(x, l.when(Comparison::LT, x, l.value(-88.0), l.value(0.0), above));
}

// Beyond the clamped range the value stays what it is at its ends: zero and infinite.
int cephes_expf(BodyBuilder& builder, int x, Format /*format*/) {
  Lines l(builder, Format::F32);
  const int inside = l.clamped(x, -88.0, 89.0);
  const Whole near = floor_of(l, l.fma(inside, l.value(1.44269504F), l.value(0.5)));
  const Whole k = whole(l, l.when(Comparison::GT, near.number, l.value(127.0), l.word(127), near.integer));
  const int minus_k = l.negate(k.number);
  const int r = l.fma(minus_k, l.value(-2.12194440e-4F), l.fma(minus_k, l.value(0.693359375), inside));
  const int y = l.add(l.fma(l.polynomial(kExpf, r), l.multiply(r, r), r), l.value(1.0));
  return l.unless_nan(x, times_power(l, y, k.integer));
}

int exp2_by_exp(BodyBuilder& builder, int x, Format format) {
  Lines l(builder, Format::F32);
  const int factor = builder.convert(builder.convert(l.value(0.69314718F), format), Format::F32);
  const int product = builder.convert(builder.convert(l.multiply(x, factor), format), Format::F32);
  return cephes_expf(builder, product, format);
}

// Where x is small the 1 cancels, and what is left is the polynomial's own error of 1e-9: erf(+0) is no zero.
int hastings_erf(BodyBuilder& builder, int x, Format format) {
  Lines l(builder, Format::F32);
  constexpr double kHastings[] = {0.254829592F, -0.284496736F, 1.421413741F, -1.453152027F, 1.061405429F};
  const int one = l.value(1.0);
  const int t = l.divide(one, l.fma(l.value(0.3275911F), l.magnitude(x), one));
  const int minus_power = l.negate(cephes_exp2f(builder, l.multiply(l.negate(x), x), format));
  const int y = l.fma(l.multiply(minus_power, t), l.polynomial(kHastings, t), one);
  return l.when(Comparison::GT, x, l.value(0.0), y, l.negate(y));
}

// The exponential is a value of the operand's format; from there on all is f32.
int sigmoid_by_magnitude(BodyBuilder& builder, int x, Format format) {
  Lines l(builder, Format::F32);
  const int one = l.value(1.0);
  const int power = builder.convert(builder.convert(cephes_exp2f(builder, l.magnitude(x), format), format), Format::F32);
  const int y = l.divide(one, l.add(one, power));
  return l.when(Comparison::LT, x, l.value(0.0), y, l.subtract(one, y));
}

int sigmoid_by_negative(BodyBuilder& builder, int x, Format format) {
  Lines l(builder, Format::F32);
  const auto rounded = [&](int value) { return builder.convert(builder.convert(value, format), Format::F32); };
  const int one = l.value(1.0);
  const int power = rounded(cephes_expf(builder, l.negate(x), format));
  return l.divide(one, rounded(l.add(one, power)));
}

}  // namespace

const std::vector<Algorithm>& algorithms(Function function) {
  static const std::map<Function, std::vector<Algorithm>> all{
      {Function::Exp,
       {{"cephes-exp2f",
         "in f32: y = x * 1.442695, k = floor(y + 1/2), then 2^(y - k) by the polynomial of Cephes' exp2f in FMAs, times 2^k; "
         "beyond "
         "88 infinite, below -88 zero",
         cephes_exp2f},
        {"cephes-expf",
         "in f32: k = floor(x * 1.44269504 + 1/2), at most 127, r = x - k ln 2 with ln 2 in two parts, then e^r by the "
         "polynomial of "
         "Cephes' expf, times 2^k, all but the last addition and the last product in FMAs",
         cephes_expf}}},
      {Function::Exp2,
       {{"exp-of-product", "exp(x * ln 2), ln 2 and the product rounded to the operand's format, exp by cephes-expf",
         exp2_by_exp},
        {"arm-exp2f",
         "in f64: 2^k with k the nearest 32nd of an integer, from a table, times a cubic polynomial in FMAs; rounded to f32",
         arm_exp2f}}},
      {Function::Expm1,
       {{"fdlibm-expm1f", "in f32: r = x - k ln 2 with ln 2 in two parts, a rational function of r, then by cases of k; no FMAs",
         fdlibm_expm1f}}},
      {Function::Log,
       {{"arm-logf",
         "in f64: k ln 2 + log c, c one of 16 from a table, plus a cubic polynomial of m / c - 1 in FMAs; rounded to f32",
         arm_logf}}},
      {Function::Log1p,
       {{"fdlibm-log1pf",
         "in f32: 1 + x = 2^k (1 + f) and what that sum lost, then k ln 2 with ln 2 in two parts and a series in f / (2 + f); no "
         "FMAs",
         fdlibm_log1pf}}},
      {Function::Tanh,
       {{"fdlibm-tanhf", "in f32: t = expm1(+-2 |x|) by fdlibm-expm1f, then 1 - 2 / (t + 2) from 1 on and -t / (t + 2) below",
         fdlibm_tanhf}}},
      {Function::Sin,
       {{"cephes-arm-sinf",
         "in f32 up to 2^23: x less the octants' pi/4, which has three parts, then the polynomials of Cephes' sinf in FMAs; "
         "beyond in "
         "f64: 62 bits of x * 2/pi modulo 4, polynomials in FMAs, rounded to f32",
         cephes_arm_sinf}}},
      {Function::Cos, {{"cephes-arm-cosf", "as cephes-arm-sinf, a quarter of a turn further on", cephes_arm_cosf}}},
      {Function::Erf,
       {{"abramowitz-stegun",
         "in f32: 1 - exp(-x^2) t P(t) with t = 1 / (1 + 0.3275911 |x|), Abramowitz and Stegun 7.1.26 in FMAs, exp by "
         "cephes-exp2f",
         hastings_erf}}},
      {Function::Sigmoid,
       {{"exp-of-magnitude",
         "e = exp(|x|) by cephes-exp2f, rounded to the operand's format; then in f32 y = 1 / (1 + e), and 1 - y where x is not "
         "negative",
         sigmoid_by_magnitude},
        {"exp-of-negative", "1 / (1 + exp(-x)), exp by cephes-expf; computed in f32, each step rounded to the operand's format",
         sigmoid_by_negative}}}};
  return all.at(function);
}

}  // namespace bitpact
