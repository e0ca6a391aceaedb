// add, multiply, divide, reciprocal, sqrt, rsqrt, multiply_add, multiply_subtract, convert, as StableHLO has them: computed in
// the operands' format, then converted where out= asks.
#include <fmt/format.h>

#include "backends/stablehlo/writer.h"

namespace bitpact::plain {

namespace {

std::string binary(const Problem& problem, const OperandSpec& result, const char* op) {
  const OperandSpec& x = problem.operands.at(0);
  std::vector<std::string> body{fmt::format("%r = stablehlo.{} %arg0, %arg1 : {}", op, type(x))};
  const std::string value = converted(body, "%r", x, result);
  return module(problem, result, body, value);
}

}  // namespace

std::string add(const Problem& problem, const OperandSpec& result) { return binary(problem, result, "add"); }
std::string multiply(const Problem& problem, const OperandSpec& result) { return binary(problem, result, "multiply"); }

std::string multiply_add(const Problem& problem, const OperandSpec& result) {
  const OperandSpec& x = problem.operands.at(0);
  std::vector<std::string> body{fmt::format("%p = stablehlo.multiply %arg0, %arg1 : {}", type(x)),
                                fmt::format("%r = stablehlo.add %p, %arg2 : {}", type(x))};
  const std::string value = converted(body, "%r", x, result);
  return module(problem, result, body, value);
}

std::string divide(const Problem& problem, const OperandSpec& result) { return binary(problem, result, "divide"); }

std::string reciprocal(const Problem& problem, const OperandSpec& result) {
  Lines lines(result);
  const std::string value = lines.op("divide", lines.splat("1"), "%arg0");
  return module(problem, result, lines.text, value);
}

std::string sqrt(const Problem& problem, const OperandSpec& result) {
  return module(problem, result, {"%r = stablehlo.sqrt %arg0 : " + type(result)}, "%r");
}

std::string rsqrt(const Problem& problem, const OperandSpec& result) {
  return module(problem, result, {"%r = stablehlo.rsqrt %arg0 : " + type(result)}, "%r");
}

std::string multiply_subtract(const Problem& problem, const OperandSpec& result) {
  const OperandSpec& x = problem.operands.at(0);
  std::vector<std::string> body{fmt::format("%p = stablehlo.multiply %arg0, %arg1 : {}", type(x)),
                                fmt::format("%q = stablehlo.multiply %arg2, %arg3 : {}", type(x)),
                                fmt::format("%r = stablehlo.subtract %p, %q : {}", type(x))};
  const std::string value = converted(body, "%r", x, result);
  return module(problem, result, body, value);
}

std::string convert(const Problem& problem, const OperandSpec& result) {
  std::vector<std::string> body;
  OperandSpec x = problem.operands.at(0);
  std::string value = "%arg0";
  if (const auto via = problem.attributes.find("via"); via != problem.attributes.end()) {
    const OperandSpec between{parse_format(via->second), x.shape};
    value = converted(body, value, x, between);
    x = between;
  }
  value = converted(body, value, x, result);
  return module(problem, result, body, value);
}

}  // namespace bitpact::plain
