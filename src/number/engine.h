// The one way from bits to numbers and back. Every operation unpacks its operands, computes exactly (or with the rest jammed into
// a sticky flag), and hands the result to round_pack.
#pragma once

#include <bit>
#include <cstdint>

#include "number/arithmetic.h"
#include "number/layout.h"

namespace bitpact {

__extension__ typedef unsigned __int128 Wide;

/// A number taken apart. Where kind is Subnormal or Normal the value is +-significand * 2^(exponent - 63), bit 63 of the
/// significand set; elsewhere exponent and significand are 0. Integers are taken apart in the same way, so that nothing past here
/// tells them from floats.
struct Unpacked {
  Class kind = Class::Zero;
  bool negative = false;
  int exponent = 0;
  std::uint64_t significand = 0;

  bool finite_nonzero() const { return kind == Class::Normal || kind == Class::Subnormal; }
};

// Inlined by force: in registers all the way, an operation takes half the time.
[[gnu::always_inline]] inline Unpacked unpack(const Layout& l, Bits bits, bool flush_in) {
  Unpacked u;
  u.kind = classify(l, bits);
  u.negative = (bits & l.sign) != 0;
  if (u.kind == Class::Subnormal && flush_in) u.kind = Class::Zero;
  if (!u.finite_nonzero()) return u;
  if (!is_float(l)) {
    const Bits magnitude = u.negative ? (Bits{0} - bits) & l.mask : bits;
    const int shift = std::countl_zero(magnitude);
    u.significand = magnitude << shift;
    u.exponent = 63 - shift;
    return u;
  }
  const Bits magnitude = (bits & ~l.sign) + l.left_out;
  const Bits fraction = magnitude & ((Bits{1} << l.fraction_bits) - 1);
  if (u.kind == Class::Normal) {
    u.significand = (fraction | Bits{1} << l.fraction_bits) << (63 - l.fraction_bits);
    u.exponent = static_cast<int>(magnitude >> l.fraction_bits) - 1 + l.emin;
  } else {
    const int shift = std::countl_zero(fraction);
    u.significand = fraction << shift;
    u.exponent = 63 - shift + l.emin - l.fraction_bits;
  }
  return u;
}

[[gnu::always_inline]] inline Unpacked unpack(Scalar a, const Policy& policy) {
  return unpack(layout(a.format), a.bits, policy.flush_in);
}

/// Rounds +-(significand + s) * 2^exponent into the layout, where s is 0, or something in (0, 1) if `sticky`.
/// significand is not 0; with sticky it has at least two bits more than the result can keep (66 do for every format).
/// Float: overflow and flushing as the policy says. Integer: rounded to an integer, which then wraps or saturates. Boolean: 1.
Bits round_pack(bool negative, int exponent, Wide significand, bool sticky, const Layout& l, const Policy& policy);

// Results that are no nonzero finite number.
Bits pack_zero(bool negative, const Layout& l, const Policy& policy);
Bits pack_infinity(bool negative, const Layout& l, const Policy& policy);
Bits pack_nan(const Layout& l, const Policy& policy);

/// floor(sqrt(n)) for n >= 2^126.
std::uint64_t integer_root(Wide n);

}  // namespace bitpact
