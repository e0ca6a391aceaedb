// less, equal and ulp_distance against MPFR's comparison and against a count of the values in between.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "number/check.h"
#include "number/operands.h"

namespace bitpact::oracle {
namespace {

double exact_value(Format f, Bits bits) { return std::bit_cast<double>(convert({f, bits}, Format::F64)); }

TEST(UlpDistance, CountsTheValuesOfEvery16BitFormat) {
  for (Format f : {Format::BF16, Format::F16}) {
    std::map<double, int> place;  // of each value in the order of values; -0 and +0 are one
    for (Bits bits = 0; bits < 65536; ++bits) {
      if (classify(f, bits) != Class::NaN) place[exact_value(f, bits)] = 0;
    }
    int next = 0;
    for (auto& [value, rank] : place) rank = next++;
    for (Bits a = 0; a < 65536; ++a) {
      for (Bits b :
           {a, a ^ 1, a ^ 0x8000, a * 40503 & 0xffff, Bits{0}, Bits{0x8000}, infinity(f), infinity(f, true), Bits{0x7fff}}) {
        const bool nan_a = classify(f, a) == Class::NaN, nan_b = classify(f, b) == Class::NaN;
        std::uint64_t want = nan_a == nan_b ? 0 : UINT64_MAX;
        if (!nan_a && !nan_b)
          want = static_cast<std::uint64_t>(std::abs(place.at(exact_value(f, a)) - place.at(exact_value(f, b))));
        ASSERT_EQ(ulp_distance(f, a, b), want) << name(f) << " " << a << " " << b;
      }
    }
  }
  EXPECT_EQ(ulp_distance(Format::F64, infinity(Format::F64), infinity(Format::F64, true)), 2 * 0x7ff0000000000000u);
  EXPECT_EQ(ulp_distance(Format::F32, 0x7f7fffff, 0x7f800000), 1u);
  EXPECT_EQ(ulp_distance(Format::F32, 0x80000001, 0x00000001), 2u);
}

TEST(UlpDistance, CountsTheValuesOfEverySmallFormat) {
  for (Format f : small_floats()) {
    const Bits count = Bits{1} << float_spec(f)->width;
    std::map<double, int> place;
    for (Bits bits = 0; bits < count; ++bits)
      if (classify(f, bits) != Class::NaN) place[exact_value(f, bits)] = 0;
    int next = 0;
    for (auto& [value, rank] : place) rank = next++;
    for (Bits a = 0; a < count; ++a) {
      for (Bits b = 0; b < count; ++b) {
        const bool nan_a = classify(f, a) == Class::NaN, nan_b = classify(f, b) == Class::NaN;
        std::uint64_t want = nan_a == nan_b ? 0 : UINT64_MAX;
        if (!nan_a && !nan_b)
          want = static_cast<std::uint64_t>(std::abs(place.at(exact_value(f, a)) - place.at(exact_value(f, b))));
        ASSERT_EQ(ulp_distance(f, a, b), want) << name(f) << " " << a << " " << b;
      }
    }
  }
}

TEST(Order, BoundaryPairsOfAnyTwoFormats) {
  for (Format fa : float_formats()) {
    for (Format fb : float_formats()) {
      for (Bits a : boundaries(fa)) {
        for (Bits b : boundaries(fb)) {
          const double x = exact_value(fa, a), y = exact_value(fb, b);  // exact: conversions to f64 are checked on their own
          ASSERT_EQ(less({fa, a}, {fb, b}), x < y) << name(fa) << ":" << a << " " << name(fb) << ":" << b;
          ASSERT_EQ(equal({fa, a}, {fb, b}), x == y) << name(fa) << ":" << a << " " << name(fb) << ":" << b;
        }
      }
    }
  }
}

TEST(Order, AnIntegerAndAFloatByValue) {
  const Scalar big{Format::I64, (Bits{1} << 53) + 1}, rounded{Format::F64, convert(big, Format::F64)};
  EXPECT_TRUE(less(rounded, big));
  EXPECT_FALSE(equal(rounded, big));
  EXPECT_TRUE(less({Format::I8, 0xff}, {Format::F32, 0x80000000}));
  EXPECT_TRUE(equal({Format::UI8, 0}, {Format::F32, 0x80000000}));
}

}  // namespace
}  // namespace bitpact::oracle
