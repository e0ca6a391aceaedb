// x in quarters of a turn is x * 2/pi, of which only the value modulo 4 counts. 2/pi is cut into parts of 24 bits: each product
// with x is exact, and so is what is left of it modulo 4, whichever parts an exponent makes count (the thought of M. Payne and R.
// Hanek, "Radian reduction for trigonometric functions", 1983, without its choice by exponent). Their sum keeps what it loses (D.
// E. Knuth's exact sum): no f32 comes nearer to a whole number of quarters than about 2^-31, so what cancels there is no loss.
#include "operators/function_turns.h"

#include "operators/function_coefficients.h"

namespace bitpact {
namespace {

using namespace coefficients;

/// 1.5 * 2^54: added to a number below 2^53 it leaves the nearest multiple of 4.
constexpr double kFours = 0x1.8p54;

/// x = k quarters of a turn and high + low radians, |high| <= pi/4; k modulo 4 in the low bits of `quarters`.
struct Turned {
  int quarters, high, low;
};

Turned turned(Lines& l, int x) {
  int sum = -1, lost = -1;
  for (const double part : kTwoOverPi) {
    const int product = l.multiply(x, l.value(part));  // 48 bits: from 2^50 on a multiple of 4; infinities and NaN end here, too
    const int near = l.when(Comparison::LT, l.magnitude(product), l.value(0x1p50), product, l.value(0.0));
    const int rest = l.subtract(near, l.subtract(l.add(near, l.value(kFours)), l.value(kFours)));
    if (sum < 0) {
      sum = rest;
      continue;
    }
    const int next = l.add(sum, rest);
    const int of_rest = l.subtract(next, sum);
    const int error = l.add(l.subtract(sum, l.subtract(next, of_rest)), l.subtract(rest, of_rest));
    lost = lost < 0 ? error : l.add(lost, error);
    sum = next;
  }
  const int quarters = l.add(sum, l.value(kIntegers));
  const int f = l.subtract(sum, l.subtract(quarters, l.value(kIntegers)));
  const int high = l.add(f, lost);
  const int low = l.subtract(lost, l.subtract(high, f));
  const int radians = l.multiply(high, l.value(kHalfPiHigh));
  const int cut = l.fma(high, l.value(kHalfPiHigh), l.negate(radians));
  return {l.bits(quarters), radians, l.add(cut, l.fma(high, l.value(kHalfPiLow), l.multiply(low, l.value(kHalfPiHigh))))};
}

/// The sine `shift` quarters further on.
int of_turn(Lines& l, int x, std::uint64_t shift) {
  const Turned t = turned(l, x);
  const int z = l.multiply(t.high, t.high);
  const int half = l.multiply(z, l.value(0.5));
  const int one = l.value(1.0);
  const int sine = l.add(t.high, l.fma(l.multiply(t.high, z), l.polynomial(kSin, z), l.fma(l.negate(half), t.low, t.low)));
  const int down = l.subtract(one, half);
  const int lost = l.subtract(l.subtract(one, down), half);
  const int tail = l.fma(l.multiply(z, z), l.polynomial(kCos, z), l.multiply(l.negate(t.high), t.low));
  const int cosine = l.add(down, l.add(lost, tail));
  const int k = l.integer(ScalarOp::Add, t.quarters, l.word(shift));
  const int odd = compare(l.b, Comparison::NE, l.integer(ScalarOp::And, k, l.word(1)), l.word(0));
  const int y = select(l.b, odd, cosine, sine);
  const int below = compare(l.b, Comparison::NE, l.integer(ScalarOp::And, k, l.word(2)), l.word(0));
  const int is_finite = compare(l.b, Comparison::LT, l.magnitude(x), l.value(kInfinity));
  return select(l.b, is_finite, select(l.b, below, l.negate(y), y), l.value(kNotANumber));
}

}  // namespace

int sin_of(Lines& l, int x) {
  const int y = of_turn(l, x, 0);
  return l.when(Comparison::EQ, x, l.value(0.0), x, y);
}

int cos_of(Lines& l, int x) { return of_turn(l, x, 1); }

}  // namespace bitpact
