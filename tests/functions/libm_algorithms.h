// What glibc 2.36 and MLX 0.32.4 compute, step by step and case by case as they branch, in the compiler's own arithmetic.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "number/format.h"

namespace bitpact::test {

inline float f32(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
inline float plus_exponent(float x, int k) { return f32(bits_of(x) + (static_cast<std::uint32_t>(k) << 23)); }

inline constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
inline const float kLn2Hi = f32(0x3f317180), kLn2Lo = f32(0x3717f7d1);

inline float expm1f_of_fdlibm(float x, Format /*format*/ = Format::F32) {
  const bool negative = x < 0;
  const std::uint32_t h = bits_of(std::fabs(x));
  if (std::isnan(x)) return x;
  if (h >= 0x4195b844 && negative) return -1;
  if (h >= 0x42b17218) return kInf;
  if (h < 0x33000000) return x;
  int k = 0;
  float lost = 0;
  if (h > 0x3eb17218) {
    float high = 0, low = 0;
    if (h < 0x3f851592) {
      k = negative ? -1 : 1;
      high = negative ? x + kLn2Hi : x - kLn2Hi;
      low = negative ? -kLn2Lo : kLn2Lo;
    } else {
      k = static_cast<int>(f32(0x3fb8aa3b) * x + (negative ? -0.5F : 0.5F));
      high = x - static_cast<float>(k) * kLn2Hi;
      low = static_cast<float>(k) * kLn2Lo;
    }
    x = high - low;
    lost = (high - x) - low;
  }
  const float half = 0.5F * x, z = x * half;
  const float q =
      1.0F + z * (f32(0xbd088889) + z * (f32(0x3ad00d01) + z * (f32(0xb8a670cd) + z * (f32(0x36867e54) + z * f32(0xb457edbb)))));
  const float t = 3.0F - q * half;
  float e = z * ((q - t) / (6.0F - x * t));
  if (k == 0) return x - (x * e - z);
  e = x * (e - lost) - lost;
  e -= z;
  if (k == -1) return 0.5F * (x - e) - 0.5F;
  if (k == 1) return x < -0.25F ? -2.0F * (e - (x + 0.5F)) : 1.0F + 2.0F * (x - e);
  if (k <= -2 || k > 56) return plus_exponent(1.0F - (e - x), k) - 1.0F;
  if (k < 23) return plus_exponent((1.0F - std::ldexp(1.0F, -k)) - (e - x), k);
  return plus_exponent((x - (e + std::ldexp(1.0F, -k))) + 1.0F, k);
}

inline float tanhf_of_fdlibm(float x, Format /*format*/ = Format::F32) {
  const float a = std::fabs(x);
  if (std::isnan(x) || a < 0x1p-55F) return x;
  float z = 1;
  if (a < 1) {
    const float t = expm1f_of_fdlibm(-2 * a);
    z = -t / (t + 2);
  } else if (a < 22) {
    z = 1 - 2 / (expm1f_of_fdlibm(2 * a) + 2);
  }
  return x < 0 ? -z : z;
}

inline float log1pf_of_fdlibm(float x, Format /*format*/ = Format::F32) {
  if (std::isnan(x) || x == kInf) return x;
  if (x <= -1) return x == -1 ? -kInf : kNan;
  if (std::fabs(x) < 0x1p-54F) return x;
  if (std::fabs(x) < 0x1p-29F) return x - x * x * 0.5F;
  int k = 0;
  std::uint32_t left = 1;
  float f = x, lost = 0;
  if (x >= f32(0x3ed413d7) || x < -f32(0x3e95f61f)) {
    float u = x < 0x1p53F ? 1.0F + x : x;
    k = static_cast<int>(bits_of(u) >> 23) - 127;
    if (x < 0x1p53F) lost = (k > 0 ? 1.0F - (u - x) : x - (u - 1.0F)) / u;
    left = bits_of(u) & 0x7fffff;
    if (left < 0x3504f7) {
      u = f32(left | 0x3f800000);
    } else {
      ++k;
      u = f32(left | 0x3f000000);
      left = (0x800000 - left) >> 2;
    }
    f = u - 1.0F;
  }
  const auto n = static_cast<float>(k);
  const float square = 0.5F * f * f;
  if (left == 0) {
    if (f == 0) return k == 0 ? 0 : n * kLn2Hi + (lost + n * kLn2Lo);
    const float r = square * (1.0F - 0.66666666666666666F * f);
    return k == 0 ? f - r : n * kLn2Hi - ((r - (n * kLn2Lo + lost)) - f);
  }
  const float s = f / (2.0F + f), z = s * s;
  float p = f32(0x3e178897);
  for (const std::uint32_t c : {0x3e1cd04fU, 0x3e3a3325U, 0x3e638e29U, 0x3e924925U, 0x3ecccccdU, 0x3f2aaaabU}) p = f32(c) + z * p;
  const float r = z * p;
  if (k == 0) return f - (square - s * (square + r));
  return n * kLn2Hi - ((square - (s * (square + r) + (n * kLn2Lo + lost))) - f);
}

inline float logf_of_arm(float x, Format /*format*/ = Format::F32) {
  struct Row {
    double inverse, logarithm;
  };
  static constexpr Row kRows[16] = {{0x1.661ec79f8f3bep+0, -0x1.57bf7808caadep-2}, {0x1.571ed4aaf883dp+0, -0x1.2bef0a7c06ddbp-2},
                                    {0x1.49539f0f010bp+0, -0x1.01eae7f513a67p-2},  {0x1.3c995b0b80385p+0, -0x1.b31d8a68224e9p-3},
                                    {0x1.30d190c8864a5p+0, -0x1.6574f0ac07758p-3}, {0x1.25e227b0b8eap+0, -0x1.1aa2bc79c81p-3},
                                    {0x1.1bb4a4a1a343fp+0, -0x1.a4e76ce8c0e5ep-4}, {0x1.12358f08ae5bap+0, -0x1.1973c5a611cccp-4},
                                    {0x1.0953f419900a7p+0, -0x1.252f438e10c1ep-5}, {1, 0},
                                    {0x1.e608cfd9a47acp-1, 0x1.aa5aa5df25984p-5},  {0x1.ca4b31f026aap-1, 0x1.c5e53aa362eb4p-4},
                                    {0x1.b2036576afce6p-1, 0x1.526e57720db08p-3},  {0x1.9c2d163a1aa2dp-1, 0x1.bc2860d22477p-3},
                                    {0x1.886e6037841edp-1, 0x1.1058bc8a07ee1p-2},  {0x1.767dcf5534862p-1, 0x1.4043057b6ee09p-2}};
  if (std::isnan(x) || x == kInf) return x;
  if (x <= 0) return x == 0 ? -kInf : kNan;
  std::uint32_t bits = bits_of(x);
  if (bits < 0x800000) bits = bits_of(x * 0x1p23F) - (23 << 23);
  const std::uint32_t from = bits - 0x3f330000;
  const Row& row = kRows[from >> 19 & 15];
  const auto k = static_cast<double>(static_cast<std::int32_t>(from) >> 23);
  const double r = std::fma(static_cast<double>(f32(bits - (from & 0xff800000))), row.inverse, -1.0);
  const double base = std::fma(k, 0x1.62e42fefa39efp-1, row.logarithm), r2 = r * r;
  const double y = std::fma(-0x1.00ea348b88334p-2, r2, std::fma(0x1.5575b0be00b6ap-2, r, -0x1.ffffef20a4123p-2));
  return static_cast<float>(std::fma(y, r2, base + r));
}

inline float exp2f_of_arm(float x, Format /*format*/ = Format::F32) {
  if (std::isnan(x)) return x;
  if (x >= 128) return kInf;
  if (x <= -150) return 0;
  const double k = std::nearbyint(static_cast<double>(x) * 32) / 32, r = static_cast<double>(x) - k;
  const double whole = std::floor(k);
  static constexpr double kRoots[32] = {0x1.0000000000000p+0, 0x1.059b0d3158574p+0, 0x1.0b5586cf9890fp+0, 0x1.11301d0125b51p+0,
                                        0x1.172b83c7d517bp+0, 0x1.1d4873168b9aap+0, 0x1.2387a6e756238p+0, 0x1.29e9df51fdee1p+0,
                                        0x1.306fe0a31b715p+0, 0x1.371a7373aa9cbp+0, 0x1.3dea64c123422p+0, 0x1.44e086061892dp+0,
                                        0x1.4bfdad5362a27p+0, 0x1.5342b569d4f82p+0, 0x1.5ab07dd485429p+0, 0x1.6247eb03a5585p+0,
                                        0x1.6a09e667f3bcdp+0, 0x1.71f75e8ec5f74p+0, 0x1.7a11473eb0187p+0, 0x1.82589994cce13p+0,
                                        0x1.8ace5422aa0dbp+0, 0x1.93737b0cdc5e5p+0, 0x1.9c49182a3f090p+0, 0x1.a5503b23e255dp+0,
                                        0x1.ae89f995ad3adp+0, 0x1.b7f76f2fb5e47p+0, 0x1.c199bdd85529cp+0, 0x1.cb720dcef9069p+0,
                                        0x1.d5818dcfba487p+0, 0x1.dfc97337b9b5fp+0, 0x1.ea4afa2a490dap+0, 0x1.f50765b6e4540p+0};
  const double power = std::ldexp(kRoots[static_cast<int>((k - whole) * 32)], static_cast<int>(whole));
  const double z = std::fma(0x1.c6af84b912394p-5, r, 0x1.ebfce50fac4f3p-3);
  return static_cast<float>(std::fma(z, r * r, std::fma(0x1.62e42ff0c52d6p-1, r, 1.0)) * power);
}

/// Of the sine; the cosine is the one of the next quarter.
inline float large_turn(float x, int quarter) {
  static constexpr std::uint8_t kBytes[] = {0xa2, 0xf9, 0x83, 0x6e, 0x4e, 0x44, 0x15, 0x29, 0xfc, 0x27, 0x57, 0xd1,
                                            0xf5, 0x34, 0xdd, 0xc0, 0xdb, 0x62, 0x95, 0x99, 0x3c, 0x43, 0x90, 0x41};
  const auto word = [](int last) {
    std::uint32_t w = 0;
    for (int i = last - 3; i <= last; ++i) w = w << 8 | (i < 0 ? 0U : kBytes[i]);
    return w;
  };
  std::uint32_t m = bits_of(x);
  const int at = static_cast<int>(m >> 26 & 15), by = static_cast<int>(m >> 23 & 7);
  m = ((m & 0x7fffff) | 0x800000) << by;
  const std::uint64_t low = std::uint64_t{m} * word(at + 8) >> 32;
  std::uint64_t sum = (std::uint64_t{m * word(at)} << 32 | low) + std::uint64_t{m} * word(at + 4);
  const std::uint64_t n = (sum + (std::uint64_t{1} << 61)) >> 62;
  sum -= n << 62;
  const double r = static_cast<double>(static_cast<std::int64_t>(sum)) * 0x1.921fb54442d18p-62, z = r * r;
  const auto q = static_cast<unsigned>(n + static_cast<unsigned>(quarter));
  double y = 0;
  if (q % 2 == 0) {
    const double r3 = r * z;
    const double high = std::fma(z, -0x1.994eb3774cf24p-13, 0x1.1107605230bc4p-7);
    y = std::fma(r3 * z, high, std::fma(r3, -0x1.555545995a603p-3, r));
  } else {
    const double z2 = z * z;
    const double high = std::fma(z, 0x1.99343027bf8c3p-16, -0x1.6c087e89a359dp-10);
    y = std::fma(z2 * z, high, std::fma(z2, 0x1.55553e1068f19p-5, std::fma(z, -0x1.ffffffd0c621cp-2, 1.0)));
  }
  return static_cast<float>(q % 4 >= 2 ? -y : y);
}

inline float turn_of_mlx(float x, bool cosine) {
  const float a = std::fabs(x);
  if (!(a < kInf)) return kNan;
  if (a > 0x1p23F) return large_turn(a, cosine ? 1 : 0);
  const auto octant = (static_cast<std::uint32_t>(a * 1.27323954473516F) + 1) & ~1U;
  const auto k = static_cast<float>(octant);
  float r = std::fma(-0.78515625F, k, a);
  r = std::fma(-2.4187564849853515625e-4F, k, r);
  r = std::fma(-3.77489497744594108e-8F, k, r);
  const float z = r * r;
  float c = std::fma(std::fma(2.443315711809948e-5F, z, -1.388731625493765e-3F), z, 4.166664568298827e-2F);
  c = std::fma(z, -0.5F, c * z * z) + 1.0F;
  float s = std::fma(std::fma(-1.9515295891e-4F, z, 8.3321608736e-3F), z, -1.6666654611e-1F);
  s = std::fma(r, s * z, r);
  const bool swapped = (octant & 2) != 0;
  const float y = swapped == cosine ? s : c;
  const bool negative = cosine ? ((octant - 2) & 4) == 0 : (octant & 4) != 0;
  return negative ? -y : y;
}

inline float sinf_of_mlx(float x, Format /*format*/ = Format::F32) {
  return x < 0 ? -turn_of_mlx(-x, false) : turn_of_mlx(x, false);
}
inline float cosf_of_mlx(float x, Format /*format*/ = Format::F32) { return turn_of_mlx(x, true); }

}  // namespace bitpact::test
