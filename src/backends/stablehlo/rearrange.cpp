// reverse, slice, pad, transpose, reshape, as StableHLO has them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/stablehlo/writer.h"
#include "diagnostic/diagnostic.h"
#include "operators/operator.h"

namespace bitpact::plain {

namespace {

using Numbers = std::vector<std::int64_t>;

/// The attribute's numbers; where it is not given, `usual` for each dimension.
Numbers numbers(const Problem& problem, const std::string& attribute, std::int64_t usual) {
  const auto given = problem.attributes.find(attribute);
  return given == problem.attributes.end() ? Numbers(problem.operands.at(0).shape.size(), usual) : integers_of(given->second);
}

std::string moved(const Problem& problem, const OperandSpec& result, const std::string& how) {
  return module(problem, result, {fmt::format("%r = {} : ({}) -> {}", how, type(problem.operands.at(0)), type(result))}, "%r");
}

/// "0", "-0", "1", "inf", "-inf", "nan" as a literal of the format.
std::string literal(Format format, const std::string& value) {
  if (format == Format::I1) return value == "1" ? "true" : "false";
  if (!is_float(format)) return value;
  const Bits bits = value == "0"     ? positive_zero(format)
                    : value == "-0"  ? negative_zero(format)
                    : value == "1"   ? one(format)
                    : value == "nan" ? quiet_nan(format)
                                     : infinity(format, value == "-inf");
  return fmt::format("0x{:0{}X}", bits, (info(format).bits + 3) / 4);
}

}  // namespace

std::string reverse(const Problem& problem, const OperandSpec& result) {
  return module(problem, result, {fmt::format("%r = stablehlo.reverse %arg0, dims = [{}] : {}", axis_of(problem), type(result))},
                "%r");
}

std::string slice(const Problem& problem, const OperandSpec& result) {
  const Numbers start = numbers(problem, "start", 0), limit = numbers(problem, "limit", 0),
                stride = numbers(problem, "stride", 1);
  std::vector<std::string> ranges;
  for (std::size_t d = 0; d < start.size(); ++d) ranges.push_back(fmt::format("{}:{}:{}", start[d], limit[d], stride[d]));
  return moved(problem, result, fmt::format("stablehlo.slice %arg0 [{}]", fmt::join(ranges, ", ")));
}

std::string pad(const Problem& problem, const OperandSpec& result) {
  const OperandSpec scalar{result.format, {}};
  const auto given = problem.attributes.find("value");
  const std::string value = given == problem.attributes.end() ? "0" : given->second;
  return module(
      problem, result,
      {fmt::format("%v = stablehlo.constant dense<{}> : {}", literal(result.format, value), type(scalar)),
       fmt::format("%r = stablehlo.pad %arg0, %v, low = [{}], high = [{}], interior = [{}] : ({}, {}) -> {}",
                   fmt::join(numbers(problem, "low", 0), ", "), fmt::join(numbers(problem, "high", 0), ", "),
                   fmt::join(numbers(problem, "interior", 0), ", "), type(problem.operands.at(0)), type(scalar), type(result))},
      "%r");
}

std::string transpose(const Problem& problem, const OperandSpec& result) {
  const auto rank = static_cast<std::int64_t>(result.shape.size());
  Numbers permutation;
  if (const auto given = problem.attributes.find("permutation"); given != problem.attributes.end())
    permutation = integers_of(given->second);
  else
    for (std::int64_t d = rank; d-- > 0;) permutation.push_back(d);
  return moved(problem, result, fmt::format("stablehlo.transpose %arg0, dims = [{}]", fmt::join(permutation, ", ")));
}

std::string reshape(const Problem& problem, const OperandSpec& result) {
  return moved(problem, result, "stablehlo.reshape %arg0");
}

}  // namespace bitpact::plain
