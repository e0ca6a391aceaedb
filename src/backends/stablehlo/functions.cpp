// exp, exp2, expm1, log, log1p, sigmoid, sin, cos, tanh, erf and gelu, ceil, floor and the roundings: StableHLO's own functions
// (erf is CHLO's, which its compilers take), and gelu as JAX exports it by default, by tanh.
#include <fmt/format.h>

#include "backends/stablehlo/writer.h"

namespace bitpact::plain {

namespace {

std::string unary(const Problem& problem, const OperandSpec& result, const char* op) {
  return module(problem, result, {fmt::format("%r = stablehlo.{} %arg0 : {}", op, type(problem.operands.at(0)))}, "%r");
}

}  // namespace

std::string exp(const Problem& problem, const OperandSpec& result) { return unary(problem, result, "exponential"); }
std::string expm1(const Problem& problem, const OperandSpec& result) { return unary(problem, result, "exponential_minus_one"); }
std::string log1p(const Problem& problem, const OperandSpec& result) { return unary(problem, result, "log_plus_one"); }
std::string log(const Problem& problem, const OperandSpec& result) { return unary(problem, result, "log"); }
std::string ceil(const Problem& problem, const OperandSpec& result) { return unary(problem, result, "ceil"); }
std::string floor(const Problem& problem, const OperandSpec& result) { return unary(problem, result, "floor"); }
std::string round_nearest_afz(const Problem& problem, const OperandSpec& result) {
  return unary(problem, result, "round_nearest_afz");
}
std::string round_nearest_even(const Problem& problem, const OperandSpec& result) {
  return unary(problem, result, "round_nearest_even");
}
std::string sigmoid(const Problem& problem, const OperandSpec& result) { return unary(problem, result, "logistic"); }
std::string sin(const Problem& problem, const OperandSpec& result) { return unary(problem, result, "sine"); }
std::string cos(const Problem& problem, const OperandSpec& result) { return unary(problem, result, "cosine"); }
std::string tanh(const Problem& problem, const OperandSpec& result) { return unary(problem, result, "tanh"); }

std::string erf(const Problem& problem, const OperandSpec& result) {
  return module(problem, result, {fmt::format("%r = chlo.erf %arg0 : {0} -> {0}", type(result))}, "%r");
}

// StableHLO has no power of two of its own; JAX writes this one.
std::string exp2(const Problem& problem, const OperandSpec& result) {
  Lines lines(result);
  const std::string value = lines.op("exponential", lines.op("multiply", "%arg0", lines.splat("0.69314718055994530942")));
  return module(problem, result, lines.text, value);
}

std::string gelu(const Problem& problem, const OperandSpec& result) {
  Lines lines(result);
  const std::string cube = lines.op("multiply", lines.op("multiply", "%arg0", "%arg0"), "%arg0");
  const std::string sum = lines.op("add", "%arg0", lines.op("multiply", lines.splat("0.044715"), cube));
  const std::string inner = lines.op("tanh", lines.op("multiply", lines.splat("0.79788456080286535588"), sum));
  const std::string half = lines.op("multiply", lines.splat("0.5"), lines.op("add", lines.splat("1"), inner));
  const std::string value = lines.op("multiply", "%arg0", half);
  return module(problem, result, lines.text, value);
}

}  // namespace bitpact::plain
