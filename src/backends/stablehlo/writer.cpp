#include "backends/stablehlo/writer.h"

#include <fmt/format.h>

#include <charconv>

namespace bitpact::plain {

std::string type(const OperandSpec& tensor) { return fmt::format("tensor<{}>", to_text(tensor.shape, tensor.format)); }

std::string module(const Problem& problem, const OperandSpec& result, const std::vector<std::string>& body,
                   const std::string& value) {
  std::string text = "func.func public @main(";
  for (std::size_t i = 0; i < problem.operands.size(); ++i) {
    text += fmt::format("{}%arg{}: {}", i == 0 ? "" : ", ", i, type(problem.operands[i]));
  }
  text += fmt::format(") -> {} {{\n", type(result));
  for (const std::string& line : body) text += "  " + line + "\n";
  return text + fmt::format("  return {} : {}\n}}\n", value, type(result));
}

bool flag(const Problem& problem, const std::string& attribute) {
  const auto given = problem.attributes.find(attribute);
  return given != problem.attributes.end() && given->second == "true";
}

std::int64_t axis_of(const Problem& problem) {
  std::int64_t axis = -1;
  if (const auto given = problem.attributes.find("axis"); given != problem.attributes.end())
    std::from_chars(given->second.data(), given->second.data() + given->second.size(), axis);
  return axis < 0 ? axis + static_cast<std::int64_t>(problem.operands.at(0).shape.size()) : axis;
}

std::string constant(Format format, Bits bits) {
  return fmt::format("stablehlo.constant dense<0x{:0{}X}> : {}", bits, info(format).bits / 4, type({format, {}}));
}

std::string Lines::line(const std::string& right) {
  const std::string name = fmt::format("%v{}", text.size());
  text.push_back(fmt::format("{} = {}", name, right));
  return name;
}

std::string Lines::splat(const std::string& decimal) {
  const bool plain = decimal.find('.') != std::string::npos;
  return line(fmt::format("stablehlo.constant dense<{}{}> : {}", decimal, plain ? "" : ".0", type(like_)));
}

std::string Lines::broadcast(const std::string& scalar, const OperandSpec& from) {
  if (like_.shape.empty()) return scalar;
  return line(fmt::format("stablehlo.broadcast_in_dim {}, dims = [] : ({}) -> {}", scalar, type(from), type(like_)));
}

std::string Lines::convert_from(const std::string& value, const OperandSpec& from, const OperandSpec& to) {
  return line(fmt::format("stablehlo.convert {} : ({}) -> {}", value, type(from), type(to)));
}

std::string converted(std::vector<std::string>& body, const std::string& value, const OperandSpec& from, const OperandSpec& to) {
  if (from.format == to.format) return value;
  const std::string name = fmt::format("%c{}", body.size());
  body.push_back(fmt::format("{} = stablehlo.convert {} : ({}) -> {}", name, value, type(from), type({to.format, from.shape})));
  return name;
}

}  // namespace bitpact::plain
