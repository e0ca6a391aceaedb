// Sums whose f32 partial sums are rounded to bf16 after every N terms, against plain loops that know bf16 as the upper half of
// f32.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "interpret/interpret.h"
#include "operators/catalogue.h"
#include "operators/recipe.h"

namespace bitpact {
namespace {

float from_bf16(Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

/// Nearest, ties to even, on the bits; no operand here is a NaN.
Bits to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

/// The N of every value "f32/bf16@N" that the operator lists.
std::vector<std::int64_t> listed_blocks(const Resolved& problem) {
  std::vector<std::int64_t> blocks;
  for (const ChoicePoint& point : operator_named(problem.problem.op).choice_points(problem.formats()))
    for (const std::string& value : point.values)
      if (point.name == "accumulator" && value.starts_with("f32/bf16@")) {
        std::int64_t every = 0;
        std::from_chars(value.data() + 9, value.data() + value.size(), every);
        blocks.push_back(every);
      }
  return blocks;
}

std::vector<Tensor> gentle_operands(const Resolved& problem, std::uint64_t seed) {
  Recipe recipe;
  recipe.seed = seed;
  recipe.classes = {"normal"};
  return make_operands(recipe, problem.problem.operands, problem.binding.operands, independent_axes(problem));
}

/// Differing outputs between the interpreter and the loop, for one N.
std::int64_t differing(const std::string& line, std::int64_t every, Choices choices, std::int64_t* apart = nullptr) {
  const Resolved problem = resolve(line);
  const Operator& op = operator_named(problem.problem.op);
  for (const ChoicePoint& point : op.choice_points(problem.formats())) choices.try_emplace(point.name, point.values.front());
  choices["accumulator"] = fmt::format("f32/bf16@{}", every);
  const BoundProgram program = bind(op.build(problem.formats(), choices), problem.binding);
  const std::int64_t n = problem.problem.operands[0].shape.back();
  std::int64_t different = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<Tensor> operands = gentle_operands(problem, seed);
    float sum = 0, whole = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      float term = from_bf16(operands[0].get(i));
      if (operands.size() > 1) term *= from_bf16(operands[1].get(i));
      sum += term;
      whole += term;
      if ((i + 1) % every == 0) sum = from_bf16(to_bf16(sum));
    }
    const Bits got = interpret(program, operands).results[0].get(0);
    different += got != to_bf16(sum);
    if (apart != nullptr) *apart += to_bf16(sum) != to_bf16(whole);
  }
  return different;
}

TEST(RoundedSums, AreAsALoopComputesThem) {
  for (const std::string line : {"sum 70xbf16", "dot 70xbf16,70xbf16"}) {
    const std::vector<std::int64_t> blocks = listed_blocks(resolve(line));
    ASSERT_GE(blocks.size(), 17U);
    for (const std::int64_t every : blocks) {
      if (every == 1 && line.starts_with("sum")) {
        EXPECT_ANY_THROW(differing(line, every, {})) << "it is accumulator=bf16";
        continue;
      }
      std::int64_t apart = 0;
      EXPECT_EQ(differing(line, every, {{"product", "rounded"}}, &apart), 0) << line << " every " << every;
      EXPECT_GT(apart, 0) << "operands that tell nothing: " << line << " every " << every;
    }
  }
}

// One vector of bf16 is 32 terms; a number of terms that is prime has no other divisor than 1.
TEST(RoundedSums, BlocksOfWholeVectorsAndOfOneTermAreListed) {
  for (const std::string line : {"sum 70xbf16", "mean 70xbf16", "dot 7xbf16,7xbf16", "matmul 2x7xbf16,7x3xbf16"}) {
    const std::vector<std::int64_t> blocks = listed_blocks(resolve(line));
    for (const std::int64_t every : {1, 16, 32}) EXPECT_NE(std::find(blocks.begin(), blocks.end(), every), blocks.end()) << line;
  }
  EXPECT_TRUE(listed_blocks(resolve("sum 70xf16")).empty());
}

}  // namespace
}  // namespace bitpact
