// Programs and differences in words.
#include "contract/words.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "contract/one_step.h"
#include "contract/samples.h"

namespace bitpact {
namespace {

using samples::From;
using samples::matmul;
using samples::Product;
using Sentences = std::vector<std::string>;

TEST(InWords, TellsMatmulsApart) {
  EXPECT_EQ(in_words(matmul()),
            (Sentences{
                "lhs f32 [*b, m, k], rhs f32 [*b, k, n]",
                "over k: each product lhs * rhs is rounded to f32, then added to an accumulator in f32, each partial sum rounded "
                "to f32; in order; starting from +0",
                "result f32 [*b, m, n]: the sum over k", "rounding boundaries in order: product -> f32; partial sum -> f32"}));
  EXPECT_EQ(
      in_words(matmul({.product = Product::Fused, .start = From::First, .order = Order::interleaved(8, Order::pairwise(1))}))[1],
      "over k: each product lhs * rhs is added to an accumulator in f32, each partial sum rounded to f32 by FMA, not rounded by "
      "itself; interleaved(8), lanes joined pairwise(1); starting with the first product, rounded to f32; partial results are "
      "added, rounded to f32");
  EXPECT_EQ(
      in_words(matmul({.operand = Format::BF16, .result = Format::BF16})),
      (Sentences{"lhs bf16 [*b, m, k], rhs bf16 [*b, k, n]",
                 "over k: each product lhs * rhs is rounded to f32 (exact unless it overflows or is subnormal), then added to an "
                 "accumulator in f32, each partial sum rounded to f32; in order; starting from +0",
                 "result bf16 [*b, m, n]: the sum over k, rounded to bf16",
                 "rounding boundaries in order: product -> f32; partial sum -> f32; result f32 -> bf16"}));
  // An f16 product is exact in f32, fused or not.
  EXPECT_EQ(in_words(matmul({.operand = Format::F16, .result = Format::F16, .product = Product::Fused}))[3],
            "rounding boundaries in order: partial sum -> f32; result f32 -> f16");
}

TEST(InWords, KnowsOtherFolds) {
  EXPECT_EQ(in_words(samples::maximum(NanRule::Number))[1],
            "over n: the maximum of x in f32, where a NaN loses against a number; in order; starting with the first term");
  EXPECT_EQ(in_words(samples::cumulative_sum())[1],
            "over n: each x is added to an accumulator in bf16, each partial sum rounded to bf16; in order; starting with the "
            "first term; "
            "every prefix is given");
  EXPECT_EQ(in_words(samples::kahan_sum())[1].substr(0, 46), "over n: state in f32, f32; each step makes it ");
  EXPECT_EQ(
      in_words(samples::sum(Format::F32, Format::F32, Order::backwards()))[1],
      "over n: each x is added to an accumulator in f32, each partial sum rounded to f32; in reverse order; starting from +0");
}

TEST(RoundingBoundaries, AreListedInOrder) {
  EXPECT_EQ(rounding_boundaries(samples::multiply_add(Format::F32, false)),
            (Sentences{"result product -> f32", "result sum -> f32"}));
  EXPECT_EQ(rounding_boundaries(samples::multiply_add(Format::F32, true)), (Sentences{"result fma -> f32"}));
  EXPECT_EQ(rounding_boundaries(matmul({.product = Product::Fused, .start = From::First})),
            (Sentences{"first product -> f32", "partial sum -> f32"}));
  EXPECT_EQ(rounding_boundaries(matmul({.operand = Format::BF16,
                                        .accumulator = Format::BF16,
                                        .result = Format::BF16,
                                        .order = Order::interleaved(4),
                                        .sum = {.rounding = Rounding::TowardZero, .flush_out = true}})),
            (Sentences{"product -> bf16", "partial sum -> bf16 (toward-zero, subnormal results to zero)",
                       "sum of partial sums -> bf16 (toward-zero, subnormal results to zero)"}));
}

TEST(Expression, SaysEverythingThatMatters) {
  BodyBuilder b({Format::F16, Format::F32});
  const int x = b.op(ScalarOp::Multiply, Format::F32, {0, 1}, {.rounding = Rounding::Up});
  const int y = b.op(ScalarOp::Subtract, Format::F32, {x, b.constant(Format::F32, one(Format::F32))});
  Instruction less{ScalarOp::Compare, Format::I1, {}, NanRule::Any, Comparison::LT, {y, 1, -1}, 0};
  const int condition = b.push(less);
  const int chosen = b.op(ScalarOp::Select, Format::F32, {condition, y, 1});
  const ScalarBody body = b.finish({chosen});
  EXPECT_EQ(expression(body, body.results[0], {"p", "q"}),
            "select(compare.LT((p * q:f32 {up}) - 1:f32, q), (p * q:f32 {up}) - 1:f32, q)");
}

TEST(Expression, IsCutShortWhereItWouldExplode) {
  BodyBuilder b({Format::F32});
  int v = 0;
  for (int i = 0; i < 100; ++i) v = b.op(ScalarOp::Add, Format::F32, {v, v});
  const ScalarBody body = b.finish({v});
  EXPECT_LT(expression(body, v, {"x"}).size(), 10000u);
}

TEST(Differences, NameTheChoice) {
  const auto of = [](const samples::Matmul& a, const samples::Matmul& b) { return differences(matmul(a), matmul(b)); };
  EXPECT_EQ(of({}, {}), Sentences{});
  EXPECT_EQ(of({.start = From::First}, {.start = From::NegativeZero}), Sentences{});
  EXPECT_EQ(of({}, {.product = Product::Fused}),
            Sentences{"the sum over k: product: rounded to f32 in the first, fused: not rounded by itself (FMA) in the second"});
  EXPECT_EQ(of({}, {.order = Order::backwards()}),
            Sentences{"the sum over k: order: in order in the first, in reverse order in the second"});
  EXPECT_EQ(of({}, {.start = From::First}),
            Sentences{"the sum over k: start: from +0 in the first, with the first product in the second"});
  EXPECT_EQ(
      of({}, {.result = Format::BF16}),
      Sentences{
          "result: f32 [*b, m, n]: the sum over k in the first, bf16 [*b, m, n]: the sum over k, rounded to bf16 in the second"});
  EXPECT_EQ(of({}, {.sum = {.rounding = Rounding::Down}})[0],
            "the sum over k: partial sums: rounded to f32 in the first, rounded to f32 (down) in the second");
  const Sentences accumulator = of({.operand = Format::BF16, .result = Format::BF16},
                                   {.operand = Format::BF16, .accumulator = Format::BF16, .result = Format::BF16});
  ASSERT_FALSE(accumulator.empty());
  EXPECT_EQ(accumulator[0], "the sum over k: accumulator: f32 in the first, bf16 in the second");
}

RC_GTEST_PROP(Differences, AreEmptyExactlyWhereTheNormalFormsAreEqual, ()) {
  generate::Random random(*generate::seed());
  const generate::Case c = generate::program(random);
  for (int n = 0; n < 5; ++n) {
    const auto rewritten = random.pick(generate::all_rewrites()).rewrite(random, c);
    if (rewritten) RC_ASSERT(differences(c.program, rewritten->program).empty());
    const auto changed = generate::one_step(random, c);
    if (changed)
      RC_ASSERT(differences(c.program, changed->program).empty() == (normal_form(c.program) == normal_form(changed->program)));
  }
  RC_ASSERT(!in_words(c.program).empty());
}

TEST(Differences, NameEveryFieldOfAContract) {
  generate::Random random(3);
  Contract a = generate::contract(random);
  a.pieces.resize(1);
  a.pieces[0].when.clear();
  const auto only = [&a](auto change) {
    Contract b = a;
    change(b);
    const Sentences words = differences(a, b);
    return words.size() == 1 ? words[0] : "not one sentence: " + std::to_string(words.size());
  };
  EXPECT_TRUE(differences(a, a).empty());
  EXPECT_EQ(only([](Contract& c) { c.identity.version = "0.33"; }),
            "identity.version: \"0.32.4\" in the first, \"0.33\" in the second");
  EXPECT_EQ(only([](Contract& c) { c.identity.kernel = "tiled"; }),
            "identity.kernel: \"unobserved\" in the first, \"tiled\" in the second");
  EXPECT_EQ(only([](Contract& c) { c.op.attributes = {{"p", "q"}}; }).substr(0, 20), "operator.attributes:");
  EXPECT_EQ(only([](Contract& c) {
              c.pieces[0].when = {{"threads", "1"}};
            }),
            "program: when: none in the first, threads=1 in the second");
  EXPECT_EQ(only([](Contract& c) { c.pieces[0].shapes = {{"k", 2, 64, 2}}; }).substr(0, 16), "program: shapes:");
  EXPECT_EQ(only([](Contract& c) { c.pieces[0].region = "none"; }), "program: region: all in the first, none in the second");
  EXPECT_EQ(only([](Contract& c) { c.pieces.push_back(c.pieces[0]); }), "pieces: 1 in the first, 2 in the second");
  EXPECT_EQ(only([](Contract& c) { c.verified.emplace_back("sum 3xf32"); }), "verified: \"sum 3xf32\" only in the second");
  EXPECT_EQ(only([](Contract& c) { c.established.note = "n"; }).substr(0, 17), "established.note:");
  EXPECT_EQ(only([](Contract& c) {
              c.pieces[0].program.nodes.emplace_back(Input{"extra", Format::F32, {}});
            }).substr(0, 26),
            "program: number of inputs:");
}

TEST(Differences, SayWhereADomainMakesThemVanish) {
  Contract a;
  a.pieces.resize(1);
  a.pieces[0].program = matmul({.operand = Format::BF16, .product = Product::Rounded});
  a.pieces[0].operands.excludes = {Exclusion::SubnormalIntermediate, Exclusion::OverflowIntermediate};
  Contract b = a;
  b.pieces[0].program = matmul({.operand = Format::BF16, .product = Product::Fused});
  EXPECT_EQ(
      differences(a, b),
      Sentences{
          "program: the sum over k: product: rounded to f32 (exact unless it overflows or is subnormal) in the first, fused: not "
          "rounded by itself (FMA) in the second (no bit differs with no subnormal intermediate, no intermediate that "
          "overflows)"});
  b.pieces[0].program = matmul({.operand = Format::BF16, .order = Order::interleaved(1)});
  EXPECT_EQ(differences(a, b), Sentences{"program: the programs are spelled differently; their normal forms are equal"});
}

TEST(DomainText, ListsWhatIsExcluded) {
  EXPECT_EQ(to_text(Domain{}), "all operand values");
  EXPECT_EQ(to_text(Domain{{Exclusion::SubnormalResult}}), "no subnormal result");
  EXPECT_EQ(to_text(Domain{{Exclusion::OverflowIntermediate}}), "no intermediate that overflows");
  EXPECT_EQ(to_text(Domain{{Exclusion::SubnormalInput, Exclusion::SubnormalIntermediate, Exclusion::SubnormalResult}}),
            "no subnormal input, intermediate or result");
  for (int e = 0; e < 4; ++e) EXPECT_EQ(exclusion_named(name(static_cast<Exclusion>(e))), static_cast<Exclusion>(e));
  EXPECT_FALSE(exclusion_named("subnormal"));
  EXPECT_EQ((Domain{{Exclusion::SubnormalInput}} | Domain{{Exclusion::SubnormalResult}}).excludes.size(), 2u);
}

}  // namespace
}  // namespace bitpact
