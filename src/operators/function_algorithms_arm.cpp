#include "operators/function_algorithms_arm.h"

#include <array>
#include <bit>
#include <cstdint>

#include "operators/function_lines.h"

namespace bitpact {
namespace {

/// 1/c and log(c) for a c in each sixteenth of a binade that begins at 0x3f330000.
constexpr double kInverse[16] = {
    0x1.661ec79f8f3bep+0, 0x1.571ed4aaf883dp+0, 0x1.49539f0f010bp+0,  0x1.3c995b0b80385p+0, 0x1.30d190c8864a5p+0,
    0x1.25e227b0b8eap+0,  0x1.1bb4a4a1a343fp+0, 0x1.12358f08ae5bap+0, 0x1.0953f419900a7p+0, 0x1p+0,
    0x1.e608cfd9a47acp-1, 0x1.ca4b31f026aap-1,  0x1.b2036576afce6p-1, 0x1.9c2d163a1aa2dp-1, 0x1.886e6037841edp-1,
    0x1.767dcf5534862p-1};
constexpr double kLogarithm[16] = {
    -0x1.57bf7808caadep-2, -0x1.2bef0a7c06ddbp-2, -0x1.01eae7f513a67p-2, -0x1.b31d8a68224e9p-3, -0x1.6574f0ac07758p-3,
    -0x1.1aa2bc79c81p-3,   -0x1.a4e76ce8c0e5ep-4, -0x1.1973c5a611cccp-4, -0x1.252f438e10c1ep-5, 0x0p+0,
    0x1.aa5aa5df25984p-5,  0x1.c5e53aa362eb4p-4,  0x1.526e57720db08p-3,  0x1.bc2860d22477p-3,   0x1.1058bc8a07ee1p-2,
    0x1.4043057b6ee09p-2};

/// 2^(i/32), correctly rounded, its bits less i * 2^47: the exponent of a sum with k * 2^47, k = i modulo 32, is then that of
/// 2^(k/32).
constexpr std::array<std::uint64_t, 32> kPowers = [] {
  constexpr double kValues[32] = {0x1.0000000000000p+0, 0x1.059b0d3158574p+0, 0x1.0b5586cf9890fp+0, 0x1.11301d0125b51p+0,
                                  0x1.172b83c7d517bp+0, 0x1.1d4873168b9aap+0, 0x1.2387a6e756238p+0, 0x1.29e9df51fdee1p+0,
                                  0x1.306fe0a31b715p+0, 0x1.371a7373aa9cbp+0, 0x1.3dea64c123422p+0, 0x1.44e086061892dp+0,
                                  0x1.4bfdad5362a27p+0, 0x1.5342b569d4f82p+0, 0x1.5ab07dd485429p+0, 0x1.6247eb03a5585p+0,
                                  0x1.6a09e667f3bcdp+0, 0x1.71f75e8ec5f74p+0, 0x1.7a11473eb0187p+0, 0x1.82589994cce13p+0,
                                  0x1.8ace5422aa0dbp+0, 0x1.93737b0cdc5e5p+0, 0x1.9c49182a3f090p+0, 0x1.a5503b23e255dp+0,
                                  0x1.ae89f995ad3adp+0, 0x1.b7f76f2fb5e47p+0, 0x1.c199bdd85529cp+0, 0x1.cb720dcef9069p+0,
                                  0x1.d5818dcfba487p+0, 0x1.dfc97337b9b5fp+0, 0x1.ea4afa2a490dap+0, 0x1.f50765b6e4540p+0};
  std::array<std::uint64_t, 32> words{};
  for (std::uint64_t i = 0; i < 32; ++i) words[i] = std::bit_cast<std::uint64_t>(kValues[i]) - (i << 47);
  return words;
}();

/// 2/pi = 0.a2f9836e... (hexadecimal), byte by byte; word j are the four bytes that end with byte j.
constexpr std::uint64_t kTwoOverPi[] = {0xa2, 0xf9, 0x83, 0x6e, 0x4e, 0x44, 0x15, 0x29, 0xfc, 0x27, 0x57, 0xd1,
                                        0xf5, 0x34, 0xdd, 0xc0, 0xdb, 0x62, 0x95, 0x99, 0x3c, 0x43, 0x90, 0x41};
constexpr std::array<std::uint64_t, 16> words_from(std::size_t first) {
  std::array<std::uint64_t, 16> words{};
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t byte = first + i < 3 ? 0 : first + i - 3; byte <= first + i; ++byte)
      words[i] = words[i] << 8 | kTwoOverPi[byte];
  return words;
}
constexpr auto kFirstWords = words_from(0), kMiddleWords = words_from(4), kLastWords = words_from(8);

/// f64 lines beside those of f32, and their words in i64.
struct Both {
  explicit Both(BodyBuilder& builder) : narrow(builder, Format::F32), wide(builder, Format::F64) {}
  Lines narrow, wide;
};

int wide_of(Lines& l, int word) { return l.b.convert(word, Format::I64); }

/// sin(x + shift quarters of a turn) for |x| > 2^23.
int arm_turn(BodyBuilder& builder, int x, std::uint64_t shift) {
  Both l(builder);
  const int bits = l.narrow.bits(l.narrow.magnitude(x));
  const int fraction = l.narrow.integer(ScalarOp::And, bits, l.narrow.word(0x7fffff));
  const int by =
      l.narrow.integer(ScalarOp::And, l.narrow.integer(ScalarOp::ShiftRightLogical, bits, l.narrow.word(23)), l.narrow.word(7));
  const int m = wide_of(
      l.narrow, l.narrow.integer(ScalarOp::ShiftLeft, l.narrow.integer(ScalarOp::Or, fraction, l.narrow.word(0x800000)), by));
  const int at = wide_of(l.narrow, l.narrow.integer(ScalarOp::ShiftRightLogical, bits, l.narrow.word(26)));
  const auto product = [&](std::span<const std::uint64_t> words) {
    return l.wide.integer(ScalarOp::Multiply, m, l.wide.entry(at, words));
  };
  // 96 bits of the product, the lowest 32 cut: quarters in the two highest of 64.
  const int first = l.wide.integer(ScalarOp::ShiftLeft, product(kFirstWords), l.wide.word(32));
  const int last = l.wide.integer(ScalarOp::ShiftRightLogical, product(kLastWords), l.wide.word(32));
  const int sum = l.wide.integer(ScalarOp::Add, l.wide.integer(ScalarOp::Or, last, first), product(kMiddleWords));
  const int nearest = l.wide.integer(ScalarOp::Add, sum, l.wide.word(std::uint64_t{1} << 61));
  const int quarters = l.wide.integer(ScalarOp::ShiftRightLogical, nearest, l.wide.word(62));
  const int rest = l.wide.integer(ScalarOp::Subtract, sum, l.wide.integer(ScalarOp::ShiftLeft, quarters, l.wide.word(62)));
  const int r = l.wide.multiply(builder.convert(rest, Format::F64), l.wide.value(0x1.921fb54442d18p-62));

  const int z = l.wide.multiply(r, r);
  const int cube = l.wide.multiply(r, z);
  const int high_sine = l.wide.fma(z, l.wide.value(-0x1.994eb3774cf24p-13), l.wide.value(0x1.1107605230bc4p-7));
  const int low_sine = l.wide.fma(cube, l.wide.value(-0x1.555545995a603p-3), r);
  const int sine = l.wide.fma(l.wide.multiply(cube, z), high_sine, low_sine);
  const int fourth = l.wide.multiply(z, z);
  const int high_cosine = l.wide.fma(z, l.wide.value(0x1.99343027bf8c3p-16), l.wide.value(-0x1.6c087e89a359dp-10));
  const int low_cosine = l.wide.fma(z, l.wide.value(-0x1.ffffffd0c621cp-2), l.wide.value(1.0));
  const int middle = l.wide.fma(fourth, l.wide.value(0x1.55553e1068f19p-5), low_cosine);
  const int cosine = l.wide.fma(l.wide.multiply(fourth, z), high_cosine, middle);
  const int k = l.wide.integer(ScalarOp::Add, quarters, l.wide.word(shift));
  const int odd = l.wide.integer(ScalarOp::And, k, l.wide.word(1)), negative = l.wide.integer(ScalarOp::And, k, l.wide.word(2));
  const int y = builder.convert(l.wide.when(Comparison::NE, odd, l.wide.word(0), cosine, sine), Format::F32);
  return l.wide.when(Comparison::NE, negative, l.wide.word(0), l.narrow.negate(y), y);
}

/// Both of |x| <= 2^23 in the octant that Cephes takes; whether it is the other one that is asked for; and the octant.
struct Octant {
  int sine, cosine, swapped, octant;
};

Octant cephes_octant(Lines& l, int a) {
  const int turned = l.multiply(a, l.value(1.27323954473516F));  // 4 / pi
  const int octant = l.integer(ScalarOp::And, l.integer(ScalarOp::Add, l.floored(turned), l.word(1)), l.word(0xfffffffe));
  const int y = l.b.convert(octant, Format::F32);
  int r = a;  // pi/4 in three parts
  for (const double part : {-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8})
    r = l.fma(l.value(static_cast<float>(part)), y, r);
  const int z = l.multiply(r, r);
  const auto squared = [&](int polynomial) { return l.multiply(polynomial, z); };
  constexpr double kCosf[] = {4.166664568298827e-2F, -1.388731625493765e-3F, 2.443315711809948e-5F};
  constexpr double kSinf[] = {-1.6666654611e-1F, 8.3321608736e-3F, -1.9515295891e-4F};
  const int cosine = l.add(l.fma(z, l.value(-0.5), squared(squared(l.polynomial(kCosf, z)))), l.value(1.0));
  const int sine = l.fma(r, squared(l.polynomial(kSinf, z)), r);
  return {sine, cosine, compare(l.b, Comparison::NE, l.integer(ScalarOp::And, octant, l.word(2)), l.word(0)), octant};
}

/// `inside` for |x| <= 2^23 and `beyond` for greater ones; infinities and NaN give NaN.
int by_size(Lines& l, int x, int inside, int beyond) {
  const int a = l.magnitude(x);
  const int is_number = compare(l.b, Comparison::LT, a, l.value(kInfinity));
  return select(l.b, is_number, l.when(Comparison::GT, a, l.value(0x1p23), beyond, inside), l.value(kNotANumber));
}

}  // namespace

