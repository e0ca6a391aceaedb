// Estimates in f64 by textbook series, wide enough of the mark that they prove nothing: only what they decide by 2^-44 counts.
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>

#include "probe/function_pi.h"
#include "probe/function_truth.h"

namespace bitpact {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
/// Beyond it exp has left f32's range either way; no f32 value is between.
constexpr double kFar = 200;

double magnitude(double x) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63)); }
double with_sign_of(double value, double x) { return std::bit_cast<std::int64_t>(x) < 0 ? -value : value; }
double clamped(double x) { return x > kFar ? kFar : x < -kFar ? -kFar : x; }

/// y * 2^k for normal y and result.
double scaled(double y, int k) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(y) +
                               (static_cast<std::uint64_t>(static_cast<std::int64_t>(k)) << 52));
}

int nearest(double x) { return static_cast<int>(x < 0 ? x - 0.5 : x + 0.5); }

/// 1/n! for n = 1 ... 15; the factorials are exact.
constexpr auto kExpm1 = [] {
  std::array<double, 15> all{};
  double factorial = 1;
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = 1 / (factorial *= static_cast<double>(n + 1));
  return all;
}();
/// 1/1, 1/3, ... 1/23.
constexpr auto kArtanh = [] {
  std::array<double, 12> all{};
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = 1 / static_cast<double>(2 * n + 1);
  return all;
}();

template <std::size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) {
  double sum = coefficients[N - 1];
  for (std::size_t n = N - 1; n-- > 0;) sum = sum * x + coefficients[n];
  return sum;
}

/// exp(r) - 1 for |r| <= 0.36.
double expm1_near(double r) { return r * polynomial(kExpm1, r); }

double exp_of(double x) {
  x = clamped(x);
  const int k = nearest(x * (1 / kLn2));
  return scaled(1 + expm1_near((x - k * kLn2High) - k * kLn2Low), k);
}

double exp2_of(double x) {
  x = clamped(x);
  const int k = nearest(x);
  return scaled(1 + expm1_near((x - k) * kLn2), k);
}

double expm1_of(double x) { return magnitude(x) < 0.35 ? expm1_near(x) : exp_of(x) - 1; }

/// 2 artanh(s) for |s| <= 0.18.
double twice_artanh(double s) { return 2 * s * polynomial(kArtanh, s * s); }

/// x > 0, normal in f64.
double log_of(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  int k = static_cast<int>(bits >> 52) - 1023;
  double m = scaled(x, -k);
  if (m > 0x1.6a09e667f3bcdp0) {  // sqrt(2)
    m *= 0.5;
    ++k;
  }
  const double near = twice_artanh((m - 1) / (m + 1));
  return k * kLn2High + (near + k * kLn2Low);
}

double log1p_of(double x) { return magnitude(x) < 0.29 ? twice_artanh(x / (2 + x)) : log_of(1 + x); }

double tanh_of(double x) {
  const double a = magnitude(x);
  if (a > 20) return with_sign_of(1, x);
  const double e = expm1_of(2 * a);
  return with_sign_of(e / (e + 2), x);
}

/// 2/sqrt(pi) exp(-x^2) x (1 + 2x^2/3 (1 + 2x^2/5 (...))): all terms have one sign.
double erf_of(double x) {
  constexpr double kSlope = 0x1.20dd750429b6dp0;  // 2/sqrt(pi)
  const double square = x * x;                    // exact: an argument has 24 bits
  if (square < 0x1p-60) return kSlope * x;
  if (square > 4.5 * 4.5) return with_sign_of(1, x);  // off by less than 2^-32, so 1 in any format here
  double term = 1, sum = 1;
  for (int n = 3; term > sum * 0x1p-56; n += 2) {
    term *= 2 * square / n;
    sum += term;
  }
  return kSlope * exp_of(-square) * x * sum;
}

double sin_near(double x) {
  const double z = x * x;
  double sum = 1;
  for (int n = 18; n >= 2; n -= 2) sum = 1 - z * sum / (n * (n + 1));
  return x * sum;
}

double cos_near(double x) {
  const double z = x * x;
  double sum = 1;
  for (int n = 19; n >= 1; n -= 2) sum = 1 - z * sum / (n * (n + 1));
  return sum;
}

/// sin(x + quarters * pi/2)
double sin_of(double x, int quarters) {
  const Reduced reduced = reduce_by_half_pi(x);
  switch ((reduced.quarters + quarters) & 3) {
    case 0:
      return sin_near(reduced.rest);
    case 1:
      return cos_near(reduced.rest);
    case 2:
      return -sin_near(reduced.rest);
    default:
      return -cos_near(reduced.rest);
  }
}

}  // namespace

double estimate(MathFunction function, double x) {
  if (x != x) return x;
  const bool infinite = magnitude(x) == kInfinity;
  switch (function) {
    case MathFunction::Exp:
      return x == -kInfinity ? 0 : infinite ? x : exp_of(x);
    case MathFunction::Exp2:
      return x == -kInfinity ? 0 : infinite ? x : exp2_of(x);
    case MathFunction::Expm1:
      return x == 0 || x == kInfinity ? x : expm1_of(x);
    case MathFunction::Log:
      return x == 0 ? -kInfinity : x < 0 ? kNaN : infinite ? x : log_of(x);
    case MathFunction::Log1p:
      return x == -1 ? -kInfinity : x < -1 ? kNaN : x == 0 || infinite ? x : log1p_of(x);
    case MathFunction::Tanh:
      return x == 0 ? x : tanh_of(x);
    case MathFunction::Sigmoid:
      return x == -kInfinity ? 0 : 1 / (1 + exp_of(-x));
    case MathFunction::Erf:
      return x == 0 ? x : erf_of(x);
    case MathFunction::Sin:
      return infinite ? kNaN : x == 0 ? x : sin_of(x, 0);
    case MathFunction::Cos:
      return infinite ? kNaN : sin_of(x, 1);
    case MathFunction::Sqrt:
      return x < 0 ? kNaN : x == 0 ? x : __builtin_sqrt(x);
    case MathFunction::Rsqrt:
      return x < 0 ? kNaN : x == 0 ? 1 / x : 1 / __builtin_sqrt(x);
    case MathFunction::Reciprocal:
      return 1 / x;
  }
  return kNaN;
}

}  // namespace bitpact
