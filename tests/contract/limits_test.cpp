// Programs out of files that are made to cost time or room without end: each is refused by name, soon.
#include <gtest/gtest.h>

#include "contract/contract.h"
#include "contract/samples.h"
#include "contract/words.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

std::string refusal(const NumericProgram& program) {
  try {
    (void)arithmetic_fingerprint(program);
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.diagnostic().code, Code::ContractProgram);
    return refused.diagnostic().reason;
  }
  return "nothing";
}

ScalarBody sum_of_two() {
  BodyBuilder body({Format::F32, Format::F32});
  return body.finish({body.op(ScalarOp::Add, Format::F32, {0, 1})});
}

/// Sums of x * c over axes that x lacks, each with its own c, added as a balanced tree. Adding commutes, so that the order of the
/// axes in the normal form follows from hashes of the order before: it wanders, through more orders than can be tried.
NumericProgram wandering(int folds) {
  NumericProgram program;
  program.nodes.emplace_back(Input{"x", Format::F32, {}});
  std::vector<int> level;
  for (int f = 0; f < folds; ++f) {
    BodyBuilder leaf({Format::F32});
    const int constant = leaf.constant(Format::F32, one(Format::F32) + static_cast<Bits>(f));
    Fold fold;
    fold.operands = {0};
    fold.over = {"k" + std::to_string(f)};
    fold.leaf = leaf.finish({leaf.op(ScalarOp::Multiply, Format::F32, {0, constant})});
    fold.step = fold.merge = sum_of_two();
    fold.finish = fold.start.lift = identity_body({Format::F32});
    level.push_back(static_cast<int>(program.nodes.size()));
    program.nodes.emplace_back(std::move(fold));
  }
  while (level.size() > 1) {
    std::vector<int> next;
    for (std::size_t i = 0; i < level.size(); i += 2) {
      next.push_back(static_cast<int>(program.nodes.size()));
      program.nodes.emplace_back(Map{{level[i], level[i + 1]}, sum_of_two(), {}});
    }
    level = next;
  }
  program.results = level;
  return program;
}

TEST(Limits, AnOrderOfAxesThatDoesNotSettle) {
  EXPECT_EQ(refusal(wandering(4)), "nothing");
  EXPECT_NE(refusal(wandering(64)).find("no order within 64 normal forms"), std::string::npos);
}

TEST(Limits, NodesAxesAndNames) {
  NumericProgram program = samples::sum(Format::F32, Format::F32);
  auto& input = std::get<Input>(program.nodes[0]);
  EXPECT_EQ(refusal(program), "nothing");
  input.name = std::string(129, 'x');
  EXPECT_NE(refusal(program).find("name of 129 bytes"), std::string::npos);
  input.name = "x";
  input.axes.back() = std::string(129, 'n');
  EXPECT_NE(refusal(program).find("has 129 bytes"), std::string::npos);
  for (int a = 0; a < 64; ++a) input.axes.push_back("a" + std::to_string(a));
  EXPECT_NE(refusal(program).find("at most 64"), std::string::npos);
  program = {};
  for (int i = 0; i <= 4096; ++i) program.nodes.emplace_back(Input{"x" + std::to_string(i), Format::F32, {}});
  program.results = {0};
  EXPECT_NE(refusal(program).find("4097 nodes"), std::string::npos);
}

/// Many folds that each need the same long map: it is counted once a fold, on the way down.
TEST(Limits, AMapThatManyFoldsNeed) {
  NumericProgram program;
  program.nodes.emplace_back(Input{"x", Format::F32, {"k"}});
  BodyBuilder body({Format::F32});
  int value = 0;
  for (int i = 0; i < 20'000; ++i) value = body.op(ScalarOp::Add, Format::F32, {value, 0});
  program.nodes.emplace_back(Map{{0}, body.finish({value}), {"k"}});
  int last = 1;
  for (int f = 0; f < 400; ++f) {
    Fold fold;
    fold.operands = {1, last};
    fold.over = {"k"};
    fold.leaf = sum_of_two();
    fold.step = fold.merge = sum_of_two();
    fold.finish = fold.start.lift = identity_body({Format::F32});
    last = static_cast<int>(program.nodes.size());
    program.nodes.emplace_back(std::move(fold));
  }
  program.results = {last};
  EXPECT_NE(refusal(program).find("too many instructions"), std::string::npos);
}

TEST(Limits, AnExpressionOfLongNames) {
  BodyBuilder body({Format::F32});
  int value = 0;
  for (int i = 0; i < 20; ++i) value = body.op(ScalarOp::Add, Format::F32, {value, value});
  const ScalarBody doubled = body.finish({value});
  EXPECT_LT(expression(doubled, value, {std::string(1000, 'x')}).size(), 20'000U);
  EXPECT_NE(expression(doubled, value, {"x"}).find("x + x"), std::string::npos);
}

}  // namespace
}  // namespace bitpact
