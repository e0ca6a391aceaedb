// One operation on vectors of lanes. Each has: Out, A (and B, C), the stored elements; kLanes; run().

struct AddOf {
  template <class T>
  static T of(T a, T b) {
    return a + b;
  }
};
struct SubtractOf {
  template <class T>
  static T of(T a, T b) {
    return a - b;
  }
};
struct MultiplyOf {
  template <class T>
  static T of(T a, T b) {
    return a * b;
  }
};
struct DivideOf {
  template <class T>
  static T of(T a, T b) {
    return a / b;
  }
};

/// f32 and f64: the processor's own operation.
template <class Op, class F>
struct Arithmetic {
  using Out = typename F::Store;
  using A = Out;
  using B = Out;
  static constexpr int kLanes = lanes_for(F::kBytes);
  static V<Out, kLanes> run(V<Out, kLanes> a, V<Out, kLanes> b) { return Op::of(a, b); }
};

/// f16 and bf16: computed in f32, rounded again. Innocuous for + - * / sqrt since f32's precision p = 24 is at least 2 q + 2 for
/// q = 11 and 8 (Figueroa 1995). That holds for subnormal results as well. f16: they are normal in f32. bf16 has f32's exponents,
/// and f32 keeps 16 bits below bf16's last one: a sum that small is exact; a product has 16 bits and is exact unless it is below
/// 2^-134, half of the least subnormal, where both roundings lead to zero; a quotient is at least 2^-142 away from the middle
/// between two results, and f32's error is at most 2^-150.
template <class Op, class F>
struct NarrowArithmetic {
  using Out = u16;
  using A = u16;
  using B = u16;
  static constexpr int kLanes = lanes_for(4);
  static V<u16, kLanes> run(V<u16, kLanes> a, V<u16, kLanes> b) {
    return narrow<kLanes>(F{}, Op::of(widen<kLanes>(F{}, a), widen<kLanes>(F{}, b)));
  }
};

#if defined(__x86_64__)
inline V<float, lanes_for(4)> square_root(V<float, lanes_for(4)> a) {
#if BITPACT_VECTOR_BYTES == 64
  return (V<float, 16>)_mm512_maskz_sqrt_ps(static_cast<__mmask16>(-1), (__m512)a);
#elif BITPACT_VECTOR_BYTES == 32
  return (V<float, 8>)_mm256_sqrt_ps((__m256)a);
#else
  return (V<float, 4>)_mm_sqrt_ps((__m128)a);
#endif
}
inline V<double, lanes_for(8)> square_root(V<double, lanes_for(8)> a) {
#if BITPACT_VECTOR_BYTES == 64
  return (V<double, 8>)_mm512_maskz_sqrt_pd(static_cast<__mmask8>(-1), (__m512d)a);
#elif BITPACT_VECTOR_BYTES == 32
  return (V<double, 4>)_mm256_sqrt_pd((__m256d)a);
#else
  return (V<double, 2>)_mm_sqrt_pd((__m128d)a);
#endif
}

template <class F>
struct SquareRoot {
  using Out = typename F::Store;
  using A = Out;
  static constexpr int kLanes = lanes_for(F::kBytes);
  static V<Out, kLanes> run(V<Out, kLanes> a) { return square_root(a); }
};
template <class F>
struct NarrowSquareRoot {
  using Out = u16;
  using A = u16;
  static constexpr int kLanes = lanes_for(4);
  static V<u16, kLanes> run(V<u16, kLanes> a) { return narrow<kLanes>(F{}, square_root(widen<kLanes>(F{}, a))); }
};
#endif

/// Makes a value that was rounded to nearest one that is rounded to odd (Boldo & Melquiond 2008), given the sign of its error:
/// where that is not zero and the last bit is even, the neighbour on the exact value's side.
template <class U, class M>
U to_odd(U bits, M positive_error, M negative_error, U sign_mask) {
  const U even = (U)((bits & 1) == 0);
  const U negative = (U)((bits & sign_mask) != 0);
  const U away = ((U)positive_error & ~negative) | ((U)negative_error & negative);
  const U toward = ((U)positive_error & negative) | ((U)negative_error & ~negative);
  return bits - (even & away) + (even & toward);  // a mask is -1
}

