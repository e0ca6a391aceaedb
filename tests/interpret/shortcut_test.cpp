// Bodies close to those that the interpreter has short cuts for, where a short cut would be wrong.
#include <gtest/gtest.h>

#include "interpret/interpret.h"
#include "interpret/random_program.h"
#include "interpret/same.h"

using namespace bitpact;
using namespace bitpact::test;

namespace {

constexpr Format kF = Format::F32;

Tensor random_tensor(Random& random, Shape shape) {
  Tensor tensor(kF, std::move(shape));
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, one(kF) ^ (random.bits() & 0x00ffffff));
  return tensor;
}

void check(const BoundProgram& bound, const std::vector<Tensor>& inputs) {
  const Interpreted slow = interpret_slowly(bound, inputs);
  for (Simd simd : every_simd()) EXPECT_TRUE(same(slow, interpret(bound, inputs, {1, false, 0, simd})));
  EXPECT_TRUE(same(interpret_slowly(bound, inputs, true), interpret(bound, inputs, {1, true})));
}

/// A fold of lhs [i k] and rhs [k j] over k, in order, from `start`; `step` takes the state and both elements.
void check_step(ScalarBody step, Bits start) {
  Fold fold;
  fold.operands = {0, 1};
  fold.over = {"k"};
  fold.axes = {"i", "j"};
  fold.leaf = identity_body({kF, kF});
  fold.step = std::move(step);
  fold.finish = identity_body({kF});
  fold.start = {false, {}, {start}};
  BoundProgram bound;
  bound.program.nodes = {Input{"lhs", kF, {"i", "k"}}, Input{"rhs", kF, {"k", "j"}}, fold};
  bound.program.results = {2};
  bound.extents = {{"i", 2}, {"k", 6}, {"j", 150}};
  Random random(11);
  check(bound, {random_tensor(random, {2, 6}), random_tensor(random, {6, 150})});
}

}  // namespace

TEST(ShortCuts, TheStateIsAFactor) {
  for (int factor : {1, 2}) {
    BodyBuilder sum({kF, kF, kF});
    const int product = sum.op(ScalarOp::Multiply, kF, {factor, 0});
    check_step(sum.finish({sum.op(ScalarOp::Add, kF, {0, product})}), one(kF));
    BodyBuilder fused({kF, kF, kF});
    check_step(fused.finish({fused.op(ScalarOp::Fma, kF, {0, factor, 0})}), one(kF));
  }
}

TEST(ShortCuts, AFactorIsAConstant) {
  for (int factor : {1, 2}) {
    BodyBuilder body({kF, kF, kF});
    const int third = body.constant(kF, 0x3eaaaaab);
    check_step(body.finish({body.op(ScalarOp::Fma, kF, {third, factor, 0})}), one(kF));
  }
}

TEST(ShortCuts, TheProductIsReadTwice) {
  BodyBuilder body({kF, kF, kF});
  const int product = body.op(ScalarOp::Multiply, kF, {1, 2});
  const int sum = body.op(ScalarOp::Add, kF, {product, 0});
  check_step(body.finish({body.op(ScalarOp::Subtract, kF, {sum, body.op(ScalarOp::Sqrt, kF, {product})})}), one(kF));
  BodyBuilder twice({kF, kF, kF});
  const int p = twice.op(ScalarOp::Multiply, kF, {1, 2});
  check_step(twice.finish({twice.op(ScalarOp::Add, kF, {twice.op(ScalarOp::Add, kF, {p, p}), 0})}), one(kF));
}

TEST(ShortCuts, TheProductOrTheSumHasAnotherPolicy) {
  for (bool product : {false, true}) {
    for (int field = 0; field < 2; ++field) {
      Policy policy;
      if (field == 0) policy.rounding = Rounding::TowardZero;
      if (field == 1) policy.rounding = Rounding::NearestAway;
      BodyBuilder body({kF, kF, kF});
      const int p = body.op(ScalarOp::Multiply, kF, {1, 2}, product ? policy : Policy{});
      check_step(body.finish({body.op(ScalarOp::Add, kF, {0, p}, product ? Policy{} : policy)}), 0);
    }
  }
}

TEST(ShortCuts, TheAddendOrBothFactorsAreTheSameForAllLanes) {
  for (int broadcast = 1; broadcast < 8; ++broadcast) {
    for (bool fused : {false, true}) {
      BodyBuilder body({kF, kF, kF});
      const int result = fused ? body.op(ScalarOp::Fma, kF, {0, 1, 2})
                               : body.op(ScalarOp::Add, kF, {body.op(ScalarOp::Multiply, kF, {0, 1}), 2});
      Random random(static_cast<std::uint64_t>(broadcast));
      BoundProgram bound;
      bound.extents = {{"i", 3}, {"j", 40}};
      std::vector<Tensor> inputs;
      for (int operand = 0; operand < 3; ++operand) {
        const bool one_a_row = (broadcast >> operand & 1) != 0;
        bound.program.nodes.emplace_back(Input{"x" + std::to_string(operand), kF, one_a_row ? Axes{"i"} : Axes{"i", "j"}});
        inputs.push_back(random_tensor(random, one_a_row ? Shape{3} : Shape{3, 40}));
      }
      bound.program.nodes.emplace_back(Map{{0, 1, 2}, body.finish({result}), {"i", "j"}});
      bound.program.results = {3};
      check(bound, inputs);
    }
  }
}

TEST(ShortCuts, TheStartIsHandedOn) {
  // The subnormal start is the result itself, and nothing else is subnormal.
  ScalarBody keep;
  keep.arguments = {kF, kF, kF};
  keep.results = {0};
  check_step(keep, smallest_subnormal(kF));
  Fold fold;
  fold.operands = {0};
  fold.over = {"i"};
  fold.leaf = fold.finish = identity_body({kF});
  keep.arguments = {kF, kF};
  fold.step = keep;
  fold.start = {false, {}, {1}};
  BoundProgram bound;
  bound.program.nodes = {Input{"x", kF, {"i"}}, fold};
  bound.program.results = {1};
  bound.extents = {{"i", 3}};
  Random random(1);
  const std::vector<Tensor> inputs{random_tensor(random, {3})};
  EXPECT_EQ(interpret(bound, inputs, {1, true}).occurrences[0], Occurrences{4});
  check(bound, inputs);
}
