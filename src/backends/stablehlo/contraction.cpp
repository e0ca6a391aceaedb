// matmul and sum, as StableHLO has them. dot_general gives the result's format itself: which accumulator that means is the
// compiler's to say.
#include <fmt/format.h>

#include <numeric>

#include "backends/stablehlo/writer.h"
#include "diagnostic/diagnostic.h"

namespace bitpact::plain {

std::string matmul(const Problem& problem, const OperandSpec& result) {
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
  return module(problem, result,
                {fmt::format("%r = stablehlo.dot_general %arg0, %arg1, {}contracting_dims = [{}] x [{}] : ({}, {}) -> {}",
                             batching, lhs_k, rhs_k, type(lhs), type(rhs), type(result))},
                "%r");
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

}  // namespace bitpact::plain
