// sum: result[*o, *i] = sum over n of x[*o, n, *i].
#include <fmt/format.h>

#include <charconv>

#include "operators/building.h"
#include "operators/families.h"

namespace bitpact {
namespace {

Resolved resolve_sum(const Operator& op, const Problem& problem) {
  require_floats(op, problem, "C1");
  const Shape& shape = problem.operands[0].shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::string text = attribute(op, problem, "axis");
  std::int64_t axis = 0;
  std::from_chars(text.data(), text.data() + text.size(), axis);
  if (axis < -rank || axis >= rank) violated(op, "C2", fmt::format("axis={} with rank {}", axis, rank));
  if (axis < 0) axis += rank;

  Resolved r;
  r.problem = problem;
  r.problem.attributes["axis"] = std::to_string(axis);
  r.binding.packs = {{"*o", {}}, {"*i", {}}};
  Axes operand;
  for (std::int64_t d = 0; d < rank; ++d) {
    const std::string axis_name = d == axis ? "n" : fmt::format("{}{}", d < axis ? "o" : "i", d);
    operand.push_back(axis_name);
    r.binding.extents[axis_name] = shape[static_cast<size_t>(d)];
    if (d == axis) continue;
    r.binding.packs[d < axis ? "*o" : "*i"].push_back(axis_name);
    r.binding.result.push_back(axis_name);
    r.result.shape.push_back(shape[static_cast<size_t>(d)]);
  }
  r.binding.operands = {operand};
  r.result.format = float_result(op, r.problem, "C1");
  return r;
}

NumericProgram build_sum(const OperatorFormats& formats, const Choices& choices) {
  const Format operand = formats.operands[0];
  const Accumulator accumulator = parse_accumulator(formats, choices);
  NumericProgram program;
  program.nodes = {
      Input{"x", operand, {"*o", "n", "*i"}},
      sum_fold({0}, {"n"}, {"*o", "*i"}, plain_term(operand, accumulator.format), accumulator, formats.result, choices)};
  program.results = {1};
  return program;
}

}  // namespace

Operator sum() {
  Operator op;
  op.name = "sum";
  op.aliases = {"reduce_sum"};
  op.summary = "result[*o, *i] = sum over n of x[*o, n, *i]";
  op.operands = {"x"};
  op.attributes = {{"axis", AttributeKind::Integer, "-1", "the axis that is summed; negative counts from the last"},
                   {"out", AttributeKind::FormatName, "", "format of the result; the operand's unless given"}};
  op.clauses = {{"C1", "operand and result have float formats"}, {"C2", "axis names a dimension of the operand"}};
  op.resolve = resolve_sum;
  op.choice_points = sum_choice_points;
  op.build = build_sum;
  return op;
}

}  // namespace bitpact
