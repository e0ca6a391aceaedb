// cumsum: result[*o, n, *i] = sum over all n' up to n of x[*o, n', *i]. What parts implementations is what the running sum is
// kept in from one output to the next.
#include "operators/building.h"
#include "operators/families.h"

namespace bitpact {
namespace {

Resolved resolve_cumsum(const Operator& op, const Problem& problem) {
  require_floats(op, problem, "C1");
  Resolved r = resolve_reduction(op, problem, "C2");
  r.result.shape = problem.operands[0].shape;
  r.binding.result = r.binding.operands[0];
  return r;
}

std::vector<std::string> carries(const OperatorFormats& formats) {
  const Format operand = formats.operands[0];
  return format_values({default_accumulator(operand), operand, Format::F64});
}

std::vector<ChoicePoint> cumsum_choices(const OperatorFormats& formats) {
  return {{"accumulator", carries(formats), "the format that the running sum is rounded to at each step", {}},
          {"start", {"zero", "first"}, "whether the running sum starts from +0 or from its first term", {}}};
}

// State: the running sum and, where each output is the sum before its own term, what it was before. That begins with +0.
void one_before(Fold& fold, Format accumulator, Format result) {
  BodyBuilder step({accumulator, accumulator, accumulator});
  const int sum = step.op(ScalarOp::Add, accumulator, {0, 2});
  fold.step = step.finish({sum, 0});
  fold.merge = {};
  BodyBuilder finish({accumulator, accumulator});
  fold.finish = finish.finish({finish.convert(1, result)});
  if (fold.start.first_leaf) {
    BodyBuilder lift({accumulator});
    fold.start.lift = lift.finish({0, lift.constant(accumulator, positive_zero(accumulator))});
  } else {
    fold.start.values.push_back(positive_zero(accumulator));
  }
}

NumericProgram build_cumsum(const OperatorFormats& formats, const Choices& choices) {
  const Format operand = formats.operands[0];
  const Format accumulator = parse_format(chosen(choices, "accumulator", carries(formats)));
  const bool reverse = formats.attribute("reverse", "false") == "true";
  Choices with_order = choices;
  with_order["order"] = reverse ? "reversed" : "sequential";
  Fold fold = sum_fold({0}, {"n"}, {"*o", "n", "*i"}, plain_term(operand, accumulator), {accumulator, accumulator, 0},
                       formats.result, with_order);
  fold.emit = Emit::Prefixes;
  if (formats.attribute("exclusive", "false") == "true") one_before(fold, accumulator, formats.result);
  NumericProgram program;
  program.nodes = {Input{"x", operand, {"*o", "n", "*i"}}, std::move(fold)};
  program.results = {1};
  return program;
}

}  // namespace

Operator cumsum() {
  Operator op;
  op.name = "cumsum";
  op.aliases = {"cumulative_sum", "prefix_sum"};
  op.summary = "result[*o, n, *i] = sum over all n' up to n of x[*o, n', *i]";
  op.operands = {"x"};
  op.attributes = {{"axis", AttributeKind::Integer, "-1", "the axis that is summed along; negative counts from the last"},
                   {"reverse", AttributeKind::Boolean, "false", "from the last element to the first", true},
                   {"exclusive", AttributeKind::Boolean, "false", "each sum without its own element", true}};
  op.clauses = {{"C1", "the operand has a float format"}, {"C2", "axis names a dimension of the operand"}};
  op.resolve = resolve_cumsum;
  op.choice_points = cumsum_choices;
  op.build = build_cumsum;
  return op;
}

}  // namespace bitpact
