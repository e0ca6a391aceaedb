// Which conversions and products are exact: against the arithmetic itself.
#include "contract/value_set.h"

#include <gtest/gtest.h>

#include "contract/generate.h"

namespace bitpact {
namespace {

using generate::Random;

std::vector<Bits> values_to_try(Random& random, Format format) {
  std::vector<Bits> values;
  if (info(format).bits <= 16) {
    for (Bits bits = 0; bits < Bits{1} << info(format).bits; ++bits) values.push_back(bits);
    return values;
  }
  for (int n = 0; n < 3000; ++n) values.push_back(generate::value(random, format));
  for (Bits bits : {Bits{0}, ~Bits{0}, Bits{1} << (info(format).bits - 1)}) values.push_back(bits & generate::mask(format));
  return values;
}

/// A conversion loses nothing: back again is the same, and no rounding gives anything else.
bool survives(Format from, Bits bits, Format to) {
  if (is_float(from) && classify(from, bits) == Class::NaN) return has_nan(to);
  for (Rounding rounding : {Rounding::NearestEven, Rounding::Down, Rounding::Up}) {
    const Bits there = convert({from, bits}, to, {.rounding = rounding});
    if (there != convert({from, bits}, to)) return false;
    if (convert({to, there}, from, {.rounding = rounding}) != bits) return false;
    // Not only a way to code it (an integer that wraps comes back as well): the same number.
    const bool negative_there = is_float(to) ? sign_bit(to, there) && classify(to, there) != Class::Zero
                                : info(to).kind == FormatKind::SignedInteger ? less({to, there}, {to, 0})
                                                                             : false;
    const bool negative_here = is_float(from) ? sign_bit(from, bits) && classify(from, bits) != Class::Zero
                               : info(from).kind == FormatKind::SignedInteger ? less({from, bits}, {from, 0})
                                                                              : false;
    if (negative_there != negative_here) return false;
  }
  return true;
}

TEST(ValueSet, FitsExactlyWhereEveryValueSurvives) {
  Random random(1);
  for (const FormatInfo& from : all_formats())
    for (const FormatInfo& to : all_formats()) {
      if ((from.kind == FormatKind::Boolean) != (to.kind == FormatKind::Boolean)) {
        EXPECT_FALSE(fits(values_of(from.format), to.format));  // by choice: booleans take part in no rule
        continue;
      }
      bool all = true;
      for (Bits bits : values_to_try(random, from.format)) all = all && survives(from.format, bits, to.format);
      EXPECT_EQ(fits(values_of(from.format), to.format), all) << from.name << " in " << to.name;
    }
}

TEST(ValueSet, EachBoundOfAFormatCounts) {
  const auto with = [](auto change) {
    ValueSet a = values_of(Format::F16);
    change(a);
    return fits(a, Format::F16);
  };
  EXPECT_TRUE(with([](ValueSet&) {}));
  EXPECT_FALSE(with([](ValueSet& a) { ++a.precision; }));
  EXPECT_FALSE(with([](ValueSet& a) { --a.lowest; }));
  EXPECT_FALSE(with([](ValueSet& a) { ++a.highest; }));
  const auto in = [](Format format, auto change) {
    ValueSet a = values_of(Format::F8E4M3FN);
    a.negative_zero = a.nans = false;
    change(a);
    return fits(a, format);
  };
  const auto nothing = [](ValueSet&) {};
  EXPECT_TRUE(in(Format::F8E4M3FN, nothing));
  EXPECT_FALSE(in(Format::F8E4M3FN, [](ValueSet& a) { a.short_top = false; }));  // 480
  EXPECT_TRUE(in(Format::F8E4M3FN, [](ValueSet& a) { a.short_top = false, a.precision = 3; }));
  EXPECT_FALSE(in(Format::F8E4M3FN, [](ValueSet& a) { a.infinities = true; }));
  EXPECT_FALSE(in(Format::F4E2M1FN, nothing));
  const auto narrow = [&](ValueSet& a) { a.precision = 2, a.lowest = 0, a.highest = 2; };
  EXPECT_TRUE(in(Format::F4E2M1FN, narrow));
  EXPECT_TRUE(in(Format::F8E4M3FNUZ, narrow));
  EXPECT_FALSE(in(Format::F4E2M1FN, [&](ValueSet& a) { narrow(a), a.nans = true; }));
  EXPECT_FALSE(in(Format::F8E4M3FNUZ, [&](ValueSet& a) { narrow(a), a.negative_zero = true; }));
  EXPECT_FALSE(in(Format::F8E8M0FNU, [&](ValueSet& a) { narrow(a), a.precision = 1, a.negative = false; }));
  EXPECT_TRUE(in(Format::F8E8M0FNU, [&](ValueSet& a) { narrow(a), a.precision = 1, a.negative = a.zero = false; }));
}

TEST(ValueSet, ProductsAreExactWhereItSaysSo) {
  Random random(2);
  int always = 0;
  for (const FormatInfo& a : all_formats())
    for (const FormatInfo& b : all_formats())
      for (Format to : {Format::F64, Format::F32, Format::BF16, Format::F16}) {
        // A product of integers is one of the doubles that they fit.
        if (!fits(values_of(a.format), Format::F64) || !fits(values_of(b.format), Format::F64)) continue;
        const Exactness said = product_exactness(values_of(a.format), values_of(b.format), to);
        always += said == Exactness::Always;
        if (said == Exactness::Never) continue;
        const auto xs = values_to_try(random, a.format), ys = values_to_try(random, b.format);
        for (int n = 0; n < 3000; ++n) {
          const Scalar x{Format::F64, convert({a.format, random.pick(xs)}, Format::F64)};
          const Scalar y{Format::F64, convert({b.format, random.pick(ys)}, Format::F64)};
          const Bits down = multiply(x, y, to, {.rounding = Rounding::Down}), up = multiply(x, y, to, {.rounding = Rounding::Up});
          const Bits nearest = multiply(x, y, to);
          const Class kind = classify(to, nearest);
          const bool edge = kind == Class::Infinity || kind == Class::Subnormal || kind == Class::Zero;
          if (said == Exactness::OnDomain && edge) continue;
          ASSERT_EQ(down, up) << a.name << " * " << b.name << " in " << name(to);
        }
      }
  EXPECT_GT(always, 20);
}

TEST(ValueSet, EachBoundOfAProductCounts) {
  const ValueSet f16 = values_of(Format::F16);
  EXPECT_EQ(product_exactness(f16, f16, Format::F32), Exactness::Always);
  const auto with = [&](auto change) {
    ValueSet a = f16;
    change(a);
    return product_exactness(a, f16, Format::F32);
  };
  EXPECT_EQ(with([](ValueSet& a) { a.precision = 13; }), Exactness::Always);
  EXPECT_EQ(with([](ValueSet& a) { a.precision = 14; }), Exactness::Never);
  EXPECT_EQ(with([](ValueSet& a) { a.lowest = -125; }), Exactness::Always);
  EXPECT_EQ(with([](ValueSet& a) { a.lowest = -126; }), Exactness::OnDomain);
  EXPECT_EQ(with([](ValueSet& a) { a.highest = 111; }), Exactness::Always);
  EXPECT_EQ(with([](ValueSet& a) { a.highest = 112; }), Exactness::OnDomain);
  // Of 24 bits just below the smallest normal, the last is lost: the rounding may be a normal number that hides it.
  EXPECT_EQ(with([](ValueSet& a) { a.precision = 13, a.lowest = -126; }), Exactness::Never);
  EXPECT_EQ(with([](ValueSet& a) { a.precision = 12, a.lowest = -126; }), Exactness::OnDomain);
  EXPECT_EQ(product_exactness(f16, f16, Format::I32), Exactness::Never);
}

}  // namespace
}  // namespace bitpact
