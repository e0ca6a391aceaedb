// Correctly rounded values of mathematical functions of one argument, for formats of at most 24 significant bits: quickly where
// an f64 estimate decides (Ziv's test), by MPFR where it does not.
//
// Neither way shares a line with the operators' bodies (operators/functions.h), so each is an oracle for the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "number/arithmetic.h"

namespace bitpact {

enum class MathFunction : std::uint8_t { Exp, Exp2, Expm1, Log, Log1p, Tanh, Sigmoid, Erf, Sin, Cos, Sqrt, Rsqrt, Reciprocal };

/// "exp" "exp2" "expm1" "log" "log1p" "tanh" "sigmoid" "erf" "sin" "cos" "sqrt" "rsqrt" "reciprocal".
std::string_view name(MathFunction function);
std::optional<MathFunction> math_function_named(std::string_view name);
const std::vector<MathFunction>& all_math_functions();

/// Whether a larger argument never gives a smaller value (+1), or never a larger one (-1), as long as the argument keeps its
/// sign; 0 where neither holds.
int direction(MathFunction function);

/// The function in f64 for an argument of at most 24 significant bits within f32's range. Relative error below 2^-44 (measured:
/// tests/probe), but for results outside f32's range: those are on the right side of every rounding to a format of at most
/// 24 bits whose range is not larger. Infinities, NaNs and zeros are exact.
double estimate(MathFunction function, double x);

/// MPFR keeps constants and numbers for each thread until they are given back. One lives as long as a thread that asks a
/// FunctionTruth and ends before the process does.
class MpfrThread {
 public:
  MpfrThread() = default;
  ~MpfrThread();
  MpfrThread(const MpfrThread&) = delete;
  MpfrThread& operator=(const MpfrThread&) = delete;
};

class FunctionTruth {
 public:
  /// Refuses `arithmetic-unsupported` for a format of more than 24 significant bits or more range than f32, or one that is no
  /// float.
  FunctionTruth(MathFunction function, Format argument, Format result);
  ~FunctionTruth();
  FunctionTruth(const FunctionTruth&) = delete;
  FunctionTruth& operator=(const FunctionTruth&) = delete;

  /// Correctly rounded to nearest even; NaN is the quiet NaN of the format. On a thread with the default floating-point modes.
  Bits operator()(Bits argument);
  /// Empty where the estimate's error could change the rounding.
  std::optional<Bits> quick(Bits argument) const;
  Bits by_mpfr(Bits argument);
  std::int64_t asked_mpfr() const { return asked_mpfr_; }

 private:
  struct Numbers;
  MathFunction function_;
  Format argument_, result_;
  std::unique_ptr<Numbers> numbers_;
  std::int64_t asked_mpfr_ = 0;
};

}  // namespace bitpact
