// add, multiply, divide, multiply_add, multiply_subtract, residual_add: every output from the operands' elements of the same
// coordinate.
#include "operators/building.h"
#include "operators/families.h"

namespace bitpact {
namespace {

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

// ---- divide

std::vector<std::string> divide_quotients(const OperatorFormats& formats) {
  std::vector<std::string> values{"divided", "reciprocal"};
  if (is_narrow(formats)) values.emplace_back("f32-reciprocal");
  return values;
}

NumericProgram build_divide(const OperatorFormats& formats, const Choices& choices) {
  const std::string quotient = chosen(choices, "quotient", divide_quotients(formats));
  const Format format = quotient == "f32-reciprocal" ? Format::F32 : formats.result;
  BodyBuilder b(formats.operands);
  const int a = b.convert(0, format), d = b.convert(1, format);
  int result = 0;
  if (quotient == "divided") {
    result = b.op(ScalarOp::Divide, format, {a, d});
  } else {
    const int reciprocal = b.op(ScalarOp::Divide, format, {b.constant(format, one(format)), d});
    result = b.op(ScalarOp::Multiply, format, {a, reciprocal});
  }
  const int rounded = b.convert(result, formats.result);
  return one_map({"a", "b"}, formats.operands, b.finish({rounded}));
}

// ---- multiply_subtract

const std::vector<std::string> kTwoProducts = {"rounded", "first-fused", "second-fused"};

std::vector<std::string> multiply_subtract_products(const OperatorFormats& formats) {
  std::vector<std::string> values = kTwoProducts;
  if (is_narrow(formats))
    for (const std::string& value : kTwoProducts) values.push_back(value == "rounded" ? "f32" : "f32-" + value);
  return values;
}

std::map<std::string, std::string> multiply_subtract_meanings() {
  const std::string rounded = "both products are rounded", first = "a * b stays unrounded, c * d is rounded",
                    second = "c * d stays unrounded, a * b is rounded", wide = ", all in f32";
  return {{"rounded", rounded},
          {"first-fused", first},
          {"second-fused", second},
          {"f32", rounded + wide},
          {"f32-first-fused", first + wide},
          {"f32-second-fused", second + wide}};
}

NumericProgram build_multiply_subtract(const OperatorFormats& formats, const Choices& choices) {
  std::string product = chosen(choices, "product", multiply_subtract_products(formats));
  const bool wide = product.starts_with("f32");
  const Format format = wide ? Format::F32 : formats.result;
  if (wide) product = product == "f32" ? "rounded" : product.substr(4);
  BodyBuilder b(formats.operands);
  const int a = b.convert(0, format), x = b.convert(1, format), c = b.convert(2, format), y = b.convert(3, format);
  int result = 0;
  if (product == "rounded") {
    const int first = b.op(ScalarOp::Multiply, format, {a, x});
    result = b.op(ScalarOp::Subtract, format, {first, b.op(ScalarOp::Multiply, format, {c, y})});
  } else if (product == "first-fused") {
    const int second = b.op(ScalarOp::Multiply, format, {c, y});
    result = b.op(ScalarOp::Fma, format, {a, x, b.op(ScalarOp::Negate, format, {second})});
  } else {
    const int first = b.op(ScalarOp::Multiply, format, {a, x});
    result = b.op(ScalarOp::Fma, format, {b.op(ScalarOp::Negate, format, {c}), y, first});
  }
  const int rounded = b.convert(result, formats.result);
  return one_map({"a", "b", "c", "d"}, formats.operands, b.finish({rounded}));
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

Operator divide() {
  Operator op;
  op.name = "divide";
  op.aliases = {"div"};
  op.summary = "a / b";
  op.operands = {"a", "b"};
  op.clauses = kFloatClauses;
  op.resolve = resolve_float_elementwise;
  op.choice_points = [](const OperatorFormats& formats) {
    return std::vector<ChoicePoint>{{"quotient",
                                     divide_quotients(formats),
                                     "divided and rounded once, or a times the rounded reciprocal of b",
                                     {{"divided", "divided, rounded once"},
                                      {"reciprocal", "a * (1 / b), both rounded"},
                                      {"f32-reciprocal", "a * (1 / b), both rounded to f32, then to the result"}}}};
  };
  op.build = build_divide;
  return op;
}

Operator multiply_subtract() {
  Operator op;
  op.name = "multiply_subtract";
  op.aliases = {"mulsub"};
  op.summary = "a * b - c * d";
  op.operands = {"a", "b", "c", "d"};
  op.clauses = kFloatClauses;
  op.resolve = resolve_float_elementwise;
  op.choice_points = [](const OperatorFormats& formats) {
    return std::vector<ChoicePoint>{{"product", multiply_subtract_products(formats),
                                     "which product, if one, goes into the subtraction unrounded (FMA)",
                                     multiply_subtract_meanings()}};
  };
  op.build = build_multiply_subtract;
  return op;
}

}  // namespace bitpact
