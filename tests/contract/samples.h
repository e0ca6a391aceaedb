// Programs that real operators have, by hand.
#pragma once

#include "contract/contract.h"

namespace bitpact::samples {

enum class Product : std::uint8_t { Rounded, Fused };
enum class From : std::uint8_t { Zero, NegativeZero, First };

struct Matmul {
  Format operand = Format::F32, accumulator = Format::F32, result = Format::F32;
  Product product = Product::Rounded;
  From start = From::Zero;
  Order order = Order::sequential();
  Policy sum;  ///< of the partial sums
};

inline NumericProgram matmul(const Matmul& m = {}) {
  const Format acc = m.accumulator;
  const bool fused = m.product == Product::Fused;
  Fold fold;
  fold.operands = {0, 1};
  fold.over = {"k"};
  fold.axes = {"*b", "m", "n"};
  BodyBuilder leaf({m.operand, m.operand});
  const int a = leaf.convert(0, acc), b = leaf.convert(1, acc);
  fold.leaf = leaf.finish(fused ? std::vector{a, b} : std::vector{leaf.op(ScalarOp::Multiply, acc, {a, b})});
  BodyBuilder step(fused ? std::vector<Format>(3, acc) : std::vector<Format>(2, acc));
  fold.step = step.finish({fused ? step.op(ScalarOp::Fma, acc, {1, 2, 0}, m.sum) : step.op(ScalarOp::Add, acc, {0, 1}, m.sum)});
  BodyBuilder merge({acc, acc});
  fold.merge = merge.finish({merge.op(ScalarOp::Add, acc, {0, 1}, m.sum)});
  BodyBuilder finish({acc});
  fold.finish = finish.finish({finish.convert(0, m.result)});
  if (m.start == From::First) {
    BodyBuilder lift(fused ? std::vector<Format>(2, acc) : std::vector<Format>(1, acc));
    fold.start.lift = lift.finish({fused ? lift.op(ScalarOp::Multiply, acc, {0, 1}, m.sum) : 0});
  } else {
    fold.start = {false, {}, {m.start == From::Zero ? positive_zero(acc) : negative_zero(acc)}};
  }
  fold.order = m.order;
  return {{Input{"lhs", m.operand, {"*b", "m", "k"}}, Input{"rhs", m.operand, {"*b", "k", "n"}}, fold}, {2}};
}

inline NumericProgram sum(Format operand, Format accumulator, const Order& order = Order::sequential()) {
  Fold fold;
  fold.operands = {0};
  fold.over = {"n"};
  fold.axes = {"*o"};
  BodyBuilder leaf({operand});
  fold.leaf = leaf.finish({leaf.convert(0, accumulator)});
  BodyBuilder step({accumulator, accumulator});
  fold.step = step.finish({step.op(ScalarOp::Add, accumulator, {0, 1})});
  fold.merge = fold.step;
  BodyBuilder finish({accumulator});
  fold.finish = finish.finish({finish.convert(0, operand)});
  fold.start = {false, {}, {positive_zero(accumulator)}};
  fold.order = order;
  return {{Input{"x", operand, {"*o", "n"}}, fold}, {1}};
}

inline NumericProgram maximum(NanRule nan) {
  Fold fold;
  fold.operands = {0};
  fold.over = {"n"};
  fold.axes = {};
  fold.leaf = identity_body({Format::F32});
  BodyBuilder step({Format::F32, Format::F32});
  Instruction i;
  i.op = ScalarOp::Maximum;
  i.nan = nan;
  i.args = {0, 1, -1};
  fold.step = step.finish({step.push(i)});
  fold.finish = identity_body({Format::F32});
  fold.start.lift = identity_body({Format::F32});
  return {{Input{"x", Format::F32, {"n"}}, fold}, {1}};
}

inline NumericProgram elementwise(const ScalarBody& body) {
  NumericProgram program;
  Map map;
  for (size_t a = 0; a < body.arguments.size(); ++a) {
    program.nodes.emplace_back(Input{std::string(1, static_cast<char>('a' + a)), body.arguments[a], {"*d"}});
    map.operands.push_back(static_cast<int>(a));
  }
  map.body = body;
  map.axes = {"*d"};
  program.nodes.emplace_back(map);
  program.results = {static_cast<int>(program.nodes.size()) - 1};
  return program;
}

inline NumericProgram multiply_add(Format format, bool fused) {
  BodyBuilder b({format, format, format});
  return elementwise(b.finish({fused ? b.op(ScalarOp::Fma, format, {0, 1, 2})
                                     : b.op(ScalarOp::Add, format, {b.op(ScalarOp::Multiply, format, {0, 1}), 2})}));
}

/// Kahan's compensated sum: a state of two components.
inline NumericProgram kahan_sum() {
  Fold fold;
  fold.operands = {0};
  fold.over = {"n"};
  fold.leaf = identity_body({Format::F32});
  BodyBuilder step({Format::F32, Format::F32, Format::F32});  // sum, compensation, leaf
  const int y = step.op(ScalarOp::Subtract, Format::F32, {2, 1});
  const int t = step.op(ScalarOp::Add, Format::F32, {0, y});
  const int c = step.op(ScalarOp::Subtract, Format::F32, {step.op(ScalarOp::Subtract, Format::F32, {t, 0}), y});
  fold.step = step.finish({t, c});
  BodyBuilder finish({Format::F32, Format::F32});
  fold.finish = finish.finish({0});
  fold.start = {false, {}, {0, 0}};
  return {{Input{"x", Format::F32, {"n"}}, fold}, {1}};
}

/// Every prefix, in the operands' format, from -0.
inline NumericProgram cumulative_sum() {
  NumericProgram program = sum(Format::BF16, Format::BF16);
  auto& fold = std::get<Fold>(program.nodes[1]);
  fold.axes = {"*o", "n"};
  fold.emit = Emit::Prefixes;
  fold.start.values = {negative_zero(Format::BF16)};
  return program;
}

}  // namespace bitpact::samples