/// fma of f32, f16, bf16: the product is exact in f64; the sum is rounded to odd there, which has more than two bits to spare,
/// and for f16 and bf16 to odd again in f32.
template <class F>
struct FusedInDouble {
  using Out = typename F::Store;
  using A = Out;
  using B = Out;
  using C = Out;
  static constexpr int kLanes = lanes_for(8);
  using D = V<double, kLanes>;
  using S = V<float, kLanes>;
  using I = V<i64, kLanes>;
  static V<Out, kLanes> run(V<Out, kLanes> va, V<Out, kLanes> vb, V<Out, kLanes> vc) {
    const D a = wide(va), b = wide(vb), c = wide(vc);
    const D p = a * b, s = p + c;
    const D t = s - p, error = (p - (s - t)) + (c - t);  // Knuth's two-sum; NaN where s is not finite, and then left alone
    const V<u64, kLanes> sign = V<u64, kLanes>{} + 0x8000000000000000u;
    const D odd = (D)to_odd((V<u64, kLanes>)s, (I)(error > 0.0), (I)(error < 0.0), sign);
    if constexpr (F::kBytes == 4) {
      return __builtin_convertvector(odd, S);
    } else {
      const S f = __builtin_convertvector(odd, S);
      const D rest = odd - __builtin_convertvector(f, D);
      const V<u32, kLanes> sign32 = V<u32, kLanes>{} + 0x80000000u;
      return narrow<kLanes>(F{}, (S)to_odd((V<u32, kLanes>)f, __builtin_convertvector((I)(rest > 0.0), V<i32, kLanes>),
                                           __builtin_convertvector((I)(rest < 0.0), V<i32, kLanes>), sign32));
    }
  }
  static D wide(V<Out, kLanes> v) { return __builtin_convertvector(widen<kLanes>(F{}, v), D); }
};

#if BITPACT_VECTOR_BYTES >= 32
inline V<float, lanes_for(4)> fused(V<float, lanes_for(4)> a, V<float, lanes_for(4)> b, V<float, lanes_for(4)> c) {
#if BITPACT_VECTOR_BYTES == 64
  return (V<float, 16>)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#else
  return (V<float, 8>)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#endif
}
inline V<double, lanes_for(8)> fused(V<double, lanes_for(8)> a, V<double, lanes_for(8)> b, V<double, lanes_for(8)> c) {
#if BITPACT_VECTOR_BYTES == 64
  return (V<double, 8>)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#else
  return (V<double, 4>)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
}
template <class F>
struct Fused {
  using Out = typename F::Store;
  using A = Out;
  using B = Out;
  using C = Out;
  static constexpr int kLanes = lanes_for(F::kBytes);
  static V<Out, kLanes> run(V<Out, kLanes> a, V<Out, kLanes> b, V<Out, kLanes> c) { return fused(a, b, c); }
};
#endif

/// Two roundings: the build does not contract.
template <class F>
struct MultiplyAdd {
  using Out = typename F::Store;
  using A = Out;
  using B = Out;
  using C = Out;
  static constexpr int kLanes = lanes_for(F::kBytes);
  static V<Out, kLanes> run(V<Out, kLanes> a, V<Out, kLanes> b, V<Out, kLanes> c) { return a * b + c; }
};

template <class F, bool Negates>
struct SignBit {
  using Out = typename Words<F::kBytes>::U;
  using A = Out;
  static constexpr int kLanes = lanes_for(F::kBytes);
  static constexpr Out kSign = (Out)((Out)1 << (F::kBytes * 8 - 1));
  static V<Out, kLanes> run(V<Out, kLanes> a) { return Negates ? a ^ kSign : a & (Out)~kSign; }
};

template <class F>
constexpr auto magnitude_mask() {
  using U = typename Words<F::kBytes>::U;
  if constexpr (requires { F::kMagnitude; }) {
    return F::kMagnitude;
  } else {
    return (U)((U) ~(U)0 >> 1);
  }
}

