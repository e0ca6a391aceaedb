// align=N: a condition that every operator takes, which no program depends on.
#include "operators/alignment.h"

#include <gtest/gtest.h>

#include "diagnostic/diagnostic.h"
#include "operators/catalogue.h"

namespace bitpact {
namespace {

Code refused_code(const std::string& line) {
  try {
    resolve(line);
  } catch (const Refused& refused) {
    return refused.diagnostic().code;
  }
  ADD_FAILURE() << "'" << line << "' was taken";
  return Code::Internal;
}

TEST(Alignment, IsReadAndPrinted) {
  EXPECT_EQ(to_text(resolve("sum 4x8xf32 align=16").problem), "sum 4x8xf32 align=16 axis=1");
  EXPECT_EQ(to_text(resolve("matmul_integer 2x3xui8,3x4xi8 align=1").problem), "integer_matmul 2x3xui8,3x4xi8 align=1");
  EXPECT_EQ(to_text(resolve("exp 4xbf16 align=2").problem), "exp 4xbf16 align=2");
  EXPECT_EQ(alignment_of(resolve("sum 4x8xf32 align=16").problem), 16);
  EXPECT_EQ(alignment_of(resolve("sum 4x8xf32").problem), 64);
  // 64 is what is meant where nothing is said.
  EXPECT_EQ(to_text(resolve("sum 4x8xf32 align=64").problem), "sum 4x8xf32 axis=1");
}

TEST(Alignment, BeginsAtTheWidestElement) {
  EXPECT_EQ(alignments_of(parse_problem("add 4xi8,4xi8")), (std::vector<int>{1, 2, 4, 8, 16, 32, 64}));
  EXPECT_EQ(alignments_of(parse_problem("multiply 4xbf16,4xf32")), (std::vector<int>{4, 8, 16, 32, 64}));
  for (const char* value : {"2", "0", "3", "128", "-4", "04", "x", "4.0", "99999999999999999999"})
    EXPECT_EQ(refused_code(std::string("sum 4x8xf32 align=") + value), Code::BadAttribute) << value;
  EXPECT_EQ(refused_code("sum 4x8xf64 align=4"), Code::BadAttribute);
}

TEST(Alignment, IsNoPartOfTheProgram) {
  const Resolved plain = resolve("matmul 4x8xf32,8x4xf32"), apart = resolve("matmul 4x8xf32,8x4xf32 align=4");
  const Operator& op = operator_named("matmul");
  EXPECT_EQ(op.build(plain.formats(), canonical_choices(op, plain.formats())),
            op.build(apart.formats(), canonical_choices(op, apart.formats())));
  EXPECT_EQ(plain.binding.extents, apart.binding.extents);
}

TEST(Alignment, IsACondition) {
  const Resolved problem = resolve("sum 4x8xf32");
  Contract contract = contract_from_choices(problem, {}, {});
  contract.verified = {to_text(problem.problem)};
  // A contract that does not name it holds for any, predicted.
  EXPECT_TRUE(cover(contract, problem).verified);
  EXPECT_FALSE(cover(contract, resolve("sum 4x8xf32 align=4")).verified);
  // One that does, for the values that it names.
  const Piece other = contract_from_choices(problem, {{"order", "interleaved(8)"}}, {}).pieces[0];
  contract.pieces[0].when = {{"align", "64"}};
  contract.pieces.push_back(other);
  contract.pieces[1].when = {{"align", "4"}};
  EXPECT_EQ(cover(contract, problem).piece, &contract.pieces[0]);
  EXPECT_EQ(cover(contract, resolve("sum 4x8xf32 align=4")).piece, &contract.pieces[1]);
  try {
    cover(contract, resolve("sum 4x8xf32 align=8"));
    ADD_FAILURE() << "align=8 is covered";
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.diagnostic().code, Code::ContractNotForProblem);
    EXPECT_NE(refused.diagnostic().reason.find("align"), std::string::npos) << refused.diagnostic().reason;
  }
}

}  // namespace
}  // namespace bitpact
