// add, multiply, multiply_add, residual_add, convert: every output from the operands' elements of the same coordinate.
#include <fmt/format.h>

#include "operators/building.h"
#include "operators/families.h"

namespace bitpact {
namespace {

const Axes kAll{"*d"};

NumericProgram one_map(const std::vector<std::string>& names, const std::vector<Format>& formats, ScalarBody body) {
  NumericProgram program;
  Map map{{}, std::move(body), kAll};
  for (size_t i = 0; i < names.size(); ++i) {
    program.nodes.emplace_back(Input{names[i], formats[i], kAll});
    map.operands.push_back(static_cast<int>(i));
  }
  program.nodes.emplace_back(std::move(map));
  program.results = {static_cast<int>(names.size())};
  return program;
}

Resolved resolve_float_elementwise(const Operator& op, const Problem& problem) {
  require_floats(op, problem, "C1");
  require_same_formats(op, problem, "C1");
  require_same_shapes(op, problem, "C2");
  return resolve_elementwise(problem, problem.operands[0].format);
}

const std::vector<Clause> kFloatClauses = {{"C1", "all operands have the same float format"},
                                           {"C2", "all operands have the same shape; nothing is broadcast"}};

// `op` on two operands, the exact result rounded once to their format.
Operator binary(const std::string& name, const std::vector<std::string>& operands, ScalarOp scalar, const std::string& summary) {
  Operator op;
  op.name = name;
  op.summary = summary;
  op.operands = operands;
  op.clauses = kFloatClauses;
  op.resolve = resolve_float_elementwise;
  op.choice_points = [](const OperatorFormats&) { return std::vector<ChoicePoint>{}; };
  op.build = [operands, scalar](const OperatorFormats& formats, const Choices&) {
    BodyBuilder b(formats.operands);
    const int result = b.op(scalar, formats.result, {0, 1});
    return one_map(operands, formats.operands, b.finish({result}));
  };
  return op;
}

bool is_narrow(const OperatorFormats& formats) { return info(formats.operands[0]).bits == 16; }

std::vector<std::string> multiply_add_products(const OperatorFormats& formats) {
  std::vector<std::string> values{"rounded", "fused"};
  if (is_narrow(formats)) values.insert(values.end(), {"f32", "f32-fused"});
  return values;
}

NumericProgram build_multiply_add(const OperatorFormats& formats, const Choices& choices) {
  const std::string product = chosen(choices, "product", multiply_add_products(formats));
  const bool wide = product == "f32" || product == "f32-fused";
  const Format format = wide ? Format::F32 : formats.result;
  BodyBuilder b(formats.operands);
  const int a = b.convert(0, format), x = b.convert(1, format), c = b.convert(2, format);
  const bool fused = product == "fused" || product == "f32-fused";
  const int sum =
      fused ? b.op(ScalarOp::Fma, format, {a, x, c}) : b.op(ScalarOp::Add, format, {b.op(ScalarOp::Multiply, format, {a, x}), c});
  const int result = b.convert(sum, formats.result);
  return one_map({"a", "b", "c"}, formats.operands, b.finish({result}));
}

const std::vector<std::string> kRoundings = {"nearest-even", "toward-zero", "nearest-away"};
const std::vector<std::string> kOverflows = {"saturate", "wrap"};

bool to_integer(const OperatorFormats& formats) { return is_float(formats.operands[0]) && !is_float(formats.result); }

std::vector<ChoicePoint> convert_choices(const OperatorFormats& formats) {
  if (to_integer(formats))
    return {{"overflow", kOverflows, "what a value outside the integer's range becomes; the fraction is cut off"}};
  if (is_float(formats.result)) return {{"rounding", kRoundings, "how a value between two representable ones is rounded"}};
  return {};
}

NumericProgram build_convert(const OperatorFormats& formats, const Choices& choices) {
  Policy policy;
  if (to_integer(formats)) {
    policy.rounding = Rounding::TowardZero;
    policy.overflow = chosen(choices, "overflow", kOverflows) == "saturate" ? Overflow::Saturate : Overflow::Ieee;
  } else if (is_float(formats.result)) {
    const std::string rounding = chosen(choices, "rounding", kRoundings);
    policy.rounding = rounding == "nearest-even"  ? Rounding::NearestEven
                      : rounding == "toward-zero" ? Rounding::TowardZero
                                                  : Rounding::NearestAway;
  }
  BodyBuilder b(formats.operands);
  const int result = b.convert(0, formats.result, policy);
  return one_map({"x"}, formats.operands, b.finish({result}));
}

Resolved resolve_convert(const Operator& op, const Problem& problem) {
  const std::string out = attribute(op, problem, "out");
  if (out.empty()) violated(op, "C1", "there is no out=");
  return resolve_elementwise(problem, parse_format(out));
}

}  // namespace

Operator add() { return binary("add", {"a", "b"}, ScalarOp::Add, "a + b, rounded once"); }

Operator multiply() { return binary("multiply", {"a", "b"}, ScalarOp::Multiply, "a * b, rounded once"); }

Operator residual_add() {
  return binary("residual_add", {"x", "residual"}, ScalarOp::Add, "x + residual: the sum between two blocks of a network");
}

Operator multiply_add() {
  Operator op;
  op.name = "multiply_add";
  op.aliases = {"muladd"};
  op.summary = "a * b + c";
  op.operands = {"a", "b", "c"};
  op.clauses = kFloatClauses;
  op.resolve = resolve_float_elementwise;
  op.choice_points = [](const OperatorFormats& formats) {
    return std::vector<ChoicePoint>{{"product", multiply_add_products(formats),
                                     "rounded by itself, fused into the addition (FMA), or both in f32 with one rounding after"}};
  };
  op.build = build_multiply_add;
  return op;
}

Operator convert() {
  Operator op;
  op.name = "convert";
  op.aliases = {"cast", "astype"};
  op.summary = "x in another format";
  op.operands = {"x"};
  op.attributes = {{"out", AttributeKind::FormatName, "", "format of the result; required"}};
  op.clauses = {{"C1", "the result's format is given by out="}};
  op.resolve = resolve_convert;
  op.choice_points = convert_choices;
  op.build = build_convert;
  return op;
}

}  // namespace bitpact
