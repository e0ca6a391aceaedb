#include "number/fused_sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "diagnostic/diagnostic.h"
#include "number/engine.h"

namespace bitpact {
namespace {

constexpr int most_fraction_bits = 96;
constexpr size_t most_terms = 65'536;  // with 96 + 2 bits a term, the sum stays below 2^115
__extension__ typedef __int128 Sum;

/// +-significand * 2^unit; `exponent` is the one that it is aligned by.
struct Term {
  bool negative = false;
  int exponent = 0, unit = 0;
  Wide significand = 0;
};

/// What was met on the way to the sum of the numbers.
struct Met {
  bool nan = false, plus_infinity = false, minus_infinity = false, plus_zero = false, minus_zero = false;
  std::vector<Term> terms;
};

/// The exponent with which a number is stored: a subnormal one has the smallest normal one's.
int stored_exponent(const Unpacked& a, const Layout& l) { return std::max(a.exponent, is_float(l) ? l.emin : a.exponent); }

void meet(Met& met, Class kind, bool negative, const Term& term) {
  switch (kind) {
    case Class::NaN:
      met.nan = true;
      break;
    case Class::Infinity:
      (negative ? met.minus_infinity : met.plus_infinity) = true;
      break;
    case Class::Zero:
      (negative ? met.minus_zero : met.plus_zero) = true;
      break;
    case Class::Subnormal:
    case Class::Normal:
      met.terms.push_back(term);
      break;
  }
}

void meet(Met& met, const Product& product, const FusedSumRule& rule) {
  const Unpacked a = unpack(product.a, rule.policy), b = unpack(product.b, rule.policy);
  const bool negative = a.negative != b.negative;
  if (!a.finite_nonzero() || !b.finite_nonzero()) {
    const bool infinite = a.kind == Class::Infinity || b.kind == Class::Infinity;
    const bool zero = a.kind == Class::Zero || b.kind == Class::Zero;
    const bool nan = a.kind == Class::NaN || b.kind == Class::NaN || (infinite && zero);
    return meet(met, nan ? Class::NaN : infinite ? Class::Infinity : Class::Zero, negative, {});
  }
  Term term{negative, 0, a.exponent + b.exponent - 126, Wide{a.significand} * b.significand};
  term.exponent = rule.normalised ? a.exponent + b.exponent + static_cast<int>(term.significand >> 127)
                                  : stored_exponent(a, layout(product.a.format)) + stored_exponent(b, layout(product.b.format));
  meet(met, Class::Normal, negative, term);
}

void meet(Met& met, const Scalar& addend, const FusedSumRule& rule) {
  const Unpacked a = unpack(addend, rule.policy);
  const int exponent = rule.normalised ? a.exponent : stored_exponent(a, layout(addend.format));
  meet(met, a.kind, a.negative, {a.negative, exponent, a.exponent - 63, a.significand});
}

/// The term in units of 2^unit, cut.
Sum aligned(const Term& term, int unit, Cut cut) {
  const int drop = unit - term.unit;
  Wide kept = 0;
  bool lost = false;
  if (drop <= 0) {
    kept = term.significand << -drop;
  } else if (drop < 128) {
    kept = term.significand >> drop;
    lost = (term.significand & ((Wide{1} << drop) - 1)) != 0;
  } else {
    lost = true;
  }
  if (lost && cut == Cut::Jam) kept |= 1;
  if (lost && cut == Cut::Down && term.negative) kept += 1;
  return term.negative ? -static_cast<Sum>(kept) : static_cast<Sum>(kept);
}

void check(std::span<const Product> products, std::span<const Scalar> addends, const FusedSumRule& rule) {
  const auto require_float = [](Format format) {
    if (!is_float(format)) refuse(Code::ArithmeticUnsupported, fmt::format("a fused sum with {}", name(format)));
  };
  require_float(rule.result);
  for (const Product& p : products) require_float(p.a.format), require_float(p.b.format);
  for (const Scalar& s : addends) require_float(s.format);
  const size_t terms = products.size() + addends.size();
  if (terms == 0 || terms > most_terms) refuse(Code::ArithmeticUnsupported, fmt::format("a fused sum of {} terms", terms));
  if (rule.fraction_bits < 0 || rule.fraction_bits > most_fraction_bits)
    refuse(Code::ArithmeticUnsupported, fmt::format("a fused sum that keeps {} bits", rule.fraction_bits));
}

}  // namespace

Bits fused_sum(std::span<const Product> products, std::span<const Scalar> addends, const FusedSumRule& rule) {
  check(products, addends, rule);
  const Layout& l = layout(rule.result);
  Met met;
  for (const Product& p : products) meet(met, p, rule);
  for (const Scalar& s : addends) meet(met, s, rule);
  if (met.nan || (met.plus_infinity && met.minus_infinity)) return pack_nan(l, rule.policy);
  if (met.plus_infinity || met.minus_infinity) return pack_infinity(met.minus_infinity, l, rule.policy);
  if (met.terms.empty() && met.plus_zero != met.minus_zero) return pack_zero(met.minus_zero, l, rule.policy);
  Sum sum = 0;
  int unit = 0;
  if (!met.terms.empty()) {
    unit = std::ranges::max_element(met.terms, {}, &Term::exponent)->exponent - rule.fraction_bits;
    for (const Term& term : met.terms) sum += aligned(term, unit, rule.cut);
  }
  if (sum == 0) return pack_zero(rule.policy.rounding == Rounding::Down, l, rule.policy);
  return round_pack(sum < 0, unit, static_cast<Wide>(sum < 0 ? -sum : sum), false, l, rule.policy);
}

}  // namespace bitpact
