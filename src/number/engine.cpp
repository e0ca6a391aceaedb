#include "number/engine.h"

namespace bitpact {
namespace {

/// Drops the low `drop` bits (1 .. width of U) of `value`, rounding what is kept.
template <class U>
U rounded(U value, int drop, bool negative, Rounding rounding) {
  constexpr int width = 8 * sizeof(U);
  const U kept = (value >> 1) >> (drop - 1);
  const U half = U{1} << (drop - 1);
  const U rest = value & (~U{0} >> (width - drop));
  const bool inexact = rest != 0;
  const bool odd = kept & 1;
  bool up = false;
  switch (rounding) {
    case Rounding::NearestEven:
      up = rest > half || (rest == half && odd);
      break;
    case Rounding::NearestAway:
      up = rest >= half;
      break;
    case Rounding::TowardZero:
      break;
    case Rounding::Up:
      up = inexact && !negative;
      break;
    case Rounding::Down:
      up = inexact && negative;
      break;
    case Rounding::ToOdd:
      up = inexact && !odd;
      break;
  }
  return kept + (up ? 1 : 0);
}

Bits pack_overflow(bool negative, const Layout& l, const Policy& policy) {
  bool stays_finite = false;
  switch (policy.rounding) {
    case Rounding::NearestEven:
    case Rounding::NearestAway:
      break;
    case Rounding::TowardZero:
      stays_finite = true;
      break;
    case Rounding::Up:
      stays_finite = negative;
      break;
    case Rounding::Down:
      stays_finite = !negative;
      break;
    case Rounding::ToOdd:
      stays_finite = true;
      break;  // infinity is "even": rounding to odd again must still see a finite, odd value
  }
  return stays_finite ? l.largest | (negative ? l.sign : 0) : pack_infinity(negative, l, policy);
}

Bits round_pack_float(bool negative, int exponent, std::uint64_t top, const Layout& l, const Policy& policy) {
  // top: bit 63 is the leading bit, of weight 2^exponent; everything below 64 bits was jammed into bit 0, which no rounding to at
  // most 62 bits can tell from the exact value.
  if (negative && l.sign == 0) return pack_zero(true, l, policy);
  int drop = 64 - l.precision;
  if (exponent < l.emin) {
    if (policy.flush_out) {
      const bool reaches_normal = exponent == l.emin - 1 && rounded(top, drop, negative, policy.rounding) >> l.precision;
      if (!reaches_normal) return pack_zero(negative, l, policy);
    }
    drop += l.emin - exponent;
    if (drop > 64) {  // less than half of the smallest subnormal
      drop = 64;
      top = 1;
    }
    exponent = l.emin;
  }
  if (exponent > l.emax) return pack_overflow(negative, l, policy);
  const std::uint64_t kept = rounded(top, drop, negative, policy.rounding);
  // The leading bit of a normal number counts as one step of the exponent field, and so does a carry out of the rounding.
  const Bits magnitude = (static_cast<Bits>(exponent - l.emin) << l.fraction_bits) + kept;
  if (magnitude > l.largest + l.left_out) return pack_overflow(negative, l, policy);
  if (magnitude <= l.left_out)
    return l.zero ? pack_zero(negative, l, policy) : 0;  // of what is not zero, 0 is the smallest number
  return (magnitude - l.left_out) | (negative ? l.sign : 0);
}

/// The magnitude of the farthest integer from zero on that side.
Bits integer_limit(bool negative, const Layout& l) { return negative ? l.sign : l.largest; }

/// Intel SDM 1, 4.8.3 and the conversions of volume 2: the least signed integer; all ones for the unsigned conversions of
/// AVX-512.
Bits integer_indefinite(const Layout& l) { return l.sign != 0 ? l.sign : l.mask; }

Bits round_pack_integer(bool negative, int exponent, Wide significand, const Layout& l, const Policy& policy) {
  // significand: bit 127 is the leading bit, of weight 2^exponent.
  Wide magnitude = 0;
  bool beyond = exponent > 127;
  if (exponent >= 127) {
    magnitude = exponent - 127 < 128 ? significand << (exponent - 127) : 0;
  } else if (exponent < -1) {
    magnitude = rounded(Wide{1}, 128, negative, policy.rounding);  // any value in (0, 1/2) rounds alike
  } else {
    magnitude = rounded(significand, 127 - exponent, negative, policy.rounding);
  }
  const Bits limit = integer_limit(negative, l);
  beyond = beyond || magnitude > limit;
  if (beyond && policy.overflow == Overflow::Saturate) magnitude = limit;
  if (beyond && policy.overflow == Overflow::Indefinite) return integer_indefinite(l);
  const Bits low = static_cast<Bits>(magnitude);
  return (negative ? Bits{0} - low : low) & l.mask;
}

}  // namespace

Bits round_pack(bool negative, int exponent, Wide significand, bool sticky, const Layout& l, const Policy& policy) {
  if (l.kind == FormatKind::Boolean) return 1;
  const auto high = static_cast<std::uint64_t>(significand >> 64);
  const auto low = static_cast<std::uint64_t>(significand);
  const int shift = high ? std::countl_zero(high) : 64 + std::countl_zero(low);
  significand <<= shift;
  exponent += 127 - shift;
  if (sticky) significand |= 1;
  if (is_float(l)) {
    const bool rest = static_cast<std::uint64_t>(significand) != 0;
    return round_pack_float(negative, exponent, static_cast<std::uint64_t>(significand >> 64) | (rest ? 1 : 0), l, policy);
  }
  return round_pack_integer(negative, exponent, significand, l, policy);
}

Bits pack_zero(bool negative, const Layout& l, const Policy& policy) {
  if (!is_float(l)) return 0;
  if (l.zero) return negative ? l.negative_zero : 0;
  return policy.overflow == Overflow::Saturate ? 0 : l.quiet_nan;
}

Bits pack_infinity(bool negative, const Layout& l, const Policy& policy) {
  if (l.kind == FormatKind::Boolean) return 1;
  if (!is_float(l)) {
    if (policy.overflow == Overflow::Indefinite) return integer_indefinite(l);
    if (policy.overflow == Overflow::Ieee) return 0;
    return negative ? (Bits{0} - integer_limit(true, l)) & l.mask : integer_limit(false, l);
  }
  if (negative && l.sign == 0) return pack_zero(true, l, policy);
  if (policy.overflow != Overflow::Saturate && l.infinities) return l.infinity | (negative ? l.sign : 0);
  if (policy.overflow != Overflow::Saturate && l.nans) return l.quiet_nan;
  return l.largest | (negative ? l.sign : 0);
}

Bits pack_nan(const Layout& l, const Policy& policy) {
  if (l.kind == FormatKind::Boolean) return 1;
  if (!is_float(l)) return policy.overflow == Overflow::Indefinite ? integer_indefinite(l) : 0;
  return l.nans ? l.quiet_nan : 0;
}

namespace {
/// For the upper byte b of a 16-bit number n >= 2^14: sqrt((b + 1/2) * 2^8), rounded down.
constexpr auto first_roots = [] {
  std::array<std::uint8_t, 256> table{};
  for (unsigned b = 64; b < 256; ++b) {
    unsigned root = 127;
    while ((root + 1) * (root + 1) <= b * 256 + 128) ++root;
    table[b] = static_cast<std::uint8_t>(root);
  }
  return table;
}();
}  // namespace

std::uint64_t integer_root(Wide n) {
  // Heron's rule doubles the number of right bits: 8, 16, 32, 64. Each line is (a + n/a) / 2 with a = root << half, on n's upper
  // part.
  const auto high = static_cast<std::uint64_t>(n >> 64);
  std::uint64_t root = first_roots[high >> 56];
  root = (root << 7) + (high >> 41) / root;
  root = (root << 15) + (high >> 17) / root;
  const Wide last = (Wide{root} << 31) + (n >> 33) / root;
  root = last >> 64 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(last);
  // Whatever the estimate lost, the definition decides.
  while (Wide{root} * root > n) --root;
  while (root != ~std::uint64_t{0} && Wide{root + 1} * (root + 1) <= n) ++root;
  return root;
}

}  // namespace bitpact
