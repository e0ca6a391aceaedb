// Where the conditions make a difference, the contract has a piece for each; where they make none, it says that it was asked.
#include "probe/vary.h"

#include <gtest/gtest.h>

#include "diagnostic/diagnostic.h"
#include "interpret/covered.h"
#include "operators/alignment.h"
#include "probe/asking.h"
#include "probe/support.h"

namespace bitpact {
namespace {

/// A sum or a product whose order is told by what it is asked under.
class Conditional : public test::Known {
 public:
  using Order = std::function<std::string(const Problem& problem, const BackendSpec& backend)>;
  Conditional(Order order, BackendSpec spec) : Known({}), order_(std::move(order)), spec_(std::move(spec)) {
    const auto threads = spec_.options.find("threads");
    if (threads != spec_.options.end()) identity_.threads = threads->second;
  }
  const BackendSpec& spec() const override { return spec_; }
  const Identity& identity() const override { return identity_; }
  Answer call_operator(const Problem& problem, const ResultSpecs&, std::span<const Tensor> operands, const RunOptions&) override {
    const Resolved resolved = resolve(problem);
    const std::string order = order_(problem, spec_);
    if (order == "refused") refuse(Code::BackendLacksForm, "not so");
    std::vector<Tensor> given(operands.begin(), operands.end());
    if (order == "wrong") given[0].set(given[0].size() - 1, 0);  // the last term is left out, as no order does
    const Choices choices = order.empty() ? Choices{} : Choices{{"order", order == "wrong" ? "sequential" : order}};
    const NumericProgram program = test::program(resolved, choices);
    Answer answer;
    answer.results = interpret(bind(program, resolved.binding), given).results;
    return answer;
  }

