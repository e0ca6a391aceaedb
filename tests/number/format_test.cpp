#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <limits>

#include "diagnostic/diagnostic.h"
#include "number/arithmetic.h"

namespace bitpact {
namespace {

template <class F, class Word>
void constants_are_the_machines(Format format) {
  using limits = std::numeric_limits<F>;
  EXPECT_EQ(info(format).mantissa_bits + 1, limits::digits);
  EXPECT_EQ(one(format), std::bit_cast<Word>(F{1}));
  EXPECT_EQ(largest_finite(format), std::bit_cast<Word>(limits::max()));
  EXPECT_EQ(largest_finite(format, true), std::bit_cast<Word>(limits::lowest()));
  EXPECT_EQ(smallest_normal(format), std::bit_cast<Word>(limits::min()));
  EXPECT_EQ(smallest_subnormal(format, true), std::bit_cast<Word>(-limits::denorm_min()));
  EXPECT_EQ(infinity(format), std::bit_cast<Word>(limits::infinity()));
  EXPECT_EQ(infinity(format, true), std::bit_cast<Word>(-limits::infinity()));
  EXPECT_EQ(quiet_nan(format), std::bit_cast<Word>(limits::quiet_NaN()));
  EXPECT_EQ(positive_zero(format), 0u);
  EXPECT_EQ(negative_zero(format), std::bit_cast<Word>(F{-0.0}));
}

TEST(FormatTable, MachineFormats) {
  constants_are_the_machines<double, std::uint64_t>(Format::F64);
  constants_are_the_machines<float, std::uint32_t>(Format::F32);
}

TEST(FormatTable, SixteenBitFormats) {
  EXPECT_EQ(one(Format::F16), 0x3c00u);
  EXPECT_EQ(largest_finite(Format::F16), 0x7bffu);
  EXPECT_EQ(smallest_normal(Format::F16), 0x0400u);
  EXPECT_EQ(infinity(Format::F16, true), 0xfc00u);
  EXPECT_EQ(quiet_nan(Format::F16), 0x7e00u);
  EXPECT_EQ(one(Format::BF16), 0x3f80u);
  EXPECT_EQ(largest_finite(Format::BF16), 0x7f7fu);
  EXPECT_EQ(smallest_normal(Format::BF16, true), 0x8080u);
  EXPECT_EQ(smallest_subnormal(Format::BF16), 0x0001u);
  EXPECT_EQ(infinity(Format::BF16), 0x7f80u);
  EXPECT_EQ(quiet_nan(Format::BF16), 0x7fc0u);
}

TEST(FormatTable, RowsAndNames) {
  ASSERT_EQ(all_formats().size(), 22u);
  for (const FormatInfo& row : all_formats()) {
    EXPECT_EQ(&info(row.format), &info(parse_format(row.name))) << row.name;
    EXPECT_EQ(info(row.format).name, row.name);
    EXPECT_EQ(format_named(row.name), row.format);
    EXPECT_EQ(row.storage_bytes, row.format == Format::TF32 ? 4 : (row.bits + 7) / 8) << row.name;
    if (is_float(row.format)) {
      EXPECT_EQ((row.format == Format::F8E8M0FNU ? 0 : 1) + row.exponent_bits + row.mantissa_bits, row.bits) << row.name;
    }
  }
  EXPECT_EQ(name(Format::UI16), "ui16");
  EXPECT_FALSE(format_named("F32"));
  EXPECT_FALSE(format_named(""));
  try {
    parse_format("f33");
    FAIL();
  } catch (const Refused& e) {
    EXPECT_EQ(e.diagnostic().code, Code::UnknownFormat);
    EXPECT_NE(e.diagnostic().reason.find("f33"), std::string::npos);
  }
}

TEST(FormatTable, WhatSmallFormatsHaveAndHaveNot) {
  struct Row {
    Format format;
    Bits one, largest, smallest_normal;
    bool nan, infinities, negative_zero, zero;
  };
  for (const Row& r : {Row{Format::TF32, 0x1fc00, 0x3fbff, 0x400, true, true, true, true},
                       Row{Format::F8E5M2, 0x3c, 0x7b, 0x04, true, true, true, true},
                       Row{Format::F8E4M3FN, 0x38, 0x7e, 0x08, true, false, true, true},
                       Row{Format::F8E5M2FNUZ, 0x40, 0x7f, 0x04, true, false, false, true},
                       Row{Format::F8E4M3FNUZ, 0x40, 0x7f, 0x08, true, false, false, true},
                       Row{Format::F4E2M1FN, 0x2, 0x7, 0x2, false, false, true, true},
                       Row{Format::F8E8M0FNU, 0x7f, 0xfe, 0x00, true, false, false, false}}) {
    EXPECT_EQ(one(r.format), r.one) << name(r.format);
    EXPECT_EQ(largest_finite(r.format), r.largest) << name(r.format);
    EXPECT_EQ(smallest_normal(r.format), r.smallest_normal) << name(r.format);
    EXPECT_EQ(has_nan(r.format), r.nan) << name(r.format);
    EXPECT_EQ(has_infinities(r.format), r.infinities) << name(r.format);
    EXPECT_EQ(has_negative_zero(r.format), r.negative_zero) << name(r.format);
    EXPECT_EQ(has_zero(r.format), r.zero) << name(r.format);
  }
  const Format scale = Format::F8E8M0FNU, fnuz = Format::F8E5M2FNUZ, f4 = Format::F4E2M1FN;
  for (auto refused : std::vector<std::function<void()>>{[=] { infinity(Format::F8E4M3FN); }, [=] { infinity(f4); },
                                                         [=] { quiet_nan(f4); }, [=] { negative_zero(fnuz); },
                                                         [=] { positive_zero(scale); }, [=] { negative_zero(scale); },
                                                         [=] { smallest_subnormal(scale); }, [=] { largest_finite(scale, true); },
                                                         [=] {
                                                           negate({scale, 1});
                                                         }}) {
    try {
      refused();
      ADD_FAILURE();
    } catch (const Refused& e) {
      EXPECT_EQ(e.diagnostic().code, Code::ArithmeticUnsupported);
    }
  }
}

TEST(FormatTable, IntegerConstants) {
  EXPECT_EQ(one(Format::I8), 1u);
  EXPECT_EQ(one(Format::I1), 1u);
  EXPECT_EQ(largest_finite(Format::I8), 0x7fu);
  EXPECT_EQ(largest_finite(Format::I8, true), 0x80u);
  EXPECT_EQ(largest_finite(Format::UI64), ~Bits{0});
  EXPECT_EQ(largest_finite(Format::UI64, true), 0u);
  EXPECT_TRUE(sign_bit(Format::I8, 0x80));
  EXPECT_FALSE(sign_bit(Format::UI8, 0x80));
  for (auto constant : {+[] { negative_zero(Format::I8); }, +[] { infinity(Format::I8); }, +[] { quiet_nan(Format::UI32); },
                        +[] { smallest_normal(Format::I1); }, +[] { smallest_subnormal(Format::I64); }}) {
    try {
      constant();
      ADD_FAILURE();
    } catch (const Refused& e) {
      EXPECT_EQ(e.diagnostic().code, Code::ArithmeticUnsupported);
    }
  }
}

/// By the fields, as IEEE 754-2019 3.4 defines the classes.
Class by_fields(Bits bits, int exponent_bits, int fraction_bits) {
  const Bits exponent = bits >> fraction_bits & ((Bits{1} << exponent_bits) - 1),
             fraction = bits & ((Bits{1} << fraction_bits) - 1);
  if (exponent == 0) return fraction ? Class::Subnormal : Class::Zero;
  if (exponent != (Bits{1} << exponent_bits) - 1) return Class::Normal;
  return fraction ? Class::NaN : Class::Infinity;
}

TEST(Classify, Every16BitValue) {
  for (Bits bits = 0; bits < 65536; ++bits) {
    ASSERT_EQ(classify(Format::F16, bits), by_fields(bits, 5, 10)) << bits;
    ASSERT_EQ(classify(Format::BF16, bits), by_fields(bits, 8, 7)) << bits;
    ASSERT_EQ(sign_bit(Format::F16, bits), bits >= 0x8000);
    // The same fields in a wider format: the upper half of an f32, and of an f64 with its three exponent bits more.
    ASSERT_EQ(classify(Format::F32, bits << 16), by_fields(bits, 8, 7)) << bits;
    ASSERT_EQ(classify(Format::F64, bits << 48 | 1), by_fields(bits << 1 | 1, 11, 5)) << bits;
    ASSERT_EQ(classify(Format::I16, bits), bits ? Class::Normal : Class::Zero);
  }
}

}  // namespace
}  // namespace bitpact
