#include "operators/recipe_values.h"

#include <algorithm>
#include <bit>

namespace bitpact {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

/// What depends on the format's range, not on its layout: chosen so that products of two operands, and their sums over the
/// lengths that docs/operands.md names, stay finite and normal in the format in which they are usually summed.
struct Exponents {
  int low, high;
  int pick(std::uint64_t word) const { return low + static_cast<int>(word % static_cast<std::uint64_t>(high - low + 1)); }
};
struct Range {
  Exponents wide;              ///< of class wide
  int large;                   ///< of the terms that cancel along an axis
  Exponents middle;            ///< of those that cancel across operands
  bool long_ties = true;       ///< whether ties in 24 bits are in range
  Exponents normal = {-2, 2};  ///< of class normal
  Exponents powers = {-1, 1};  ///< of the powers of two that meet what cancels
};
Range range_of(Format format) {
  switch (format) {
    case Format::F64:
      return {{-250, 250}, 26, {-2, 2}};
    case Format::F16:
      return {{-7, 3}, 5, {3, 7}};
    case Format::F8E5M2:
    case Format::F8E5M2FNUZ:
      return {{-7, 3}, 5, {-2, 2}};
    case Format::F8E4M3FN:
    case Format::F8E4M3FNUZ:
      return {{-3, 3}, 5, {-1, 3}, false};
    case Format::F4E2M1FN:
      return {{0, 2}, 2, {0, 1}, false, {0, 2}, {0, 2}};
    default:
      return {{-30, 30}, 12, {-2, 2}};
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
      : format_(format), row_(info(format)), range_(range_of(format)), place_(place), words_(words), m_(row_.mantissa_bits) {
    w0_ = word(0);
    w1_ = word(1);
  }

  Bits normal() const { return assemble(sign(), range_.normal.pick(w1_), w0_); }

  Bits wide() const { return assemble(sign(), range_.wide.pick(w1_), w0_); }

  // [X, s, -X, s'] against [P, t, P, t']: what is large cancels exactly once two operands of this class meet, and what is small
  // was rounded at X's size meanwhile.
  Bits cancellation() const {
    if (!signed_()) return normal();
    if (!place_.contracted) return elementwise_cancellation();
    const std::int64_t in_group = place_.k % 4, first = place_.k - in_group;
    if (in_group % 2 == 1 || first + 2 >= place_.depth) return normal();
    const std::int64_t partner = place_.row * place_.depth + first;
    const std::uint64_t p0 = words_.element(place_.operand, partner, 0), p1 = words_.element(place_.operand, partner, 1);
    if (place_.operand > 0) return assemble(false, range_.powers.pick(p1), 0);
    return assemble((p0 >> 63 != 0) != (in_group == 2), range_.large, p0);
  }

  Bits ties() const {
    if (!signed_() || (m_ == 1 && (place_.contracted || place_.operands > 1))) return normal();
    if (place_.contracted) return contracted_tie();
    if (place_.operands == 1) return scaled(sign(), tie_integer(w0_, w1_, m_ + 1, m_ + 1), -1);
    if (m_ < 7) return short_tie();
    // a has p bits at the top of m + 2, b has q bits at their bottom: a + b and a - b are odd and of m + 2 bits, and so is the
    // integer a * b, for p + q = m + 3 and significands below 1.25.
    const int p = (m_ + 4) / 2, q = (m_ + 3) / 2;
    const int unit = (m_ + 2 - q) / 2 - (m_ + 1);
    if (place_.operand == 0) return scaled(sign(), Bits{1} << (p - 1) | (w0_ & low_bits(p - 3)) | 3, m_ + 2 - p + unit);
    return scaled(sign(), Bits{1} << (q - 1) | (w0_ & low_bits(q - 3)) | 1, unit);
  }

  Bits subnormal() const {
    if (!signed_()) return w1_ >> 8 & 3;
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
    switch (theme_of(place_, words_, 8)) {
      case 0:
        return first ? infinite(r1 >> 63 != 0) : normal();
      case 1:
        return first ? nan() : normal();
      case 2:
        return first ? infinite(false) : second ? infinite(true) : normal();
      case 3:
        return zero(sign());
      case 4:
        return zero(true);
      case 5:
        return first || second ? signed_bits(sign(), largest_finite(format_)) : normal();
      case 6:
        return w1_ % 3 == 0 ? signed_bits(sign(), smallest_normal(format_)) : w1_ % 3 == 1 ? least(sign()) : zero(sign());
      default:
        return w1_ % 4 == 0 ? zero(sign()) : normal();
    }
  }

 private:
  std::uint64_t word(int which) const { return words_.element(place_.operand, place_.element(), which); }
  std::uint64_t row_word(int which) const { return words_.row(place_.operand, place_.row, which); }
  bool sign() const { return w0_ >> 63 != 0; }
  bool signed_() const { return has_zero(format_); }
  Bits signed_bits(bool negative, Bits magnitude) const {
    return magnitude | (negative && signed_() ? Bits{1} << (row_.bits - 1) : 0);
  }
  // What stands in for a value that the format does not have: the largest finite number, +0, the smallest number.
  Bits infinite(bool negative) const {
    return signed_bits(negative, has_infinities(format_) ? infinity(format_) : largest_finite(format_));
  }
  Bits nan() const { return has_nan(format_) ? quiet_nan(format_) : largest_finite(format_); }
  Bits zero(bool negative) const { return negative && has_negative_zero(format_) ? negative_zero(format_) : 0; }
  Bits least(bool negative) const { return signed_() ? smallest_subnormal(format_, negative) : smallest_normal(format_); }
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
    const int p = range_.middle.pick(words_.element(0, e, 1));
    if (place_.operand == 0) return assemble(false, p, f0);
    if (place_.operand == 1) return assemble(true, p, f1);
    return assemble(false, 2 * p, f0 + f1);
  }

  // The few pairs whose sum, difference and product are all odd and one bit too long: (28, 3) and (24, 7) in 4 bits, (12, 3)
  // in 3.
  Bits short_tie() const {
    const bool first = place_.operand == 0;
    if (m_ == 2) return scaled(sign(), 3, first ? 0 : -2);
    const bool sevens_first = words_.element(0, place_.element(), 1) % 2 == 0;
    return scaled(sign(), first == sevens_first ? 7 : 3, !first ? -3 : sevens_first ? -1 : 0);
  }

  // 1.25 * 2^P units first, odd numbers of units after it: in an accumulator of precision P each of them falls half-way.
  Bits contracted_tie() const {
    const std::uint64_t row = row_word(0);
    const bool first = place_.k == 0;
    if (place_.operand > 0) return first ? assemble(false, 0, 0) : scaled(sign(), small_odd(w1_), 0);
    const int precision = m_ + 1 >= 24 || row % 2 == 1 || !range_.long_ties ? m_ + 1 : 24;
    const int unit = -(precision / 2 + 1);
    return first ? scaled((row >> 1 & 1) != 0, 5, precision - 2 + unit) : scaled(sign(), small_odd(w1_), unit);
  }

  Bits elementwise_special(std::uint64_t pick) const {
    switch (pick) {
      case 0:
        return zero(false);
      case 1:
        return zero(true);
      case 2:
        return infinite(false);
      case 3:
        return infinite(true);
      case 4:
        return nan();
      case 5:
        return largest_finite(format_);
      case 6:
        return signed_bits(true, largest_finite(format_));
      case 7:
        return smallest_normal(format_);
      case 8:
        return signed_bits(true, smallest_normal(format_));
      case 9:
        return least(false);
      case 10:
        return least(true);
      case 11:
        return one(format_);
      default:
        return normal();
    }
  }

  Format format_;
  const FormatInfo& row_;
  const Range range_;
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
    // Whole rows of one extreme: what a product of a narrow type, or a pair of them, saturates to shows in every output.
    if (place_.contracted) {
      const std::uint64_t theme = theme_of(place_, words_, 4);
      if (theme < 2) return theme == 0 ? greatest : least;
      if (theme == 2) return place_.k % 2 == 0 ? greatest : least;
    }
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
