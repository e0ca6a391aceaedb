#include "probe/function_truth.h"

#include <fmt/format.h>
#include <mpfr.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

struct Row {
  std::string_view name;
  int direction;
};
constexpr std::array<Row, 13> kRows{{{"exp", 1},
                                     {"exp2", 1},
                                     {"expm1", 1},
                                     {"log", 1},
                                     {"log1p", 1},
                                     {"tanh", 1},
                                     {"sigmoid", 1},
                                     {"erf", 1},
                                     {"sin", 0},
                                     {"cos", 0},
                                     {"sqrt", 1},
                                     {"rsqrt", -1},
                                     {"reciprocal", -1}}};

/// Of the estimate, relative. The estimates are measured to be 2^4 times better.
constexpr double kError = 0x1p-44;

/// Wide enough for sigmoid, which is rounded several times on the way.
constexpr mpfr_prec_t kSeveralSteps = 320;

int apply(MathFunction function, mpfr_ptr y, mpfr_srcptr x) {
  constexpr mpfr_rnd_t kCut = MPFR_RNDZ;
  switch (function) {
    case MathFunction::Exp:
      return mpfr_exp(y, x, kCut);
    case MathFunction::Exp2:
      return mpfr_exp2(y, x, kCut);
    case MathFunction::Expm1:
      return mpfr_expm1(y, x, kCut);
    case MathFunction::Log:
      return mpfr_log(y, x, kCut);
    case MathFunction::Log1p:
      return mpfr_log1p(y, x, kCut);
    case MathFunction::Tanh:
      return mpfr_tanh(y, x, kCut);
    case MathFunction::Erf:
      return mpfr_erf(y, x, kCut);
    case MathFunction::Sin:
      return mpfr_sin(y, x, kCut);
    case MathFunction::Cos:
      return mpfr_cos(y, x, kCut);
    case MathFunction::Sqrt:
      return mpfr_sqrt(y, x, kCut);
    case MathFunction::Rsqrt:
      if (mpfr_zero_p(x)) {  // IEEE 754-2019 9.2.1: of the zero's sign
        mpfr_set_inf(y, mpfr_signbit(x) ? -1 : 1);
        return 0;
      }
      return mpfr_rec_sqrt(y, x, kCut);
    case MathFunction::Reciprocal:
      return mpfr_ui_div(y, 1, x, kCut);
    case MathFunction::Sigmoid:
      break;
  }
  mpfr_t t;
  mpfr_init2(t, kSeveralSteps);
  mpfr_neg(t, x, MPFR_RNDN);
  mpfr_exp(t, t, MPFR_RNDN);
  mpfr_add_ui(t, t, 1, MPFR_RNDN);
  mpfr_ui_div(t, 1, t, MPFR_RNDN);
  mpfr_set(y, t, kCut);
  mpfr_clear(t);
  // Of a number other than 0 it is never one: exp of it is no rational number.
  return mpfr_number_p(x) && !mpfr_zero_p(x) ? -1 : 0;
}

Bits narrowed(double y, Format format) {
  if (y != y) return quiet_nan(format);
  if (format == Format::F32) return std::bit_cast<std::uint32_t>(static_cast<float>(y));
  return convert({Format::F64, std::bit_cast<Bits>(y)}, format);
}

double widened(Bits bits, Format format) {
  if (format == Format::F32) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return std::bit_cast<double>(convert({format, bits}, Format::F64));
}

void check(Format format) {
  const FormatInfo& row = info(format);
  if (!is_float(format) || row.mantissa_bits > 23 || row.exponent_bits > 8)
    refuse(Code::ArithmeticUnsupported, fmt::format("functions are not known correctly rounded in {}", name(format)));
}

}  // namespace

std::string_view name(MathFunction function) { return kRows[static_cast<std::size_t>(function)].name; }

const std::vector<MathFunction>& all_math_functions() {
  static const std::vector<MathFunction> all = [] {
    std::vector<MathFunction> made;
    for (std::size_t i = 0; i < kRows.size(); ++i) made.push_back(static_cast<MathFunction>(i));
    return made;
  }();
  return all;
}

std::optional<MathFunction> math_function_named(std::string_view text) {
  for (const MathFunction f : all_math_functions())
    if (name(f) == text) return f;
  return {};
}

int direction(MathFunction function) { return kRows[static_cast<std::size_t>(function)].direction; }

struct FunctionTruth::Numbers {
  mpfr_t x, y;
  Numbers() {
    mpfr_init2(x, 53);
    mpfr_init2(y, 53);
  }
  ~Numbers() {
    mpfr_clear(x);
    mpfr_clear(y);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
};

FunctionTruth::FunctionTruth(MathFunction function, Format argument, Format result)
    : function_(function), argument_(argument), result_(result), numbers_(std::make_unique<Numbers>()) {
  check(argument);
  check(result);
}

MpfrThread::~MpfrThread() { mpfr_free_cache(); }

FunctionTruth::~FunctionTruth() = default;

std::optional<Bits> FunctionTruth::quick(Bits argument) const {
  const double y = estimate(function_, widened(argument, argument_));
  const double error = y * kError;
  if (y == 0 || error - error != 0) return narrowed(y, result_);  // zeros, infinities and NaNs are exact
  const Bits low = narrowed(y - error, result_), high = narrowed(y + error, result_);
  if (low != high) return {};
  return low;
}

// Cut to f64 with a last bit that says whether anything was cut: rounding that again, to far fewer bits, is rounding once.
Bits FunctionTruth::by_mpfr(Bits argument) {
  Numbers& n = *numbers_;
  mpfr_set_d(n.x, widened(argument, argument_), MPFR_RNDN);  // exact
  const int cut = apply(function_, n.y, n.x);
  const double y = mpfr_get_d(n.y, MPFR_RNDZ);
  Bits bits = std::bit_cast<Bits>(y);
  if (y != y || mpfr_inf_p(n.y)) return narrowed(y, result_);
  if (cut != 0 || mpfr_cmp_d(n.y, y) != 0) bits |= 1;
  return convert({Format::F64, bits}, result_);
}

Bits FunctionTruth::operator()(Bits argument) {
  if (const auto decided = quick(argument)) return *decided;
  ++asked_mpfr_;
  return by_mpfr(argument);
}

}  // namespace bitpact
