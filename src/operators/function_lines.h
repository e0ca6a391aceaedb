// Short spellings for the lines of a body whose numbers have one format, f64 or f32, and whose bits stand in integers as wide.
#pragma once

#include <bit>
#include <limits>
#include <span>
#include <vector>

#include "operators/building.h"

namespace bitpact {

/// 1.5 * 2^52: a number of up to 51 bits added to it is rounded to an integer, which stands in its low bits.
inline constexpr double kIntegers = 0x1.8p52;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                        kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// An input of f32 whose f64 result falls on, or on the wrong side of, the middle between two f32 values; and the f64 value next
/// to it on the side of the true result.
struct HardCase {
  double x, y;
};

class Lines {
 public:
  Lines(BodyBuilder& builder, Format format)
      : b(builder), format_(format), word_(format == Format::F64 ? Format::I64 : Format::I32) {}

  /// A constant; in f32 `value` is one of f32's.
  int value(double value) { return b.constant(format_, bitpact::convert({Format::F64, std::bit_cast<Bits>(value)}, format_)); }
  int word(std::uint64_t value) { return b.constant(word_, value); }
  int add(int x, int y) { return b.op(ScalarOp::Add, format_, {x, y}); }
  int subtract(int x, int y) { return b.op(ScalarOp::Subtract, format_, {x, y}); }
  int multiply(int x, int y) { return b.op(ScalarOp::Multiply, format_, {x, y}); }
  int divide(int x, int y) { return b.op(ScalarOp::Divide, format_, {x, y}); }
  int fma(int x, int y, int z) { return b.op(ScalarOp::Fma, format_, {x, y, z}); }
  int negate(int x) { return b.op(ScalarOp::Negate, format_, {x}); }
  int magnitude(int x) { return b.op(ScalarOp::Abs, format_, {x}); }
  int integer(ScalarOp op, int x, int y) { return b.op(op, word_, {x, y}); }
  int bits(int x) { return b.op(ScalarOp::Bitcast, word_, {x}); }
  int number(int x) { return b.op(ScalarOp::Bitcast, format_, {x}); }
  int when(Comparison comparison, int x, int y, int then, int otherwise) {
    return select(b, compare(b, comparison, x, y), then, otherwise);
  }
  /// NaN stays. By comparisons, which every compiler carries as they are.
  int clamped(int x, double low, double high) {
    const int above = when(Comparison::LT, x, value(low), value(low), x);
    return when(Comparison::GT, above, value(high), value(high), above);
  }
  /// Horner, lowest power first.
  int polynomial(std::span<const double> coefficients, int x) {
    int sum = value(coefficients.back());
    for (size_t i = coefficients.size() - 1; i-- > 0;) sum = fma(sum, x, value(coefficients[i]));
    return sum;
  }
  /// NaN stays.
  int unless_nan(int x, int y) { return when(Comparison::NE, x, x, x, y); }

  /// The integer below x of f32, |x| < 2^31, or x itself, as one of i32: the nearest one, or one less.
  int floored(int x) {
    const int near = b.convert(x, Format::I32);
    return integer(ScalarOp::Subtract, near, when(Comparison::GT, b.convert(near, Format::F32), x, word(1), word(0)));
  }
  /// `y`, but where `x` is one of the hard cases the value given there.
  int corrected(std::span<const HardCase> cases, int x, int y) {
    for (const HardCase& hard : cases) y = when(Comparison::EQ, x, value(hard.x), value(hard.y), y);
    return y;
  }

  /// The value at `index`, an integer whose bits above those needed do not count; 2^n values, as constants of this format.
  int entry(int index, std::span<const double> values) {
    return chosen(bits_of(index, values.size()), values, [this](double v) { return value(v); });
  }
  /// The same of words.
  int entry(int index, std::span<const std::uint64_t> words) {
    return chosen(bits_of(index, words.size()), words, [this](std::uint64_t v) { return word(v); });
  }

  BodyBuilder& b;

 private:
  /// Whether each bit is set, the lowest first.
  std::vector<int> bits_of(int index, size_t count) {
    std::vector<int> set;
    for (std::uint64_t bit = 1; bit < count; bit *= 2)
      set.push_back(compare(b, Comparison::NE, integer(ScalarOp::And, index, word(bit)), word(0)));
    return set;
  }
  template <typename T>
  int chosen(std::span<const int> bits, std::span<const T> values, const auto& constant) {
    if (bits.empty()) return constant(values[0]);
    const size_t half = values.size() / 2;
    const int low = chosen(bits.first(bits.size() - 1), values.first(half), constant);
    const int high = chosen(bits.first(bits.size() - 1), values.last(half), constant);
    return select(b, bits.back(), high, low);
  }

  Format format_, word_;
};

}  // namespace bitpact
