#include "operators/recipe_values.h"

#include <algorithm>
#include <bit>

namespace bitpact {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

/// What depends on the format's range, not on its layout: chosen so that products of two operands, and their sums over the
/// lengths that docs/operands.md names, stay finite and normal in the format in which they are usually summed.
struct Range {
  int wide_low, wide_high;  ///< exponents of class wide
  int large;                ///< exponent of the terms that cancel along an axis
  int middle;               ///< middle of the exponents of those that cancel across operands
};
Range range_of(Format format) {
  switch (format) {
    case Format::F64:
      return {-250, 250, 26, 0};
    case Format::F16:
      return {-7, 3, 5, 5};
    default:
      return {-30, 30, 12, 0};
  }
}

Bits low_bits(int count) { return count >= 64 ? ~Bits{0} : (Bits{1} << count) - 1; }

/// The lengths of odd integers that are exactly half-way between two values of bf16, f16, f32 and f64.
constexpr int kTieLengths[] = {9, 12, 25, 54};

/// An odd integer of one of those lengths, at most `longest` bits; of `otherwise` bits where none is that short (0: none).
std::uint64_t tie_integer(std::uint64_t w0, std::uint64_t w1, int longest, int otherwise) {
  int count = 0;
  while (count < 4 && kTieLengths[count] <= longest) ++count;
  const int length = count == 0 ? otherwise : kTieLengths[w1 % static_cast<std::uint64_t>(count)];
  if (length == 0) return 0;
  return std::uint64_t{1} << (length - 1) | (w0 & low_bits(length - 1)) | 1;
}

std::uint64_t small_odd(std::uint64_t w1) { return 1 + 2 * (w1 % 4); }

class FloatValues {
 public:
  FloatValues(Format format, const OperandPlace& place, const OperandWords& words)
      : format_(format), row_(info(format)), place_(place), words_(words), m_(row_.mantissa_bits) {
    w0_ = word(0);
    w1_ = word(1);
  }

  Bits normal() const { return assemble(sign(), centred(w1_, 2), w0_); }

  Bits wide() const {
    const Range range = range_of(format_);
    const auto span = static_cast<std::uint64_t>(range.wide_high - range.wide_low + 1);
    return assemble(sign(), range.wide_low + static_cast<int>(w1_ % span), w0_);
  }

  // [X, s, -X, s'] against [P, t, P, t']: what is large cancels exactly once two operands of this class meet, and what is small
  // was rounded at X's size meanwhile.
  Bits cancellation() const {
    if (!place_.contracted) return elementwise_cancellation();
    const std::int64_t in_group = place_.k % 4, first = place_.k - in_group;
    if (in_group % 2 == 1 || first + 2 >= place_.depth) return normal();
    const std::int64_t partner = place_.row * place_.depth + first;
    const std::uint64_t p0 = words_.element(place_.operand, partner, 0), p1 = words_.element(place_.operand, partner, 1);
    if (place_.operand > 0) return assemble(false, centred(p1, 1), 0);
    return assemble((p0 >> 63 != 0) != (in_group == 2), range_of(format_).large, p0);
  }

  Bits ties() const {
    if (place_.contracted) return contracted_tie();
    if (place_.operands == 1) return scaled(sign(), tie_integer(w0_, w1_, m_ + 1, m_ + 1), -1);
    // a has p bits at the top of m + 2, b has q bits at their bottom: a + b and a - b are odd and of m + 2 bits, and so is the
    // integer a * b, for p + q = m + 3 and significands below 1.25.
    const int p = (m_ + 4) / 2, q = (m_ + 3) / 2;
    const int unit = (m_ + 2 - q) / 2 - (m_ + 1);
    if (place_.operand == 0) return scaled(sign(), Bits{1} << (p - 1) | (w0_ & low_bits(p - 3)) | 3, m_ + 2 - p + unit);
    return scaled(sign(), Bits{1} << (q - 1) | (w0_ & low_bits(q - 3)) | 1, unit);
  }

