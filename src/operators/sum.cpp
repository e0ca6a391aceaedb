// sum: result[*o, *i] = sum over n of x[*o, n, *i].
#include "operators/building.h"
#include "operators/families.h"

namespace bitpact {
namespace {

Resolved resolve_sum(const Operator& op, const Problem& problem) {
  require_floats(op, problem, "C1");
  Resolved r = resolve_reduction(op, problem, "C2");
  r.result.format = float_result(op, r.problem, "C1");
  return r;
}

NumericProgram build_sum(const OperatorFormats& formats, const Choices& choices) {
  const Format operand = formats.operands[0];
  const Accumulator accumulator = parse_accumulator(formats, choices);
  NumericProgram program;
  program.nodes = {Input{"x", operand, {"*o", "n", "*i"}}, plain_sum(operand, accumulator, formats.result, choices)};
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
