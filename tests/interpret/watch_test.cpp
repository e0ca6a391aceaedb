// Which exclusions are reported, by hand; and refusals.
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "diagnostic/diagnostic.h"
#include "interpret/interpret.h"
#include "interpret/same.h"

using namespace bitpact;
using namespace bitpact::test;

namespace {

constexpr std::uint8_t kInput = 1, kIntermediate = 2, kResult = 4, kOverflow = 8;

Tensor floats(std::vector<float> values) {
  Tensor tensor(Format::F32, {static_cast<std::int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) tensor.mutable_as<float>()[i] = values[i];
  return tensor;
}

/// f32: x * y + z, elementwise.
BoundProgram product_and_sum() {
  BodyBuilder body({Format::F32, Format::F32, Format::F32});
  const int product = body.op(ScalarOp::Multiply, Format::F32, {0, 1});
  BoundProgram bound;
  bound.program.nodes = {Input{"x", Format::F32, {"i"}}, Input{"y", Format::F32, {"i"}}, Input{"z", Format::F32, {"i"}},
                         Map{{0, 1, 2}, body.finish({body.op(ScalarOp::Add, Format::F32, {product, 2})}), {"i"}}};
  bound.program.results = {3};
  return bound;
}

/// f32 sum of "i" from `start`, `result` converted.
BoundProgram sum(std::int64_t n, Bits start, Format result) {
  Fold fold;
  fold.operands = {0};
  fold.over = {"i"};
  fold.leaf = identity_body({Format::F32});
  BodyBuilder step({Format::F32, Format::F32});
  fold.step = fold.merge = step.finish({step.op(ScalarOp::Add, Format::F32, {0, 1})});
  BodyBuilder finish({Format::F32});
  fold.finish = finish.finish({finish.convert(0, result)});
  fold.start = {false, {}, {start}};
  BoundProgram bound;
  bound.program.nodes = {Input{"x", Format::F32, {"i"}}, fold};
  bound.program.results = {1};
  bound.extents = {{"i", n}};
  return bound;
}

void expect_flags(const BoundProgram& bound, const std::vector<Tensor>& inputs, const Occurrences& expected) {
  EXPECT_EQ(interpret(bound, inputs, {1, true}).occurrences.at(0), expected);
  EXPECT_EQ(interpret_slowly(bound, inputs, true).occurrences.at(0), expected);
}

constexpr float kTiny = 0x1p-130F, kHuge = 0x1p127F, kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST(Watch, Elementwise) {
  BoundProgram bound = product_and_sum();
  bound.extents = {{"i", 7}};
  const Tensor x = floats({1, kTiny, 0x1p-100F, 0x1p-100F, kHuge, kHuge, kInfinity});
  const Tensor y = floats({1, 1, 0x1p-40F, 1, 4, 1, 2});
  const Tensor z = floats({1, 1, 1, -0x1p-100F + 0x1p-123F, 0, kHuge, 1});
  Tensor difference = z;
  difference.mutable_as<float>()[3] = -(0x1p-100F);
  expect_flags(bound, {x, y, difference},
               {0,                       // nothing
                kInput | kIntermediate,  // the product is subnormal as well
                kIntermediate,           // a product below the normals
                0,                       // an exact zero
                kOverflow,               // the product
                kOverflow,               // the sum, which is the result
                0});                     // an infinity from an infinity
}

TEST(Watch, TheResultItselfIsNoIntermediate) {
  expect_flags(sum(2, 0, Format::F32), {floats({0x1.8p-126F, -0x1p-126F})}, {kResult});
  // Every step is one then.
  expect_flags(sum(3, 0, Format::F32), {floats({0x1.8p-126F, -0x1p-126F, 0})}, {kResult | kIntermediate});
  // Converted: the sum is an intermediate, the bf16 value the result.
  expect_flags(sum(2, 0, Format::BF16), {floats({0x1.8p-126F, -0x1p-126F})}, {kResult | kIntermediate});
  expect_flags(sum(2, 0, Format::F16), {floats({0x1.8p-20F, 0})}, {kResult});
}

TEST(Watch, StartsAndOverflowOfTheConversion) {
  expect_flags(sum(1, 1, Format::F32), {floats({1})}, {kIntermediate});
  expect_flags(sum(1, 0, Format::F16), {floats({1e6F})}, {kOverflow});
  expect_flags(sum(1, 0, Format::BF16), {floats({0x1.ffp127F})}, {kOverflow});
  expect_flags(sum(1, 0, Format::F16), {floats({kInfinity})}, {0});
}

TEST(Watch, OccurrencesTravelAlongNodes) {
  BoundProgram bound = sum(2, 0, Format::F32);
  BodyBuilder body({Format::F32});
  const int big = body.constant(Format::F32, std::bit_cast<std::uint32_t>(kHuge));
  bound.program.nodes.emplace_back(Map{{1}, body.finish({body.op(ScalarOp::Multiply, Format::F32, {0, big})}), {}});
  bound.program.results = {2, 1};
  const std::vector<Tensor> inputs{floats({0x1.8p-126F, -0x1p-126F})};
  const Interpreted watched = interpret(bound, inputs, {1, true});
  EXPECT_EQ(watched.occurrences[0], Occurrences{kIntermediate});  // the sum is an intermediate of this result
  EXPECT_EQ(watched.occurrences[1], Occurrences{kResult});
  EXPECT_TRUE(same(watched, interpret_slowly(bound, inputs, true)));
}

TEST(Interpret, RefusesOtherOperands) {
  const BoundProgram bound = sum(2, 0, Format::F32);
  auto code = [&](std::vector<Tensor> inputs) {
    try {
      interpret(bound, inputs);
    } catch (const Refused& refused) {
      return refused.diagnostic().code;
    }
    return Code::Usage;
  };
  EXPECT_EQ(code({floats({1, 2, 3})}), Code::OperandMismatch);
  EXPECT_EQ(code({}), Code::OperandMismatch);
  EXPECT_EQ(code({floats({1, 2}), floats({1, 2})}), Code::OperandMismatch);
  EXPECT_EQ(code({Tensor(Format::F64, {2})}), Code::OperandMismatch);
}

TEST(Interpret, NaNsOfResultsAreQuietAndPositive) {
  BoundProgram bound;
  bound.program.nodes = {Input{"x", Format::F32, {"i"}}, Map{{0}, identity_body({Format::F32}), {"i"}}};
  bound.program.results = {1, 0};
  bound.extents = {{"i", 1}};
  Tensor x(Format::F32, {1});
  x.set(0, 0xff800001);
  for (const Interpreted& run : {interpret(bound, std::array{x}), interpret_slowly(bound, std::array{x})}) {
    EXPECT_EQ(run.results[0].get(0), quiet_nan(Format::F32));
    EXPECT_EQ(run.results[1].get(0), quiet_nan(Format::F32));
  }
  EXPECT_EQ(x.get(0), 0xff800001);
}

TEST(Interpret, NoOutputsIsNoWork) {
  BoundProgram bound = product_and_sum();
  bound.extents = {{"i", 0}};
  EXPECT_EQ(interpret(bound, std::vector<Tensor>(3, floats({})), {2, true}).results[0].size(), 0);
}
