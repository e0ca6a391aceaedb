// Operands that find mistakes: the boundaries of a format, and random ones in which the hard cases are common.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

#include "number/oracle.h"

namespace bitpact::oracle {

/// The IEEE formats that are wide enough for the boundaries below.
inline const std::vector<Format>& float_formats() {
  static const std::vector<Format> formats{Format::F64, Format::F32, Format::TF32, Format::BF16, Format::F16};
  return formats;
}
/// Those of at most 8 bits: all their values are tried.
inline const std::vector<Format>& small_floats() {
  static const std::vector<Format> formats{Format::F8E5M2,     Format::F8E4M3FN, Format::F8E5M2FNUZ,
                                           Format::F8E4M3FNUZ, Format::F4E2M1FN, Format::F8E8M0FNU};
  return formats;
}
inline const std::vector<Format>& all_floats() {
  static const std::vector<Format> formats = [] {
    std::vector<Format> all = float_formats();
    all.insert(all.end(), small_floats().begin(), small_floats().end());
    return all;
  }();
  return formats;
}
inline const std::vector<Format>& integer_formats() {
  static const std::vector<Format> formats{Format::I64,  Format::I32,  Format::I16,  Format::I8,  Format::I4,
                                           Format::UI64, Format::UI32, Format::UI16, Format::UI8, Format::UI4};
  return formats;
}

/// Both signs of each. Chosen like TestFloat's level-1 operands: an exponent from the list of boundary exponents with a
/// significand whose ones are at its ends, as every mistake of a carry, a shift count or a sticky bit shows in some pair or
/// triple of these.
inline std::vector<Bits> boundaries(Format format) {
  const FloatSpec s = *float_spec(format);
  const int f = s.p - 1;
  const Bits one = static_cast<Bits>(-s.emin + 1) << f, step = Bits{1} << f, inf = static_cast<Bits>(s.emax - s.emin + 2) << f;
  std::vector<Bits> v{
      0,                                        // zero
      1,                                        // smallest subnormal
      2,                                        // next to it: its half is the smallest
      3,                                        // its half is a tie
      step / 2,                                 // middle subnormal
      step / 2 + 1,                             //
      step - 1,                                 // largest subnormal
      step,                                     // smallest normal
      step + 1,                                 // and its neighbour
      2 * step - 1,                             // last with the smallest exponent: all ones
      2 * step,                                 // twice the smallest normal: its ulp is double
      one - 1,                                  // one ulp below 1 (half ulp of those above)
      one - 2,                                  //
      one,                                      // 1
      one + 1,                                  // one ulp above 1
      one + 2,                                  //
      one + step / 2,                           // 1.5: builds ties
      one + step / 2 - 1,                       //
      one + step - 1,                           // just below 2
      one + step,                               // 2
      one - step,                               // 1/2
      one + (step >> (s.p / 2)),                // 1 + 2^-(p/2): squares give a tie or just miss one
      one + (step >> (s.p / 2)) - 1,            //
      one + 2 * step + step / 2,                // 6
      one + static_cast<Bits>(f) * step,        // 2^(p-1): its ulp is 1
      one + static_cast<Bits>(s.p) * step,      // 2^p: 1 is half an ulp
      one + static_cast<Bits>(s.p) * step + 1,  //
      one + static_cast<Bits>(s.p + 1) * step,  // 2^(p+1): 1 is a quarter ulp, only sticky
      inf - step,                               // largest power of two
      inf - 1,                                  // largest finite
      inf - 2,                                  //
      inf,                                      // infinity
      inf + step / 2,                           // quiet NaN
      inf + 1,                                  // signaling NaN
  };
  // Where the format reaches that far: 2^-p and the like are half an ulp of 1, and square roots of the ends of the range are
  // where products over- and underflow.
  for (int e : {-s.p, -s.p - 1, s.emin / 2, s.emin / 2 - 1, (s.emax + 1) / 2}) {
    if (e >= s.emin) v.push_back(static_cast<Bits>(e - s.emin + 1) << f);
  }
  const size_t positive = v.size();
  for (size_t i = 0; i < positive; ++i) v.push_back(v[i] | Bits{1} << (s.width - 1));
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
  return v;
}

class RandomOperands {
 public:
  explicit RandomOperands(std::uint64_t seed) : random_(seed) {}

  std::uint64_t word() { return random_(); }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[random_() % from.size()];
  }

