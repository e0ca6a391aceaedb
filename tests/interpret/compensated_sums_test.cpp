// accumulator=f32/kahan@4x4x4 against loops over whole parts, blocks and groups: the fold counts terms, the loops do not. The
// other sums that carry their errors are held against the kernels in tests/liars.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "interpret/interpret.h"
#include "operators/catalogue.h"
#include "operators/recipe.h"

namespace bitpact {
namespace {

/// Every `stride`-th term of x from `lane` on.
struct Lane {
  const std::vector<float>& x;
  std::size_t lane, stride;
  std::size_t size() const { return (x.size() - lane + stride - 1) / stride; }
  float sum(std::size_t begin, std::size_t end) const {
    float sum = 0;
    for (std::size_t i = begin; i < std::min(end, size()); ++i) sum += x[lane + i * stride];
    return sum;
  }
  float block(std::size_t begin) const {
    float sum = 0;
    for (std::size_t group = 0; group < 4; ++group) sum += this->sum(begin + 4 * group, begin + 4 * group + 4);
    return sum;
  }
};

float nested(const Lane& lane) {
  float sum = 0, lost = 0;
  const auto kahan = [&](float part) {
    const float wanted = part - lost, next = sum + wanted;
    lost = (next - sum) - wanted;
    if (!std::isfinite(lost)) lost = 0;
    sum = next;
  };
  const std::size_t whole = lane.size() / 64 * 64, blocks = lane.size() / 16 * 16;
  for (std::size_t part = 0; part < whole; part += 64) {
    float blocks_of_part = 0;
    for (std::size_t block = part; block < part + 64; block += 16) blocks_of_part += lane.block(block);
    kahan(blocks_of_part);
  }
  float rest = 0;
  for (std::size_t block = whole; block < blocks; block += 16) rest += lane.block(block);
  for (std::size_t group = blocks; group < lane.size(); group += 4) rest += lane.sum(group, group + 4);
  kahan(rest);
  return sum;
}

float halved(const std::vector<float>& x) {
  std::vector<float> lanes;
  for (std::size_t lane = 0; lane < 16; ++lane) lanes.push_back(nested({x, lane, 16}));
  for (std::size_t width = 8; width > 0; width /= 2)
    for (std::size_t lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  return lanes[0];
}

/// Outputs of 20 sums that differ; those that a plain sum in the same lanes would give otherwise are counted in `apart`.
int differing(std::size_t n, float first, int* apart = nullptr) {
  const Resolved problem = resolve("sum " + std::to_string(n) + "xf32");
  const Operator& op = operator_named("sum");
  const auto build = [&](const std::string& accumulator) {
    return bind(op.build(problem.formats(), {{"accumulator", accumulator},
                                             {"order", "interleaved(16, interleaved(8, interleaved(4, interleaved(2))))"},
                                             {"start", "zero"},
                                             {"result", "kept"}}),
                problem.binding);
  };
  const BoundProgram program = build("f32/kahan@4x4x4"), plain = build("f32");
  int different = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Recipe recipe;
    recipe.seed = seed;
    recipe.classes = {"wide"};
    std::vector<Tensor> operands =
        make_operands(recipe, problem.problem.operands, problem.binding.operands, independent_axes(problem));
    if (first != 0) operands[0].set(0, std::bit_cast<std::uint32_t>(first));
    std::vector<float> x;
    for (std::int64_t i = 0; i < operands[0].size(); ++i)
      x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(operands[0].get(i))));
    const Bits got = interpret(program, operands).results[0].get(0);
    const float wanted = halved(x);
    different += got != std::bit_cast<std::uint32_t>(wanted);
    if (apart != nullptr) *apart += got != interpret(plain, operands).results[0].get(0);
  }
  return different;
}

TEST(CompensatedSums, OfNestedBlocksAreAsLoopsComputeThem) {
  for (const std::size_t n : {1U, 15U, 63U, 64U, 65U, 255U, 256U, 257U, 300U, 1023U, 1024U, 1025U, 1500U, 2048U, 4097U}) {
    int apart = 0;
    EXPECT_EQ(differing(n, 0, &apart), 0) << n;
    EXPECT_TRUE(n < 300 || apart > 0) << "operands that tell nothing: " << n;
  }
}

TEST(CompensatedSums, AnInfiniteSumLosesNothing) { EXPECT_EQ(differing(4097, std::numeric_limits<float>::infinity()), 0); }

}  // namespace
}  // namespace bitpact
