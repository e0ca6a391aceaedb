// matmul, dot, integer_matmul, sum, mean and cumsum, as StableHLO has them. dot_general gives the result's format itself: which
// accumulator that means is the compiler's to say.
#include <fmt/format.h>

#include <numeric>

#include "backends/stablehlo/writer.h"
#include "diagnostic/diagnostic.h"

namespace bitpact::plain {

namespace {

/// "%r = stablehlo.dot_general ..."
std::string product(const Problem& problem, const OperandSpec& result, const std::string& a, const std::string& b) {
  const OperandSpec& lhs = problem.operands.at(0);
  const OperandSpec& rhs = problem.operands.at(1);
  const std::size_t rank = lhs.shape.size();
  if (rank < 2 || rhs.shape.size() != rank)
    refuse(Code::BackendLacksForm, "dot_general here needs operands of one rank, 2 or more");
  std::vector<std::size_t> batch(rank - 2);
  std::iota(batch.begin(), batch.end(), std::size_t{0});
  const std::size_t lhs_k = flag(problem, "transpose_a") ? rank - 2 : rank - 1;
  const std::size_t rhs_k = flag(problem, "transpose_b") ? rank - 1 : rank - 2;
  const std::string batching = batch.empty() ? "" : fmt::format("batching_dims = [{0}] x [{0}], ", fmt::join(batch, ", "));
  return fmt::format("%r = stablehlo.dot_general {}, {}, {}contracting_dims = [{}] x [{}] : ({}, {}) -> {}", a, b, batching,
                     lhs_k, rhs_k, type(lhs), type(rhs), type(result));
}

}  // namespace

std::string matmul(const Problem& problem, const OperandSpec& result) {
  return module(problem, result, {product(problem, result, "%arg0", "%arg1")}, "%r");
}

std::string dot(const Problem& problem, const OperandSpec& result) {
  const std::string vector = type(problem.operands.at(0));
  return module(problem, result,
                {fmt::format("%r = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : ({0}, {0}) -> {1}", vector,
                             type(result))},
                "%r");
}

// Operands of two formats are widened to the result's: dot_general takes one.
std::string integer_matmul(const Problem& problem, const OperandSpec& result) {
  Problem wide = problem;
  std::vector<std::string> body;
  for (std::size_t i = 0; i < wide.operands.size(); ++i) {
    OperandSpec& operand = wide.operands[i];
    const OperandSpec to{result.format, operand.shape};
    converted(body, fmt::format("%arg{}", i), operand, to);
    operand = to;
  }
  body.push_back(product(wide, result, "%c0", "%c1"));
  return module(problem, result, body, "%r");
}

std::string sum(const Problem& problem, const OperandSpec& result) {
  const OperandSpec& x = problem.operands.at(0);
  const OperandSpec scalar{x.format, {}};
  const OperandSpec reduced{x.format, result.shape};
  std::vector<std::string> body{
      fmt::format("%zero = stablehlo.constant dense<{}> : {}", is_float(x.format) ? "0.0" : "0", type(scalar)),
      fmt::format("%r = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [{}] : ({}, {}) -> {}",
                  axis_of(problem), type(x), type(scalar), type(reduced))};
  const std::string value = converted(body, "%r", reduced, result);
  return module(problem, result, body, value);
}

// As JAX exports it: 16-bit operands are summed and divided in f32.
std::string mean(const Problem& problem, const OperandSpec& result) {
  const OperandSpec& x = problem.operands.at(0);
  const std::int64_t axis = axis_of(problem);
  const bool narrow = info(x.format).bits < 32 && info(result.format).bits < 32;
  const Format format = narrow ? Format::F32 : result.format;
  const OperandSpec wide{format, x.shape}, mean{format, result.shape};
  std::vector<std::string> body;
  const std::string operand = converted(body, "%arg0", x, wide);
  body.push_back(fmt::format("%zero = stablehlo.constant dense<0.0> : {}", type({format, {}})));
  body.push_back(
      fmt::format("%s = stablehlo.reduce({} init: %zero) applies stablehlo.add across dimensions = [{}] : ({}, {}) -> {}",
                  operand, axis, type(wide), type({format, {}}), type(mean)));
  body.push_back(fmt::format("%n = stablehlo.constant dense<{}.0> : {}", x.shape[static_cast<std::size_t>(axis)], type(mean)));
  body.push_back(fmt::format("%r = stablehlo.divide %s, %n : {}", type(mean)));
  const std::string value = converted(body, "%r", mean, result);
  return module(problem, result, body, value);
}

// As JAX exports it: one window of the whole axis for each element, reaching back (or, reversed, forward) from it.
std::string cumsum(const Problem& problem, const OperandSpec& result) {
  const OperandSpec& x = problem.operands.at(0);
  if (flag(problem, "exclusive")) refuse(Code::BackendLacksForm, "its plain form has no sum without its own element");
  const auto axis = static_cast<std::size_t>(axis_of(problem));
  const std::size_t rank = x.shape.size();
  std::vector<std::int64_t> ones(rank, 1), window = ones;
  std::vector<std::string> padding(rank, "[0, 0]");
  window[axis] = x.shape[axis];
  const std::int64_t rest = x.shape[axis] - 1;
  padding[axis] = flag(problem, "reverse") ? fmt::format("[0, {}]", rest) : fmt::format("[{}, 0]", rest);
  const std::string scalar = type({x.format, {}});
  const auto list = [](const auto& values) { return fmt::format("array<i64: {}>", fmt::join(values, ", ")); };
  return module(
      problem, result,
      {fmt::format("%zero = stablehlo.constant dense<0.0> : {}", scalar),
       fmt::format("%r = \"stablehlo.reduce_window\"(%arg0, %zero) <{{base_dilations = {0}, padding = dense<[{1}]> : "
                   "tensor<{2}x2xi64>, window_dilations = {0}, window_dimensions = {3}, window_strides = {0}}}> ({{",
                   list(ones), fmt::join(padding, ", "), rank, list(window)),
       fmt::format("^bb0(%a: {0}, %b: {0}):", scalar), fmt::format("  %t = stablehlo.add %a, %b : {}", scalar),
       fmt::format("  stablehlo.return %t : {}", scalar), fmt::format("}}) : ({}, {}) -> {}", type(x), scalar, type(result))},
      "%r");
}

}  // namespace bitpact::plain
