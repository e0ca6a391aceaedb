// What an operation must give, from MPFR. Two ways that share nothing but MPFR's arithmetic:
//  - native: MPFR rounds to the format's precision itself, then mpfr_check_range and mpfr_subnormalize (nearest even, zero, up,
//  down);
//  - by definition: the result truncated to 150 bits and MPFR's word on whether that was exact, rounded here with GMP integers
//  (all
//    six roundings).
// The formats' numbers are written down here once more and are not read from the library.
#pragma once

#include <gmp.h>
#include <mpfr.h>

#include <array>
#include <optional>
#include <string>

#include "number/arithmetic.h"

namespace bitpact::oracle {

enum class Op { Add, Subtract, Multiply, Divide, SquareRoot, Fma, Convert };
inline constexpr std::array all_ops{Op::Add, Op::Subtract, Op::Multiply, Op::Divide, Op::SquareRoot, Op::Fma, Op::Convert};
inline constexpr std::array all_roundings{Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero,
                                          Rounding::Up,          Rounding::Down,        Rounding::ToOdd};

inline const char* spelling(Op op) {
  constexpr const char* names[] = {"add", "subtract", "multiply", "divide", "square_root", "fused_multiply_add", "convert"};
  return names[static_cast<int>(op)];
}
inline const char* spelling(Rounding r) {
  constexpr const char* names[] = {"NearestEven", "NearestAway", "TowardZero", "Up", "Down", "ToOdd"};
  return names[static_cast<int>(r)];
}
inline const char* spelling(Overflow o) {
  constexpr const char* names[] = {"Ieee", "Saturate", "Indefinite"};
  return names[static_cast<int>(o)];
}
inline int arity(Op op) { return op == Op::Fma ? 3 : op == Op::SquareRoot || op == Op::Convert ? 1 : 2; }

/// What a format's encodings are beside numbers: IEEE; all ones a NaN; -0's place the NaN; nothing; a scale: no sign, no zero.
enum class Kind { Ieee, FN, FNUZ, Finite, Scale };
/// IEEE 754-2019 table 3.5, OCP OFP8 1.0 and MX 1.0; p: significant bits, emin / emax: exponents of the smallest normal and the
/// largest number.
struct FloatSpec {
  int width, p, emin, emax;
  Kind kind = Kind::Ieee;
};
inline std::optional<FloatSpec> float_spec(Format f) {
  switch (f) {
    case Format::F64:
      return FloatSpec{64, 53, -1022, 1023};
    case Format::F32:
      return FloatSpec{32, 24, -126, 127};
    case Format::BF16:
      return FloatSpec{16, 8, -126, 127};
    case Format::F16:
      return FloatSpec{16, 11, -14, 15};
    case Format::TF32:
      return FloatSpec{19, 11, -126, 127};
    case Format::F8E5M2:
      return FloatSpec{8, 3, -14, 15};
    case Format::F8E4M3FN:
      return FloatSpec{8, 4, -6, 8, Kind::FN};
    case Format::F8E5M2FNUZ:
      return FloatSpec{8, 3, -15, 15, Kind::FNUZ};
    case Format::F8E4M3FNUZ:
      return FloatSpec{8, 4, -7, 7, Kind::FNUZ};
    case Format::F4E2M1FN:
      return FloatSpec{4, 2, 0, 2, Kind::Finite};
    case Format::F8E8M0FNU:
      return FloatSpec{8, 1, -127, 127, Kind::Scale};
    default:
      return std::nullopt;
  }
}
struct IntegerSpec {
  int width;
  bool is_signed;
};
inline IntegerSpec integer_spec(Format f) {
  switch (f) {
    case Format::I64:
      return {64, true};
    case Format::I32:
      return {32, true};
    case Format::I16:
      return {16, true};
    case Format::I8:
      return {8, true};
    case Format::UI64:
      return {64, false};
    case Format::UI32:
      return {32, false};
    case Format::UI16:
      return {16, false};
    case Format::UI8:
      return {8, false};
    case Format::I4:
      return {4, true};
    case Format::UI4:
      return {4, false};
    default:
      return {1, false};
  }
}

class Oracle {
 public:
  Oracle() {
    for (auto& x : operand_) mpfr_init2(x, 64);
    mpfr_init2(cut_, 150);
    mpfr_init2(native_, 53);
    mpz_inits(m_, n_, r_, half_, nullptr);
  }
  ~Oracle() {
    for (auto& x : operand_) mpfr_clear(x);
    mpfr_clears(cut_, native_, nullptr);
    mpz_clears(m_, n_, r_, half_, nullptr);
  }
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  /// Computes once what every rounding of this operation needs.
  void set(Op op, const std::array<Scalar, 3>& args, bool flush_in) {
    op_ = op;
    for (int i = 0; i < arity(op); ++i) decode(operand_[i], args[i], flush_in);
    inexact_ = compute(cut_, MPFR_RNDZ) != 0;
    if (mpfr_regular_p(cut_)) exponent_ = mpfr_get_z_2exp(m_, cut_);
  }