int arm_logf(BodyBuilder& builder, int x, Format /*format*/) {
  Both l(builder);
  // Subnormal numbers as normal ones, 2^23 times as large.
  const int is_small = compare(builder, Comparison::LT, l.narrow.bits(x), l.narrow.word(0x800000));
  const int scaled =
      l.narrow.integer(ScalarOp::Subtract, l.narrow.bits(l.narrow.multiply(x, l.narrow.value(0x1p23))), l.narrow.word(23 << 23));
  const int bits = select(builder, is_small, scaled, l.narrow.bits(x));
  const int from = l.narrow.integer(ScalarOp::Subtract, bits, l.narrow.word(0x3f330000));
  const int k = builder.convert(l.narrow.integer(ScalarOp::ShiftRightArithmetic, from, l.narrow.word(23)), Format::F64);
  const int exponent = l.narrow.integer(ScalarOp::And, from, l.narrow.word(0xff800000));
  const int m = builder.convert(l.narrow.number(l.narrow.integer(ScalarOp::Subtract, bits, exponent)), Format::F64);
  const int at = wide_of(l.narrow, l.narrow.integer(ScalarOp::ShiftRightLogical, from, l.narrow.word(19)));
  const int r = l.wide.fma(m, l.wide.entry(at, kInverse), l.wide.value(-1.0));
  const int base = l.wide.fma(k, l.wide.value(0x1.62e42fefa39efp-1), l.wide.entry(at, kLogarithm));
  const int square = l.wide.multiply(r, r);
  const int high = l.wide.fma(l.wide.value(0x1.5575b0be00b6ap-2), r, l.wide.value(-0x1.ffffef20a4123p-2));
  const int tail = l.wide.fma(l.wide.value(-0x1.00ea348b88334p-2), square, high);
  const int y = builder.convert(l.wide.fma(tail, square, l.wide.add(base, r)), Format::F32);
  const int finite = l.narrow.when(Comparison::EQ, x, l.narrow.value(kInfinity), x, y);
  const int below =
      l.narrow.when(Comparison::EQ, x, l.narrow.value(0.0), l.narrow.value(-kInfinity), l.narrow.value(kNotANumber));
  return l.narrow.when(Comparison::GT, x, l.narrow.value(0.0), finite, below);
}