  /// 1 to 3 operands for `op`, of the formats already in `x`.
  void fill(Op op, std::array<Scalar, 3>& x) {
    for (int i = 0; i < arity(op); ++i) x[i].bits = one(x[i].format);
    if (arity(op) == 1) return;
    switch (word() % 4) {
      case 0:
        break;  // independent
      case 1:
        close(x[0], x[1]);
        break;  // exponents within the reach of a carry or a shift
      case 2:
        if (op == Op::Fma) {
          cancelling(run_product(x), x[2], op);
        } else {
          cancelling(x[0], x[1], op);
        }
        break;
      case 3:
        if (op == Op::Fma) {
          far_below(run_product(x), x[2]);
        } else {
          far_below(x[0], x[1]);
        }
        break;
    }
  }

 private:
  Bits mask(Format f) { return ~Bits{0} >> (64 - float_spec(f)->width); }

  Bits one(Format format) {
    const FloatSpec s = *float_spec(format);
    const int f = s.p - 1;
    const Bits bits = word() & mask(format);
    const Bits fraction = (Bits{1} << f) - 1;
    switch (word() % 8) {
      case 0:
        return pick(table(format));
      case 1:
        return bits & ~(fraction >> (word() % s.p));  // few significant bits: products and sums tie
      case 2:
        return bits | (fraction >> (word() % s.p));  // long runs of ones: carries
      case 3:
        return near_one(s, bits);  // 2^-16 .. 2^15: nothing overflows
      case 4:
        return bits & (fraction | Bits{1} << (s.width - 1));  // subnormal
      default:
        return bits;
    }
  }

  Bits near_one(const FloatSpec& s, Bits bits) {
    const int f = s.p - 1;
    const long field = static_cast<long>(word() % 32) - 16 - s.emin + 1;
    const Bits kept = bits & (((Bits{1} << f) - 1) | Bits{1} << (s.width - 1));
    return kept | static_cast<Bits>(std::max(field, 0L)) << f;
  }

  /// b gets an exponent near a's.
  void close(Scalar a, Scalar& b) {
    const Bits at = to(a, b.format);
    const FloatSpec s = *float_spec(b.format);
    const Bits fraction = (Bits{1} << (s.p - 1)) - 1;
    const long field = static_cast<long>((at & ~(Bits{1} << (s.width - 1))) >> (s.p - 1));
    const long near = std::clamp(field + static_cast<long>(word() % 7) - 3, 0L, static_cast<long>(s.emax - s.emin + 1));
    b.bits = (word() & (fraction | Bits{1} << (s.width - 1))) | static_cast<Bits>(near) << (s.p - 1);
  }

  /// b gets a's magnitude, give or take some ulps, with the sign that cancels.
  void cancelling(Scalar a, Scalar& b, Op op) {
    Bits bits = to(a, b.format);
    if (op != Op::Subtract) bits ^= Bits{1} << (float_spec(b.format)->width - 1);
    b.bits = (bits + word() % 9 - 4) & mask(b.format);
  }

  /// b is about half an ulp of a, or less: ties, near-ties, sticky bits.
  void far_below(Scalar a, Scalar& b) {
    const FloatSpec from = *float_spec(a.format), s = *float_spec(b.format);
    const Bits at = to(a, b.format);
    const long field = static_cast<long>((at & ~(Bits{1} << (s.width - 1))) >> (s.p - 1));
    const long down = std::max(field - from.p - static_cast<long>(word() % 3) + 1, 0L);
    const Bits fraction = (Bits{1} << (s.p - 1)) - 1;
    const Bits low = word() % 2 ? word() % 3 : word() & fraction;
    b.bits = (word() & Bits{1} << (s.width - 1)) | static_cast<Bits>(down) << (s.p - 1) | low;
  }

  // These two only choose operands; the library may help, as a wrong choice makes no test pass.
  Bits to(Scalar a, Format format) { return convert(a, format); }
  Scalar run_product(const std::array<Scalar, 3>& x) { return {Format::F64, multiply(x[0], x[1], Format::F64)}; }

  const std::vector<Bits>& table(Format f) {
    auto& t = tables_[static_cast<size_t>(f)];
    if (t.empty()) t = boundaries(f);
    return t;
  }

  std::mt19937_64 random_;
  std::array<std::vector<Bits>, 22> tables_;
};

/// Whether BITPACT_RANDOM_CASES asks for a long run.
inline bool many_cases() {
  const char* text = std::getenv("BITPACT_RANDOM_CASES");
  return text && std::atol(text) >= 1'000'000;
}

/// One of the 6 * 2 * 2 * 2 policies.
inline Policy policy_number(std::uint64_t n) {
  return {all_roundings[n % 6], n / 6 % 2 ? Overflow::Saturate : Overflow::Ieee, n / 12 % 2 != 0, n / 24 % 2 != 0};
}

}  // namespace bitpact::oracle