  /// All six roundings, by definition.
  Bits expected(Format result, const Policy& policy) {
    if (!float_spec(result)) return expected_integer(result, policy);
    const FloatSpec s = *float_spec(result);
    if (mpfr_nan_p(cut_)) return nan(s);
    bool negative = mpfr_signbit(cut_);
    if (s.kind == Kind::Scale && (negative || mpfr_zero_p(cut_))) return no_zero(s, policy);
    if (mpfr_zero_p(cut_)) {
      // The sign of an exact zero sum is MPFR's (its manual: -0 under RNDD, else +0, where the operands' signs differ).
      compute(native_, policy.rounding == Rounding::Down ? MPFR_RNDD : MPFR_RNDN);
      return with_sign(s, mpfr_signbit(native_), 0);
    }
    if (mpfr_inf_p(cut_)) return overflow(s, negative, policy.overflow == Overflow::Saturate);
    const long lead = static_cast<long>(mpz_sizeinbase(m_, 2)) - 1 + exponent_;
    if (policy.flush_out) {
      const unsigned long n = multiple_of(lead - (s.p - 1), negative, policy.rounding);
      const long unbounded_lead = n >> s.p ? lead + 1 : lead;
      if (unbounded_lead < s.emin) return s.kind == Kind::Scale ? no_zero(s, policy) : with_sign(s, negative, 0);
    }
    long unit = std::max<long>(lead, s.emin) - (s.p - 1);
    unsigned long n = multiple_of(unit, negative, policy.rounding);
    if (n >> s.p) n >>= 1, ++unit;
    if (beyond(s, n, unit)) {
      const bool to_max = policy.overflow == Overflow::Saturate || policy.rounding == Rounding::TowardZero ||
                          policy.rounding == Rounding::ToOdd || (policy.rounding == Rounding::Up && negative) ||
                          (policy.rounding == Rounding::Down && !negative);
      return overflow(s, negative, to_max);
    }
    return with_sign(s, negative, encode(s, n, unit));
  }

  /// The four roundings that MPFR has, done by MPFR. Float results.
  std::optional<Bits> expected_native(Format result, const Policy& policy) {
    mpfr_rnd_t rnd = MPFR_RNDN;
    switch (policy.rounding) {
      case Rounding::NearestEven:
        break;
      case Rounding::TowardZero:
        rnd = MPFR_RNDZ;
        break;
      case Rounding::Up:
        rnd = MPFR_RNDU;
        break;
      case Rounding::Down:
        rnd = MPFR_RNDD;
        break;
      default:
        return std::nullopt;
    }
    if (!float_spec(result)) return std::nullopt;
    const FloatSpec s = *float_spec(result);
    mpfr_set_prec(native_, s.p);
    int ternary = compute(native_, rnd);
    if (mpfr_nan_p(native_)) return nan(s);
    if (s.kind == Kind::Scale && (mpfr_signbit(native_) || mpfr_zero_p(native_))) return no_zero(s, policy);
    if (policy.flush_out && mpfr_regular_p(native_) && mpfr_get_exp(native_) - 1 < s.emin)
      return s.kind == Kind::Scale ? no_zero(s, policy) : with_sign(s, mpfr_signbit(native_), 0);
    const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_set_emin(s.emin - s.p + 2);
    mpfr_set_emax(s.emax + 1);
    ternary = mpfr_check_range(native_, ternary, rnd);
    mpfr_subnormalize(native_, ternary, rnd);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    const bool negative = mpfr_signbit(native_);
    if (mpfr_zero_p(native_)) return with_sign(s, negative, 0);
    const bool saturate = policy.overflow == Overflow::Saturate;
    if (mpfr_inf_p(native_)) return overflow(s, negative, saturate);
    const long unit = mpfr_get_z_2exp(n_, native_);  // p bits, the low ones of a subnormal being zero
    unsigned long n = mpz_get_ui(n_);
    if (beyond(s, n, unit))  // the one number that MPFR has and f8E4M3FN has not
      return overflow(s, negative, saturate || rnd == MPFR_RNDZ || rnd == (negative ? MPFR_RNDU : MPFR_RNDD));
    const long least = s.emin - (s.p - 1);
    return with_sign(s, negative, unit < least ? encode(s, n >> (least - unit), least) : encode(s, n, unit));
  }

