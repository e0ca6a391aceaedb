// Written by tools/function_coefficients; not by hand.
#pragma once

namespace bitpact::coefficients {

/// 1 / ln 2.
inline constexpr double kLog2E = 0x1.71547652b82fep+0;
/// ln 2 rounded to 40 bits: its products with integers of up to 13 bits are exact.
inline constexpr double kLn2High = 0x1.62e42fefa4000p-1;
/// ln 2 - kLn2High.
inline constexpr double kLn2Low = -0x1.8432a1b0e2634p-43;
/// (exp(r) - 1 - r - r^2/2) / r^3 for |r| <= ln 2 / 2: degree 11, error below 2^-56.5, times |r|^3 < 0.042.
inline constexpr double kExp[] = {0x1.5555555555555p-3,  0x1.5555555555555p-5,  0x1.1111111111111p-7,  0x1.6c16c16c16c17p-10,
                                  0x1.a01a01a0196aep-13, 0x1.a01a01a019b64p-16, 0x1.71de3a5aa6edbp-19, 0x1.27e4fb7a271bcp-22,
                                  0x1.ae642c8730352p-26, 0x1.1eed7a0422edap-29, 0x1.61bfa22dd346fp-33, 0x1.943287d726ef1p-37};
/// (log(1 + f) - 2 s) / s^3 in z = s^2, s = f / (2 + f), for 1 + f from sqrt(1/2) to sqrt(2): degree 9, error below 2^-54.6,
/// times |s|^3 < 0.0051.
inline constexpr double kLog[] = {0x1.5555555555555p-1, 0x1.999999999999ap-2, 0x1.2492492492486p-2, 0x1.c71c71c71f255p-3,
                                  0x1.745d17437e31ap-3, 0x1.3b13b261100c9p-3, 0x1.1110b8d10b6bbp-3, 0x1.e2029616bb132p-4,
                                  0x1.ab83e04a47f78p-4, 0x1.bedb01af0c1fep-4};
/// (tanh(x) - x) / x^3 in z = x^2 for |x| <= 1: degree 17, error below 2^-55.6, times |x|^3.
inline constexpr double kTanh[] = {-0x1.5555555555555p-2,  0x1.1111111111110p-3,  -0x1.ba1ba1ba1b8c3p-5,  0x1.664f4882b9d51p-6,
                                   -0x1.226e355d240fap-7,  0x1.d6d3d09a58b38p-9,  -0x1.7da35f3845119p-10, 0x1.3557e29b035b5p-11,
                                   -0x1.f578a02336539p-13, 0x1.965c1c0a7a029p-14, -0x1.48c835d08eb0bp-15, 0x1.082ba06836cb0p-16,
                                   -0x1.9e8b9d82261bap-18, 0x1.31a4334500a8ep-19, -0x1.8bd6f5c8dad4cp-21, 0x1.97237d2c00d33p-23,
                                   -0x1.1d780e216e2d0p-25, 0x1.8e4da3a2aa99ap-29};
/// 2 / sqrt(pi).
inline constexpr double kErfSlopeHigh = 0x1.20dd750429b6dp+0;
/// 2 / sqrt(pi) - kErfSlopeHigh.
inline constexpr double kErfSlopeLow = 0x1.1ae3a914fed80p-56;
/// (erf(x) - 2/sqrt(pi) x) / x^3 in z = x^2 for |x| <= 1: degree 15, error below 2^-56.1, times |x|^3.
inline constexpr double kErf[] = {-0x1.812746b0379e7p-2,  0x1.ce2f21a042be2p-4,  -0x1.b82ce31288b51p-6,  0x1.565bcd0e6a53fp-8,
                                  -0x1.c02db40040b7fp-11, 0x1.f9a326f9b8780p-14, -0x1.f4d25c3e0466ap-17, 0x1.b9e6c9db370fbp-20,
                                  -0x1.5f742ea388b1bp-23, 0x1.fcc56cdce17aep-27, -0x1.51d6cb74180e8p-30, 0x1.9e644b69f51ccp-34,
                                  -0x1.d7dd4558a83f2p-38, 0x1.f1edf89864982p-42, -0x1.d24e88793232dp-46, 0x1.2f54cb59a95f5p-50};
/// 2 / pi in parts of 24 bits.
inline constexpr double kTwoOverPi[] = {
    0x1.45f3060000000p-1,   0x1.b939100000000p-26,  0x1.529fc00000000p-52,  0x1.3abe880000000p-75,  0x1.ea69ba0000000p-97,
    0x1.81b6c40000000p-121, 0x1.2b32780000000p-145, 0x1.0e41040000000p-170, 0x1.fca2c60000000p-193, 0x1.57bd760000000p-217};
/// pi / 2.
inline constexpr double kHalfPiHigh = 0x1.921fb54442d18p+0;
/// pi / 2 - kHalfPiHigh.
inline constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;
/// (sin(x) - x) / x^3 in z = x^2 for |x| <= pi / 4: degree 7, error below 2^-56.6, times |x|^3.
inline constexpr double kSin[] = {-0x1.5555555555555p-3,  0x1.1111111111111p-7,  -0x1.a01a01a01a019p-13, 0x1.71de3a556c2c8p-19,
                                  -0x1.ae64567e73219p-26, 0x1.61245fb507691p-33, -0x1.ae7c53ccfc678p-41, 0x1.9242bc854421bp-49};
/// (cos(x) - 1 + x^2/2) / x^4 in z = x^2 for |x| <= pi / 4: degree 7, error below 2^-58.6, times x^4.
inline constexpr double kCos[] = {0x1.5555555555555p-5,  -0x1.6c16c16c16c17p-10, 0x1.a01a01a01a019p-16, -0x1.27e4fb7789d98p-22,
                                  0x1.1eed8eff336c1p-29, -0x1.93974954490b6p-37, 0x1.ae7ce8e10b0f8p-45, -0x1.65d2c0a3f781fp-53};
/// erf(m + d) = high + (low + d * P(d)) for m = 1.5, 2.5, 3.5, 4.5, 5.5 and |d| <= 1/2: high, low, P of degree 17, error below
/// 2^-56.7, times |d|.
inline constexpr double kErfParts[5][20] = {
    {0x1.eea5557137ae0p-1,   -0x1.385e445f2c96dp-55, 0x1.e723726b824a9p-4,   -0x1.6d5a95d0a1b7fp-3,  0x1.1c2a02beb6a99p-3,
     -0x1.6d5a95d0a1b86p-5,  -0x1.e723726b75a2bp-7,  0x1.3ca3d72c484adp-6,   -0x1.36d73a65ecb0ap-8,  -0x1.35ae4e39e3c23p-9,
     0x1.c0380d88e655ap-10,  -0x1.85b5f3d020bb4p-14, -0x1.0acf353ecb714p-12, 0x1.45daf71c24461p-14,  0x1.2d574ba32d17bp-16,
     -0x1.d8d9943babc7ap-17, 0x1.32b587a24f780p-21,  0x1.9afa8e11682edp-20,  -0x1.305d37a851c9dp-22, -0x1.b2d1074bb6441p-24},
    {0x1.ffcaa8f4c9beap-1,   0x1.b0cee160116f9p-55,  0x1.1d83170fbf6fcp-9,  -0x1.64e3dcd3af4bap-8,  0x1.119da0c46cc88p-7,
     -0x1.1a89b97ceac76p-7,  0x1.90e81283fccadp-8,   -0x1.6ecdbf67c8278p-9, 0x1.1c610bc8e5f86p-11,  0x1.11551df1ab6e2p-12,
     -0x1.06717857ad0fap-12, 0x1.4a8448e87adfbp-14,  0x1.58bbca2bba994p-18, -0x1.d8729912f27ccp-17, 0x1.3ad68181439ecp-18,
     0x1.85d35257458a7p-23,  -0x1.595d63766c65ep-21, 0x1.7f8e5c0764664p-23, 0x1.8353e53661806p-26,  -0x1.81668c0df91ecp-26},
    {0x1.ffffe710d565ep-1,   0x1.c9ea52d76dc04p-55,  0x1.6a597219a93d4p-18,  -0x1.3d0e43d67415dp-16, 0x1.62ccea63cb29ap-15,
     -0x1.1c07721ac8083p-14, 0x1.586bafc9b36e3p-14,  -0x1.46153fb985667p-14, 0x1.e827fafc968b1p-15,  -0x1.1f6304df65ebfp-15,
     0x1.013525a7dacb3p-16,  -0x1.377412e4d65f3p-18, 0x1.dd8021aae75eap-22,  0x1.dc7f0cc74440ap-22,  -0x1.43f06e7cae34dp-22,
     0x1.8c8e73e82e161p-24,  -0x1.83eccdb1df23fp-28, -0x1.1dfb8109e129cp-27, 0x1.09106bf9376f0p-28,  -0x1.3c737fbae210ap-31},
    {0x1.fffffffe4fa30p-1,   0x1.d166bcb681c7bp-57,  0x1.f1e3523b419dcp-30,  -0x1.180fde415508dp-27, 0x1.99b8665622088p-26,
     -0x1.b598cb46153acp-25, 0x1.6b1baf4475855p-24,  -0x1.e650e3451ad06p-24, 0x1.0d678f996672dp-23,  -0x1.f5f31b612e074p-24,
     0x1.8d2e60635af64p-24,  -0x1.0c3a436a01f67p-24, 0x1.34eeb3600ab29p-25,  -0x1.2cd5bff66a0cfp-26, 0x1.e47b6b3a2c4f4p-28,
     -0x1.319c18e1101e7p-29, 0x1.feff5b497e711p-32,  -0x1.59506130e6468p-42, -0x1.0130e006382b6p-34, 0x1.cb7a668a1644cp-36},
    {0x1.fffffffffffbep-1,   -0x1.182b326b228dcp-55, 0x1.7258610b610cap-44,  -0x1.fd39856f7366cp-42, 0x1.cb12e2efec9a2p-40,
     -0x1.31011e966b539p-38, 0x1.3e4a1fd95a892p-37,  -0x1.0f6e89d64f914p-36, 0x1.84a4da92ad98ep-36,  -0x1.dc38bafb0aaa3p-36,
     0x1.fa7b21db0ecb7p-36,  -0x1.d87737b48bf2ap-36, 0x1.85904bddfbeafp-36,  -0x1.1d87d01a9896bp-36, 0x1.75a5366a976f1p-37,
     -0x1.b430a4e9f857bp-38, 0x1.c1b01326d16bep-39,  -0x1.a370eade409fdp-40, 0x1.8335bcf16eb08p-41,  -0x1.086a48dda9bf4p-42},
};

}  // namespace bitpact::coefficients