  Bits subnormal() const {
    const bool one = place_.contracted ? (row_word(0) & 1) != 0 && place_.k % 4 == 0 : w1_ % 4 == 0;
    if (one) return assemble(sign(), 0, 0);
    const std::uint64_t more = w1_ >> 8;
    const Bits fraction = w0_ & low_bits(m_);
    if ((w1_ >> 2) % 4 == 3) return assemble(sign(), 1 - row_.bias + static_cast<int>(more & 1), fraction);
    return signed_bits(sign(), std::max<Bits>(fraction >> (more % static_cast<std::uint64_t>(m_)), 1));
  }

  Bits special() const {
    if (!place_.contracted) return elementwise_special(w1_ % 16);
    const std::uint64_t depth = static_cast<std::uint64_t>(place_.depth), r1 = row_word(1);
    const bool first = static_cast<std::uint64_t>(place_.k) == row_word(0) % depth;
    const bool second = static_cast<std::uint64_t>(place_.k) == r1 % depth;
    switch ((place_.block + 2 * place_.operand) % 8) {
      case 0:
        return first ? infinity(format_, r1 >> 63 != 0) : normal();
      case 1:
        return first ? quiet_nan(format_) : normal();
      case 2:
        return first ? infinity(format_) : second ? infinity(format_, true) : normal();
      case 3:
        return signed_bits(sign(), 0);
      case 4:
        return negative_zero(format_);
      case 5:
        return first || second ? largest_finite(format_, sign()) : normal();
      case 6:
        return w1_ % 3 == 0   ? smallest_normal(format_, sign())
               : w1_ % 3 == 1 ? smallest_subnormal(format_, sign())
                              : signed_bits(sign(), 0);
      default:
        return w1_ % 4 == 0 ? signed_bits(sign(), 0) : normal();
    }
  }

 private:
  std::uint64_t word(int which) const { return words_.element(place_.operand, place_.element(), which); }
  std::uint64_t row_word(int which) const { return words_.row(place_.operand, place_.row, which); }
  bool sign() const { return w0_ >> 63 != 0; }
  /// An integer in -reach .. reach.
  static int centred(std::uint64_t word, int reach) {
    return static_cast<int>(word % static_cast<std::uint64_t>(2 * reach + 1)) - reach;
  }
  Bits signed_bits(bool negative, Bits magnitude) const { return magnitude | Bits{negative} << (row_.bits - 1); }
  /// +-(1 + fraction / 2^m) * 2^exponent.
  Bits assemble(bool negative, int exponent, Bits fraction) const {
    return signed_bits(negative, static_cast<Bits>(exponent + row_.bias) << m_ | (fraction & low_bits(m_)));
  }
  /// +-integer * 2^exponent; the integer has at most m + 1 bits.
  Bits scaled(bool negative, std::uint64_t integer, int exponent) const {
    const int top = static_cast<int>(std::bit_width(integer)) - 1;
    return assemble(negative, top + exponent, integer << (m_ - top));
  }

  // (1 + f0) 2^p, -(1 + f1) 2^p, (1 + f0 + f1) 2^2p with f0 f1 below half an ulp: a + b loses its leading half, and a * b + c is
  // 0 where the product is rounded, -f0 f1 2^2p where it is not.
  Bits elementwise_cancellation() const {
    const std::int64_t e = place_.element();
    const Bits small = low_bits(m_ - (m_ + 2) / 2);
    const Bits f0 = (words_.element(0, e, 0) & small) | 1, f1 = (words_.element(1, e, 0) & small) | 1;
    const int p = range_of(format_).middle + centred(words_.element(0, e, 1), 2);
    if (place_.operand == 0) return assemble(false, p, f0);
    if (place_.operand == 1) return assemble(true, p, f1);
    return assemble(false, 2 * p, f0 + f1);
  }

  // 1.25 * 2^P units first, odd numbers of units after it: in an accumulator of precision P each of them falls half-way.
  Bits contracted_tie() const {
    const std::uint64_t row = row_word(0);
    const bool first = place_.k == 0;
    if (place_.operand > 0) return first ? assemble(false, 0, 0) : scaled(sign(), small_odd(w1_), 0);
    const int precision = m_ + 1 >= 24 || row % 2 == 1 ? m_ + 1 : 24;
    const int unit = -(precision / 2 + 1);
    return first ? scaled((row >> 1 & 1) != 0, 5, precision - 2 + unit) : scaled(sign(), small_odd(w1_), unit);
  }