  /// The exact value; x has 64 bits.
  static void decode(mpfr_t x, Scalar a, bool flush_in) {
    if (!float_spec(a.format)) {
      const IntegerSpec s = integer_spec(a.format);
      const bool negative = s.is_signed && a.bits >> (s.width - 1);
      if (negative) {
        mpfr_set_si(x, static_cast<long>(a.bits << (64 - s.width)) >> (64 - s.width), MPFR_RNDN);
      } else {
        mpfr_set_ui(x, a.bits, MPFR_RNDN);
      }
      return;
    }
    const FloatSpec s = *float_spec(a.format);
    if (s.kind == Kind::Scale) {
      mpfr_set_ui_2exp(x, 1, static_cast<long>(a.bits) - 127, MPFR_RNDN);
      if (a.bits == 0xff) mpfr_set_nan(x);
      return;
    }
    if ((s.kind == Kind::FN && (a.bits & 0x7f) == 0x7f) || (s.kind == Kind::FNUZ && a.bits == 0x80)) return mpfr_set_nan(x);
    const bool negative = a.bits >> (s.width - 1) & 1;
    const unsigned long fraction = a.bits & ((1ul << (s.p - 1)) - 1);
    const long field = static_cast<long>((a.bits & ~(Bits{1} << (s.width - 1))) >> (s.p - 1));
    if (s.kind == Kind::Ieee && field == s.emax - s.emin + 2) {
      fraction ? mpfr_set_nan(x) : mpfr_set_inf(x, 1);
    } else if (field == 0) {
      mpfr_set_ui_2exp(x, flush_in ? 0 : fraction, s.emin - (s.p - 1), MPFR_RNDN);
    } else {
      mpfr_set_ui_2exp(x, fraction | 1ul << (s.p - 1), field - 1 + s.emin - (s.p - 1), MPFR_RNDN);
    }
    if (negative) mpfr_setsign(x, x, 1, MPFR_RNDN);
  }

 private:
  static Bits with_sign(const FloatSpec& s, bool negative, Bits magnitude) {
    const bool no_sign = s.kind == Kind::Scale || (s.kind == Kind::FNUZ && magnitude == 0);
    return no_sign ? magnitude : magnitude | Bits{negative} << (s.width - 1);
  }
  static Bits inf(const FloatSpec& s) { return encode(s, 1ul << (s.p - 1), s.emax + 1 - (s.p - 1)); }
  /// The largest number's significand: f8E4M3FN's all ones are the NaN.
  static unsigned long most(const FloatSpec& s) { return (1ul << s.p) - (s.kind == Kind::FN ? 2 : 1); }
  static Bits max(const FloatSpec& s) { return encode(s, most(s), s.emax - (s.p - 1)); }
  static bool beyond(const FloatSpec& s, unsigned long n, long unit) {
    return unit + s.p - 1 > s.emax || (unit + s.p - 1 == s.emax && n > most(s));
  }
  static Bits nan(const FloatSpec& s) {
    switch (s.kind) {
      case Kind::Ieee:
        return inf(s) | Bits{1} << (s.p - 2);
      case Kind::FN:
        return 0x7f;
      case Kind::FNUZ:
        return 0x80;
      case Kind::Finite:
        return 0;
      case Kind::Scale:
        return 0xff;
    }
    return 0;
  }
  static Bits overflow(const FloatSpec& s, bool negative, bool to_max) {
    if (to_max || s.kind == Kind::Finite) return with_sign(s, negative, max(s));
    return s.kind == Kind::Ieee ? with_sign(s, negative, inf(s)) : nan(s);
  }
  /// A scale that would be zero or negative.
  static Bits no_zero(const FloatSpec& s, const Policy& policy) { return policy.overflow == Overflow::Saturate ? 0 : nan(s); }
  /// n * 2^unit, n < 2^p; n < 2^(p-1) only for the least unit.
  static Bits encode(const FloatSpec& s, unsigned long n, long unit) {
    if (s.kind == Kind::Scale) return n == 0 ? 0 : static_cast<Bits>(unit + 127);
    if (n < 1ul << (s.p - 1)) return n;
    const Bits field = static_cast<Bits>(unit + (s.p - 1) - s.emin + 1);
    return field << (s.p - 1) | (n & ((1ul << (s.p - 1)) - 1));
  }

