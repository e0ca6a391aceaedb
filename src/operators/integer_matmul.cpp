// integer_matmul: products of 8-bit integers, added in i32, as ONNX's MatMulInteger without zero points. i32 sums wrap, so their
// order cannot be seen. What parts implementations: an instruction that adds two products in i16, which saturates, and compilers
// that lose on the way that an operand was unsigned.
#include <fmt/format.h>

#include "operators/building.h"
#include "operators/families.h"

namespace bitpact {
namespace {

const std::vector<std::string> kAccumulators = {"i32", "i16-pairs"};
const std::vector<std::string> kUnsigned = {"kept", "read-as-signed"};

bool is_byte(Format format) { return format == Format::I8 || format == Format::UI8; }

Resolved resolve_integer_matmul(const Operator& op, const Problem& problem) {
  for (const OperandSpec& operand : problem.operands)
    if (!is_byte(operand.format)) violated(op, "C1", fmt::format("{} is neither", name(operand.format)));
  Resolved r = resolve_contraction(op, problem, {"C2", "C3", "C4"});
  r.result.format = Format::I32;
  return r;
}

/// The values of choice point `unsigned`: none but the first where both operands are signed.
std::vector<std::string> unsigned_values(const OperatorFormats& formats) {
  const bool none = formats.operands[0] == Format::I8 && formats.operands[1] == Format::I8;
  return none ? std::vector<std::string>{kUnsigned[0]} : kUnsigned;
}

std::vector<ChoicePoint> integer_matmul_choices(const OperatorFormats& formats) {
  return {{"accumulator",
           kAccumulators,
           "what products are added in",
           {{"i32", "each in i32, which wraps"},
            {"i16-pairs", "terms 2j and 2j + 1 in i16, which saturates, their sums in i32, which wraps"}}},
          {"unsigned",
           unsigned_values(formats),
           "what ui8 operands are taken for",
           {{"kept", "what they are"}, {"read-as-signed", "i8 of the same bits, so that 255 is -1"}}}};
}

ScalarBody product(const OperatorFormats& formats, const std::string& unsigned_operands) {
  BodyBuilder b(formats.operands);
  const auto widened = [&](int operand) {
    const bool other = b.format_of(operand) == Format::UI8 && unsigned_operands == "read-as-signed";
    return b.convert(other ? b.op(ScalarOp::Bitcast, Format::I8, {operand}) : operand, Format::I32);
  };
  const int lhs = widened(0), rhs = widened(1);
  return b.finish({b.op(ScalarOp::Multiply, Format::I32, {lhs, rhs})});
}

// State: the sum, the first product of a pair that waits for its second, whether one waits. A product alone fits i16 but for
// 255 * 255, which saturates like a pair.
void add_in_pairs(Fold& fold) {
  const auto saturated = [](BodyBuilder& b, int value) {
    Policy policy;
    policy.overflow = Overflow::Saturate;
    return b.convert(b.convert(value, Format::I16, policy), Format::I32);
  };
  constexpr int sum = 0, held = 1, waits = 2, term = 3;
  BodyBuilder step({Format::I32, Format::I32, Format::I32, Format::I32});
  const int zero = step.constant(Format::I32, 0);
  const int second = compare(step, Comparison::NE, waits, zero);
  const int pair = saturated(step, step.op(ScalarOp::Add, Format::I32, {held, term}));
  const int next = step.op(ScalarOp::Add, Format::I32, {sum, pair});
  const int next_sum = select(step, second, next, sum), next_held = select(step, second, zero, term);
  const int next_waits = select(step, second, zero, step.constant(Format::I32, 1));
  fold.step = step.finish({next_sum, next_held, next_waits});
  fold.merge = {};
  BodyBuilder finish({Format::I32, Format::I32, Format::I32});
  fold.finish = finish.finish({finish.op(ScalarOp::Add, Format::I32, {sum, saturated(finish, held)})});
  fold.start = {false, {}, {0, 0, 0}};
}

NumericProgram build_integer_matmul(const OperatorFormats& formats, const Choices& choices) {
  Fold fold;
  fold.operands = {0, 1};
  fold.over = {"k"};
  fold.axes = {"*b", "m", "n"};
  fold.leaf = product(formats, chosen(choices, "unsigned", unsigned_values(formats)));
  BodyBuilder step({Format::I32, Format::I32});
  fold.step = fold.merge = step.finish({step.op(ScalarOp::Add, Format::I32, {0, 1})});
  fold.finish = identity_body({Format::I32});
  fold.start = {false, {}, {0}};
  fold.order = Order::sequential();
  if (chosen(choices, "accumulator", kAccumulators) == "i16-pairs") add_in_pairs(fold);
  NumericProgram program;
  program.nodes = {Input{"lhs", formats.operands[0], {"*b", "m", "k"}}, Input{"rhs", formats.operands[1], {"*b", "k", "n"}},
                   std::move(fold)};
  program.results = {2};
  return program;
}

}  // namespace

Operator integer_matmul() {
  Operator op;
  op.name = "integer_matmul";
  op.aliases = {"matmul_integer"};
  op.summary = "result[*b, m, n] = sum over k of lhs[*b, m, k] * rhs[*b, k, n], in i32";
  op.operands = {"lhs", "rhs"};
  op.attributes = {{"transpose_a", AttributeKind::Boolean, "false", "lhs is given as [*b, k, m]"},
                   {"transpose_b", AttributeKind::Boolean, "false", "rhs is given as [*b, n, k]"}};
  op.clauses = {{"C1", "each operand is i8 or ui8"},
                {"C2", "both operands have the same rank, at least 2"},
                {"C3", "leading (batch) dimensions are equal; nothing is broadcast"},
                {"C4", "both operands have the same extent along k"}};
  op.resolve = resolve_integer_matmul;
  op.choice_points = integer_matmul_choices;
  op.build = build_integer_matmul;
  return op;
}

}  // namespace bitpact