int arm_exp2f(BodyBuilder& builder, int x, Format /*format*/) {
  Both l(builder);
  const int inside = builder.convert(l.narrow.clamped(x, -160.0, 128.0), Format::F64);
  constexpr double kThirtySeconds = 0x1.8p52 / 32;  // added to a number it leaves the nearest multiple of 1/32
  const int shifted = l.wide.add(inside, l.wide.value(kThirtySeconds));
  const int r = l.wide.subtract(inside, l.wide.subtract(shifted, l.wide.value(kThirtySeconds)));
  const int k = l.wide.bits(shifted);
  const int power = l.wide.number(
      l.wide.integer(ScalarOp::Add, l.wide.entry(k, kPowers), l.wide.integer(ScalarOp::ShiftLeft, k, l.wide.word(47))));
  const int high = l.wide.fma(l.wide.value(0x1.c6af84b912394p-5), r, l.wide.value(0x1.ebfce50fac4f3p-3));
  const int low = l.wide.fma(l.wide.value(0x1.62e42ff0c52d6p-1), r, l.wide.value(1.0));
  const int y = l.wide.fma(high, l.wide.multiply(r, r), low);
  return l.narrow.unless_nan(x, builder.convert(l.wide.multiply(y, power), Format::F32));
}

int cephes_arm_sinf(BodyBuilder& builder, int x, Format /*format*/) {
  Lines l(builder, Format::F32);
  const Octant near = cephes_octant(l, l.clamped(l.magnitude(x), 0.0, 0x1p23));
  const int y = select(builder, near.swapped, near.cosine, near.sine);
  const int below = l.when(Comparison::NE, l.integer(ScalarOp::And, near.octant, l.word(4)), l.word(0), l.negate(y), y);
  const int positive = by_size(l, x, below, arm_turn(builder, x, 0));
  return l.when(Comparison::LT, x, l.value(0.0), l.negate(positive), positive);
}

int cephes_arm_cosf(BodyBuilder& builder, int x, Format /*format*/) {
  Lines l(builder, Format::F32);
  const Octant near = cephes_octant(l, l.clamped(l.magnitude(x), 0.0, 0x1p23));
  const int y = select(builder, near.swapped, near.sine, near.cosine);
  const int two_less = l.integer(ScalarOp::Subtract, near.octant, l.word(2));
  const int is_positive = compare(builder, Comparison::NE, l.integer(ScalarOp::And, two_less, l.word(4)), l.word(0));
  return by_size(l, x, select(builder, is_positive, y, l.negate(y)), arm_turn(builder, x, 1));
}

}  // namespace bitpact
