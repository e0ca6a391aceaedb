// Block formats against rational numbers and a search among all of a format's values, and against a golden file that
// block_reference.py makes with ml_dtypes' casts.
#include "number/block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "diagnostic/diagnostic.h"
#include "number/check.h"
#include "number/operands.h"

namespace bitpact::oracle {
namespace {

/// GMP's rational, as a value.
class Rational {
 public:
  Rational() { mpq_init(q_); }
  explicit Rational(Scalar a) : Rational() {
    mpfr_t x;
    mpfr_init2(x, 64);
    Oracle::decode(x, a, false);
    mpfr_get_q(q_, x);
    mpfr_clear(x);
  }
  Rational(const Rational& other) : Rational() { mpq_set(q_, other.q_); }
  Rational& operator=(const Rational& other) {
    mpq_set(q_, other.q_);
    return *this;
  }
  ~Rational() { mpq_clear(q_); }
  static Rational power_of_two(long e) {
    Rational r;
    mpq_set_ui(r.q_, 1, 1);
    e >= 0 ? mpq_mul_2exp(r.q_, r.q_, static_cast<mp_bitcnt_t>(e)) : mpq_div_2exp(r.q_, r.q_, static_cast<mp_bitcnt_t>(-e));
    return r;
  }
  friend Rational operator*(const Rational& a, const Rational& b) { return make(mpq_mul, a, b); }
  friend Rational operator/(const Rational& a, const Rational& b) { return make(mpq_div, a, b); }
  friend Rational operator-(const Rational& a, const Rational& b) { return make(mpq_sub, a, b); }
  friend bool operator<(const Rational& a, const Rational& b) { return mpq_cmp(a.q_, b.q_) < 0; }
  friend bool operator==(const Rational& a, const Rational& b) { return mpq_equal(a.q_, b.q_) != 0; }
  Rational magnitude() const {
    Rational r;
    mpq_abs(r.q_, q_);
    return r;
  }
  bool zero() const { return mpq_sgn(q_) == 0; }
  /// The f64 that this is; it is one.
  Bits f64() const {
    const double d = mpq_get_d(q_);
    Rational back;
    mpq_set_d(back.q_, d);
    EXPECT_TRUE(back == *this);
    return std::bit_cast<Bits>(d);
  }