  int compute(mpfr_t out, mpfr_rnd_t rnd) {
    auto& [a, b, c] = operand_;
    switch (op_) {
      case Op::Add:
        return mpfr_add(out, a, b, rnd);
      case Op::Subtract:
        return mpfr_sub(out, a, b, rnd);
      case Op::Multiply:
        return mpfr_mul(out, a, b, rnd);
      case Op::Divide:
        return mpfr_div(out, a, b, rnd);
      case Op::SquareRoot:
        return mpfr_sqrt(out, a, rnd);
      case Op::Fma:
        return mpfr_fma(out, a, b, c, rnd);
      case Op::Convert:
        return mpfr_set(out, a, rnd);
    }
    return 0;
  }

  /// Sets n_ to |value| / 2^unit rounded to an integer.
  void round_to_multiple(long unit, bool negative, Rounding rounding) {
    mpz_abs(m_, m_);
    int against_half = -1;  // of what is cut off; only where something is
    bool exact = !inexact_;
    if (unit <= exponent_) {
      mpz_mul_2exp(n_, m_, static_cast<mp_bitcnt_t>(exponent_ - unit));
    } else {
      const auto cut = static_cast<mp_bitcnt_t>(unit - exponent_);
      mpz_tdiv_q_2exp(n_, m_, cut);
      mpz_tdiv_r_2exp(r_, m_, cut);
      mpz_set_ui(half_, 0);
      mpz_setbit(half_, cut - 1);
      against_half = mpz_cmp(r_, half_);
      if (against_half == 0 && inexact_) against_half = 1;
      exact = exact && mpz_sgn(r_) == 0;
    }
    if (exact) return;
    const bool odd = mpz_odd_p(n_);
    bool next = false;
    switch (rounding) {
      case Rounding::NearestEven:
        next = against_half > 0 || (against_half == 0 && odd);
        break;
      case Rounding::NearestAway:
        next = against_half >= 0;
        break;
      case Rounding::TowardZero:
        next = false;
        break;
      case Rounding::Up:
        next = !negative;
        break;
      case Rounding::Down:
        next = negative;
        break;
      case Rounding::ToOdd:
        next = !odd;
        break;
    }
    if (next) mpz_add_ui(n_, n_, 1);
  }
  unsigned long multiple_of(long unit, bool negative, Rounding rounding) {
    round_to_multiple(unit, negative, rounding);
    return mpz_get_ui(n_);
  }

  Bits expected_integer(Format result, const Policy& policy) {
    const IntegerSpec s = integer_spec(result);
    if (result == Format::I1) return !mpfr_zero_p(cut_);
    const bool saturate = policy.overflow == Overflow::Saturate;
    const Bits mask = ~Bits{0} >> (64 - s.width);
    const Bits top = s.is_signed ? mask >> 1 : mask, bottom = s.is_signed ? Bits{1} << (s.width - 1) : 0;
    const bool indefinite = policy.overflow == Overflow::Indefinite;
    const Bits no_integer = s.is_signed ? bottom : mask;
    if (mpfr_zero_p(cut_)) return 0;
    if (mpfr_nan_p(cut_)) return indefinite ? no_integer : 0;
    const bool negative = mpfr_signbit(cut_);
    if (mpfr_inf_p(cut_)) return indefinite ? no_integer : !saturate ? 0 : negative ? bottom : top;
    round_to_multiple(0, negative, policy.rounding);
    if (negative) mpz_neg(n_, n_);
    if (saturate || indefinite) {
      mpz_set_ui(half_, top);
      if (mpz_cmp(n_, half_) > 0) return saturate ? top : no_integer;
      mpz_set_ui(half_, bottom);
      mpz_neg(half_, half_);
      if (mpz_cmp(n_, half_) < 0) return saturate ? bottom : no_integer;
    }
    mpz_fdiv_r_2exp(n_, n_, static_cast<mp_bitcnt_t>(s.width));  // modulo 2^width, not negative
    return mpz_get_ui(n_);
  }

  Op op_ = Op::Convert;
  std::array<mpfr_t, 3> operand_;
  mpfr_t cut_, native_;
  mpz_t m_, n_, r_, half_;
  long exponent_ = 0;
  bool inexact_ = false;
};

}  // namespace bitpact::oracle
