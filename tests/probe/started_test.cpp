// Whether partial results are joined from +0 or from the first of them is found, where that can show at all.
#include "probe/started.h"

#include <gtest/gtest.h>

#include "probe/function_flush.h"
#include "probe/probe.h"
#include "probe/sum_probe.h"
#include "probe/sum_tree.h"
#include "probe/support.h"

namespace bitpact {
namespace {

struct StartedCase {
  const char* problem;
  Choices changes;
  bool flush = false;
  bool shows = true;  ///< a sum of partial results can be -0 where not all of them are
};

class Started : public testing::TestWithParam<StartedCase> {};

TEST_P(Started, IsFound) {
  const StartedCase& c = GetParam();
  const Resolved problem = resolve(c.problem);
  for (const bool started : {false, true}) {
    Choices changes = c.changes;
    std::string& order = changes["order"];
    for (std::string::size_type at = order.find("JOIN"); at != std::string::npos; at = order.find("JOIN"))
      order.replace(at, 4, started ? "from_start" : "sequential");
    order = spelled(parse_order(order));
    NumericProgram known = test::program(problem, changes);
    if (c.flush) known = with_flush(known, true, true);
    test::Known backend(known);
    ProbeSettings settings;
    if (std::getenv("SAY")) settings.say = [](const std::string& s) { std::puts(s.c_str()); };
    settings.replay_outputs = 256;
    settings.repeats = 2;
    settings.other_lengths = false;
    const Probed probed = probe(problem, backend, settings);
    ASSERT_TRUE(probed.contract) << (probed.diagnostic ? probed.diagnostic->reason : "");
    ASSERT_EQ(probed.parts.size(), 1U);
    const bool found = probed.parts[0].order.find("from_start") != std::string::npos;
    EXPECT_EQ(found, started && c.shows) << probed.parts[0].order;
    const auto leaves = problem.binding.extents.at(problem.binding.extents.contains("k") ? "k" : "n");
    EXPECT_EQ(key_of(parse_order(probed.parts[0].order), leaves), key_of(parse_order(order), leaves)) << probed.parts[0].order;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sums, Started,
    testing::Values(
        StartedCase{"sum 3x100xf32", {{"order", "blocked_short_both(32, sequential, JOIN)"}}, true},
        StartedCase{"sum 2x140xf32", {{"order", "blocked(8, sequential, blocked(8, JOIN, JOIN))"}}, true},
        StartedCase{"sum 3x96xf32", {{"order", "interleaved(8, JOIN)"}}, true},
        StartedCase{"sum 2x100xbf16", {{"order", "blocked(32, sequential, JOIN)"}}, true},
        StartedCase{
            "matmul 3x70xbf16,70x2xbf16", {{"order", "blocked(16, sequential, JOIN)"}, {"product", "fused"}}, false, false},
        StartedCase{"matmul 3x70xf32,70x2xf32", {{"order", "blocked(16, sequential, JOIN)"}, {"product", "fused"}}, false, false},
        StartedCase{"sum 3x100xf32", {{"order", "blocked(32, sequential, JOIN)"}}, false, false},
        StartedCase{"sum 3x100xf16", {{"order", "blocked(32, sequential, JOIN)"}}, true, false},
        StartedCase{
            "matmul 3x70xf32,70x2xf32", {{"order", "blocked(16, sequential, JOIN)"}, {"product", "rounded"}}, false, false},
        StartedCase{
            "matmul 3x70xf16,70x2xf16", {{"order", "blocked(16, sequential, JOIN)"}, {"product", "fused"}}, false, false}));

}  // namespace
}  // namespace bitpact
