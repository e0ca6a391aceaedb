#include "operators/function_algorithms_fdlibm.h"

#include <bit>
#include <cstdint>

#include "operators/function_lines.h"

namespace bitpact {
namespace {

constexpr double from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

constexpr double kHighLn2 = from_bits(0x3f317180), kLowLn2 = from_bits(0x3717f7d1), kOverLn2 = from_bits(0x3fb8aa3b);
/// Q of e^r - 1 = r - r (r^2/2 ...): 1 + z Q(z), z = r^2/2, lowest power first.
constexpr double kExpm1Ratio[] = {
    1.0, from_bits(0xbd088889), from_bits(0x3ad00d01), from_bits(0xb8a670cd), from_bits(0x36867e54), from_bits(0xb457edbb)};
/// Of log(1 + f) in s^2, s = f / (2 + f), behind the factor s^2; lowest power first.
constexpr double kLog1pSeries[] = {from_bits(0x3f2aaaab), from_bits(0x3ecccccd), from_bits(0x3e924925), from_bits(0x3e638e29),
                                   from_bits(0x3e3a3325), from_bits(0x3e1cd04f), from_bits(0x3e178897)};

/// Horner with a rounded product a step.
int rounded_polynomial(Lines& l, std::span<const double> coefficients, int x) {
  int sum = l.value(coefficients.back());
  for (size_t i = coefficients.size() - 1; i-- > 0;) sum = l.add(l.value(coefficients[i]), l.multiply(x, sum));
  return sum;
}

/// k added to the exponent's field.
int scaled(Lines& l, int y, int k) {
  return l.number(l.integer(ScalarOp::Add, l.bits(y), l.integer(ScalarOp::ShiftLeft, k, l.word(23))));
}

/// Of |x| as fdlibm chooses it: 0 up to ln 2 / 2, 1 up to 3/2 ln 2, then the nearest integer to x / ln 2; with the sign of x.
int multiple_of_ln2(Lines& l, int x) {
  const int a = l.magnitude(x);
  const int nearest = l.floored(l.add(l.multiply(l.value(kOverLn2), a), l.value(0.5)));
  const int from_one = l.when(Comparison::LT, a, l.value(from_bits(0x3f851592)), l.word(1), nearest);
  const int k = l.when(Comparison::GT, a, l.value(from_bits(0x3eb17218)), from_one, l.word(0));
  return l.when(Comparison::LT, x, l.value(0.0), l.integer(ScalarOp::Subtract, l.word(0), k), k);
}

/// e^x - 1 for x from -19 to 88.8, whatever k is.
int expm1_inside(Lines& l, int x) {
  const int one = l.value(1.0), half = l.value(0.5);
  const int k = multiple_of_ln2(l, x);
  const int k_number = l.b.convert(k, Format::F32);
  const int high = l.subtract(x, l.multiply(k_number, l.value(kHighLn2)));
  const int low = l.multiply(k_number, l.value(kLowLn2));
  const int r = l.subtract(high, low);
  const int lost = l.subtract(l.subtract(high, r), low);
  const int half_r = l.multiply(half, r);
  const int z = l.multiply(r, half_r);
  const int q = rounded_polynomial(l, kExpm1Ratio, z);
  const int t = l.subtract(l.value(3.0), l.multiply(q, half_r));
  const int e = l.multiply(z, l.divide(l.subtract(q, t), l.subtract(l.value(6.0), l.multiply(r, t))));
  const int at_0 = l.subtract(r, l.subtract(l.multiply(r, e), z));
  const int rest = l.subtract(l.subtract(l.multiply(r, l.subtract(e, lost)), lost), z);
  const int less = l.subtract(r, rest);  // e^r - 1
  const int more = l.subtract(rest, r);  // its negative
  const int at_minus_1 = l.subtract(l.multiply(half, less), half);
  const int at_1 = l.when(Comparison::LT, r, l.value(-0.25), l.multiply(l.value(-2.0), l.subtract(rest, l.add(r, half))),
                          l.add(one, l.multiply(l.value(2.0), less)));
  const int beyond = l.subtract(scaled(l, l.subtract(one, more), k), one);
  const int power_left = l.integer(ScalarOp::ShiftRightLogical, l.word(0x1000000), l.integer(ScalarOp::And, k, l.word(31)));
  const int one_less = l.number(l.integer(ScalarOp::Subtract, l.word(0x3f800000), power_left));  // 1 - 2^-k
  const int below_23 = scaled(l, l.subtract(one_less, more), k);
  const int power = l.number(l.integer(ScalarOp::ShiftLeft, l.integer(ScalarOp::Subtract, l.word(127), k), l.word(23)));  // 2^-k
  const int from_23 = scaled(l, l.add(l.subtract(r, l.add(rest, power)), one), k);
  const auto is = [&](Comparison comparison, int bound, int then, int otherwise) {
    return l.when(comparison, k_number, l.value(bound), then, otherwise);
  };
  const int large = is(Comparison::GT, 56, beyond, is(Comparison::LT, 23, below_23, from_23));
  const int positive = is(Comparison::EQ, 0, at_0, is(Comparison::EQ, 1, at_1, large));
  return is(Comparison::EQ, -1, at_minus_1, is(Comparison::LT, -1, beyond, positive));
}

}  // namespace

int fdlibm_expm1f(BodyBuilder& builder, int x, Format /*format*/) {
  Lines l(builder, Format::F32);
  const int y = expm1_inside(l, l.clamped(x, -19.0, 88.75));
  const int above = l.when(Comparison::GE, x, l.value(from_bits(0x42b17218)), l.value(kInfinity), y);
  const int below = l.when(Comparison::LE, x, l.value(from_bits(0xc195b844)), l.value(-1.0), above);  // -27 ln 2
  return l.unless_nan(x, l.when(Comparison::LT, l.magnitude(x), l.value(0x1p-25), x, below));
}

int fdlibm_tanhf(BodyBuilder& builder, int x, Format /*format*/) {
  Lines l(builder, Format::F32);
  const int one = l.value(1.0), two = l.value(2.0);
  const int a = l.clamped(l.magnitude(x), 0.0, 22.0);
  const int twice = l.multiply(two, a);
  const int t = expm1_inside(l, l.when(Comparison::GE, a, one, twice, l.negate(twice)));
  const int from_1 = l.subtract(one, l.divide(two, l.add(t, two)));
  const int below_1 = l.divide(l.negate(t), l.add(t, two));
  const int inside = l.when(Comparison::GE, a, one, from_1, below_1);
  const int z = l.when(Comparison::GE, a, l.value(22.0), one, inside);
  const int y = l.when(Comparison::LT, x, l.value(0.0), l.negate(z), z);
  return l.unless_nan(x, l.when(Comparison::LT, l.magnitude(x), l.value(0x1p-55), x, y));
}

int fdlibm_log1pf(BodyBuilder& builder, int x, Format /*format*/) {
  Lines l(builder, Format::F32);
  const int zero = l.value(0.0), one = l.value(1.0);
  // 1 + x = 2^k u with u from sqrt(1/2) to sqrt(2), about; `lost` is what 1 + x lost, relative to it.
  const int is_large = compare(builder, Comparison::GE, x, l.value(0x1p53));
  const int sum = select(builder, is_large, x, l.add(one, x));
  const int sum_bits = l.bits(sum);
  const int exponent =
      l.integer(ScalarOp::Subtract, l.integer(ScalarOp::ShiftRightArithmetic, sum_bits, l.word(23)), l.word(127));
  const int difference =
      l.when(Comparison::GT, exponent, l.word(0), l.subtract(one, l.subtract(sum, x)), l.subtract(x, l.subtract(sum, one)));
  const int fraction = l.integer(ScalarOp::And, sum_bits, l.word(0x7fffff));
  const int is_low = compare(builder, Comparison::LT, fraction, l.word(0x3504f7));
  const int u = l.number(l.integer(ScalarOp::Or, fraction, select(builder, is_low, l.word(0x3f800000), l.word(0x3f000000))));
  const int far_k = l.integer(ScalarOp::Add, exponent, select(builder, is_low, l.word(0), l.word(1)));
  // Around zero f is x itself.
  const int is_above = compare(builder, Comparison::GE, x, l.value(-from_bits(0x3e95f61f)));
  const int is_below = compare(builder, Comparison::LT, x, l.value(from_bits(0x3ed413d7)));
  const auto near_or = [&](int near, int far) { return select(builder, is_above, select(builder, is_below, near, far), far); };
  const int f = near_or(x, l.subtract(u, one));
  const int k = l.b.convert(near_or(l.word(0), far_k), Format::F32);
  const int lost = near_or(zero, select(builder, is_large, zero, l.divide(difference, sum)));
  const int high = l.multiply(k, l.value(kHighLn2));
  const int low = l.add(l.multiply(k, l.value(kLowLn2)), lost);
  const int half_square = l.multiply(l.multiply(l.value(0.5), f), f);
  const auto with_power = [&](int rest, int otherwise) {
    const int y = l.subtract(high, l.subtract(l.subtract(rest, low), f));
    return l.when(Comparison::EQ, k, zero, otherwise, y);
  };
  const int s = l.divide(f, l.add(l.value(2.0), f));
  const int z = l.multiply(s, s);
  const int series = l.multiply(s, l.add(half_square, l.multiply(z, rounded_polynomial(l, kLog1pSeries, z))));
  const int full_at_k = l.subtract(high, l.subtract(l.subtract(half_square, l.add(series, low)), f));
  const int full = l.when(Comparison::EQ, k, zero, l.subtract(f, l.subtract(half_square, series)), full_at_k);
  // Where u is 1 to f32's precision, but for two bits, the series ends early; the least significant of u counts there.
  const int cut_series = l.multiply(half_square, l.subtract(one, l.multiply(l.value(0.66666666666666666F), f)));
  const int early = l.when(Comparison::EQ, f, zero, l.add(high, low), with_power(cut_series, l.subtract(f, cut_series)));
  const int ends_high = l.when(Comparison::GT, fraction, l.word(0x7ffffc), early, full);
  const int ends = l.when(Comparison::EQ, fraction, l.word(0), early, ends_high);
  const int y = near_or(full, ends);
  // Squares of small arguments are all that counts, and then not even they.
  const int a = l.magnitude(x);
  const int small = l.subtract(x, l.multiply(l.multiply(x, x), l.value(0.5)));
  const int with_small = l.when(Comparison::LT, a, l.value(0x1p-29), l.when(Comparison::LT, a, l.value(0x1p-54), x, small), y);
  const int positive = l.when(Comparison::EQ, x, l.value(kInfinity), x, with_small);
  const int below = l.when(Comparison::EQ, x, l.value(-1.0), l.value(-kInfinity), l.value(kNotANumber));
  return l.unless_nan(x, l.when(Comparison::GT, x, l.value(-1.0), positive, below));
}

}  // namespace bitpact