  Bits elementwise_special(std::uint64_t pick) const {
    switch (pick) {
      case 0:
        return positive_zero(format_);
      case 1:
        return negative_zero(format_);
      case 2:
        return infinity(format_);
      case 3:
        return infinity(format_, true);
      case 4:
        return quiet_nan(format_);
      case 5:
        return largest_finite(format_);
      case 6:
        return largest_finite(format_, true);
      case 7:
        return smallest_normal(format_);
      case 8:
        return smallest_normal(format_, true);
      case 9:
        return smallest_subnormal(format_);
      case 10:
        return smallest_subnormal(format_, true);
      case 11:
        return one(format_);
      default:
        return normal();
    }
  }

  Format format_;
  const FormatInfo& row_;
  const OperandPlace& place_;
  const OperandWords& words_;
  int m_;
  std::uint64_t w0_ = 0, w1_ = 0;
};

class IntegerValues {
 public:
  IntegerValues(Format format, const OperandPlace& place, const OperandWords& words)
      : place_(place), words_(words), width_(info(format).bits), signed_(info(format).kind == FormatKind::SignedInteger) {
    w0_ = words.element(place.operand, place.element(), 0);
    w1_ = words.element(place.operand, place.element(), 1);
  }
  // Each returns a 64-bit two's complement number; the caller keeps the low bits.
  std::uint64_t normal() const { return (w0_ >> 60) - (signed_ ? 8 : 0); }
  std::uint64_t wide() const { return w0_; }
  std::uint64_t cancellation() const {
    if (!place_.contracted) {
      if (place_.operand != 1) return w0_;
      return w1_ % 3 - 1 - words_.element(0, place_.element(), 0);
    }
    const std::int64_t in_group = place_.k % 4, first = place_.k - in_group;
    if (in_group % 2 == 1 || first + 2 >= place_.depth) return normal();
    const std::int64_t partner = place_.row * place_.depth + first;
    if (place_.operand > 0) return 1 + words_.element(place_.operand, partner, 1) % 2;
    const std::uint64_t x = words_.element(place_.operand, partner, 0);
    return in_group == 2 ? -x : x;
  }
  std::uint64_t ties() const {
    std::uint64_t magnitude = place_.contracted ? 0 : tie_integer(w0_, w1_, signed_ ? width_ - 1 : width_, 0);
    if (magnitude == 0) magnitude = small_odd(w1_);
    return signed_ && w0_ >> 63 != 0 ? -magnitude : magnitude;
  }
  std::uint64_t subnormal() const { return signed_ ? w1_ % 3 - 1 : w1_ % 2; }
  std::uint64_t special() const {
    const std::uint64_t least = signed_ ? std::uint64_t{1} << (width_ - 1) : 0;
    const std::uint64_t greatest = least + low_bits(width_);  // modulo 2^width: one below the least
    switch (w1_ % 8) {
      case 0:
        return least;
      case 1:
        return greatest;
      case 2:
        return least + 1;
      case 3:
        return greatest - 1;
      case 4:
        return 0;
      case 5:
        return 1;
      case 6:
        return ~std::uint64_t{0};
      default:
        return 0x5555555555555555;
    }
  }

 private:
  const OperandPlace& place_;
  const OperandWords& words_;
  int width_;
  bool signed_;
  std::uint64_t w0_ = 0, w1_ = 0;
};

template <typename Values>
std::uint64_t value_of(OperandClass kind, const Values& values) {
  switch (kind) {
    case OperandClass::Normal:
      return values.normal();
    case OperandClass::Wide:
      return values.wide();
    case OperandClass::Cancellation:
      return values.cancellation();
    case OperandClass::Ties:
      return values.ties();
    case OperandClass::Subnormal:
      return values.subnormal();
    case OperandClass::Special:
      return values.special();
  }
  return 0;
}

}  // namespace

std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t z = seed + (n + 1) * kGolden;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

Bits operand_value(Format format, OperandClass kind, const OperandPlace& place, const OperandWords& words) {
  if (format == Format::I1) return words.element(place.operand, place.element(), 0) >> 63;
  if (is_float(format)) return value_of(kind, FloatValues(format, place, words));
  return value_of(kind, IntegerValues(format, place, words)) & low_bits(info(format).bits);
}

}  // namespace bitpact
