// mean: result[*o, *i] = (sum over n of x[*o, n, *i]) / n. What parts implementations, beside the sum, is whether it is rounded
// before it is divided, and whether it is divided at all.
#include "operators/building.h"
#include "operators/families.h"

namespace bitpact {
namespace {

const std::vector<std::string> kSums = {"kept", "rounded"};
const std::vector<std::string> kEpilogues = {"divided", "reciprocal"};

Resolved resolve_mean(const Operator& op, const Problem& problem) {
  require_floats(op, problem, "C1");
  Resolved r = resolve_reduction(op, problem, "C2");
  r.result.format = float_result(op, r.problem, "C1");
  return r;
}

std::vector<ChoicePoint> mean_choices(const OperatorFormats& formats) {
  std::vector<ChoicePoint> points = sum_choice_points(formats);
  points.push_back({"sum",
                    kSums,
                    "the format of the sum that is divided",
                    {{"kept", "the accumulator's: only the mean is rounded to the result's format"},
                     {"rounded", "the result's: the sum is rounded to it, then the mean again"}}});
  points.push_back({"epilogue",
                    kEpilogues,
                    "how the sum becomes the mean, in the format of the sum",
                    {{"divided", "divided by n"}, {"reciprocal", "times the rounded 1/n"}}});
  return points;
}

// What the sum is divided by or multiplied with, from the count. 1/n goes by way of f64 and f32, as those that multiply round
// it: for a 16-bit format that is another value for some n than 1/n rounded once.
ScalarBody factor(Format format, const std::string& epilogue) {
  BodyBuilder b({Format::I64});
  if (epilogue == "divided") return b.finish({b.convert(0, format)});
  const int n = b.convert(0, Format::F64);
  int reciprocal = b.op(ScalarOp::Divide, Format::F64, {b.constant(Format::F64, one(Format::F64)), n});
  if (format != Format::F64) reciprocal = b.convert(reciprocal, Format::F32);
  return b.finish({b.convert(reciprocal, format)});
}

NumericProgram build_mean(const OperatorFormats& formats, const Choices& choices) {
  const Format operand = formats.operands[0];
  const Accumulator accumulator = parse_accumulator(formats, choices);
  const std::string epilogue = chosen(choices, "epilogue", kEpilogues);
  const Format format = chosen(choices, "sum", kSums) == "kept" ? accumulator.format : formats.result;
  BodyBuilder b({format, format});
  const int mean = b.op(epilogue == "divided" ? ScalarOp::Divide : ScalarOp::Multiply, format, {0, 1});
  NumericProgram program;
  program.nodes = {Input{"x", operand, {"*o", "n", "*i"}}, plain_sum(operand, accumulator, format, choices),
                   count_of("n", factor(format, epilogue)),
                   Map{{1, 2}, b.finish({b.convert(mean, formats.result)}), {"*o", "*i"}}};
  program.results = {3};
  return program;
}

}  // namespace

Operator mean() {
  Operator op;
  op.name = "mean";
  op.aliases = {"reduce_mean"};
  op.summary = "result[*o, *i] = (sum over n of x[*o, n, *i]) / n";
  op.operands = {"x"};
  op.attributes = {{"axis", AttributeKind::Integer, "-1", "the axis that is averaged over; negative counts from the last"},
                   {"out", AttributeKind::FormatName, "", "format of the result; the operand's unless given"}};
  op.clauses = {{"C1", "operand and result have float formats"}, {"C2", "axis names a dimension of the operand"}};
  op.resolve = resolve_mean;
  op.choice_points = mean_choices;
  op.build = build_mean;
  return op;
}

}  // namespace bitpact
