#include "number/arithmetic.h"

#include <fmt/format.h>

#include "diagnostic/diagnostic.h"
#include "number/engine.h"

namespace bitpact {
namespace {

/// A product or a term of a sum: +-significand * 2^(exponent - 126), bit 126 set where finite and not zero.
struct Term {
  Class kind = Class::Zero;
  bool negative = false;
  int exponent = 0;
  Wide significand = 0;
};

[[gnu::always_inline]] inline Term term(const Unpacked& a) { return {a.kind, a.negative, a.exponent, Wide{a.significand} << 63}; }

/// The exact product. Floats' significands end in at least 11 zeros (precision <= 53), so the shift by one loses nothing.
[[gnu::always_inline]] inline Term product(const Unpacked& a, const Unpacked& b) {
  Term p;
  p.negative = a.negative != b.negative;
  if (a.finite_nonzero() && b.finite_nonzero()) {
    p.kind = Class::Normal;
    p.exponent = a.exponent + b.exponent;
    p.significand = Wide{a.significand} * b.significand;
    if (p.significand >> 127) {
      p.significand >>= 1;
      ++p.exponent;
    }
    return p;
  }
  const bool infinite = a.kind == Class::Infinity || b.kind == Class::Infinity;
  const bool zero = a.kind == Class::Zero || b.kind == Class::Zero;
  if (a.kind == Class::NaN || b.kind == Class::NaN || (infinite && zero)) {
    p.kind = Class::NaN;
  } else {
    p.kind = infinite ? Class::Infinity : Class::Zero;
  }
  return p;
}

[[gnu::always_inline]] inline bool finite_nonzero(const Term& t) { return t.kind == Class::Normal || t.kind == Class::Subnormal; }

[[gnu::always_inline]] inline Bits pack(const Term& t, const Layout& l, const Policy& policy) {
  switch (t.kind) {
    case Class::Zero:
      return pack_zero(t.negative, l, policy);
    case Class::Infinity:
      return pack_infinity(t.negative, l, policy);
    case Class::NaN:
      return pack_nan(l, policy);
    case Class::Subnormal:
    case Class::Normal:
      break;
  }
  return round_pack(t.negative, t.exponent - 126, t.significand, false, l, policy);
}

/// The sum of two finite nonzero terms. The smaller one is shifted into place; what falls off is jammed into its last bit. That
/// is safe: a term has at least 21 zeros at its low end, so anything falls off only where the exponents are more than 21 apart,
/// and then the sum keeps at least 125 bits, of which the jammed one is far below the last that counts.
[[gnu::always_inline]] inline Bits sum_of_numbers(Term a, Term b, const Layout& l, const Policy& policy) {
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) std::swap(a, b);
  const int distance = a.exponent - b.exponent;
  if (distance >= 127) {
    b.significand = 1;
  } else if (distance > 0) {
    const bool lost = b.significand & ((Wide{1} << distance) - 1);
    b.significand = b.significand >> distance | (lost ? 1 : 0);
  }
  if (a.negative == b.negative) return round_pack(a.negative, a.exponent - 126, a.significand + b.significand, false, l, policy);
  const Wide difference = a.significand - b.significand;
  // IEEE 754-2019 6.3: an exact zero sum of operands of different signs is +0, under Down -0.
  if (difference == 0) return pack_zero(policy.rounding == Rounding::Down, l, policy);
  return round_pack(a.negative, a.exponent - 126, difference, false, l, policy);
}

[[gnu::always_inline]] inline Bits sum(const Term& a, const Term& b, const Layout& l, const Policy& policy) {
  if (finite_nonzero(a) && finite_nonzero(b)) return sum_of_numbers(a, b, l, policy);
  if (a.kind == Class::NaN || b.kind == Class::NaN) return pack_nan(l, policy);
  if (a.kind == Class::Infinity) {
    return b.kind == Class::Infinity && a.negative != b.negative ? pack_nan(l, policy) : pack(a, l, policy);
  }
  if (b.kind == Class::Infinity) return pack(b, l, policy);
  if (finite_nonzero(a)) return pack(a, l, policy);
  if (finite_nonzero(b)) return pack(b, l, policy);
  return pack_zero(a.negative == b.negative ? a.negative : policy.rounding == Rounding::Down, l, policy);
}

/// An exact integer, of at most 128 bits of magnitude.
struct Integer {
  bool negative = false;
  Wide magnitude = 0;
};

Integer integer(Scalar a) {
  const Layout& l = layout(a.format);
  const bool negative = (a.bits & l.sign) != 0;
  return {negative, negative ? (Bits{0} - a.bits) & l.mask : a.bits};
}

/// |a| + |b| < 2^128: a product of 64-bit integers plus a 64-bit integer is.
Integer sum(const Integer& a, const Integer& b) {
  if (a.negative == b.negative) return {a.negative, a.magnitude + b.magnitude};
  if (a.magnitude >= b.magnitude) return {a.negative, a.magnitude - b.magnitude};
  return {b.negative, b.magnitude - a.magnitude};
}

Integer product(const Integer& a, const Integer& b) { return {a.negative != b.negative, a.magnitude * b.magnitude}; }

Bits pack(const Integer& a, const Layout& l, const Policy& policy) {
  return a.magnitude == 0 ? 0 : round_pack(a.negative, 0, a.magnitude, false, l, policy);
}

[[noreturn]] void refuse_formats(std::string_view operation, std::initializer_list<Format> operands, Format result) {
  std::string list;
  for (Format f : operands) list += fmt::format("{}{}", list.empty() ? "" : ", ", name(f));
  refuse(Code::ArithmeticUnsupported, fmt::format("{} of {} into {}", operation, list, name(result)));
}

/// True: all are floats. False: all are one integer format. Anything else is refused.
template <class... Formats>
[[gnu::always_inline]] inline bool all_floats(std::string_view operation, Format result, Formats... operands) {
  const bool floats = (is_float(layout(result)) && ... && is_float(layout(operands)));
  if (!floats && (is_float(layout(result)) || ((operands != result) || ...))) refuse_formats(operation, {operands...}, result);
  return floats;
}

}  // namespace