 private:
  static Rational make(void (*operation)(mpq_t, const mpq_t, const mpq_t), const Rational& a, const Rational& b) {
    Rational r;
    operation(r.q_, a.q_, b.q_);
    return r;
  }
  mpq_t q_;
};

/// The positive encoding nearest to a magnitude; of two that are equally near, the even one. Beyond the largest it is the
/// largest.
Bits nearest(Format f, const Rational& magnitude, Bits largest) {
  Bits best = 0;
  for (Bits bits = 1; bits <= largest; ++bits) {
    const Rational far = (Rational({f, best}) - magnitude).magnitude(), now = (Rational({f, bits}) - magnitude).magnitude();
    if (now < far || (now == far && bits % 2 == 0)) best = bits;
  }
  return best;
}

struct Numbers {
  Bits largest_element;
  long emax;  ///< of the element format, as MX 1.0 tables 2 to 5 have it
  Bits sign;
};
Numbers numbers(Format element) {
  if (element == Format::F8E4M3FN) return {0x7e, 8, 0x80};
  if (element == Format::F8E5M2) return {0x7b, 15, 0x80};
  return {0x7, 2, 0x8};
}

Block encode_by_search(const BlockFormat& format, const std::vector<Scalar>& values, Bits tensor_scale) {
  const Numbers n = numbers(format.element);
  Rational greatest;
  for (Scalar v : values) greatest = std::max(greatest, Rational(v).magnitude(), [](auto& a, auto& b) { return a < b; });
  Block block;
  if (format.rule == BlockScale::PowerOfTwo) {
    long e = -1100;  // floor(log2)
    while (!greatest.zero() && !(greatest < Rational::power_of_two(e + 1))) ++e;
    block.scale = static_cast<Bits>(std::clamp(e - n.emax, -127L, 127L) + 127);
  } else {
    block.scale =
        nearest(Format::F8E4M3FN, greatest / (Rational({format.element, 7}) * Rational({Format::F32, tensor_scale})), 0x7e);
  }
  const Rational scale = Rational({format.scale, block.scale}) * Rational({Format::F32, tensor_scale});
  for (Scalar v : values) {
    const Bits sign = sign_bit(v.format, v.bits) ? n.sign : 0;
    block.elements.push_back(sign |
                             (scale.zero() ? 0 : nearest(format.element, Rational(v).magnitude() / scale, n.largest_element)));
  }
  return block;
}

class Blocks : public testing::TestWithParam<BlockFormat> {};

/// Values around one size, some far below, some ties of an element.
std::vector<Scalar> random_values(std::mt19937_64& random, const BlockFormat& format) {
  const std::vector<Format> formats{Format::F32, Format::BF16, Format::F16, Format::F64};
  const Format f = formats[random() % 4];
  const FloatSpec s = *float_spec(f);
  const long middle = s.emin - 4 + static_cast<long>(random() % static_cast<unsigned long>(s.emax - s.emin + 4));
  std::vector<Scalar> values;
  const size_t count = random() % 4 ? static_cast<size_t>(format.size) : 1 + random() % static_cast<size_t>(format.size);
  while (values.size() < count) {
    Bits fraction = random() & ((Bits{1} << (s.p - 1)) - 1);
    if (random() % 2) fraction &= ~((Bits{1} << (s.p - 4)) - 1);  // 3 bits: ties
    const long e = middle - static_cast<long>(random() % (random() % 4 ? 6 : 24));
    const Bits field = static_cast<Bits>(std::clamp(e - s.emin + 1, 0L, static_cast<long>(s.emax - s.emin + 1)));
    values.push_back({f, (random() & 1) << (s.width - 1) | (random() % 20 ? field << (s.p - 1) | fraction : 0)});
  }
  return values;
}

TEST_P(Blocks, EncodesAsASearchDoes) {
  const BlockFormat& format = GetParam();
  std::mt19937_64 random(31);
  for (int i = 0; i < (many_cases() ? 5000 : 120); ++i) {
    const auto values = random_values(random, format);
    Bits whole = unit_tensor_scale;
    if (format.tensor_scale && i % 2) whole = std::max<Bits>((random() % 255 + 1) << 23 >> 1 & 0x7f7fffff, 1);
    const Block got = encode_block(format, values, whole), want = encode_by_search(format, values, whole);
    ASSERT_EQ(got.scale, want.scale) << format.name << " " << i;
    ASSERT_EQ(got.elements, want.elements) << format.name << " " << i;
  }
}

TEST_P(Blocks, DecodesEveryScaleAndElement) {
  const BlockFormat& format = GetParam();
  std::mt19937_64 random(32);
  const int width = info(format.element).bits;
  for (Bits scale = 0; scale < 256; ++scale) {
    for (Bits element = 0; element < Bits{1} << width; ++element) {
      const Bits whole = format.tensor_scale && element % 2 ? random() % 0x7f800000 : unit_tensor_scale;
      const Class kinds[] = {classify(format.scale, scale), classify(format.element, element)};
      const Bits got = decode_element(format, scale, element, Format::F64, {}, whole);
      if (kinds[0] == Class::NaN || kinds[1] == Class::NaN) {
        ASSERT_EQ(classify(Format::F64, got), Class::NaN) << scale << " " << element;
        continue;
      }
      const bool negative = sign_bit(format.scale, scale) != sign_bit(format.element, element);
      if (kinds[1] == Class::Infinity) {
        ASSERT_EQ(got, infinity(Format::F64, negative));
        continue;
      }
      const Rational exact =
          Rational({format.scale, scale}) * Rational({format.element, element}) * Rational({Format::F32, whole});
      const Bits want = exact.zero() && negative ? negative_zero(Format::F64) : exact.f64();
      ASSERT_EQ(got, want) << scale << " " << element;
      for (Format narrow : {Format::F32, Format::BF16, Format::F16}) {
        for (Rounding r : {Rounding::NearestEven, Rounding::Up}) {  // one rounding, from the exact value
          ASSERT_EQ(decode_element(format, scale, element, narrow, {r}, whole), convert({Format::F64, want}, narrow, {r}));
        }
      }
    }
  }
}

TEST_P(Blocks, ZerosSpecialsAndRoundTrips) {
  const BlockFormat& format = GetParam();
  const Scalar zero{Format::F32, 0}, minus_zero{Format::F32, 0x80000000}, one{Format::F32, 0x3f800000};
  const Block zeros = encode_block(format, std::vector{zero, minus_zero});
  EXPECT_EQ(zeros.scale, 0u);
  EXPECT_EQ(zeros.elements, (std::vector<Bits>{0, numbers(format.element).sign}));
  for (Bits special : {0x7f800000u, 0xff800000u, 0x7fc00000u}) {
    const Block block = encode_block(format, std::vector{one, Scalar{Format::F32, special}, minus_zero});
    EXPECT_EQ(block.scale, quiet_nan(format.scale));
    EXPECT_EQ(block.elements, (std::vector<Bits>{0, 0, 0}));
    EXPECT_EQ(classify(Format::F32, decode_element(format, block.scale, 0, Format::F32)), Class::NaN);
  }
  // Whatever a block decodes to encodes to values that decode to the same.
  std::mt19937_64 random(33);
  for (int i = 0; i < 300; ++i) {
    const Block block = encode_block(format, random_values(random, format));
    std::vector<Scalar> decoded;
    for (Bits e : block.elements) decoded.push_back({Format::F64, decode_element(format, block.scale, e, Format::F64)});
    const Block again = encode_block(format, decoded);
    if (format.rule == BlockScale::ToLargest) continue;  // its scale depends on the greatest value, which may have saturated
    for (size_t e = 0; e < decoded.size(); ++e)
      ASSERT_EQ(decode_element(format, again.scale, again.elements[e], Format::F64), decoded[e].bits) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Number, Blocks, testing::ValuesIn(block_format_table), [](const auto& info) {
  std::string name(info.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Block, GoldenOfMlDtypes) {
  std::ifstream file(std::string(BITPACT_SOURCE_DIR) + "/tests/number/block_golden.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    std::istringstream words(line);
    std::string name;
    Bits whole = 0, scale = 0;
    size_t count = 0;
    words >> name >> std::hex >> whole >> scale >> std::dec >> count >> std::hex;
    std::vector<Scalar> values(count, {Format::F32, 0});
    Block want{scale, std::vector<Bits>(count)};
    for (Scalar& v : values) words >> v.bits;
    for (Bits& e : want.elements) words >> e;
    ASSERT_TRUE(words) << line;
    const Block got = encode_block(*block_format_named(name), values, whole);
    ASSERT_EQ(got.scale, want.scale) << line;
    ASSERT_EQ(got.elements, want.elements) << line;
  }
  EXPECT_EQ(lines, 400);
}

TEST(Block, TensorScaleAndWhatIsRefused) {
  const BlockFormat mx = *block_format_named("mxfp4"), nv = *block_format_named("nvfp4");
  EXPECT_FALSE(block_format_named("mxfp6"));
  const Scalar one{Format::F32, 0x3f800000};
  EXPECT_EQ(choose_tensor_scale(nv, {Format::F32, 0xc5280000}), 0x3f800000u);  // 2688 = 6 * 448
  EXPECT_EQ(choose_tensor_scale(nv, {Format::F32, 0}), unit_tensor_scale);
  EXPECT_EQ(choose_tensor_scale(nv, {Format::F32, 0x7f800000}), unit_tensor_scale);
  EXPECT_EQ(choose_tensor_scale(nv, one), convert({Format::F64, std::bit_cast<Bits>(1.0 / 2688)}, Format::F32));
  const std::vector<Scalar> many(17, one), integer{{Format::I8, 1}};
  for (auto refused : std::vector<std::function<void()>>{
           [&] { encode_block(nv, {}); }, [&] { encode_block(nv, many); }, [&] { encode_block(nv, integer); },
           [&] { encode_block(nv, std::vector{one}, 0); }, [&] { encode_block(nv, std::vector{one}, 0xbf800000); },
           [&] { encode_block(nv, std::vector{one}, 0x7f800000); }, [&] { encode_block(mx, std::vector{one}, 0x40000000); },
           [&] { decode_element(mx, 127, 1, Format::F32, {}, 0x40000000); }, [&] { decode_element(mx, 127, 1, Format::I8); },
           [&] { choose_tensor_scale(mx, one); }}) {
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
