// Causes, on results whose programs are known: the interpreter plays both sides.
#include "explain/cause.h"

#include <gtest/gtest.h>

#include "interpret/interpret.h"
#include "operators/recipe.h"
#include "probe/function_flush.h"
#include "probe/restrict.h"

namespace bitpact {
namespace {

struct Case {
  Resolved problem;
  std::vector<Tensor> operands;
};

Case make(const std::string& line, const std::string& recipe = "bitpact-operands/2") {
  Case c;
  c.problem = resolve(line);
  c.operands =
      make_operands(Recipe::parse(recipe), c.problem.problem.operands, c.problem.binding.operands, independent_axes(c.problem));
  return c;
}

NumericProgram program(const Case& c, const Choices& choices) {
  const Operator& op = operator_named(c.problem.problem.op);
  return op.build(c.problem.formats(), complete_choices(op, c.problem.formats(), choices));
}

Tensor run(const Case& c, const NumericProgram& p) { return interpret(bind(p, c.problem.binding), c.operands).results[0]; }

Cause cause(const Case& c, const Tensor& a, const Tensor& b) {
  return find_cause(c.problem, c.operands, a, b, compare_tensors(a, b), {"ours", "theirs"});
}

TEST(Cause, NamesTheChoicePointThatDiffers) {
  const Case c = make("matmul 64x96xf32,96x64xf32");
  const Cause found = cause(c, run(c, program(c, {})), run(c, program(c, {{"product", "fused"}})));
  EXPECT_TRUE(found.known);
  EXPECT_EQ(found.summary, "product: ours has rounded, theirs has fused");
  ASSERT_EQ(found.details.size(), 4U);
  EXPECT_NE(found.details[2].find("part after term"), std::string::npos);
  EXPECT_TRUE(found.details[3].starts_with("where product says: rounded to the accumulator's format")) << found.details[3];
}

TEST(Cause, NamesTheAccumulator) {
  const Case c = make("matmul 32x300xbf16,300x32xbf16");
  const Cause found = cause(c, run(c, program(c, {})), run(c, program(c, {{"accumulator", "bf16"}})));
  EXPECT_TRUE(found.summary.starts_with("accumulator: ours has f32")) << found.summary;
  EXPECT_TRUE(found.summary.ends_with(", theirs has bf16")) << found.summary;
}

TEST(Cause, NamesTheOrder) {
  const Case c = make("sum 64x200xf32");
  const Cause found = cause(c, run(c, program(c, {})), run(c, program(c, {{"order", "interleaved(8, pairwise(1))"}})));
  // At 200 terms, blocks of 256 or 512 are one sequence: they are not other programs.
  EXPECT_EQ(found.summary, "order: ours has sequential, theirs has interleaved(8, pairwise(1))");
}

TEST(Cause, NamesTheChangesThatOneOutputDoesNotTellApart) {
  Case c = make("sum 16xf32");
  const float values[] = {1e8f, 1, -1e8f, 1};
  for (int i = 0; i < 16; ++i) c.operands[0].mutable_as<float>()[i] = values[i % 4];
  const Cause found = cause(c, run(c, program(c, {})), run(c, program(c, {{"order", "interleaved(2)"}})));
  EXPECT_FALSE(found.known);
  EXPECT_TRUE(found.summary.ends_with(
      "any one of these changes alone gives the bits: accumulator from f32 to f64 or f32/neumaier; order from sequential to "
      "interleaved(2) or interleaved(8, interleaved(4, interleaved(2))) or interleaved(16, interleaved(8, interleaved(4, "
      "interleaved(2))))"))
      << found.summary;
}

TEST(Cause, NamesFlushing) {
  const Case c = make("add 4096xf32,4096xf32");
  const NumericProgram p = program(c, {});
  const Cause found = cause(c, run(c, p), run(c, with_flush(p, true, true)));
  EXPECT_TRUE(found.known);
  EXPECT_EQ(found.summary, "theirs flushes subnormal inputs to zero (results: not told here)");
}

TEST(Cause, WhatNoProgramGivesIsNotKnown) {
  const Case c = make("sum 64x200xf32");
  const Tensor ours = run(c, program(c, {}));
  Tensor theirs = ours;
  for (std::int64_t i = 0; i < theirs.size(); ++i) theirs.set(i, one(Format::F32));
  const Cause found = cause(c, ours, theirs);
  EXPECT_FALSE(found.known);
  EXPECT_TRUE(found.summary.starts_with("not known: none of the ")) << found.summary;
}

// One output that another program computed: the window fits, the whole does not, and that is said.
TEST(Cause, AProgramThatFitsOnlyAroundTheDifferenceIsNotCalledKnown) {
  const Case c = make("matmul 200x48xf32,48x64xf32", "bitpact-operands/2 classes=normal");
  const Tensor ours = run(c, program(c, {}));
  Tensor theirs = run(c, program(c, {{"product", "fused"}}));
  theirs.set(theirs.size() - 1, one(Format::F32));
  const Cause found = cause(c, ours, theirs);
  EXPECT_FALSE(found.known);
  EXPECT_NE(found.details[1].find("more than one program is at work"), std::string::npos) << found.details[1];
}

TEST(Cause, SaysWhichProductStayedUnrounded) {
  const Case c = make("multiply_subtract 512xf32,512xf32,512xf32,512xf32");
  const Cause found = cause(c, run(c, program(c, {})), run(c, program(c, {{"product", "second-fused"}})));
  EXPECT_TRUE(found.known);
  EXPECT_EQ(found.summary,
            "product: ours has rounded (both products are rounded), theirs has second-fused (c * d stays unrounded, a * b is "
            "rounded)");
}

TEST(Cause, TellsFlushedInputsFromFlushedResults) {
  Case c = make("multiply 1xf32,1xf32");
  c.operands[0].set(0, infinity(Format::F32, true));
  c.operands[1].set(0, 1);
  const NumericProgram p = program(c, {});
  EXPECT_EQ(cause(c, run(c, p), run(c, with_flush(p, true, false))).summary,
            "theirs flushes subnormal inputs to zero (results: not told here)");
  Case e = make("exp 1xf32");
  e.operands[0].set(0, *parse_scalar("-87.5", Format::F32));
  const NumericProgram q = program(e, {});
  EXPECT_EQ(cause(e, run(e, q), run(e, with_flush(q, false, true))).summary,
            "theirs flushes subnormal results to zero (inputs: not told here)");
}

TEST(Cause, DoesNotSayWhichWhereInputsOrResultsAloneExplainIt) {
  Case c = make("add 4xf32,4xf32");
  for (int i = 0; i < 4; ++i) {
    c.operands[0].set(i, 1);
    c.operands[1].set(i, 2);
  }
  const NumericProgram p = program(c, {});
  EXPECT_EQ(cause(c, run(c, p), run(c, with_flush(p, true, false))).summary,
            "theirs flushes subnormal inputs, results or both to zero (not told apart here)");
}

// Another's erf: two ulps from ours everywhere. Its formula is told; that its bits are a listed program's is never said.
TEST(Cause, TheNearestFormulaIsToldAndNotCalledKnown) {
  const Case c = make("gelu 512xf32", "bitpact-operands/2 classes=normal");
  Tensor theirs = run(c, program(c, {{"formula", "tanh"}}));
  for (std::int64_t i = 0; i < theirs.size(); ++i) theirs.set(i, theirs.get(i) ^ 3);
  const Cause found = cause(c, run(c, program(c, {})), theirs);
  EXPECT_FALSE(found.known);
  EXPECT_EQ(found.strength, CauseStrength::Nearest);
  EXPECT_TRUE(found.summary.starts_with("formula: ours has erf (x / 2 * (1 + erf(x / sqrt 2))), theirs is nearest to tanh ("))
      << found.summary;
  EXPECT_TRUE(
      found.summary.ends_with("no listed program gives the bits of theirs, so this is what is nearest, not what is known"))
      << found.summary;
  const Nearest& nearest = found.nearest.at("theirs");
  EXPECT_EQ(nearest.program.choices.at("formula"), "tanh");
  ASSERT_FALSE(nearest.decided.empty());
  EXPECT_EQ(nearest.decided[0].point, "formula");
  EXPECT_EQ(nearest.decided[0].next_value, "erf");
  EXPECT_GT(nearest.decided[0].next.typical(), 100.0);
}

TEST(Cause, WhatIsFarFromEveryProgramIsNotCalledNear) {
  const Case c = make("gelu 512xf32", "bitpact-operands/2 classes=normal");
  Tensor theirs = run(c, program(c, {}));
  for (std::int64_t i = 0; i < theirs.size(); ++i) theirs.set(i, negate({Format::F32, theirs.get(i)}));
  const Cause found = cause(c, run(c, program(c, {})), theirs);
  EXPECT_EQ(found.strength, CauseStrength::None);
  EXPECT_TRUE(found.nearest.empty());
  EXPECT_TRUE(found.summary.starts_with("not known: ")) << found.summary;
}

// The scale comes from all operands: a window of outputs keeps them all.
TEST(Restrict, WhatOutputsShareStaysWhole) {
  const Case c = make("dynamic_quantize 300xf32");
  EXPECT_TRUE(independent_axes(c.problem).empty());
  EXPECT_TRUE(window_around(c.problem, {7}, 20).empty());
  const Cause found = cause(c, run(c, program(c, {})), run(c, program(c, {{"ties", "cut"}})));
  EXPECT_TRUE(found.known) << found.summary;
  EXPECT_TRUE(found.summary.starts_with("ties: ours has ")) << found.summary;
}

// Outputs of a running sum depend on each other along its axis: there a window keeps them all.
TEST(Restrict, ARunningSumStaysWholeAlongItsAxis) {
  const Case c = make("cumsum 40x30xbf16 axis=1");
  EXPECT_EQ(independent_axes(c.problem), Axes{"o0"});
  const Tensor whole = run(c, program(c, {}));
  const Window window = window_around(c.problem, {17, 23}, 20);
  const Part part = cut(c.problem.binding, c.operands, window);
  const Tensor piece = interpret(bind(program(c, {}), part.binding), part.operands).results[0];
  EXPECT_EQ(compare_tensors(cut(whole, c.problem.binding.result, window), piece).different, 0);
  const Cause found = cause(c, whole, run(c, program(c, {{"accumulator", "bf16"}})));
  EXPECT_TRUE(found.known) << found.summary;
  EXPECT_TRUE(found.summary.starts_with("accumulator: ours has f32")) << found.summary;
}

TEST(Parting, TheCountOfAMeanIsNoSecondSum) {
  Case c = make("mean 1x4xf32");
  const char* terms[] = {"16777216", "1", "1", "3"};
  for (std::int64_t i = 0; i < 4; ++i) c.operands[0].set(i, *parse_scalar(terms[i], Format::F32));
  const auto parting = find_parting(program(c, {}), program(c, {{"accumulator", "f64"}}), c.problem.binding, c.operands, {0});
  ASSERT_TRUE(parting);
  EXPECT_EQ(parting->leaf, 1);
  EXPECT_EQ(to_text(parting->candidate), "16777217");
}

TEST(Parting, NamesTheFirstTermAfterWhichPartialSumsDiffer) {
  Case c = make("matmul 1x4xf32,4x1xf32");
  const auto set = [](Tensor& t, std::vector<const char*> values) {
    for (size_t i = 0; i < values.size(); ++i) t.set(static_cast<std::int64_t>(i), *parse_scalar(values[i], Format::F32));
  };
  // The product of 1 + 2^-12 with itself is 1 + 2^-11 + 2^-24: fused, it leaves 2^-24 behind after -(1 + 2^-11).
  set(c.operands[0], {"3", "-1.00048828125", "1.000244140625", "0"});
  set(c.operands[1], {"0", "1", "1.000244140625", "5"});
  const auto parting = find_parting(program(c, {}), program(c, {{"product", "fused"}}), c.problem.binding, c.operands, {0, 0});
  ASSERT_TRUE(parting);
  EXPECT_EQ(parting->leaf, 2);
  EXPECT_EQ(to_text(parting->operands[0]), "1.0002441");
  EXPECT_EQ(to_text(parting->reference), "0");
  EXPECT_EQ(to_text(parting->candidate), "5.9604645e-08");
}

TEST(Restrict, AWindowIsThePartOfTheWhole) {
  const Case c = make("matmul 5x6x7xf32,5x7x9xf32");
  const Tensor whole = run(c, program(c, {}));
  for (const std::vector<std::int64_t>& index : {std::vector<std::int64_t>{0, 0, 0}, {4, 5, 8}, {2, 3, 4}}) {
    const Window window = window_around(c.problem, index, 20);
    const Part part = cut(c.problem.binding, c.operands, window);
    const Tensor piece = interpret(bind(program(c, {}), part.binding), part.operands).results[0];
    EXPECT_EQ(compare_tensors(cut(whole, c.problem.binding.result, window), piece).different, 0);
    for (size_t d = 0; d < index.size(); ++d) {
      const auto [first, last] = window.at(c.problem.binding.result[d]);
      EXPECT_TRUE(first <= index[d] && index[d] < last);
    }
  }
}

}  // namespace
}  // namespace bitpact
