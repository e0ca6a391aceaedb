// Correctly rounded functions, from MPFR; and a quick way to most of them.
#pragma once

#include <mpfr.h>

#include <bit>
#include <cmath>
#include <optional>
#include <string>

#include "number/arithmetic.h"

namespace bitpact::test {

enum class Named { Exp, Exp2, Expm1, Log, Log1p, Tanh, Erf, Sigmoid, Sin, Cos, Reciprocal, Sqrt, Rsqrt };
inline const char* spelling(Named which) {
  constexpr const char* kNames[] = {"exp",     "exp2", "expm1", "log",        "log1p", "tanh", "erf",
                                    "sigmoid", "sin",  "cos",   "reciprocal", "sqrt",  "rsqrt"};
  return kNames[static_cast<int>(which)];
}

/// The formats' precisions and exponents, as IEEE 754-2019 has them (mpfr's are one higher: its significands lie in [1/2, 1)).
class FunctionOracle {
 public:
  FunctionOracle(Named which, Format format) : which_(which), format_(format) {
    precision_ = format == Format::F32 ? 24 : format == Format::F16 ? 11 : 8;
    least_ = format == Format::F16 ? -14 : -126;
    mpfr_set_emin(least_ - precision_ + 2);
    mpfr_set_emax(format == Format::F16 ? 16 : 128);
    mpfr_init2(x_, 53);
    mpfr_init2(y_, precision_);
  }
  ~FunctionOracle() {
    mpfr_clear(x_);
    mpfr_clear(y_);
  }
  FunctionOracle(const FunctionOracle&) = delete;
  FunctionOracle& operator=(const FunctionOracle&) = delete;

  Bits operator()(Bits bits) {
    if (classify(format_, bits) == Class::NaN) return quiet_nan(format_);
    // mpfr_set_d keeps the value although it may be below emin: the range counts for results only.
    mpfr_set_d(x_, value(format_, bits), MPFR_RNDN);
    int inexact = call();
    inexact = mpfr_check_range(y_, inexact, MPFR_RNDN);
    mpfr_subnormalize(y_, inexact, MPFR_RNDN);
    return convert({Format::F64, std::bit_cast<Bits>(mpfr_get_d(y_, MPFR_RNDN))}, format_);
  }

  static double value(Format format, Bits bits) { return std::bit_cast<double>(convert({format, bits}, Format::F64)); }

 private:
  int call() {
    switch (which_) {
      case Named::Exp:
        return mpfr_exp(y_, x_, MPFR_RNDN);
      case Named::Exp2:
        return mpfr_exp2(y_, x_, MPFR_RNDN);
      case Named::Expm1:
        return mpfr_expm1(y_, x_, MPFR_RNDN);
      case Named::Log1p:
        return mpfr_log1p(y_, x_, MPFR_RNDN);
      case Named::Log:
        return mpfr_log(y_, x_, MPFR_RNDN);
      case Named::Tanh:
        return mpfr_tanh(y_, x_, MPFR_RNDN);
      case Named::Erf:
        return mpfr_erf(y_, x_, MPFR_RNDN);
      case Named::Sigmoid:
        return sigmoid();
      case Named::Sin:
        return mpfr_sin(y_, x_, MPFR_RNDN);
      case Named::Cos:
        return mpfr_cos(y_, x_, MPFR_RNDN);
      case Named::Reciprocal:
        return mpfr_ui_div(y_, 1, x_, MPFR_RNDN);
      case Named::Sqrt:
        return mpfr_sqrt(y_, x_, MPFR_RNDN);
      case Named::Rsqrt:  // MPFR gives +inf for -0, IEEE 754-2019 (9.2.1) -inf
        if (mpfr_zero_p(x_) != 0 && mpfr_signbit(x_) != 0) return mpfr_ui_div(y_, 1, x_, MPFR_RNDN);
        return mpfr_rec_sqrt(y_, x_, MPFR_RNDN);
    }
    return 0;
  }
  /// With bits enough that cutting a step does not matter, and all of MPFR's exponents: exp(-x) may leave the format's.
  int sigmoid() {
    const mpfr_exp_t least = mpfr_get_emin(), greatest = mpfr_get_emax();
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_t t;
    mpfr_init2(t, 400);
    mpfr_neg(t, x_, MPFR_RNDN);
    mpfr_exp(t, t, MPFR_RNDN);
    mpfr_add_ui(t, t, 1, MPFR_RNDN);
    mpfr_ui_div(t, 1, t, MPFR_RNDN);
    mpfr_set_emin(least);
    mpfr_set_emax(greatest);
    const int inexact = mpfr_set(y_, t, MPFR_RNDN);
    mpfr_clear(t);
    return inexact;
  }

  Named which_;
  Format format_;
  int precision_ = 0, least_ = 0;
  mpfr_t x_, y_;
};

/// The C library's f64 function: within 2^-50 of the truth, which the tests hold against MPFR on a sample.
inline double library(Named which, double x) {
  switch (which) {
    case Named::Exp:
      return std::exp(x);
    case Named::Exp2:
      return std::exp2(x);
    case Named::Expm1:
      return std::expm1(x);
    case Named::Log1p:
      return std::log1p(x);
    case Named::Log:
      return std::log(x);
    case Named::Tanh:
      return std::tanh(x);
    case Named::Erf:
      return std::erf(x);
    case Named::Sigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    case Named::Sin:
      return std::sin(x);
    case Named::Cos:
      return std::cos(x);
    case Named::Reciprocal:
      return 1.0 / x;
    case Named::Sqrt:
      return std::sqrt(x);
    case Named::Rsqrt:
      return 1.0 / std::sqrt(x);
  }
  return x;
}

/// The correctly rounded f32, unless an error of 2^-49 in the C library's f64 could change it.
inline std::optional<std::uint32_t> decided(Named which, float x) {
  const double y = library(which, static_cast<double>(x));
  // Beyond f64, or a zero: so it is in f32.
  if (std::isinf(y) || y == 0) return std::bit_cast<std::uint32_t>(static_cast<float>(y));
  const float low = static_cast<float>(y - y * 0x1p-49), high = static_cast<float>(y + y * 0x1p-49);
  if (std::isnan(y)) return 0x7fc00000U;
  if (std::bit_cast<std::uint32_t>(low) != std::bit_cast<std::uint32_t>(high)) return {};
  return std::bit_cast<std::uint32_t>(low);
}

}  // namespace bitpact::test
