// Comparing two numbers: which is less, and how far apart they are.
#include "number/arithmetic.h"
#include "number/engine.h"

namespace bitpact {
namespace {

/// -1, 0, 1 for |a| against |b|; neither is a NaN.
int compare_magnitudes(const Unpacked& a, const Unpacked& b) {
  auto rank = [](const Unpacked& u) { return u.kind == Class::Zero ? 0 : u.kind == Class::Infinity ? 2 : 1; };
  if (rank(a) != rank(b)) return rank(a) < rank(b) ? -1 : 1;
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  if (a.significand != b.significand) return a.significand < b.significand ? -1 : 1;
  return 0;
}

}  // namespace

bool less(Scalar a, Scalar b) {
  const Unpacked x = unpack(a, {}), y = unpack(b, {});
  if (x.kind == Class::NaN || y.kind == Class::NaN) return false;
  const int order = compare_magnitudes(x, y);
  const bool x_below = x.negative && x.kind != Class::Zero, y_below = y.negative && y.kind != Class::Zero;
  if (x_below != y_below) return x_below;
  return x_below ? order > 0 : order < 0;
}

bool equal(Scalar a, Scalar b) {
  const Unpacked x = unpack(a, {}), y = unpack(b, {});
  if (x.kind == Class::NaN || y.kind == Class::NaN) return false;
  return compare_magnitudes(x, y) == 0 && (x.negative == y.negative || x.kind == Class::Zero);
}

std::uint64_t ulp_distance(Format format, Bits a, Bits b) {
  const Layout& l = layout(format);
  if (is_float(l)) {
    const bool nan_a = classify(l, a) == Class::NaN, nan_b = classify(l, b) == Class::NaN;
    if (nan_a || nan_b) return nan_a && nan_b ? 0 : ~std::uint64_t{0};
  }
  // Encodings of one sign lie in the order of their values, for floats from zero outwards, for integers upwards.
  const bool negative_a = (a & l.sign) != 0, negative_b = (b & l.sign) != 0;
  if (negative_a == negative_b) return a > b ? a - b : b - a;
  if (is_float(l)) return (a & ~l.sign) + (b & ~l.sign);
  return negative_a ? (b - a) & l.mask : (a - b) & l.mask;
}

}  // namespace bitpact
