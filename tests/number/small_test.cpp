// The formats of at most 8 bits: all values, all pairs, and triples.
#include <gtest/gtest.h>

#include <cmath>

#include "number/check.h"
#include "number/operands.h"

namespace bitpact::oracle {
namespace {

class Small : public testing::TestWithParam<Format> {
 protected:
  Format format() const { return GetParam(); }
  Bits count() const { return Bits{1} << float_spec(GetParam())->width; }
};

/// All policies in a long run; otherwise the default and one after another.
template <class Do>
void for_policies(bool all, std::uint64_t& turn, const Do& check) {
  if (!all) check(Policy{});
  for (std::uint64_t n = all ? 0 : ++turn * 5 % 48, end = all ? 48 : n + 1; n < end; ++n) check(policy_number(n));
}

TEST_P(Small, AllPairs) {
  Checker checker;
  std::uint64_t turn = 0;
  const bool all = many_cases() || format() == Format::F4E2M1FN;
  const std::vector<Format> wider{Format::F16, Format::F32, Format::F8E5M2, Format::BF16, Format::F8E8M0FNU};
  for (Op op : {Op::Add, Op::Subtract, Op::Multiply, Op::Divide}) {
    for (Bits a = 0; a < count(); ++a) {
      for (Bits b = 0; b < count(); ++b) {
        const Operands x{Scalar{format(), a}, Scalar{format(), b}};
        for_policies(all, turn, [&](const Policy& policy) {
          checker.set(op, x, policy.flush_in);
          checker.check(format(), policy);
        });
        checker.set(op, x, false);
        checker.check(wider[turn % wider.size()], {});
      }
      if (checker.failed()) return;
    }
  }
}

/// Each format with the next one, into the one after: nothing takes a format from another operand.
TEST_P(Small, PairsOfTwoFormats) {
  Checker checker;
  std::uint64_t turn = 0;
  const auto& formats = small_floats();
  const auto at = static_cast<size_t>(std::ranges::find(formats, format()) - formats.begin());
  const Format other = formats[(at + 1) % formats.size()], result = formats[(at + 2) % formats.size()];
  for (Bits a = 0; a < count(); ++a) {
    for (Bits b = 0; b < Bits{1} << float_spec(other)->width; ++b) {
      const Op op = all_ops[(a + b) % 4];
      checker.set(op, {Scalar{format(), a}, Scalar{other, b}}, false);
      checker.check(result, {all_roundings[++turn % 6]});
    }
    if (checker.failed()) return;
  }
}

TEST_P(Small, Triples) {
  Checker checker;
  std::uint64_t turn = 0;
  const Bits all = count() * count() * count();
  const Bits step = many_cases() || all < 10'000 ? 1 : 97;  // a prime, so that all values of all three are met
  for (Bits n = 0; n < all && !checker.failed(); n += step) {
    const Operands x{Scalar{format(), n % count()}, Scalar{format(), n / count() % count()},
                     Scalar{format(), n / count() / count()}};
    checker.set(Op::Fma, x, false);
    checker.check(format(), {});
    const Policy policy = policy_number(++turn * 11 % 48);
    if (policy.flush_in) checker.set(Op::Fma, x, true);
    checker.check(format(), policy);
  }
}

TEST_P(Small, AllValuesIntoEveryFormatUnderEveryPolicy) {
  Checker checker;
  std::vector<Format> results = all_floats();
  results.insert(results.end(), integer_formats().begin(), integer_formats().end());
  for (Bits bits = 0; bits < count() && !checker.failed(); ++bits) {
    for (Op op : {Op::Convert, Op::SquareRoot}) {
      for (bool flush_in : {false, true}) {
        checker.set(op, {Scalar{format(), bits}}, flush_in);
        for (Format result : results) {
          if (op == Op::SquareRoot && !float_spec(result)) continue;
          for (std::uint64_t n = 0; n < 48; ++n) {
            const Policy policy = policy_number(n);
            if (policy.flush_in == flush_in) checker.check(result, policy);
          }
          if (!flush_in && !float_spec(result)) checker.check(result, {Rounding::TowardZero, Overflow::Indefinite});
        }
      }
    }
  }
}

double value(Format f, Bits bits) { return std::bit_cast<double>(convert({f, bits}, Format::F64)); }

TEST_P(Small, SignsTextAndOrder) {
  const Format f = format();
  for (Bits a = 0; a < count(); ++a) {
    const double x = value(f, a);
    if (std::isnan(x)) {
      EXPECT_EQ(classify(f, a), Class::NaN);
      EXPECT_EQ(to_text({f, a}), "nan");
      EXPECT_EQ(classify(f, absolute({f, a})), Class::NaN);
      if (f != Format::F8E8M0FNU) {
        EXPECT_EQ(classify(f, negate({f, a})), Class::NaN);
      }
      continue;
    }
    EXPECT_EQ(parse_scalar(to_text({f, a}), f), a) << to_text({f, a});
    EXPECT_EQ(value(f, absolute({f, a})), std::fabs(x));
    if (f != Format::F8E8M0FNU) {
      EXPECT_EQ(value(f, negate({f, a})), 0 - x) << a;
    }
    for (Bits b = 0; b < count(); ++b) {
      const double y = value(f, b);
      ASSERT_EQ(less({f, a}, {f, b}), x < y) << a << " " << b;
      ASSERT_EQ(equal({f, a}, {f, b}), x == y) << a << " " << b;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Number, Small, testing::ValuesIn(small_floats()),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST(SmallText, WhatAFormatHasNotIsNotReadAsSomethingElse) {
  for (std::string_view text : {"inf", "-inf", "449e0", "1e30", "480"}) {
    const bool reads = text == "449e0";  // rounds to 448
    EXPECT_EQ(parse_scalar(text, Format::F8E4M3FN).has_value(), reads) << text;
  }
  for (std::string_view text : {"inf", "nan", "7", "-8", "1e9"}) EXPECT_FALSE(parse_scalar(text, Format::F4E2M1FN)) << text;
  EXPECT_EQ(parse_scalar("6.9", Format::F4E2M1FN), 7u);
  for (std::string_view text : {"0", "-0", "-1", "inf", "1e40"}) EXPECT_FALSE(parse_scalar(text, Format::F8E8M0FNU)) << text;
  EXPECT_EQ(parse_scalar("nan", Format::F8E8M0FNU), 0xffu);
  EXPECT_EQ(parse_scalar("nan", Format::F8E5M2FNUZ), 0x80u);
  EXPECT_EQ(parse_scalar("-0", Format::F8E5M2FNUZ), 0u);
  EXPECT_EQ(parse_scalar("inf", Format::F8E5M2), 0x7cu);
  EXPECT_EQ(to_hex({Format::TF32, 0x1fc00}), "0x1fc00");
  EXPECT_EQ(to_hex({Format::F4E2M1FN, 7}), "0x7");
  EXPECT_EQ(parse_scalar("-8", Format::I4), 8u);
  EXPECT_EQ(to_text({Format::I4, 15}), "-1");
  EXPECT_FALSE(parse_scalar("16", Format::UI4));
}

/// What f32 becomes in an integer format, by convention; the numbers are those of the programs that have it.
TEST(FloatToInteger, EachConventionIsAPolicy) {
  const double inputs[] = {200, -200, 0, 127, -128, 1e10, -1e10, std::nan(""), INFINITY};
  const auto via = [](double x, Policy policy, Format first, Format result) {
    policy.rounding = Rounding::TowardZero;
    const Bits bits = convert({Format::F32, convert({Format::F64, std::bit_cast<Bits>(x)}, Format::F32)}, first, policy);
    const int shift = 64 - info(result).bits;
    return static_cast<std::int64_t>(convert({first, bits}, result) << shift) >> shift;
  };
  const std::int64_t saturated[] = {127, -128, 0, 127, -128, 127, -128, 0, 127};
  const std::int64_t wrapped[] = {-56, 56, 0, 127, -128, 0, 0, 0, 0};
  for (size_t i = 0; i < std::size(inputs); ++i) {
    EXPECT_EQ(via(inputs[i], {.overflow = Overflow::Saturate}, Format::I8, Format::I8), saturated[i]) << inputs[i];
    EXPECT_EQ(via(inputs[i], {}, Format::I8, Format::I8), wrapped[i]) << inputs[i];
    EXPECT_EQ(via(inputs[i], {.overflow = Overflow::Indefinite}, Format::I32, Format::I8), wrapped[i]) << inputs[i];
  }
  // An i8 tells wrapping from the indefinite for no f32; these do: 2^31 + 2^8 through i32, and i32 itself.
  EXPECT_EQ(via(0x1p31 + 0x1p8, {}, Format::I16, Format::I16), 256);
  EXPECT_EQ(via(0x1p31 + 0x1p8, {.overflow = Overflow::Indefinite}, Format::I32, Format::I16), 0);
  EXPECT_EQ(via(3e9, {.overflow = Overflow::Saturate}, Format::I32, Format::I32), INT32_MAX);
  EXPECT_EQ(via(3e9, {}, Format::I32, Format::I32), -1294967296);
  EXPECT_EQ(via(3e9, {.overflow = Overflow::Indefinite}, Format::I32, Format::I32), INT32_MIN);
  EXPECT_EQ(via(3e9, {.overflow = Overflow::Indefinite}, Format::I64, Format::I32), -1294967296);
  EXPECT_EQ(via(std::nan(""), {.overflow = Overflow::Indefinite}, Format::I32, Format::I32), INT32_MIN);
  EXPECT_EQ(via(std::nan(""), {.overflow = Overflow::Saturate}, Format::I32, Format::I32), 0);
  EXPECT_EQ(convert({Format::F32, 0xbf800000}, Format::UI32, {.overflow = Overflow::Indefinite}), 0xffffffffu);
}

}  // namespace
}  // namespace bitpact::oracle
