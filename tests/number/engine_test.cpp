// The engine on the rows of the small formats, against numbers written down here.
#include "number/engine.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bitpact {
namespace {

Bits from_double(double value, const Layout& l, const Policy& policy = {}) {
  const Unpacked x = unpack({Format::F64, std::bit_cast<Bits>(value)}, {});
  switch (x.kind) {
    case Class::Zero:
      return pack_zero(x.negative, l, policy);
    case Class::Infinity:
      return pack_infinity(x.negative, l, policy);
    case Class::NaN:
      return pack_nan(l, policy);
    default:
      return round_pack(x.negative, x.exponent - 63, x.significand, false, l, policy);
  }
}

double to_double(Bits bits, const Layout& l) {
  const Unpacked x = unpack(l, bits, false);
  const double magnitude = x.kind == Class::NaN        ? std::nan("")
                           : x.kind == Class::Infinity ? INFINITY
                                                       : std::ldexp(static_cast<double>(x.significand), x.exponent - 63);
  return x.negative ? -magnitude : magnitude;
}

const Layout& f8E5M2 = layout(Format::F8E5M2);
const Layout& f8E4M3FN = layout(Format::F8E4M3FN);
const Layout& tf32 = layout(Format::TF32);

TEST(EngineRows, AnF8IsTheUpperHalfOfAnF16) {
  for (Bits bits = 0; bits < 256; ++bits) {
    EXPECT_EQ(classify(f8E5M2, bits), classify(Format::F16, bits << 8)) << bits;
    if (classify(f8E5M2, bits) == Class::NaN) continue;
    EXPECT_EQ(from_double(to_double(bits, f8E5M2), f8E5M2), bits);
    EXPECT_EQ(to_double(bits, f8E5M2), to_double(bits << 8, layout(Format::F16))) << bits;
  }
}

TEST(EngineRows, RoundsToTheNearestOfAllValues) {
  for (const Layout* row : {&f8E5M2, &f8E4M3FN}) {
    const Layout& l = *row;
    for (Bits bits = 0; bits < l.largest; ++bits) {
      const double below = to_double(bits, l), above = to_double(bits + 1, l), middle = (below + above) / 2;
      EXPECT_LT(below, above);
      EXPECT_EQ(from_double(middle, l), bits % 2 ? bits + 1 : bits) << bits;
      EXPECT_EQ(from_double(std::nextafter(middle, 0), l), bits);
      EXPECT_EQ(from_double(std::nextafter(middle, 1e9), l), bits + 1);
      EXPECT_EQ(from_double(-middle, l, {Rounding::NearestAway}), (bits + 1) | 0x80);
      EXPECT_EQ(from_double(middle, l, {Rounding::ToOdd}), bits % 2 ? bits : bits + 1);
    }
  }
}

TEST(EngineRows, WithoutInfinitiesOverflowIsTheNaN) {
  EXPECT_EQ(to_double(0x7e, f8E4M3FN), 448);
  EXPECT_EQ(classify(f8E4M3FN, 0x7f), Class::NaN);
  EXPECT_EQ(classify(f8E4M3FN, 0xff), Class::NaN);
  EXPECT_EQ(classify(f8E4M3FN, 0xfe), Class::Normal);
  EXPECT_EQ(from_double(464, f8E4M3FN), 0x7eu);  // a tie, to even
  EXPECT_EQ(from_double(465, f8E4M3FN), 0x7fu);
  EXPECT_EQ(from_double(-1e30, f8E4M3FN), 0x7fu);
  EXPECT_EQ(from_double(-INFINITY, f8E4M3FN), 0x7fu);
  EXPECT_EQ(from_double(-INFINITY, f8E4M3FN, {.overflow = Overflow::Saturate}), 0xfeu);
  EXPECT_EQ(from_double(1e30, f8E4M3FN, {.overflow = Overflow::Saturate}), 0x7eu);
  EXPECT_EQ(from_double(1e30, f8E4M3FN, {Rounding::TowardZero}), 0x7eu);
}

/// f8E4M3FNUZ: no infinities, and the one NaN is where -0 would be.
TEST(EngineRows, TheNanAtNegativeZero) {
  const Layout& l = layout(Format::F8E4M3FNUZ);
  EXPECT_EQ(classify(l, 0x80), Class::NaN);
  EXPECT_EQ(classify(l, 0), Class::Zero);
  for (Bits bits = 1; bits < 256; ++bits) {
    if (bits == 0x80) continue;
    ASSERT_EQ(classify(l, bits), (bits & 0x78) ? Class::Normal : Class::Subnormal);
    ASSERT_EQ(from_double(to_double(bits, l), l), bits);
  }
  EXPECT_EQ(to_double(0x7f, l), 240);
  EXPECT_EQ(from_double(-0.0, l), 0u);
  EXPECT_EQ(from_double(-1e-30, l), 0u);
  EXPECT_EQ(from_double(-1e30, l), 0x80u);
}

TEST(EngineRows, Tf32IsAnF32Cut) {
  EXPECT_EQ(tf32.emax, 127);
  EXPECT_EQ(from_double(1.0, tf32), 0x3f800000u >> 13);
  EXPECT_EQ(from_double(1 + 0x1p-11, tf32), 0x3f800000u >> 13);
  EXPECT_EQ(from_double(1 + 0x1.8p-11, tf32), (0x3f800000u >> 13) + 1);
  EXPECT_EQ(from_double(-3e38, tf32), (0xff61b1e6u >> 13) + 1);  // the 13 bits cut off are more than half
  EXPECT_EQ(from_double(1e39, tf32), 0x7f800000u >> 13);
}

TEST(EngineRows, F4HasNumbersOnly) {
  const Layout& l = layout(Format::F4E2M1FN);
  constexpr double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (Bits bits = 0; bits < 8; ++bits) {
    EXPECT_EQ(to_double(bits, l), values[bits]);
    EXPECT_EQ(from_double(-values[bits], l), bits | 8);
  }
  for (Overflow o : {Overflow::Ieee, Overflow::Saturate}) {
    EXPECT_EQ(from_double(7, l, {.overflow = o}), 7u);
    EXPECT_EQ(from_double(-1e30, l, {.overflow = o}), 15u);
    EXPECT_EQ(from_double(INFINITY, l, {.overflow = o}), 7u);
    EXPECT_EQ(from_double(std::nan(""), l, {.overflow = o}), 0u);
  }
  EXPECT_EQ(from_double(5, l), 6u);     // a tie, to even
  EXPECT_EQ(from_double(0.25, l), 0u);  // and another
}

TEST(EngineRows, AScaleHasNoZeroAndNoSign) {
  const Layout& l = layout(Format::F8E8M0FNU);
  constexpr Policy saturate{.overflow = Overflow::Saturate};
  EXPECT_EQ(to_double(0, l), 0x1p-127);
  EXPECT_EQ(to_double(127, l), 1);
  EXPECT_EQ(to_double(254, l), 0x1p127);
  EXPECT_EQ(classify(l, 255), Class::NaN);
  EXPECT_EQ(classify(l, 0), Class::Normal);
  EXPECT_EQ(from_double(0, l), 0xffu);
  EXPECT_EQ(from_double(0, l, saturate), 0u);
  EXPECT_EQ(from_double(-1, l), 0xffu);
  EXPECT_EQ(from_double(-1, l, saturate), 0u);
  EXPECT_EQ(from_double(-INFINITY, l, saturate), 0u);
  EXPECT_EQ(from_double(1e-200, l), 0u);  // positive, so the smallest is the nearest
  EXPECT_EQ(from_double(1.5, l), 128u);   // ties leave the odd significand 1
  EXPECT_EQ(from_double(3, l), 129u);
  EXPECT_EQ(from_double(0x1.8p127, l), 0xffu);
  EXPECT_EQ(from_double(0x1.8p127, l, saturate), 254u);
}

TEST(EngineRoot, IsTheFloorOfTheRoot) {
  // Around squares, where one too many or too few would show, and at the ends.
  std::uint64_t word = 88172645463325252;
  for (int i = 0; i < 200'000; ++i) {
    word ^= word << 13, word ^= word >> 7, word ^= word << 17;  // Marsaglia's xorshift
    const std::uint64_t root = word >> 63 ? word : ~word | std::uint64_t{1} << 63;
    const Wide square = Wide{root} * root;
    ASSERT_EQ(integer_root(square), root);
    if (root > std::uint64_t{1} << 63) {
      ASSERT_EQ(integer_root(square - 1), root - 1);
    }
    ASSERT_EQ(integer_root(square + 2 * Wide{root}), root);
  }
  EXPECT_EQ(integer_root(Wide{1} << 126), std::uint64_t{1} << 63);
  EXPECT_EQ(integer_root(~Wide{0}), ~std::uint64_t{0});
}

}  // namespace
}  // namespace bitpact
