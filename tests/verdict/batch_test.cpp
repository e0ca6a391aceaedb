#include "verdict/batch.h"

#include <gtest/gtest.h>

namespace bitpact {
namespace {

TEST(Batch, ReadsProblemsContractsAndExpectations) {
  const auto lines = parse_batch(
      "# a comment\n\nadd 4xf32,4xf32\nsum 4xf32 ; contract=c.json ; candidate=iree[features=-fma;-avx2,opt=O0] ; expect=differs "
      " # why\n",
      "f");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].problem, "add 4xf32,4xf32");
  EXPECT_EQ(lines[0].number, 3);
  EXPECT_FALSE(lines[0].expect);
  EXPECT_EQ(*lines[1].contract, "c.json");
  EXPECT_FALSE(lines[0].candidate);
  EXPECT_EQ(*lines[1].candidate, "iree[features=-fma;-avx2,opt=O0]");
  EXPECT_EQ(*lines[1].expect, "differs");
}

TEST(Batch, NamesTheLineThatIsWrong) {
  for (const char* text : {"add 4xf32,4xf32\nadd", "\nadd 4xf32,4xf32 ; expect=perhaps", "\nadd 4xf32,4xf32 ; colour=red",
                           "\nadd 4xf32,4xf32 ; candidate=iree[", "\nadd 4xf32,4xf32 ; expect=exact ; expect=exact"}) {
    try {
      parse_batch(text, "list.txt");
      ADD_FAILURE() << text;
    } catch (const Refused& refused) {
      EXPECT_EQ(refused.diagnostic().code, Code::ProblemSyntax);
      EXPECT_NE(refused.diagnostic().reason.find("list.txt:2"), std::string::npos) << refused.diagnostic().reason;
    }
  }
}

TEST(Batch, CountsWhatIsNotAsExpected) {
  ComparisonRequest settings;
  settings.reference = "native";
  settings.candidate = "native";
  BackendPool pool;
  const auto run = [&](const std::string& text) {
    return run_batch(parse_batch(text, "f"), settings, pool, [](const auto&, const auto&, bool) {});
  };
  EXPECT_EQ(run("add 4xf32,4xf32\nsum 3x4xbf16").exit, 0);
  EXPECT_EQ(run("add 4xf32,4xf32 ; expect=differs").exit, 1);
  EXPECT_EQ(run("add 4xf32,5xf32 ; expect=refused").exit, 0);
  EXPECT_NE(run("add 4xf32,4xf32 ; candidate=nothing").exit, 0);  // the line's own, not the request's
  const BatchSummary refused = run("add 4xf32,4xf32\nadd 4xf32,5xf32");
  EXPECT_EQ(refused.exit, 2);
  EXPECT_EQ(refused.ran, 2);
  EXPECT_EQ(refused.as_expected, 1);
}

}  // namespace
}  // namespace bitpact
