// matmul: result[*b, m, n] = sum over k of lhs[*b, m, k] * rhs[*b, k, n].
#include <fmt/format.h>

#include "operators/building.h"
#include "operators/families.h"

namespace bitpact {
namespace {

Resolved resolve_matmul(const Operator& op, const Problem& problem) {
  require_floats(op, problem, "C1");
  require_same_formats(op, problem, "C1");
  const Shape& lhs = problem.operands[0].shape;
  const Shape& rhs = problem.operands[1].shape;
  const size_t rank = lhs.size();
  if (rank < 2 || rhs.size() != rank) violated(op, "C2", fmt::format("ranks {} and {}", rank, rhs.size()));
  const size_t batch = rank - 2;

  Resolved r;
  r.problem = problem;
  Axes& pack = r.binding.packs["*b"];
  for (size_t i = 0; i < batch; ++i) {
    if (lhs[i] != rhs[i]) violated(op, "C3", fmt::format("{} against {} in dimension {}", lhs[i], rhs[i], i));
    pack.push_back(fmt::format("b{}", i));
    r.binding.extents[pack.back()] = lhs[i];
  }
  const auto axes = [&pack](const char* outer, const char* inner, bool transposed) {
    Axes a = pack;
    a.emplace_back(transposed ? inner : outer);
    a.emplace_back(transposed ? outer : inner);
    return a;
  };
  const bool ta = flag(op, problem, "transpose_a");
  const bool tb = flag(op, problem, "transpose_b");
  const std::int64_t m = lhs[batch + (ta ? 1 : 0)], k = lhs[batch + (ta ? 0 : 1)];
  const std::int64_t n = rhs[batch + (tb ? 0 : 1)], rhs_k = rhs[batch + (tb ? 1 : 0)];
  if (k != rhs_k) violated(op, "C4", fmt::format("{} against {}", k, rhs_k));

  r.binding.operands = {axes("m", "k", ta), axes("k", "n", tb)};
  r.binding.result = axes("m", "n", false);
  r.binding.extents.insert({{"m", m}, {"n", n}, {"k", k}});
  r.result.format = float_result(op, r.problem, "C1");
  for (const std::string& axis : r.binding.result) r.result.shape.push_back(r.binding.extents.at(axis));
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
  return default_accumulator(formats.operands[0]) == formats.operands[0]
             ? std::vector<std::string>{"rounded", "fused"}
             : std::vector<std::string>{"rounded", "fused", "storage"};
}

std::vector<ChoicePoint> matmul_choices(const OperatorFormats& formats) {
  std::vector<ChoicePoint> points = sum_choice_points(formats);
  points.insert(points.begin() + 1,
                {"product", products(formats),
                 "rounded to the accumulator's format, fused into the addition (FMA), or rounded to the operands' format"});
  return points;
}

NumericProgram build_matmul(const OperatorFormats& formats, const Choices& choices) {
  const Format operand = formats.operands[0];
  const Accumulator accumulator = parse_accumulator(formats, choices);
  const SumTerm term = product_term(operand, accumulator.format, chosen(choices, "product", products(formats)));
  NumericProgram program;
  program.nodes = {Input{"lhs", operand, {"*b", "m", "k"}}, Input{"rhs", operand, {"*b", "k", "n"}},
                   sum_fold({0, 1}, {"k"}, {"*b", "m", "n"}, term, accumulator, formats.result, choices)};
  program.results = {2};
  return program;
}

}  // namespace

Operator matmul() {
  Operator op;
  op.name = "matmul";
  op.aliases = {"dot", "gemm", "batch_matmul"};
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
  op.choice_points = matmul_choices;
  op.build = build_matmul;
  return op;
}

}  // namespace bitpact