 private:
  Order order_;
  BackendSpec spec_;
  Identity identity_{"conditional", "1", "none", "cpu", "none", "none", "one", "unobserved"};
};

VaryReport varied(const std::string& line, const std::vector<std::string>& names, const Conditional::Order& order) {
  ProbeSettings settings;
  settings.replay_outputs = 256;
  settings.repeats = 2;
  settings.other_lengths = false;
  Conditional backend(order, {"worker", "it", {}});
  return vary(
      line, backend, names, [&](const BackendSpec& spec) { return std::make_unique<Conditional>(order, spec); }, settings);
}

std::string by_alignment(const Problem& problem, const BackendSpec&) {
  const int align = alignment_of(problem);
  return align >= 16 ? "interleaved(8)" : align == 8 ? "pairwise(4)" : "sequential";
}

std::vector<size_t> programs(const VaryReport& report) {
  std::vector<size_t> all;
  for (const VaryAnswer& answer : report.answers) all.push_back(answer.of);
  return all;
}

TEST(Vary, APieceForEachConditionThatMakesADifference) {
  const VaryReport report = varied("sum 3x40xf32", {"align=4,16,64"}, by_alignment);
  EXPECT_EQ(programs(report), (std::vector<size_t>{0, 1, 0}));  // 64, 4, 16
  EXPECT_FALSE(diagnostic_of(report));
  EXPECT_EQ(report.unasked, std::vector{Unasked::NotCovered});
  EXPECT_TRUE(report.answers[0].differences.empty());
  ASSERT_FALSE(report.answers[1].differences.empty());
  EXPECT_NE(report.answers[1].differences[0].find("order"), std::string::npos) << report.answers[1].differences[0];
  EXPECT_GE(report.answers[2].outputs, 256);
  ASSERT_TRUE(report.contract);
  ASSERT_EQ(report.contract->pieces.size(), 3U);
  Conditional backend(by_alignment, {"worker", "it", {}});
  for (const char* align : {"64", "4", "16"}) {
    const Resolved problem = resolve(std::string("sum 3x40xf32 align=") + align);
    const Covered covered = cover(*report.contract, problem);
    EXPECT_TRUE(covered.verified) << align;
    EXPECT_EQ(covered.piece->when, (std::map<std::string, std::string>{{"align", align}}));
    Asker asker(backend, problem);
    const Asked asked = asker.ask(Recipe{});
    EXPECT_TRUE(std::ranges::equal(interpret(covered, asked.operands).results[0].span(), asked.result.span())) << align;
  }
  for (const char* align : {"8", "32"})
    EXPECT_THROW(cover(*report.contract, resolve(std::string("sum 3x40xf32 align=") + align)), Refused) << align;
  // It is read back as what it is.
  EXPECT_EQ(read_contract(write_contract(*report.contract)), *report.contract);
  const std::string text = to_text(report);
  EXPECT_NE(text.find("other values of align: not covered"), std::string::npos) << text;
}

TEST(Vary, WhereNoneMakesADifferenceThereIsNoCondition) {
  const VaryReport report = varied("sum 3x40xf32", {"align=4,16"}, [](auto&, auto&) { return "interleaved(8)"; });
  EXPECT_EQ(programs(report), (std::vector<size_t>{0, 0, 0}));
  EXPECT_EQ(report.unasked, std::vector{Unasked::Predicted});
  ASSERT_TRUE(report.contract);
  ASSERT_EQ(report.contract->pieces.size(), 1U);
  EXPECT_TRUE(report.contract->pieces[0].when.empty());
  EXPECT_EQ(report.contract->verified,
            (std::vector<std::string>{"sum 3x40xf32 axis=1", "sum 3x40xf32 align=4 axis=1", "sum 3x40xf32 align=16 axis=1"}));
  EXPECT_NE(to_text(report).find("predicted, not verified"), std::string::npos);
}

// Only what makes a difference is a condition; combinations are asked.
TEST(Vary, NamesAreCombined) {
  const VaryReport report = varied("matmul 3x24xf32,24x4xf32", {"transpose_b=true", "align=4"}, by_alignment);
  EXPECT_EQ(programs(report), (std::vector<size_t>{0, 1, 0, 1}));
  EXPECT_EQ(report.unasked, (std::vector{Unasked::None, Unasked::NotCovered}));
  ASSERT_TRUE(report.contract);
  EXPECT_EQ(report.contract->pieces.size(), 2U);
  for (const Piece& piece : report.contract->pieces) EXPECT_FALSE(piece.when.contains("transpose_b"));
  EXPECT_TRUE(cover(*report.contract, resolve("matmul 3x24xf32,4x24xf32 align=4 transpose_b=true")).verified);
}

TEST(Vary, OptionsAreOtherIdentities) {
  const auto order = [](const Problem&, const BackendSpec& spec) -> std::string {
    const auto threads = spec.options.find("threads");
    return threads != spec.options.end() && threads->second == "2" ? "pairwise(4)" : "sequential";
  };
  const VaryReport report = varied("sum 3x40xf32", {"threads=1,2", "align=4"}, order);
  EXPECT_EQ(programs(report), (std::vector<size_t>{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(report.unasked, (std::vector{Unasked::Others, Unasked::Predicted}));
  EXPECT_EQ(report.answers[0].condition.options.size(), 0U);
  EXPECT_EQ(to_text(report.answers[4].condition.backend), "worker[threads=2]:it");
  EXPECT_EQ(report.answers[4].identity_differences,
            std::vector<std::string>{"identity.threads: \"one\" in the first, \"2\" in the second"});
  EXPECT_FALSE(report.answers[4].differences.empty());
  // The contract is that of the backend as it was given.
  ASSERT_TRUE(report.contract);
  EXPECT_EQ(report.contract->pieces.size(), 1U);
  EXPECT_EQ(report.contract->identity.threads, "one");
  EXPECT_EQ(report.contract->verified.size(), 2U);
}

TEST(Vary, WhatFollowsNoProgramHasNoPiece) {
  const VaryReport report = varied("sum 3x24xf32", {"align=4,8"}, [](const Problem& problem, auto&) {
    return alignment_of(problem) == 4 ? "wrong" : "sequential";
  });
  EXPECT_EQ(programs(report), (std::vector<size_t>{0, 1, 0}));
  ASSERT_TRUE(diagnostic_of(report));
  EXPECT_EQ(info(diagnostic_of(report)->code).exit, 4);
  ASSERT_TRUE(report.contract);
  EXPECT_EQ(report.contract->pieces.size(), 2U);
  EXPECT_THROW(cover(*report.contract, resolve("sum 3x24xf32 align=4")), Refused);
  EXPECT_TRUE(cover(*report.contract, resolve("sum 3x24xf32 align=8")).verified);
  // By their bits: those that have the term are all others than those that have it not.
  EXPECT_EQ(report.answers[1].compared, 16 * 3);
  EXPECT_GT(report.answers[1].different, 0);
  EXPECT_LE(report.answers[1].different, 16);  // one of the three sums lacks it
  EXPECT_EQ(report.answers[2].compared, 0);
  EXPECT_NE(to_text(report).find("no program: sum 3x24xf32 align=4"), std::string::npos) << to_text(report);
}

TEST(Vary, FunctionsAreAskedLikewise) {
  const VaryReport report = varied("floor 40xf16", {"align=2,32"}, [](auto&, auto&) { return ""; });
  EXPECT_EQ(programs(report), (std::vector<size_t>{0, 0, 0}));
  ASSERT_TRUE(report.contract);
  EXPECT_TRUE(cover(*report.contract, resolve("floor 40xf16 align=2")).verified);
}

TEST(Vary, WhatCannotBeAskedIsRefused) {
  const auto plain = [](auto&, auto&) { return "sequential"; };
  const auto code = [&](const std::string& line, const std::vector<std::string>& names, const Conditional::Order& order) {
    try {
      varied(line, names, order);
    } catch (const Refused& refused) {
      return refused.diagnostic().code;
    }
    ADD_FAILURE() << line << " " << names[0];
    return Code::Internal;
  };
  for (const char* malformed : {"align", "=4", "align=", "align=4,,8"})
    EXPECT_EQ(code("sum 3x8xf32", {malformed}, plain), Code::Usage) << malformed;
  EXPECT_EQ(code("sum 3x8xf32", {"align=4", "align=8"}, plain), Code::Usage);
  EXPECT_EQ(code("sum 3x8xf32", {"a=1,2,3,4,5,6,7,8", "b=1,2,3,4,5,6,7,8"}, plain), Code::Usage);  // 81 conditions
  EXPECT_EQ(code("sum 3x8xf32", {"align=2"}, plain), Code::BadAttribute);
  EXPECT_EQ(code("matmul 3x8xf32,8x4xf32", {"out=bf16"}, plain), Code::BadAttribute);
  EXPECT_EQ(code("sum 3x8xf32", {"axis=7"}, plain), Code::ClauseViolated);
  EXPECT_EQ(code("sum 3x8xf32", {"align=4"},
                 [](const Problem& problem, auto&) { return alignment_of(problem) == 4 ? "refused" : "sequential"; }),
            Code::BackendLacksForm);
  try {
    parse_varied("speed=1", resolve("sum 3x8xf32"), parse_backend("xla"));
    ADD_FAILURE() << "speed";
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.diagnostic().code, Code::UnknownAttribute);
    EXPECT_NE(refused.diagnostic().reason.find("threads"), std::string::npos) << refused.diagnostic().reason;
  }
  EXPECT_TRUE(parse_varied("threads=1", resolve("sum 3x8xf32"), parse_backend("xla")).option);
}

}  // namespace
}  // namespace bitpact
