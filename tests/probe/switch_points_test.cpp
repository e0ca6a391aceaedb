// Where another program takes over along an axis is found, to the extent; what no program gives is a range of its own.
#include "probe/switch_points.h"

#include <gtest/gtest.h>

#include "contract/order.h"
#include "diagnostic/diagnostic.h"
#include "interpret/covered.h"
#include "probe/asking.h"
#include "probe/support.h"

namespace bitpact {
namespace {

/// A sum whose order depends on how long it is: the last entry that begins at or before the length.
class Switching : public test::Known {
 public:
  using Orders = std::map<std::int64_t, std::string>;
  explicit Switching(Orders orders) : Known({}), orders_(std::move(orders)) {}
  Answer call_operator(const Problem& problem, const ResultSpecs&, std::span<const Tensor> operands, const RunOptions&) override {
    const Resolved resolved = resolve(problem);
    const std::int64_t length = resolved.binding.extents.at("n");
    NumericProgram program = test::program(resolved, {});
    const std::string& order = std::prev(orders_.upper_bound(length))->second;
    Answer answer;
    if (order == "wrong") {  // the last term is left out, as no order does
      Tensor shorter = operands[0];
      for (std::int64_t row = 0; row < shorter.shape()[0]; ++row) shorter.set(row * length + length - 1, 0);
      answer.results = interpret(bind(program, resolved.binding), std::vector{shorter}).results;
    } else {
      program = test::program(resolved, {{"order", order}});
      answer.results = interpret(bind(program, resolved.binding), operands).results;
    }
    return answer;
  }

 private:
  Orders orders_;
};

SwitchSettings settings(std::int64_t from, std::int64_t to) {
  SwitchSettings s;
  s.from = from;
  s.to = to;
  s.probe.replay_outputs = 256;
  s.probe.repeats = 2;
  s.probe.other_lengths = false;
  return s;
}

std::vector<std::pair<std::int64_t, std::int64_t>> ends(const SwitchReport& report) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (const SwitchRange& range : report.ranges) all.emplace_back(range.from, range.to);
  return all;
}

TEST(SwitchPoints, AreFoundToTheExtent) {
  Switching backend({{1, "sequential"}, {53, "interleaved(8)"}, {151, "pairwise(4)"}});
  const SwitchReport report = find_switches("sum 3x100xf32", backend, "n", settings(1, 200));
  EXPECT_TRUE(report.complete);
  EXPECT_FALSE(diagnostic_of(report));
  EXPECT_EQ(ends(report), (std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 52}, {53, 150}, {151, 200}}));
  ASSERT_TRUE(report.contract);
  // Each extent has the piece that the backend follows there, visited or not.
  for (const std::int64_t n : {1, 40, 52, 53, 99, 150, 151, 200}) {
    const Resolved problem = resolve("sum 3x" + std::to_string(n) + "xf32");
    Asker asker(backend, problem);
    const Asked asked = asker.ask(Recipe{});
    const Tensor got = interpret(cover(*report.contract, problem), asked.operands).results[0];
    EXPECT_TRUE(std::ranges::equal(got.span(), asked.result.span())) << n;
  }
  EXPECT_THROW(cover(*report.contract, resolve("sum 3x201xf32")), Refused);
}

TEST(SwitchPoints, AProgramCutShortIsNoOther) {
  Switching backend({{1, "tailed(8, interleaved(8, pairwise(1)), continued)"}});
  const SwitchReport report = find_switches("sum 3x40xf32", backend, "n", settings(1, 60));
  EXPECT_EQ(ends(report), (std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 60}}));
  EXPECT_EQ(report.classes.size(), 1U);
  EXPECT_EQ(report.classes[0].verified, report.visited);
}

TEST(SwitchPoints, ARangeBetweenIsFoundWhereTheProblemIsInIt) {
  Switching backend({{1, "sequential"}, {70, "interleaved(8)"}, {75, "sequential"}});
  const SwitchReport report = find_switches("sum 3x72xf32", backend, "n", settings(1, 128));
  EXPECT_EQ(ends(report), (std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 69}, {70, 74}, {75, 128}}));
  EXPECT_EQ(report.ranges[0].of, report.ranges[2].of);
}

TEST(SwitchPoints, WhatFollowsNoProgramIsARangeWithoutAPiece) {
  Switching backend({{1, "sequential"}, {20, "wrong"}, {29, "sequential"}});
  const SwitchReport report = find_switches("sum 3x24xf32", backend, "n", settings(8, 40));
  EXPECT_EQ(ends(report), (std::vector<std::pair<std::int64_t, std::int64_t>>{{8, 19}, {20, 28}, {29, 40}}));
  EXPECT_FALSE(report.classes[report.ranges[1].of].probe.contract);
  ASSERT_TRUE(report.contract);
  EXPECT_THROW(cover(*report.contract, resolve("sum 3x24xf32")), Refused);
  EXPECT_NO_THROW(cover(*report.contract, resolve("sum 3x29xf32")));
}

TEST(SwitchPoints, TheSearchEndsAtSoManyPrograms) {
  Switching::Orders orders;
  for (int i = 0; i < 12; ++i) orders[1 + 10 * i] = "interleaved(" + std::to_string(i + 2) + ")";
  Switching backend(orders);
  SwitchSettings few = settings(30, 120);
  few.most_classes = 3;
  const SwitchReport report = find_switches("sum 3x64xf32", backend, "n", few);
  EXPECT_FALSE(report.complete);
  ASSERT_TRUE(diagnostic_of(report));
  EXPECT_EQ(info(diagnostic_of(report)->code).exit, 4);
  EXPECT_NE(to_text(report).find("incomplete"), std::string::npos);
}

TEST(SwitchPoints, WhatIsNoAxisIsRefused) {
  Switching backend({{1, "sequential"}});
  for (const auto& [axis, from, to] : {std::tuple{"k", 1, 4}, std::tuple{"n", 0, 4}, std::tuple{"n", 5, 4}}) try {
      find_switches("sum 3x24xf32", backend, axis, settings(from, to));
      ADD_FAILURE() << axis;
    } catch (const Refused& refused) {
      EXPECT_EQ(refused.diagnostic().code, Code::BadAttribute);
    }
}

}  // namespace
}  // namespace bitpact