template <class F>
struct Canonicalise {
  using Out = typename Words<F::kBytes>::U;
  using A = Out;
  static constexpr int kLanes = lanes_for(F::kBytes);
  using U = V<Out, kLanes>;
  static U run(U a) {
    const U is_nan = (U)((a & magnitude_mask<F>()) > F::kInfinity);
    return (a & ~is_nan) | (is_nan & F::kQuiet);
  }
};

/// Float maximum and minimum on integers: with the magnitude's bits flipped where the sign is set, order is that of the integers,
/// -0 below +0.
template <class F, bool Max, bool Number>
struct Extremum {
  using Out = typename Words<F::kBytes>::U;
  using A = Out;
  using B = Out;
  using Int = typename Words<F::kBytes>::I;
  static constexpr int kLanes = lanes_for(F::kBytes);
  using U = V<Out, kLanes>;
  using I = V<Int, kLanes>;
  static constexpr Out kMagnitude = (Out)((Out) ~(Out)0 >> 1);
  static I key(U a) {
    const I s = (I)a;
    return s ^ ((s >> (F::kBytes * 8 - 1)) & (Int)kMagnitude);
  }
  static U is_nan(U a) { return (U)((a & kMagnitude) > F::kInfinity); }
  static U run(U a, U b) {
    const U b_wins = Max ? (U)(key(a) < key(b)) : (U)(key(b) < key(a));
    const U number = (a & ~b_wins) | (b & b_wins);
    const U nan_a = is_nan(a), nan_b = is_nan(b);
    if constexpr (Number) {
      const U one_of_them = nan_a | nan_b;
      return (number & ~one_of_them) | (b & nan_a) | (a & nan_b & ~nan_a);
    } else {
      const U any = nan_a | nan_b;
      return (number & ~any) | (any & F::kQuiet);
    }
  }
};

template <class T, bool Max>
struct IntegerExtremum {
  using Out = T;
  using A = T;
  using B = T;
  static constexpr int kLanes = lanes_for(sizeof(T));
  static V<T, kLanes> run(V<T, kLanes> a, V<T, kLanes> b) {
    using M = V<typename Words<sizeof(T)>::U, kLanes>;
    const M b_wins = Max ? (M)(a < b) : (M)(b < a);
    return (V<T, kLanes>)(((M)a & ~b_wins) | ((M)b & b_wins));
  }
};

/// On unsigned words: wraps.
template <class T, ScalarOp Which>
struct Wrapping {
  using Out = T;
  using A = T;
  using B = T;
  static constexpr int kLanes = lanes_for(sizeof(T));
  using U = V<T, kLanes>;
  static U run(U a, U b) {
    if constexpr (Which == ScalarOp::Add) return a + b;
    if constexpr (Which == ScalarOp::Subtract) return a - b;
    if constexpr (Which == ScalarOp::Multiply) return a * b;
    if constexpr (Which == ScalarOp::And) return a & b;
    if constexpr (Which == ScalarOp::Or) return a | b;
    if constexpr (Which == ScalarOp::Xor) return a ^ b;
    constexpr T kWidth = sizeof(T) * 8;
    const U inside = (U)(b < kWidth), amount = b & (T)(kWidth - 1);
    if constexpr (Which == ScalarOp::ShiftLeft) return (a << amount) & inside;
    if constexpr (Which == ScalarOp::ShiftRightLogical) return (a >> amount) & inside;
    if constexpr (Which == ScalarOp::ShiftRightArithmetic) {
      using I = V<typename Words<sizeof(T)>::I, kLanes>;
      return (U)((I)a >> (I)((amount & inside) | ((U)~inside & (T)(kWidth - 1))));
    }
  }
};

template <class T>
struct WrappingNegate {
  using Out = T;
  using A = T;
  static constexpr int kLanes = lanes_for(sizeof(T));
  static V<T, kLanes> run(V<T, kLanes> a) { return -a; }
};
template <class T>
struct WrappingAbsolute {  // T unsigned; its value is read as signed
  using Out = T;
  using A = T;
  static constexpr int kLanes = lanes_for(sizeof(T));
  static V<T, kLanes> run(V<T, kLanes> a) {
    using I = V<typename Words<sizeof(T)>::I, kLanes>;
    const V<T, kLanes> negative = (V<T, kLanes>)((I)a < 0);
    return (a ^ negative) - negative;
  }
};

