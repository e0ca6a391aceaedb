// matmul: result[*b, m, n] = sum over k of lhs[*b, m, k] * rhs[*b, k, n]; dot: the same of two vectors.
#include <fmt/format.h>

#include "diagnostic/diagnostic.h"
#include "operators/building.h"
#include "operators/families.h"

namespace bitpact {
namespace {

Resolved resolve_matmul(const Operator& op, const Problem& problem) {
  require_floats(op, problem, "C1");
  require_same_formats(op, problem, "C1");
  Resolved r = resolve_contraction(op, problem, {"C2", "C3", "C4"});
  r.result.format = float_result(op, r.problem, "C1");
  return r;
}

Resolved resolve_dot(const Operator& op, const Problem& problem) {
  require_floats(op, problem, "C1");
  require_same_formats(op, problem, "C1");
  const Shape& lhs = problem.operands[0].shape;
  const Shape& rhs = problem.operands[1].shape;
  if (lhs.size() != 1 || rhs.size() != 1) violated(op, "C2", fmt::format("ranks {} and {}", lhs.size(), rhs.size()));
  if (lhs != rhs) violated(op, "C3", fmt::format("{} against {}", lhs[0], rhs[0]));
  Resolved r;
  r.problem = problem;
  r.binding.operands = {{"k"}, {"k"}};
  r.binding.extents["k"] = lhs[0];
  r.result.format = float_result(op, r.problem, "C1");
  return r;
}

// How a product enters the sum. The product of two operands is exact before it is rounded; "fused" never rounds it by itself.
SumTerm product_term(Format operand, Format accumulator, const std::string& product) {
  SumTerm term;
  const std::vector<Format> two(2, accumulator);
  BodyBuilder leaf({operand, operand});
  if (product == "fused") {
    term.leaf = leaf.finish({leaf.convert(0, accumulator), leaf.convert(1, accumulator)});
    BodyBuilder step({accumulator, accumulator, accumulator});
    term.step = step.finish({step.op(ScalarOp::Fma, accumulator, {1, 2, 0})});
    BodyBuilder lift(two);
    term.lift = lift.finish({lift.op(ScalarOp::Multiply, accumulator, {0, 1})});
    return term;
  }
  term = plain_term(accumulator, accumulator);
  if (product == "storage") {
    term.leaf = leaf.finish({leaf.convert(leaf.op(ScalarOp::Multiply, operand, {0, 1}), accumulator)});
  } else {
    const int a = leaf.convert(0, accumulator);
    const int b = leaf.convert(1, accumulator);
    term.leaf = leaf.finish({leaf.op(ScalarOp::Multiply, accumulator, {a, b})});
  }
  return term;
}

std::vector<std::string> products(const OperatorFormats& formats) {
  // Of f64 no accumulator is wider: "storage" would say what "rounded" does.
  return formats.operands[0] == Format::F64 ? std::vector<std::string>{"rounded", "fused"}
                                            : std::vector<std::string>{"rounded", "fused", "storage"};
}

// What was seen: of f32 tails in f64, and a last product that is fused where the others are not; of bf16 a last term whose
// product is rounded to bf16 where the others' are not.
std::vector<std::string> tails(const OperatorFormats& formats) {
  if (formats.operands[0] == Format::F32) return {"as-body", "f64", "f64-storage", "fused"};
  if (formats.operands[0] == Format::BF16) return {"as-body", "storage"};
  return {"as-body"};
}

std::vector<ChoicePoint> product_choices(const OperatorFormats& formats) {
  std::vector<ChoicePoint> points = sum_choice_points(formats);
  for (ChoicePoint& point : points)
    if (point.name == "tail") {
      point.values = tails(formats);
      point.meanings["f64-storage"] = "as f64, each product rounded to the operands' format first";
      point.meanings["fused"] =
          "the product of the one term left is not rounded by itself: it and the sum of the rows are rounded once (FMA)";
    }
  if (formats.operands[0] == Format::BF16)
    points.push_back({"tail",
                      tails(formats),
                      "how the terms behind the last whole row are added; other than as-body goes with order=tailed(..., apart)",
                      {{"as-body", "like those before them"},
                       {"storage", "their products are rounded to bf16; the sum of the rows is added to theirs"}}});
  points.insert(points.begin() + 1,
                {"product", products(formats),
                 "rounded to the accumulator's format, fused into the addition (FMA), or rounded to the operands' format"});
  return points;
}

NumericProgram sum_of_products(const OperatorFormats& formats, const Choices& choices, Axes lhs, Axes rhs, Axes result) {
  const Format operand = formats.operands[0];
  const Accumulator accumulator = parse_accumulator(formats, choices);
  const std::string product = chosen(choices, "product", products(formats));
  if (accumulator.every == 1 && product == "storage")
    refuse(Code::BadAttribute, "accumulator=f32/bf16@1 of products that are rounded to bf16 is accumulator=bf16");
  const SumTerm term = product_term(operand, accumulator.format, product);
  Fold fold = sum_fold({0, 1}, {"k"}, std::move(result), term, accumulator, formats.result, choices);
  const std::string tail = chosen_tail(choices, tails(formats));
  if (tail == "storage")
    fold = with_tail(std::move(fold), Format::F32, product_term(operand, Format::F32, "storage"), choices);
  else if (tail == "fused")
    fold = with_tail(std::move(fold), Format::F64, product_term(operand, Format::F64, "rounded"), choices, true);
  else if (tail != "as-body")
    fold = with_tail(std::move(fold), Format::F64, product_term(operand, Format::F64, tail == "f64" ? "rounded" : "storage"),
                     choices);
  NumericProgram program;
  program.nodes = {Input{"lhs", operand, std::move(lhs)}, Input{"rhs", operand, std::move(rhs)}, std::move(fold)};
  program.results = {2};
  return program;
}

NumericProgram build_matmul(const OperatorFormats& formats, const Choices& choices) {
  return sum_of_products(formats, choices, {"*b", "m", "k"}, {"*b", "k", "n"}, {"*b", "m", "n"});
}

NumericProgram build_dot(const OperatorFormats& formats, const Choices& choices) {
  return sum_of_products(formats, choices, {"k"}, {"k"}, {});
}

}  // namespace

Operator matmul() {
  Operator op;
  op.name = "matmul";
  op.aliases = {"gemm", "batch_matmul"};
  op.summary = "result[*b, m, n] = sum over k of lhs[*b, m, k] * rhs[*b, k, n]";
  op.operands = {"lhs", "rhs"};
  op.attributes = {{"transpose_a", AttributeKind::Boolean, "false", "lhs is given as [*b, k, m]"},
                   {"transpose_b", AttributeKind::Boolean, "false", "rhs is given as [*b, n, k]"},
                   {"out", AttributeKind::FormatName, "", "format of the result; the operands' unless given"}};
  op.clauses = {{"C1", "both operands have the same float format, and the result a float format"},
                {"C2", "both operands have the same rank, at least 2"},
                {"C3", "leading (batch) dimensions are equal; nothing is broadcast"},
                {"C4", "both operands have the same extent along k"}};
  op.resolve = resolve_matmul;
  op.choice_points = product_choices;
  op.build = build_matmul;
  return op;
}

Operator dot() {
  Operator op;
  op.name = "dot";
  op.aliases = {"vdot", "inner"};
  op.summary = "result = sum over k of lhs[k] * rhs[k]";
  op.operands = {"lhs", "rhs"};
  op.attributes = {{"out", AttributeKind::FormatName, "", "format of the result; the operands' unless given"}};
  op.clauses = {{"C1", "both operands have the same float format, and the result a float format"},
                {"C2", "both operands are vectors"},
                {"C3", "both operands have the same extent"}};
  op.resolve = resolve_dot;
  op.choice_points = product_choices;
  op.build = build_dot;
  return op;
}

}  // namespace bitpact
