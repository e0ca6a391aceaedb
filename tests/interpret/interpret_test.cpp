#include "interpret/interpret.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "diagnostic/diagnostic.h"
#include "interpret/random_program.h"
#include "interpret/same.h"

using namespace bitpact;
using namespace bitpact::test;

namespace {

std::uint64_t any_seed() { return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>())); }

/// Everything about one program: the vectorised interpreter and the definition agree, whatever it is run with.
void check_case(std::uint64_t seed) {
  const Case c = RandomCase(seed).make();
  const Interpreted plain = interpret_slowly(c.bound, c.inputs, false);
  const Interpreted watched = interpret_slowly(c.bound, c.inputs, true);
  EXPECT_TRUE(same(plain, interpret(c.bound, c.inputs))) << "seed " << seed;
  const std::vector<Simd> simds = every_simd();
  for (size_t s = 0; s < simds.size(); ++s) {
    const int threads = 1 + static_cast<int>((seed + s) % 2);
    constexpr std::array<int, 5> kLanes{1, 3, 16, 40, 512};
    const int lanes = kLanes[(seed / 2 + s) % kLanes.size()];
    EXPECT_TRUE(same(plain, interpret(c.bound, c.inputs, {threads, false, lanes, simds[s]})))
        << "seed " << seed << ", simd " << s << ", lanes " << lanes << ", threads " << threads;
    EXPECT_TRUE(same(watched, interpret(c.bound, c.inputs, {threads, true, lanes, simds[s]})))
        << "watched, seed " << seed << ", simd " << s << ", lanes " << lanes << ", threads " << threads;
  }
}

}  // namespace

TEST(Interpret, RandomProgramsEqualTheDefinition) {
  for (std::uint64_t seed = 0; seed < 400 && !HasFailure(); ++seed) ASSERT_NO_THROW(check_case(seed)) << "seed " << seed;
}

// A fold that reads nothing: how many elements an axis has, as a number.
TEST(Interpret, AFoldThatReadsNothingCountsItsLeaves) {
  Fold count;
  count.over = {"n"};
  BodyBuilder leaf({}), step({Format::I64, Format::I64}), finish({Format::I64});
  count.leaf = leaf.finish({leaf.constant(Format::I64, 1)});
  count.step = count.merge = step.finish({step.op(ScalarOp::Add, Format::I64, {0, 1})});
  count.finish = finish.finish({finish.convert(0, Format::F16)});
  count.start = {false, {}, {0}};
  for (const Order& order : {Order::sequential(), Order::backwards(), Order::pairwise(1), Order::interleaved(4)}) {
    count.order = order;
    for (const auto& [n, wanted] : {std::pair{1, "1"}, {257, "257"}, {2049, "2048"}, {70000, "inf"}}) {
      const BoundProgram bound{{{count}, {0}}, {{"n", n}}};
      const Interpreted fast = interpret(bound, {}, {.threads = 0, .watch = true});
      EXPECT_EQ(to_text(Scalar{Format::F16, fast.results[0].get(0)}), wanted);
      EXPECT_TRUE(same(interpret_slowly(bound, {}, true), fast)) << n;
    }
  }
}

TEST(Interpret, RandomSeedsEqualTheDefinition) {
  EXPECT_TRUE(rc::check("interpret == interpret_slowly", [] {
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t seed = any_seed();
      check_case(seed);
      RC_ASSERT(!::testing::Test::HasFailure());
    }
  }));
}