template <class T>
struct Copy {
  using Out = T;
  using A = T;
  static constexpr int kLanes = lanes_for(sizeof(T));
  static V<T, kLanes> run(V<T, kLanes> a) { return a; }
};

/// 1 where it holds.
template <class T, Comparison Which>
struct Compared {
  using Out = u8;
  using A = T;
  using B = T;
  static constexpr int kLanes = lanes_for(sizeof(T));
  template <class X>
  static V<u8, kLanes> of(X a, X b) {
    auto mask = [&] {
      if constexpr (Which == Comparison::EQ) return a == b;
      if constexpr (Which == Comparison::NE) return a != b;
      if constexpr (Which == Comparison::LT) return a < b;
      if constexpr (Which == Comparison::LE) return a <= b;
      if constexpr (Which == Comparison::GT) return a > b;
      if constexpr (Which == Comparison::GE) return a >= b;
    }();
    return __builtin_convertvector(mask, V<u8, kLanes>) & 1;
  }
  static V<u8, kLanes> run(V<T, kLanes> a, V<T, kLanes> b) { return of(a, b); }
};
template <class F, Comparison Which>
struct NarrowCompared {
  using Out = u8;
  using A = u16;
  using B = u16;
  static constexpr int kLanes = lanes_for(4);
  static V<u8, kLanes> run(V<u16, kLanes> a, V<u16, kLanes> b) {
    const auto mask = Compared<float, Which>::of(widen<kLanes>(F{}, a), widen<kLanes>(F{}, b));
    return mask;
  }
};

template <class T>
struct Selected {
  using Out = T;
  using A = u8;
  using B = T;
  using C = T;
  static constexpr int kLanes = lanes_for(sizeof(T));
  static V<T, kLanes> run(V<u8, kLanes> condition, V<T, kLanes> then, V<T, kLanes> otherwise) {
    using U = V<T, kLanes>;
    const U mask = (U)(__builtin_convertvector(condition, U) != 0);
    return (then & mask) | (otherwise & ~mask);
  }
};

template <class F>
struct ToF32 {
  using Out = float;
  using A = u16;
  static constexpr int kLanes = lanes_for(4);
  static V<float, kLanes> run(V<u16, kLanes> a) { return widen<kLanes>(F{}, a); }
};
template <class F>
struct FromF32 {
  using Out = u16;
  using A = float;
  static constexpr int kLanes = lanes_for(4);
  static V<u16, kLanes> run(V<float, kLanes> a) { return narrow<kLanes>(F{}, a); }
};
/// f32 between f64 and itself, i32 to floats: one conversion of the processor.
template <class From, class To>
struct Converted {
  using Out = To;
  using A = From;
  static constexpr int kLanes = lanes_for(sizeof(From) > sizeof(To) ? sizeof(From) : sizeof(To));
  static V<To, kLanes> run(V<From, kLanes> a) { return __builtin_convertvector(a, V<To, kLanes>); }
};
template <class F>
struct NarrowToF64 {
  using Out = double;
  using A = u16;
  static constexpr int kLanes = lanes_for(8);
  static V<double, kLanes> run(V<u16, kLanes> a) { return __builtin_convertvector(widen<kLanes>(F{}, a), V<double, kLanes>); }
};
/// To odd in f32, which has 2 bits more than needed, and then once to nearest.
template <class F>
struct NarrowFromF64 {
  using Out = u16;
  using A = double;
  static constexpr int kLanes = lanes_for(8);
  using D = V<double, kLanes>;
  static V<u16, kLanes> run(D a) {
    const V<float, kLanes> f = __builtin_convertvector(a, V<float, kLanes>);
    const D rest = a - __builtin_convertvector(f, D);
    using I32 = V<i32, kLanes>;
    const V<u32, kLanes> sign = V<u32, kLanes>{} + 0x80000000u;
    return narrow<kLanes>(F{}, (V<float, kLanes>)to_odd((V<u32, kLanes>)f, __builtin_convertvector(rest > 0.0, I32),
                                                        __builtin_convertvector(rest < 0.0, I32), sign));
  }
};