Bits add(Scalar a, Scalar b, Format result, const Policy& policy) {
  const Layout& l = layout(result);
  if (!all_floats("add", result, a.format, b.format)) return pack(sum(integer(a), integer(b)), l, policy);
  return sum(term(unpack(a, policy)), term(unpack(b, policy)), l, policy);
}

Bits subtract(Scalar a, Scalar b, Format result, const Policy& policy) {
  const Layout& l = layout(result);
  if (!all_floats("subtract", result, a.format, b.format)) {
    Integer minus = integer(b);
    minus.negative = !minus.negative;
    return pack(sum(integer(a), minus), l, policy);
  }
  Term minus = term(unpack(b, policy));
  minus.negative = !minus.negative;
  return sum(term(unpack(a, policy)), minus, l, policy);
}

Bits multiply(Scalar a, Scalar b, Format result, const Policy& policy) {
  const Layout& l = layout(result);
  if (!all_floats("multiply", result, a.format, b.format)) return pack(product(integer(a), integer(b)), l, policy);
  return pack(product(unpack(a, policy), unpack(b, policy)), l, policy);
}

Bits fused_multiply_add(Scalar a, Scalar b, Scalar c, Format result, const Policy& policy) {
  const Layout& l = layout(result);
  if (!all_floats("fused multiply-add", result, a.format, b.format, c.format)) {
    return pack(sum(product(integer(a), integer(b)), integer(c)), l, policy);
  }
  return sum(product(unpack(a, policy), unpack(b, policy)), term(unpack(c, policy)), l, policy);
}

Bits divide(Scalar a, Scalar b, Format result, const Policy& policy) {
  const Layout& l = layout(result);
  if (!all_floats("divide", result, a.format, b.format)) {
    const Integer x = integer(a), y = integer(b);
    if (y.magnitude == 0) refuse(Code::ArithmeticUnsupported, fmt::format("divide of {} by zero", name(result)));
    return pack({x.negative != y.negative, x.magnitude / y.magnitude}, l, policy);
  }
  const Unpacked x = unpack(a, policy), y = unpack(b, policy);
  const bool negative = x.negative != y.negative;
  if (x.finite_nonzero() && y.finite_nonzero()) {
    // 62 or 63 bits of quotient: two more than the widest precision keeps, and the 128 by 64 bit division cannot overflow.
    const Wide dividend = Wide{x.significand} << 62;
    const auto quotient = static_cast<std::uint64_t>(dividend / y.significand);
    const bool rest = Wide{quotient} * y.significand != dividend;
    return round_pack(negative, x.exponent - y.exponent - 62, quotient, rest, l, policy);
  }
  if (x.kind == Class::NaN || y.kind == Class::NaN || (x.kind == y.kind)) return pack_nan(l, policy);  // 0/0 and inf/inf too
  if (x.kind == Class::Infinity || y.kind == Class::Zero) return pack_infinity(negative, l, policy);
  return pack_zero(negative, l, policy);
}

Bits square_root(Scalar a, Format result, const Policy& policy) {
  const Layout& l = layout(result);
  if (!is_float(a.format) || !is_float(result)) refuse_formats("square root", {a.format}, result);
  const Unpacked x = unpack(a, policy);
  if (x.kind == Class::Zero) return pack_zero(x.negative, l, policy);
  if (x.kind == Class::NaN || x.negative) return pack_nan(l, policy);
  if (x.kind == Class::Infinity) return pack_infinity(false, l, policy);
  // significand * 2^(exponent - 63) = n * 2^(even - 126), so the root is sqrt(n) * 2^(even/2 - 63).
  const bool odd = x.exponent & 1;
  const Wide n = Wide{x.significand} << (odd ? 64 : 63);
  const int even = x.exponent - (odd ? 1 : 0);
  const std::uint64_t root = integer_root(n);
  return round_pack(false, even / 2 - 63, root, Wide{root} * root != n, l, policy);
}

Bits convert(Scalar a, Format result, const Policy& policy) {
  const Layout& l = layout(result);
  const Unpacked x = unpack(a, policy);
  switch (x.kind) {
    case Class::Zero:
      return pack_zero(x.negative, l, policy);
    case Class::Infinity:
      return pack_infinity(x.negative, l, policy);
    case Class::NaN:
      return pack_nan(l, policy);
    case Class::Subnormal:
    case Class::Normal:
      break;
  }
  return round_pack(x.negative, x.exponent - 63, x.significand, false, l, policy);
}

Bits negate(Scalar a) {
  const Layout& l = layout(a.format);
  if (!is_float(l)) return (Bits{0} - a.bits) & l.mask;
  if (l.sign == 0) refuse(Code::ArithmeticUnsupported, fmt::format("negate of {}, which has no sign", name(a.format)));
  // Without a -0, its bits are the NaN: that one and zero are their own negations.
  if (l.negative_zero == 0 && (a.bits & ~l.sign) == 0) return a.bits;
  return a.bits ^ l.sign;
}

Bits absolute(Scalar a) {
  const Layout& l = layout(a.format);
  if (is_float(l)) return a.bits == l.quiet_nan && l.nans ? a.bits : a.bits & ~l.sign;
  return a.bits & l.sign ? (Bits{0} - a.bits) & l.mask : a.bits;
}

}  // namespace bitpact
