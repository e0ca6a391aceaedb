// Programs that random operands hardly tell apart are told apart all the same; what is one program is no rival of itself.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "probe/asking.h"
#include "probe/distinct.h"
#include "probe/probe.h"
#include "probe/support.h"

namespace bitpact {
namespace {

ProbedPart part_of(const std::string& line, const Choices& changes) {
  const Resolved problem = resolve(line);
  test::Known backend(test::program(problem, changes));
  ProbeSettings settings;
  settings.replay_outputs = 256;
  settings.repeats = 2;
  settings.other_lengths = false;
  const Probed probed = probe(problem, backend, settings);
  EXPECT_TRUE(probed.contract) << (probed.diagnostic ? probed.diagnostic->reason : "");
  return probed.parts.size() == 1 ? probed.parts[0] : ProbedPart{};
}

std::string names(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

// Sums of f16 are exact in f32 unless something small meets something large.
TEST(Parting, TheAccumulatorOfF16) {
  for (const bool wide : {false, true}) {
    const ProbedPart part = part_of("sum 300xf16", {{"accumulator", wide ? "f64" : "f32"}});
    EXPECT_EQ(part.choices.at("accumulator"), wide ? "f64" : "f32");
    const std::string other = wide ? "accumulator=f32" : "accumulator=f64";
    for (const std::string& text : part.not_parted)
      EXPECT_FALSE(text.starts_with(other) && text.substr(other.size(), 1) != "/") << text;
  }
}

// With the last product alone fused, few sums differ.
TEST(Parting, AProductThatIsFusedAtOneLeaf) {
  const ProbedPart part = part_of("dot 257xf32,257xf32", {{"product", "rounded"}, {"start", "first"}});
  EXPECT_EQ(part.choices.at("product"), "rounded");
  EXPECT_EQ(names(part.not_parted).find("product"), std::string::npos) << names(part.not_parted);
}

// Each product starts a chain of its own, and is rounded as such.
TEST(Parting, FusedIsRoundedWhereEveryChainIsOneLeaf) {
  const Resolved problem = resolve("dot 64xf32,64xf32");
  const auto left = [&](const std::string& order, const std::string& start) {
    std::vector<Hypothesis> both;
    for (const char* product : {"rounded", "fused"}) {
      const Choices choices{{"order", order}, {"start", start}, {"product", product}};
      both.push_back({choices, test::program(problem, choices), ""});
    }
    return distinct_at(both, problem.binding).size();
  };
  EXPECT_EQ(left("pairwise(1)", "first"), 1U);
  EXPECT_EQ(left("pairwise(1)", "zero"), 2U);
  EXPECT_EQ(left("pairwise(2)", "first"), 2U);
}

TEST(Parting, SwampedSumsHoldALargeNumberAndItsNegative) {
  for (const char* line : {"sum 5x9xf16 axis=1", "matmul 3x7xbf16,7x2xbf16", "dot 40xf32,40xf32", "sum 3x4xf32 axis=0"}) {
    const Resolved problem = resolve(line);
    test::Known backend(test::program(problem, {}));
    Asker asker(backend, problem);
    const Asked asked = asker.ask_swamped(3);
    const Tensor& x = asked.operands[0];
    double sum = 0, greatest = 0;
    int extremes = 0;
    std::vector<double> values;
    for (std::int64_t i = 0; i < x.size(); ++i) {
      values.push_back(std::bit_cast<double>(convert({x.format(), x.get(i)}, Format::F64)));
      greatest = std::max(greatest, std::abs(values.back()));
    }
    for (const double v : values) {
      extremes += std::abs(v) == greatest ? 1 : 0;
      if (std::abs(v) == greatest) sum += v;
    }
    EXPECT_EQ(sum, 0) << line;
    const std::int64_t rows = x.size() / problem.binding.extents.at(problem.binding.extents.contains("k") ? "k" : "n");
    EXPECT_EQ(extremes, 2 * rows) << line;
    for (size_t o = 1; o < asked.operands.size(); ++o)
      for (std::int64_t i = 0; i < asked.operands[o].size(); ++i)
        EXPECT_EQ(asked.operands[o].get(i), one(asked.operands[o].format())) << line;
  }
}

}  // namespace
}  // namespace bitpact
