// Integer operands: exact 128-bit arithmetic by the compiler as the oracle, all pairs of 8-bit values and random wide ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "diagnostic/diagnostic.h"
#include "number/check.h"
#include "number/operands.h"

namespace bitpact::oracle {
namespace {

__extension__ typedef __int128 Exact;

Exact value(Format f, Bits bits) {
  const IntegerSpec s = integer_spec(f);
  const Exact unsigned_value = static_cast<Exact>(bits);
  return s.is_signed && bits >> (s.width - 1) ? unsigned_value - (Exact{1} << s.width) : unsigned_value;
}

Bits fit(Format f, Exact v, Overflow overflow) {
  const IntegerSpec s = integer_spec(f);
  const Exact top = (Exact{1} << (s.width - s.is_signed)) - 1, bottom = s.is_signed ? -top - 1 : 0;
  if (overflow == Overflow::Saturate) v = std::clamp(v, bottom, top);
  return static_cast<Bits>(v) & ~Bits{0} >> (64 - s.width);
}

void check_pair(Format f, Bits a, Bits b, Overflow overflow) {
  const Exact x = value(f, a), y = value(f, b);
  const Operands args{Scalar{f, a}, Scalar{f, b}};
  const Policy policy{Rounding::Up, overflow};  // no rounding matters here
  auto expect = [&](Op op, Exact exact) {
    const Bits got = run(op, args, f, policy), want = fit(f, exact, overflow);
    ASSERT_EQ(got, want) << describe(op, args, f, policy) << fmt::format(": got {:#x}, want {:#x}", got, want);
  };
  expect(Op::Add, x + y);
  expect(Op::Subtract, x - y);
  if (y != 0) expect(Op::Divide, x / y);
  // The product of two 64-bit unsigned ones does not fit the oracle's signed 128 bits; see MultipliesWideUnsigned.
  if (f != Format::UI64) expect(Op::Multiply, x * y);
  ASSERT_EQ(less(args[0], args[1]), x < y) << describe(Op::Subtract, args, f, policy);
  ASSERT_EQ(equal(args[0], args[1]), x == y);
  ASSERT_EQ(ulp_distance(f, a, b), static_cast<Bits>(x < y ? y - x : x - y)) << describe(Op::Subtract, args, f, policy);
}

TEST(Integer, AllPairsOf8BitsAnd4Bits) {
  for (Format f : {Format::I8, Format::UI8, Format::I4, Format::UI4}) {
    const Bits count = Bits{1} << integer_spec(f).width;
    for (Bits a = 0; a < count; ++a) {
      for (Bits b = 0; b < count; ++b) {
        check_pair(f, a, b, Overflow::Ieee);
        check_pair(f, a, b, Overflow::Saturate);
        if (HasFatalFailure()) return;
      }
      ASSERT_EQ(negate({f, a}), fit(f, -value(f, a), Overflow::Ieee));
      ASSERT_EQ(absolute({f, a}), fit(f, value(f, a) < 0 ? -value(f, a) : value(f, a), Overflow::Ieee));
    }
  }
}

Bits random_integer(std::mt19937_64& random, Format f) {
  const Bits mask = ~Bits{0} >> (64 - integer_spec(f).width);
  const Bits small = random() % 5 - 2, edge = (mask >> 1) + small;
  switch (random() % 4) {
    case 0:
      return small & mask;
    case 1:
      return edge & mask;
    case 2:
      return random() >> (random() % 64) & mask;
    default:
      return random() & mask;
  }
}

TEST(Integer, RandomPairsAndTriples) {
  std::mt19937_64 random(5);
  for (Format f : integer_formats()) {
    for (int n = 0; n < 20'000; ++n) {
      const Bits a = random_integer(random, f), b = random_integer(random, f), c = random_integer(random, f);
      check_pair(f, a, b, n % 2 ? Overflow::Ieee : Overflow::Saturate);
      if (f != Format::UI64) {
        for (Overflow o : {Overflow::Ieee, Overflow::Saturate}) {
          const Operands args{Scalar{f, a}, Scalar{f, b}, Scalar{f, c}};
          ASSERT_EQ(run(Op::Fma, args, f, {Rounding::Down, o}), fit(f, value(f, a) * value(f, b) + value(f, c), o))
              << describe(Op::Fma, args, f, {Rounding::Down, o});
        }
      }
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Integer, MultipliesWideUnsigned) {
  std::mt19937_64 random(6);
  for (int n = 0; n < 100'000; ++n) {
    const Scalar a{Format::UI64, random_integer(random, Format::UI64)}, b{Format::UI64, random_integer(random, Format::UI64)};
    const Scalar c{Format::UI64, random_integer(random, Format::UI64)};
    const bool product_fits = a.bits == 0 || b.bits <= ~Bits{0} / a.bits;
    const Bits low = a.bits * b.bits;
    ASSERT_EQ(multiply(a, b, Format::UI64), low);
    ASSERT_EQ(multiply(a, b, Format::UI64, {.overflow = Overflow::Saturate}), product_fits ? low : ~Bits{0});
    ASSERT_EQ(fused_multiply_add(a, b, c, Format::UI64), low + c.bits);
    ASSERT_EQ(fused_multiply_add(a, b, c, Format::UI64, {.overflow = Overflow::Saturate}),
              product_fits && low + c.bits >= low ? low + c.bits : ~Bits{0});
  }
}

TEST(Integer, BetweenIntegerFormats) {
  std::mt19937_64 random(7);
  for (int n = 0; n < 100'000; ++n) {
    const Format from = integer_formats()[random() % 10], to = integer_formats()[random() % 10];
    const Bits bits = random_integer(random, from);
    for (Overflow o : {Overflow::Ieee, Overflow::Saturate}) {
      ASSERT_EQ(convert({from, bits}, to, {.overflow = o}), fit(to, value(from, bits), o)) << name(from) << name(to) << bits;
    }
    ASSERT_EQ(convert({from, bits}, Format::I1), bits != 0);
  }
}

TEST(Integer, Booleans) {
  for (Bits a : {0, 1}) {
    for (Bits b : {0, 1}) {
      const Scalar x{Format::I1, a}, y{Format::I1, b};
      EXPECT_EQ(add(x, y, Format::I1), a | b);
      EXPECT_EQ(multiply(x, y, Format::I1), a & b);
      EXPECT_EQ(less(x, y), a < b);
      EXPECT_EQ(equal(x, y), a == b);
    }
    EXPECT_EQ(convert({Format::I1, a}, Format::F32), a ? 0x3f800000u : 0u);
    EXPECT_EQ(convert({Format::I1, a}, Format::I32), a);
  }
  EXPECT_EQ(convert({Format::F32, 0x7fc00000}, Format::I1), 1u);
  EXPECT_EQ(convert({Format::F32, 0x80000000}, Format::I1), 0u);
  EXPECT_EQ(convert({Format::F32, 0x00000001}, Format::I1), 1u);
  EXPECT_EQ(convert({Format::F32, 0x00000001}, Format::I1, {.flush_in = true}), 0u);
}

TEST(Integer, WhatIsRefused) {
  const Scalar i{Format::I32, 5}, zero{Format::I32, 0}, wide{Format::I64, 5}, f{Format::F32, 0x3f800000};
  auto refused = [](auto call) {
    try {
      call();
    } catch (const Refused& e) {
      return e.diagnostic().code == Code::ArithmeticUnsupported;
    }
    return false;
  };
  EXPECT_TRUE(refused([&] { divide(i, zero, Format::I32); }));
  EXPECT_TRUE(refused([&] { square_root(i, Format::I32); }));
  EXPECT_TRUE(refused([&] { square_root(i, Format::F32); }));
  EXPECT_TRUE(refused([&] { square_root(f, Format::I32); }));
  EXPECT_TRUE(refused([&] { add(i, wide, Format::I64); }));
  EXPECT_TRUE(refused([&] { add(i, i, Format::I64); }));
  EXPECT_TRUE(refused([&] { add(f, f, Format::I32); }));
  EXPECT_TRUE(refused([&] { add(i, i, Format::F32); }));
  EXPECT_TRUE(refused([&] { subtract(i, f, Format::F32); }));
  EXPECT_TRUE(refused([&] { multiply(f, i, Format::F32); }));
  EXPECT_TRUE(refused([&] { fused_multiply_add(f, f, i, Format::F32); }));
}

}  // namespace
}  // namespace bitpact::oracle
