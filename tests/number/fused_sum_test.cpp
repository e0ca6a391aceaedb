// Fused sums against integers of any size: each term as an exact rational, cut and added by GMP, rounded by MPFR.
#include "number/fused_sum.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "diagnostic/diagnostic.h"
#include "number/check.h"
#include "number/operands.h"

namespace bitpact::oracle {
namespace {

struct Sum {
  std::vector<Product> products;
  std::vector<Scalar> addends;
};

/// The exponent field's number, a subnormal's being that of the smallest normal number.
long field_exponent(mpfr_t x, Format f) { return std::max<long>(mpfr_get_exp(x) - 1, float_spec(f)->emin); }

/// Finite operands, a result in an IEEE format, no zero terms only.
Bits slow(const Sum& sum, const FusedSumRule& rule) {
  struct Exact {
    mpq_t value;
    long exponent;
  };
  std::vector<Exact> terms;
  mpfr_t x, y;
  mpfr_inits2(64, x, y, nullptr);
  mpq_t q;
  mpq_init(q);
  const auto push = [&](long exponent) {
    terms.emplace_back();
    mpq_init(terms.back().value);
    mpq_set(terms.back().value, q);
    if (rule.normalised) {  // floor(log2 |q|)
      mpq_abs(q, q);
      exponent = static_cast<long>(mpz_sizeinbase(mpq_numref(q), 2)) - static_cast<long>(mpz_sizeinbase(mpq_denref(q), 2)) - 2;
      for (;; ++exponent) {
        mpq_t power;
        mpq_init(power);
        mpq_set_ui(power, 1, 1);
        exponent + 1 >= 0 ? mpq_mul_2exp(power, power, static_cast<mp_bitcnt_t>(exponent + 1))
                          : mpq_div_2exp(power, power, static_cast<mp_bitcnt_t>(-exponent - 1));
        const bool found = mpq_cmp(q, power) < 0;
        mpq_clear(power);
        if (found) break;
      }
    }
    terms.back().exponent = exponent;
  };
  for (const Product& p : sum.products) {
    Oracle::decode(x, p.a, rule.policy.flush_in);
    Oracle::decode(y, p.b, rule.policy.flush_in);
    if (mpfr_zero_p(x) || mpfr_zero_p(y)) continue;
    mpq_t other;
    mpq_init(other);
    mpfr_get_q(q, x);
    mpfr_get_q(other, y);
    mpq_mul(q, q, other);
    mpq_clear(other);
    push(field_exponent(x, p.a.format) + field_exponent(y, p.b.format));
  }
  for (const Scalar& s : sum.addends) {
    Oracle::decode(x, s, rule.policy.flush_in);
    if (mpfr_zero_p(x)) continue;
    mpfr_get_q(q, x);
    push(field_exponent(x, s.format));
  }
  long greatest = -1'000'000;
  for (const Exact& t : terms) greatest = std::max(greatest, t.exponent);
  const long unit = greatest - rule.fraction_bits;
  mpz_t total, kept;
  mpz_inits(total, kept, nullptr);
  for (Exact& t : terms) {  // value / 2^unit as an integer
    unit >= 0 ? mpq_div_2exp(t.value, t.value, static_cast<mp_bitcnt_t>(unit))
              : mpq_mul_2exp(t.value, t.value, static_cast<mp_bitcnt_t>(-unit));
    const bool exact = mpz_cmp_ui(mpq_denref(t.value), 1) == 0;
    if (rule.cut == Cut::Down) {
      mpz_fdiv_q(kept, mpq_numref(t.value), mpq_denref(t.value));
    } else {
      mpz_tdiv_q(kept, mpq_numref(t.value), mpq_denref(t.value));
      if (rule.cut == Cut::Jam && !exact && mpz_even_p(kept)) {
        mpq_sgn(t.value) < 0 ? mpz_sub_ui(kept, kept, 1) : mpz_add_ui(kept, kept, 1);
      }
    }
    mpz_add(total, total, kept);
    mpq_clear(t.value);
  }
  // Rounded by MPFR alone, into a number that f64 holds.
  const FloatSpec s = *float_spec(rule.result);
  mpfr_rnd_t rnd = MPFR_RNDN;
  if (rule.policy.rounding == Rounding::TowardZero) rnd = MPFR_RNDZ;
  if (rule.policy.rounding == Rounding::Up) rnd = MPFR_RNDU;
  if (rule.policy.rounding == Rounding::Down) rnd = MPFR_RNDD;
  mpfr_set_prec(y, s.p);
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  int ternary = mpfr_set_z_2exp(y, total, unit, rnd);
  mpfr_set_emin(s.emin - s.p + 2);
  mpfr_set_emax(s.emax + 1);
  ternary = mpfr_check_range(y, ternary, rnd);
  mpfr_subnormalize(y, ternary, rnd);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  double value = mpfr_get_d(y, MPFR_RNDN);
  if (mpz_sgn(total) == 0) value = rnd == MPFR_RNDD ? -0.0 : 0.0;
  mpz_clears(total, kept, nullptr);
  mpfr_clears(x, y, nullptr);
  mpq_clear(q);
  return convert({Format::F64, std::bit_cast<Bits>(value)}, rule.result);  // exact
}

Scalar finite(RandomOperands& random, std::mt19937_64& words, Format f) {
  for (;;) {
    Operands x{Scalar{f, 0}};
    if (float_spec(f)->width > 8) {
      random.fill(Op::Convert, x);
    } else {
      x[0].bits = words() % 256 & ~Bits{0} >> (64 - float_spec(f)->width);
    }
    const Class kind = classify(f, x[0].bits);
    if (kind != Class::NaN && kind != Class::Infinity) return x[0];
  }
}

TEST(FusedSum, RandomSumsUnderEveryRule) {
  RandomOperands random(41);
  std::mt19937_64 words(42);
  const std::vector<Format> factors{Format::F16,    Format::BF16,     Format::TF32,      Format::F8E4M3FN,
                                    Format::F8E5M2, Format::F4E2M1FN, Format::F8E8M0FNU, Format::F32};
  constexpr Rounding roundings[] = {Rounding::NearestEven, Rounding::TowardZero, Rounding::Up, Rounding::Down};
  for (int n = 0; n < (many_cases() ? 300'000 : 8'000); ++n) {
    Sum sum;
    const Format a = factors[words() % factors.size()], b = words() % 4 ? a : factors[words() % factors.size()];
    for (size_t k = 1 + words() % 32; k > 0; --k) {
      sum.products.push_back({finite(random, words, a), finite(random, words, b)});
      if (words() % 4 == 0 && a != Format::F8E8M0FNU) {  // cancels exactly
        Product minus = sum.products.back();
        minus.a.bits = negate(minus.a);
        sum.products.push_back(minus);
      }
    }
    if (words() % 2) sum.addends.push_back(finite(random, words, words() % 2 ? Format::F32 : Format::F16));
    FusedSumRule rule;
    rule.result = words() % 3 ? Format::F32 : words() % 2 ? Format::F16 : Format::BF16;
    rule.fraction_bits = static_cast<int>(words() % 97);
    if (words() % 2) rule.fraction_bits = 12 + static_cast<int>(words() % 16);
    rule.cut = static_cast<Cut>(words() % 3);
    rule.normalised = words() % 2;
    rule.policy = {roundings[words() % 4]};
    rule.policy.flush_in = words() % 4 == 0;
    const Bits got = fused_sum(sum.products, sum.addends, rule);
    bool all_zero = true;
    for (const Product& p : sum.products) {
      Policy in;
      in.flush_in = rule.policy.flush_in;
      all_zero = all_zero && (classify(Format::F64, convert(p.a, Format::F64, in)) == Class::Zero ||
                              classify(Format::F64, convert(p.b, Format::F64, in)) == Class::Zero);
    }
    for (const Scalar& s : sum.addends) {
      Policy in;
      in.flush_in = rule.policy.flush_in;
      all_zero = all_zero && classify(Format::F64, convert(s, Format::F64, in)) == Class::Zero;
    }
    if (all_zero) continue;
    ASSERT_EQ(got, slow(sum, rule)) << n << " F=" << rule.fraction_bits << " cut=" << static_cast<int>(rule.cut)
                                    << " normalised=" << rule.normalised << " " << name(a) << " " << name(rule.result);
    // No order: neither of the products nor of a product's factors.
    std::ranges::shuffle(sum.products, words);
    for (Product& p : sum.products) std::swap(p.a, p.b);
    ASSERT_EQ(fused_sum(sum.products, sum.addends, rule), got) << n;
  }
}

Scalar f32(double value) { return {Format::F32, std::bit_cast<std::uint32_t>(static_cast<float>(value))}; }
double as_double(Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

TEST(FusedSum, TermsThatDifferOnlyInWhatIsCut) {
  // 2^24 and three quarters of its last kept bit, four times over, F = 24: each is cut to nothing, or jammed to one unit.
  const std::vector<Scalar> addends{f32(0x1p24), f32(0.75), f32(0.75), f32(0.75), f32(0.75)};
  const auto of = [&](Cut cut, int bits) { return as_double(fused_sum({}, addends, {.fraction_bits = bits, .cut = cut})); };
  EXPECT_EQ(of(Cut::TowardZero, 24), 0x1p24);
  EXPECT_EQ(of(Cut::Down, 24), 0x1p24);
  EXPECT_EQ(of(Cut::Jam, 24), 0x1p24 + 4);
  EXPECT_EQ(of(Cut::TowardZero, 25), 0x1p24 + 2);
  EXPECT_EQ(of(Cut::TowardZero, 26), 0x1p24 + 4);  // 3 exactly, a tie to even
  std::vector<Scalar> negative;
  for (Scalar s : addends) negative.push_back({Format::F32, negate(s)});
  const auto minus = [&](Cut cut) { return as_double(fused_sum({}, negative, {.fraction_bits = 24, .cut = cut})); };
  EXPECT_EQ(minus(Cut::TowardZero), -0x1p24);
  EXPECT_EQ(minus(Cut::Down), -0x1p24 - 4);
  EXPECT_EQ(minus(Cut::Jam), -0x1p24 - 4);
}

TEST(FusedSum, WhatCancelsStillSetTheUnit) {
  // The large terms cancel, and what is left was cut at their size.
  const std::vector<Scalar> addends{f32(0x1p20), f32(1 + 0x1p-10), f32(-0x1p20)};
  EXPECT_EQ(as_double(fused_sum({}, addends, {.fraction_bits = 24})), 1);
  EXPECT_EQ(as_double(fused_sum({}, addends, {.fraction_bits = 30})), 1 + 0x1p-10);
  // A product as stored: 1.5 * 1.5 has the exponent 0, normalised 1.
  const std::vector<Product> products{{f32(1.5), f32(1.5)}};
  const std::vector<Scalar> small{f32(0x1p-4)};
  EXPECT_EQ(as_double(fused_sum(products, small, {.fraction_bits = 4})), 2.25 + 0x1p-4);
  EXPECT_EQ(as_double(fused_sum(products, small, {.fraction_bits = 4, .normalised = true})), 2.25);
}

TEST(FusedSum, SpecialValuesAndRefusals) {
  const Scalar inf{Format::F32, 0x7f800000}, minus_inf{Format::F32, 0xff800000}, nan{Format::F32, 0x7fc00000},
      one = f32(1), zero = f32(0), minus_zero{Format::F32, 0x80000000};
  const auto of = [](std::vector<Product> products, std::vector<Scalar> addends, Rounding r = Rounding::NearestEven) {
    return fused_sum(products, addends, {.policy = {r}});
  };
  EXPECT_EQ(of({{inf, one}}, {one}), inf.bits);
  EXPECT_EQ(of({{minus_inf, one}}, {minus_inf}), minus_inf.bits);
  EXPECT_EQ(of({{inf, zero}}, {one}), nan.bits);
  EXPECT_EQ(of({{inf, one}}, {minus_inf}), nan.bits);
  EXPECT_EQ(of({{one, one}}, {nan}), nan.bits);
  EXPECT_EQ(of({{minus_zero, one}}, {minus_zero}), minus_zero.bits);
  EXPECT_EQ(of({{minus_zero, one}}, {zero}), zero.bits);
  EXPECT_EQ(of({{minus_zero, one}}, {zero}, Rounding::Down), minus_zero.bits);
  EXPECT_EQ(of({{one, one}}, {f32(-1)}), zero.bits);
  EXPECT_EQ(of({{one, one}}, {f32(-1)}, Rounding::Down), minus_zero.bits);
  const std::vector<Scalar> ones{one}, integers{{Format::I8, 1}};
  for (auto refused : std::vector<std::function<void()>>{[&] { fused_sum({}, {}, {}); }, [&] { fused_sum({}, integers, {}); },
                                                         [&] { fused_sum({}, ones, {.result = Format::I32}); },
                                                         [&] { fused_sum({}, ones, {.fraction_bits = -1}); },
                                                         [&] { fused_sum({}, ones, {.fraction_bits = 97}); }}) {
    try {
      refused();
      ADD_FAILURE();
    } catch (const Refused& e) {
      EXPECT_EQ(e.diagnostic().code, Code::ArithmeticUnsupported);
    }
  }
}

}  // namespace
}  // namespace bitpact::oracle
