// quantize and dynamic_quantize, as exporters write ONNX's QuantizeLinear and DynamicQuantizeLinear in StableHLO.
#include <fmt/format.h>

#include "backends/stablehlo/writer.h"

namespace bitpact::plain {

namespace {

/// `quotient` rounded to nearest even, plus the zero point (a float), between the ends of `result`'s format, and in it.
std::string in_range(Lines& lines, const std::string& quotient, const std::string& zero_point, const OperandSpec& result) {
  const bool is_signed = result.format == Format::I8;
  std::string value = lines.op("round_nearest_even", quotient);
  if (!zero_point.empty()) value = lines.op("add", value, zero_point);
  value = lines.op("maximum", value, lines.splat(is_signed ? "-128" : "0"));
  value = lines.op("minimum", value, lines.splat(is_signed ? "127" : "255"));
  return lines.convert(value, result);
}

}  // namespace

std::string quantize(const Problem& problem, const OperandSpec& result) {
  const OperandSpec& x = problem.operands.at(0);
  Lines lines(x);
  const std::string scale = lines.broadcast("%arg1", problem.operands.at(1));
  const OperandSpec scalar{x.format, {}};
  const std::string zero_point = lines.broadcast(lines.convert_from("%arg2", problem.operands.at(2), scalar), scalar);
  const std::string value = in_range(lines, lines.op("divide", "%arg0", scale), zero_point, result);
  return module(problem, result, lines.text, value);
}

std::string dynamic_quantize(const Problem& problem, const OperandSpec& result) {
  const OperandSpec& x = problem.operands.at(0);
  const OperandSpec one{Format::F32, {}};
  Lines scalar(one);
  std::string dimensions;
  for (std::size_t d = 0; d < x.shape.size(); ++d) dimensions += fmt::format("{}{}", d == 0 ? "" : ", ", d);
  const std::string zero = scalar.splat("0");
  const auto end = [&](const char* op) {
    const std::string name = fmt::format("%{}", op);
    scalar.text.push_back(
        fmt::format("{} = stablehlo.reduce(%arg0 init: {}) applies stablehlo.{} across dimensions = [{}] : ({}, {}) -> {}", name,
                    zero, op, dimensions, type(x), type(one), type(one)));
    return name;
  };
  const std::string least = end("minimum"), greatest = end("maximum");
  const std::string scale = scalar.op("divide", scalar.op("subtract", greatest, least), scalar.splat("255"));
  const auto give = problem.attributes.find("give");
  if (give != problem.attributes.end() && give->second == "scale") return module(problem, result, scalar.text, scale);
  const std::string below = scalar.op("subtract", zero, scalar.op("divide", least, scale));
  const std::string zero_point = in_range(scalar, below, "", {Format::UI8, {}});
  if (give != problem.attributes.end() && give->second == "zero_point") return module(problem, result, scalar.text, zero_point);
  const std::string zero_value = scalar.convert_from(zero_point, {Format::UI8, {}}, one);
  Lines lines(x, std::move(scalar.text));
  const std::string quotient = lines.op("divide", "%arg0", lines.broadcast(scale, one));
  const std::string value = in_range(lines, quotient, lines.broadcast(zero_value, one), result);
  return module(problem, result, lines.text, value);
}

}  // namespace bitpact::plain
