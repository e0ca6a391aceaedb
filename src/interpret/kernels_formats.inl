// The four float formats: how each is stored, widened to f32, and rounded from it.

struct F32 {
  using Store = float;
  static constexpr u32 kInfinity = 0x7f800000u, kQuiet = 0x7fc00000u;
  static constexpr int kBytes = 4;
};
struct F64 {
  using Store = double;
  static constexpr u64 kInfinity = 0x7ff0000000000000u, kQuiet = 0x7ff8000000000000u;
  static constexpr int kBytes = 8;
};
struct BF16 {
  using Store = u16;
  static constexpr u16 kInfinity = 0x7f80u, kQuiet = 0x7fc0u;
  static constexpr int kBytes = 2;
};
struct F16 {
  using Store = u16;
  static constexpr u16 kInfinity = 0x7c00u, kQuiet = 0x7e00u;
  static constexpr int kBytes = 2;
};

/// What there is to know of a format whose arithmetic the exact engine does: the NaNs are above kInfinity.
template <Format format, class U>
struct Encoding {
  static constexpr const Layout& kLayout = layouts[static_cast<size_t>(format)];
  static constexpr U kMagnitude = (U)(kLayout.mask & ~kLayout.sign);
  static constexpr U kInfinity = (U)(kLayout.infinities ? kLayout.infinity : kLayout.largest);
  static constexpr U kQuiet = (U)kLayout.quiet_nan;
  static constexpr int kBytes = sizeof(U);
};

template <int L>
V<float, L> widen(BF16, V<u16, L> h) {
  return (V<float, L>)(__builtin_convertvector(h, V<u32, L>) << 16);
}

/// To nearest, ties to even: adds half an ulp less one, and one more where the last kept bit is odd.
template <int L>
V<u16, L> narrow(BF16, V<float, L> f) {
  const V<u32, L> u = (V<u32, L>)f;
  const V<u32, L> rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  const V<u32, L> is_nan = (V<u32, L>)((u & 0x7fffffffu) > F32::kInfinity);
  return __builtin_convertvector((rounded & ~is_nan) | (is_nan & BF16::kQuiet), V<u16, L>);
}

template <int L>
V<float, L> widen(F16, V<u16, L> h) {
  const V<u32, L> u = __builtin_convertvector(h, V<u32, L>);
  const V<u32, L> magnitude = u & 0x7fffu;
  const V<u32, L> special = (V<u32, L>)(magnitude >= F16::kInfinity);
  const V<u32, L> tiny = (V<u32, L>)(magnitude < 0x0400u);
  constexpr u32 kRebias = (127 - 15) << 23;
  const V<u32, L> normal = (magnitude << 13) + kRebias + (special & kRebias);
  const V<float, L> subnormal = __builtin_convertvector((V<i32, L>)magnitude, V<float, L>) * 0x1p-24f;  // exact
  return (V<float, L>)((normal & ~tiny) | ((V<u32, L>)subnormal & tiny) | ((u & 0x8000u) << 16));
}

template <int L>
V<u16, L> narrow(F16, V<float, L> f) {
  const V<u32, L> u = (V<u32, L>)f;
  const V<u32, L> magnitude = u & 0x7fffffffu;
  const V<u32, L> is_nan = (V<u32, L>)(magnitude > F32::kInfinity);
  const V<u32, L> huge = (V<u32, L>)(magnitude >= 0x47800000u);  // 2^16 and above, infinity too
  const V<u32, L> tiny = (V<u32, L>)(magnitude < 0x38800000u);   // below 2^-14
  constexpr u32 kRebias = (127 - 15) << 23;
  const V<u32, L> normal = (magnitude - kRebias + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;  // a carry may reach infinity
  // In [0.5, 1) an f32 has the ulp of f16's subnormals, 2^-24, so that this one addition rounds as f16 would.
  const V<u32, L> subnormal = (V<u32, L>)((V<float, L>)(magnitude & tiny) + 0.5f) - 0x3f000000u;
  V<u32, L> h = (normal & ~tiny & ~huge) | (subnormal & tiny) | (huge & F16::kInfinity);
  h = (h & ~is_nan) | (is_nan & F16::kQuiet);
  return __builtin_convertvector(h | ((u >> 16) & 0x8000u), V<u16, L>);
}

template <int L>
V<float, L> widen(F32, V<float, L> f) {
  return f;
}
template <int L>
V<float, L> narrow(F32, V<float, L> f) {
  return f;
}
