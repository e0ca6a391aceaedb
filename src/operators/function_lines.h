// Short spellings for the lines of a body whose numbers have one format, f64 or f32, and whose bits stand in integers as wide.
#pragma once

#include <bit>
#include <span>

#include "operators/building.h"

namespace bitpact {

/// 1.5 * 2^52: a number of up to 51 bits added to it is rounded to an integer, which stands in its low bits.
inline constexpr double kIntegers = 0x1.8p52;

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

  BodyBuilder& b;

 private:
  Format format_, word_;
};

}  // namespace bitpact
