// max and argmax, as StableHLO has them: maximum hands NaN on, and argmax is the reduce of (value, index) that JAX exports, in
// which NaN is the greatest and the first of equals is taken.
#include <fmt/format.h>

#include "backends/stablehlo/writer.h"
#include "diagnostic/diagnostic.h"

namespace bitpact::plain {

namespace {

std::string lowest(Format format) {
  if (!has_infinities(format))
    refuse(Code::BackendLacksFormat, fmt::format("its plain form begins with -inf, which {} does not have", name(format)));
  return constant(format, infinity(format, true));
}

}  // namespace

std::string max(const Problem& problem, const OperandSpec& result) {
  const OperandSpec& x = problem.operands.at(0);
  return module(problem, result,
                {fmt::format("%lowest = {}", lowest(x.format)),
                 fmt::format("%r = stablehlo.reduce(%arg0 init: %lowest) applies stablehlo.maximum across dimensions = [{}] : "
                             "({}, {}) -> {}",
                             axis_of(problem), type(x), type({x.format, {}}), type(result))},
                "%r");
}

std::string argmax(const Problem& problem, const OperandSpec& result) {
  const OperandSpec& x = problem.operands.at(0);
  const std::string value = type({x.format, {}}), index = type({result.format, {}}), values = type({x.format, result.shape});
  const OperandSpec places{result.format, x.shape};
  const auto pair = [](const std::string& name, const std::string& of) {
    return fmt::format("(%{0}: {1}, %{0}_x: {1})", name, of);
  };
  return module(
      problem, result,
      {fmt::format("%lowest = {}", lowest(x.format)), fmt::format("%zero = stablehlo.constant dense<0> : {}", index),
       fmt::format("%places = stablehlo.iota dim = {} : {}", axis_of(problem), type(places)),
       fmt::format("%r:2 = stablehlo.reduce(%arg0 init: %lowest), (%places init: %zero) across dimensions = [{}] : ({}, {}, {}, "
                   "{}) -> ({}, {})",
                   axis_of(problem), type(x), type(places), value, index, values, type(result)),
       fmt::format(" reducer{} {} {{", pair("m", value), pair("i", index)),
       fmt::format("  %greater = stablehlo.compare GT, %m, %m_x, FLOAT : ({0}, {0}) -> tensor<i1>", value),
       fmt::format("  %nan = stablehlo.compare NE, %m, %m, FLOAT : ({0}, {0}) -> tensor<i1>", value),
       "  %keep = stablehlo.or %greater, %nan : tensor<i1>",
       fmt::format("  %equal = stablehlo.compare EQ, %m, %m_x, FLOAT : ({0}, {0}) -> tensor<i1>", value),
       fmt::format("  %before = stablehlo.compare LT, %i, %i_x : ({0}, {0}) -> tensor<i1>", index),
       "  %first = stablehlo.and %equal, %before : tensor<i1>", "  %stay = stablehlo.or %keep, %first : tensor<i1>",
       fmt::format("  %m_next = stablehlo.select %keep, %m, %m_x : tensor<i1>, {}", value),
       fmt::format("  %i_next = stablehlo.select %stay, %i, %i_x : tensor<i1>, {}", index),
       fmt::format("  stablehlo.return %m_next, %i_next : {}, {}", value, index), " }"},
      "%r#1");
}

}  // namespace bitpact::plain
