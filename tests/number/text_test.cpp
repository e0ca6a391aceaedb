// Text: reading against mpfr_strtofr, writing against the definition of "shortest" and against std::to_chars.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <random>

#include "number/check.h"
#include "number/operands.h"

namespace bitpact::oracle {
namespace {

/// What `text` is in `f`, nearest even, by MPFR alone.
Bits read_by_mpfr(const std::string& text, Format f) {
  const FloatSpec s = *float_spec(f);
  mpfr_t x;
  mpfr_init2(x, s.p);
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  int ternary = mpfr_strtofr(x, text.c_str(), nullptr, 0, MPFR_RNDN);
  mpfr_set_emin(s.emin - s.p + 2);
  mpfr_set_emax(s.emax + 1);
  ternary = mpfr_check_range(x, ternary, MPFR_RNDN);
  mpfr_subnormalize(x, ternary, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  const double value = mpfr_get_d(x, MPFR_RNDN);
  mpfr_clear(x);
  return convert({Format::F64, std::bit_cast<Bits>(value)}, f);  // exact
}

void expect_read(const std::string& text, Format f) {
  const auto got = parse_scalar(text, f);
  ASSERT_TRUE(got) << "parse_scalar(\"" << text << "\", " << name(f) << ")";
  ASSERT_EQ(*got, read_by_mpfr(text, f)) << "parse_scalar(\"" << text << "\", " << name(f) << ")"
                                         << fmt::format(": got {:#x}", *got);
}

class Text : public testing::TestWithParam<Format> {};

/// The midpoint above |bits| in full, as decimal digits.
std::string midpoint_above(Format f, Bits bits) {
  const FloatSpec s = *float_spec(f);
  const Bits field = bits >> (s.p - 1), fraction = bits & ((Bits{1} << (s.p - 1)) - 1);
  mpfr_t x;
  mpfr_init2(x, 64);
  mpfr_set_ui_2exp(x, 2 * (field ? fraction | Bits{1} << (s.p - 1) : fraction) + 1,
                   std::max<long>(static_cast<long>(field), 1) - 1 + s.emin - s.p, MPFR_RNDN);
  char* digits = nullptr;
  mpfr_asprintf(&digits, "%.1200Rf", x);
  std::string text = digits;
  mpfr_free_str(digits);
  mpfr_clear(x);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

TEST_P(Text, ReadsMidpointsAndTheirNeighboursOnce) {
  const Format f = GetParam();
  std::mt19937_64 random(11);
  const Bits largest = largest_finite(f);
  std::vector<Bits> values{0, 1, 2, smallest_normal(f) - 1, smallest_normal(f), one(f), one(f) - 1, largest - 1, largest};
  for (int i = 0; i < 400; ++i) values.push_back(random() % largest);
  for (Bits bits : values) {
    const std::string middle = midpoint_above(f, bits);
    ASSERT_EQ(parse_scalar(middle, f), bits % 2 ? bits + 1 : bits) << middle;
    // A tie that one more digit, however far away, decides.
    const std::string with_point = middle.find('.') == std::string::npos ? middle + "." : middle;
    for (int zeros : {0, 40, 1000}) {
      ASSERT_EQ(parse_scalar(with_point + std::string(zeros, '0') + "1", f), bits + 1) << middle;
    }
    std::string under = middle;
    for (size_t i = under.size(); i-- > 0;) {  // subtracts one in the last place
      if (under[i] == '.') continue;
      if (under[i]-- != '0') break;
      under[i] = '9';
    }
    ASSERT_EQ(parse_scalar(under + "99", f), bits) << middle;
    expect_read(middle, f);
    expect_read("-" + under, f);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Text, ReadsRandomLiterals) {
  const Format f = GetParam();
  std::mt19937_64 random(12);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = random() % 2 ? "-" : "";
    const bool hex = random() % 4 == 0;
    if (hex) text += "0x";
    const int digits = 1 + static_cast<int>(random() % (random() % 8 ? 20 : 60)),
              point = static_cast<int>(random() % (digits + 1));
    for (int d = 0; d < digits; ++d) {
      if (d == point) text += '.';
      text += "0123456789abcdef"[random() % (hex ? 16 : 10)];
    }
    const int scale = f == Format::F64   ? 700
                      : f == Format::F16 ? 16
                                         : 100,
              exponent = static_cast<int>(random() % scale) - scale / 2 - point;
    text += fmt::format("{}{}", hex ? 'p' : 'e', hex ? exponent * 3 : exponent);
    expect_read(text, f);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Text, ReadsAHexadecimalTieThatAFarDigitDecides) {
  const int p = float_spec(GetParam())->p;
  const std::string tie = fmt::format("{:#x}.", (std::uint64_t{1} << p) + 1), scale = fmt::format("p-{}", p);  // 1 + half an ulp
  for (int zeros : {0, 5, 40, 500}) {
    const std::string digits = tie + std::string(static_cast<size_t>(zeros), '0');
    EXPECT_EQ(parse_scalar(digits + "0" + scale, GetParam()), one(GetParam()));
    EXPECT_EQ(parse_scalar(digits + "1" + scale, GetParam()), one(GetParam()) + 1);
    EXPECT_EQ(parse_scalar(digits + "10" + scale, GetParam()), one(GetParam()) + 1);
  }
  EXPECT_EQ(parse_scalar("0x0000" + std::string(500, '0') + "1p0", GetParam()), one(GetParam()));
  EXPECT_EQ(parse_scalar("0x1" + std::string(100, '0') + "p-400", GetParam()), one(GetParam()));
}

TEST_P(Text, ReadsTheEndsOfTheRange) {
  for (const char* text : {"0",
                           "-0",
                           "0e999999999999999999999",
                           "1e999999999999999999999",
                           "-1e-999999999999999999999",
                           "1e400",
                           "1e-400",
                           "0x1p99999999999",
                           "0x1p-99999999999",
                           "000000000001.50",
                           ".5",
                           "5.",
                           "+3",
                           "1E5",
                           "0X1P4",
                           "0x.8p1",
                           "65504",
                           "65519.99",
                           "65520",
                           "3.4028235e38",
                           "3.4028236e38",
                           "1.7976931348623158e308",
                           "1.7976931348623159e308",
                           "4.9e-324",
                           "2.4703282292062327e-324",
                           "2.4703282292062328e-324"}) {
    expect_read(text, GetParam());
  }
  const std::string far = "0." + std::string(100'000, '0') + "1e100001";
  EXPECT_EQ(parse_scalar(far, GetParam()), one(GetParam()));
  EXPECT_EQ(parse_scalar("1" + std::string(100'000, '0') + "e-100000", GetParam()), one(GetParam()));
}

TEST_P(Text, RefusesWhatIsNoLiteral) {
  for (std::string_view text :
       {"",   "+",  "-",          ".",   "e5",   "1e",  "1e+",      "1.2.3", "--1", "0x",    "0xp1", "0x1p",  "1 ",
        " 1", "1f", "0x3f800000", "NaN", "-nan", "Inf", "infinity", "1,5",   "0b1", "1e5.0", "1p3",  "0x1e5", "0x1.8"}) {
    EXPECT_FALSE(parse_scalar(text, GetParam())) << text;
  }
  EXPECT_FALSE(parse_scalar(std::string_view("1\0", 2), GetParam()));
  EXPECT_EQ(parse_scalar("nan", GetParam()), quiet_nan(GetParam()));
  EXPECT_EQ(parse_scalar("inf", GetParam()), infinity(GetParam()));
  EXPECT_EQ(parse_scalar("+inf", GetParam()), infinity(GetParam()));
  EXPECT_EQ(parse_scalar("-inf", GetParam()), infinity(GetParam(), true));
}

INSTANTIATE_TEST_SUITE_P(Number, Text, testing::ValuesIn(float_formats()),
                         [](const auto& info) { return std::string(name(info.param)); });

int digits_in(std::string_view text) {
  std::string digits;
  for (char c : text) {
    if (c == 'e') break;
    if (c >= '0' && c <= '9') digits += c;
  }
  const size_t first = digits.find_first_not_of('0'), last = digits.find_last_not_of('0');
  return first == std::string::npos ? 0 : static_cast<int>(last - first + 1);
}

/// Whether a decimal of n digits reads back to positive `bits`: by MPFR's directed conversions, the interval of all numbers that
/// do is searched for one.
bool readable_with(Format f, Bits bits, int n) {
  const double value = std::bit_cast<double>(convert({f, bits}, Format::F64));
  for (mpfr_rnd_t rnd : {MPFR_RNDD, MPFR_RNDU}) {
    mpfr_t x;
    mpfr_init2(x, 64);
    mpfr_set_d(x, value, MPFR_RNDN);
    char* text = nullptr;
    mpfr_asprintf(&text, "%.*R*e", n - 1, rnd, x);
    const bool reads_back = read_by_mpfr(text, f) == bits;
    mpfr_free_str(text);
    mpfr_clear(x);
    if (reads_back) return true;
  }
  return false;
}

TEST(TextOut, Every16BitValueReadsBackAndIsShortest) {
  for (Format f : {Format::BF16, Format::F16}) {
    for (Bits bits = 0; bits < 65536; ++bits) {
      const std::string text = to_text({f, bits});
      if (classify(f, bits) == Class::NaN) {
        ASSERT_EQ(text, "nan");
        continue;
      }
      ASSERT_EQ(parse_scalar(text, f), bits) << text;
      if (classify(f, bits) == Class::Infinity || classify(f, bits) == Class::Zero || bits > 0x7fff) continue;
      ASSERT_EQ(text, to_text({f, bits | 0x8000}).substr(1));
      ASSERT_EQ(read_by_mpfr(text, f), bits) << text;
      // Integers are spelled out in full; elsewhere one digit less does not read back.
      const bool whole = text.find_first_of(".e") == std::string::npos;
      if (!whole && digits_in(text) > 1) {
        ASSERT_FALSE(readable_with(f, bits, digits_in(text) - 1)) << name(f) << " " << text;
      }
    }
  }
}

TEST(TextOut, MachineFormatsAsTheStandardLibraryDoes) {
  std::mt19937_64 random(13);
  auto library = [](auto value) {
    char buffer[64];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  };
  RandomOperands operands(14);
  for (int i = 0; i < 30'000; ++i) {
    Operands x{Scalar{Format::F32, 0}};
    operands.fill(Op::Convert, x);
    if (i % 8 == 0) x[0].bits &= 0xff800000;  // powers of two: the interval is lopsided
    if (i % 8 == 1) x[0].bits = convert({Format::I64, random() >> 16 >> random() % 47}, Format::F32);
    if (classify(Format::F32, x[0].bits) == Class::NaN) continue;
    ASSERT_EQ(to_text(x[0]), library(std::bit_cast<float>(static_cast<std::uint32_t>(x[0].bits)))) << x[0].bits;
    ASSERT_EQ(parse_scalar(to_text(x[0]), Format::F32), x[0].bits);
    x[0].format = Format::F64;
    operands.fill(Op::Convert, x);
    if (classify(Format::F64, x[0].bits) == Class::NaN) continue;
    ASSERT_EQ(parse_scalar(to_text(x[0]), Format::F64), x[0].bits) << to_text(x[0]);
  }
}

TEST(TextOut, Samples) {
  EXPECT_EQ(to_text({Format::F16, 0x7bff}), "65504");
  EXPECT_EQ(to_text({Format::F16, 0x0001}), "6e-08");
  EXPECT_EQ(to_text({Format::F16, 0xae66}), "-0.1");
  EXPECT_EQ(to_text({Format::BF16, 0x3dcd}), "0.1");
  EXPECT_EQ(to_text({Format::BF16, 0x7f7f}), "3.39e+38");
  EXPECT_EQ(to_text({Format::F32, 0x3dcccccd}), "0.1");
  EXPECT_EQ(to_text({Format::F64, 0x3fb999999999999a}), "0.1");
  EXPECT_EQ(to_text({Format::F32, 0x80000000}), "-0");
  EXPECT_EQ(to_text({Format::F32, 0xff800000}), "-inf");
  EXPECT_EQ(to_text({Format::F32, 0xffc12345}), "nan");
  EXPECT_EQ(to_hex({Format::F32, 0x3f800000}), "0x3f800000");
  EXPECT_EQ(to_hex({Format::BF16, 0x80}), "0x0080");
  EXPECT_EQ(to_hex({Format::I8, 0xff}), "0xff");
  EXPECT_EQ(to_hex({Format::I1, 1}), "0x1");
  EXPECT_EQ(to_hex({Format::F64, 1}), "0x0000000000000001");
}

TEST(TextInteger, RoundTripAndLimits) {
  std::mt19937_64 random(15);
  for (Format f : integer_formats()) {
    const int width = integer_spec(f).width;
    for (int i = 0; i < 2000; ++i) {
      const Bits bits = random() >> random() % 64 & ~Bits{0} >> (64 - width);
      const std::string want = integer_spec(f).is_signed
                                   ? std::to_string(static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width))
                                   : std::to_string(bits);
      ASSERT_EQ(to_text({f, bits}), want);
      ASSERT_EQ(parse_scalar(want, f), bits) << want;
    }
  }
  EXPECT_EQ(parse_scalar("-128", Format::I8), 0x80u);
  EXPECT_EQ(parse_scalar("0x7f", Format::I8), 0x7fu);
  EXPECT_EQ(parse_scalar("-0x1p6", Format::I8), 0xc0u);
  EXPECT_EQ(parse_scalar("1.20e1", Format::I8), 12u);
  EXPECT_EQ(parse_scalar("1200e-2", Format::I8), 12u);
  EXPECT_EQ(parse_scalar("-0", Format::UI8), 0u);
  EXPECT_EQ(parse_scalar("18446744073709551615", Format::UI64), ~Bits{0});
  EXPECT_EQ(parse_scalar("1", Format::I1), 1u);
  EXPECT_EQ(to_text({Format::I1, 1}), "1");
  for (std::string_view text : {"128", "-129", "1.5", "1e-1", "0x1.8p0", "nan", "inf", "", "1e99999999999", "0xff",
                                "340282366920938463463374607431768211456"}) {
    EXPECT_FALSE(parse_scalar(text, Format::I8)) << text;
  }
  EXPECT_FALSE(parse_scalar("-1", Format::UI8));
  EXPECT_FALSE(parse_scalar("256", Format::UI8));
  EXPECT_FALSE(parse_scalar("18446744073709551616", Format::UI64));
  EXPECT_FALSE(parse_scalar("2", Format::I1));
  EXPECT_FALSE(parse_scalar("-1", Format::I1));
}

}  // namespace
}  // namespace bitpact::oracle
