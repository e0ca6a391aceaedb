// What is written, checked on the text; that it computes the bits is checked on the compiled module (tests/verdict,
// tests/end_to_end).
#include "emit/emit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "diagnostic/diagnostic.h"
#include "emit/insert.h"
#include "emit/scalar_text.h"
#include "operators/catalogue.h"

namespace bitpact {
namespace {

BoundProgram program(const std::string& line, const Choices& choices = {}) {
  const Resolved r = resolve(line);
  const Operator& op = operator_named(r.problem.op);
  return bind(op.build(r.formats(), complete_choices(op, r.formats(), choices)), r.binding);
}

std::vector<std::string> forms(const std::vector<Emitted>& all) {
  std::vector<std::string> names;
  for (const Emitted& e : all) names.push_back(e.form);
  return names;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

using Names = std::vector<std::string>;

TEST(Emit, AProductThatMustBeRoundedIsNoDotOnATargetThatFuses) {
  const auto all = emit(program("matmul 4x8xf32,8x4xf32"), Traits{});
  EXPECT_EQ(forms(all), (Names{"reduce", "while", "written-out"}));
  EXPECT_TRUE(has(all[0].module, "%minus_zero_f32"));
  EXPECT_TRUE(has(all[0].module, "applies stablehlo.add across dimensions = [0]"));
}

// XLA joins the constants of (x + a) + b: the second is one that it does not know. One alone stands as it is.
TEST(Emit, ConstantsThatFollowOneAnotherAreKeptApart) {
  const auto text = [](ScalarOp first, ScalarOp second) {
    BodyBuilder b({Format::F32});
    const int c = b.constant(Format::F32, 0x4b400000);
    const int y = b.op(second, Format::F32, {b.op(first, Format::F32, {0, c}), c});
    NumericProgram one;
    one.nodes = {Input{"x", Format::F32, {"d"}}, Map{{0}, b.finish({y}), {"d"}}};
    one.results = {1};
    return emit(bind(one, {{{"d"}}, {"d"}, {}, {{"d", 4}}}), Traits{})[0].module;
  };
  EXPECT_TRUE(has(text(ScalarOp::Add, ScalarOp::Subtract), "stablehlo.xor"));
  EXPECT_TRUE(has(text(ScalarOp::Subtract, ScalarOp::Add), "stablehlo.xor"));
  EXPECT_TRUE(has(text(ScalarOp::Multiply, ScalarOp::Multiply), "stablehlo.xor"));
  EXPECT_FALSE(has(text(ScalarOp::Add, ScalarOp::Multiply), "stablehlo.xor"));
  BodyBuilder b({Format::F32});
  const int c = b.constant(Format::F32, 0x4b400000);
  const int y = b.op(ScalarOp::Subtract, Format::F32, {b.op(ScalarOp::Fma, Format::F32, {0, c, c}), c});
  NumericProgram one;
  one.nodes = {Input{"x", Format::F32, {"d"}}, Map{{0}, b.finish({y}), {"d"}}};
  one.results = {1};
  EXPECT_TRUE(has(emit(bind(one, {{{"d"}}, {"d"}, {}, {{"d", 4}}}), Traits{})[0].module, "stablehlo.xor"));
}

TEST(Emit, ALoneOperandIsReducedWhereItLies) {
  const auto all = emit(program("sum 4x9x5xf32 axis=1"), Traits{});
  EXPECT_EQ(all[0].form, "reduce");
  EXPECT_TRUE(has(all[0].module, "across dimensions = [1]"));
  EXPECT_FALSE(has(all[0].module, "transpose"));
}

TEST(Emit, ADotIsTheCheapestWhereTheTargetRoundsProducts) {
  Traits traits;
  traits.contracts_multiply_add = traits.dot_fuses_products = false;
  const auto all = emit(program("matmul 4x8xf32,8x4xf32"), traits);
  EXPECT_EQ(forms(all).front(), "dot_general");
  for (const Emitted& e : all) EXPECT_FALSE(has(e.module, "minus_zero")) << e.form;
}

TEST(Emit, ATargetWithoutOrderGetsEveryStep) {
  Traits traits;
  traits.dot_sequential = traits.reduce_sequential = false;
  EXPECT_EQ(forms(emit(program("matmul 4x40xf32,40x4xf32"), traits)), (Names{"while", "written-out"}));
}

// Head and tail are two folds over slices, each in the form asked for, and then joined; one of them alone is one fold.
TEST(Emit, ATailWithBodiesOfItsOwn) {
  Traits traits;
  const auto with_tail = [&traits](const std::string& line) {
    return emit(program(line, {{"order", "tailed(4, interleaved(2), apart)"}, {"tail", "f64"}}), traits);
  };
  EXPECT_THROW(with_tail("dot 11xf32,11xf32"), Refused);  // f64 is not kept
  traits.keeps_f64 = true;
  const auto both = with_tail("dot 11xf32,11xf32");
  EXPECT_EQ(forms(both), Names{"written-out"});  // lanes have no other form
  EXPECT_TRUE(has(both[0].module, "[0:8]") && has(both[0].module, "[8:11]"));
  EXPECT_TRUE(has(both[0].module, "tensor<f64>"));
  const auto rows = with_tail("dot 8xf32,8xf32");
  EXPECT_FALSE(has(rows[0].module, "f64"));
  const auto tail = with_tail("dot 3xf32,3xf32");
  EXPECT_TRUE(has(tail[0].module, "f64"));
  EXPECT_EQ(forms(tail).back(), "written-out");
  EXPECT_GT(tail.size(), 1U);  // a sequential sum in f64
}

TEST(Emit, AF16ProductIsExactSoADotWillDo) {
  const auto all = emit(program("matmul 4x8xf16,8x4xf16"), Traits{});
  EXPECT_EQ(all[0].form, "dot_general");
  EXPECT_TRUE(has(all[0].module, "(tensor<4x8xf16>, tensor<8x4xf16>) -> tensor<4x4xf32>"));
  EXPECT_FALSE(all[0].carries.excludes.contains(Exclusion::OverflowIntermediate));
  for (const Emitted& e : all) EXPECT_FALSE(has(e.module, "minus_zero")) << e.form;
}

TEST(Emit, ABf16ProductFitsButForItsExponent) {
  const auto all = emit(program("matmul 4x8xbf16,8x4xbf16"), Traits{});
  EXPECT_EQ(all[0].form, "dot_general");
  EXPECT_TRUE(all[0].carries.excludes.contains(Exclusion::OverflowIntermediate));
  EXPECT_EQ(all[1].form, "reduce");
  EXPECT_FALSE(all[1].carries.excludes.contains(Exclusion::OverflowIntermediate));
  EXPECT_TRUE(has(all[1].module, "minus_zero"));
}

TEST(Emit, ACountIsAConstant) {
  const auto all = emit(program("mean 4x9x5xf32 axis=1"), Traits{});
  EXPECT_EQ(forms(all), (Names{"reduce", "while", "written-out"}));
  for (const Emitted& e : all) EXPECT_TRUE(has(e.module, "stablehlo.constant dense<0x41100000> : tensor<f32>")) << e.form;  // 9
  // The reciprocal of 9 in f64, rounded to f32 and to bf16: no f64 reaches the module.
  const auto narrow = emit(program("mean 4x9x5xbf16 axis=1", {{"sum", "rounded"}, {"epilogue", "reciprocal"}}), Traits{});
  EXPECT_TRUE(has(narrow[0].module, "stablehlo.constant dense<0x3DE4> : tensor<bf16>"));
  EXPECT_FALSE(has(narrow[0].module, "f64"));
}

// A compiler drops a convert to bf16 and back between two nodes; the rounding on the bits is left.
TEST(Emit, ARoundingBetweenTwoNodesIsDoneOnTheBits) {
  const Choices choices{{"sum", "rounded"}, {"epilogue", "reciprocal"}};
  EXPECT_TRUE(has(emit(program("mean 4x9xbf16", choices), Traits{})[0].module, "tensor<4xui32>"));
  EXPECT_FALSE(has(emit(program("sum 4x9xbf16"), Traits{})[0].module, "tensor<4xui32>"));
}

// With AVX-512's FP16 the convert there and back becomes one f16 multiply, which is contracted into the sum.
TEST(Emit, AProductRoundedToF16IsHiddenFromTheSum) {
  const auto hidden = [](const Choices& choices) {
    return has(emit(program("multiply_add 4xf16,4xf16,4xf16", choices), Traits{})[0].module, "stablehlo.xor");
  };
  EXPECT_TRUE(hidden({{"product", "rounded"}}));
  EXPECT_FALSE(hidden({{"product", "f32"}}));
}

TEST(Emit, EveryPrefixIsWrittenByTheLoop) {
  const auto all = emit(program("cumsum 3x40x5xbf16 axis=1"), Traits{});
  EXPECT_EQ(forms(all), Names{"while"});
  EXPECT_TRUE(has(all[0].module, "stablehlo.dynamic_update_slice"));
  EXPECT_TRUE(has(all[0].module, "(tensor<3x40x5xbf16>, tensor<3x1x5xbf16>, tensor<i32>, tensor<i32>, tensor<i32>)"));
}

// The order of a sum of integers cannot be seen, so any target's reduce will do.
TEST(Emit, IntegersAreReducedInWhateverOrder) {
  Traits traits;
  traits.dot_sequential = traits.reduce_sequential = false;
  const BoundProgram integers = program("integer_matmul 4x8xui8,8x4xi8");
  EXPECT_EQ(forms(emit(integers, traits)), (Names{"reduce", "while", "written-out"}));
  EXPECT_FALSE(emit(program("integer_matmul 4x8xui8,8x4xi8", {{"accumulator", "i16-pairs"}}), traits).empty());
}

TEST(Emit, OrdersOfSeveralChainsAreBatched) {
  const Choices pairs{{"order", "pairwise(1)"}};
  EXPECT_EQ(forms(emit(program("sum 3x16xf32", pairs), Traits{})), (Names{"written-out", "batched-reduce", "batched-while"}));
  // The size of the text follows the order's structure, not its length.
  const auto longer = emit(program("sum 3x65536xf32", pairs), Traits{});
  EXPECT_EQ(forms(longer), (Names{"batched-reduce", "batched-while"}));
  for (const Emitted& e : longer) EXPECT_LT(e.module.size(), 60'000U) << e.form;
  const auto blocks = emit(program("matmul 9x512xf32,512x9xf32", {{"order", "blocked(128)"}, {"product", "fused"}}), Traits{});
  EXPECT_EQ(forms(blocks), (Names{"batched-dot_general", "batched-reduce", "batched-while", "written-out"}));
  EXPECT_TRUE(has(blocks[0].module, "batching_dims = [0] x [0], contracting_dims = [2] x [1]"));
  EXPECT_TRUE(has(blocks[0].module, "-> tensor<4x9x9xf32>"));
}

// What each form says, where none carries it; what no form gets around, alone.
TEST(Emit, ARefusalSaysWhatEachFormLacks) {
  const auto reason = [](const std::string& line, const Choices& choices) {
    try {
      emit(program(line, choices), Traits{});
      return std::string("emitted");
    } catch (const Refused& refused) {
      return refused.diagnostic().reason;
    }
  };
  const std::string many = reason("matmul 4096x600xf32,600x4096xf32", {{"order", "pairwise(1)"}});
  EXPECT_TRUE(many.starts_with("no form carries it; the dot_general form: ")) << many;
  for (const char* form : {"reduce", "while", "batched-reduce", "batched-while", "written-out"})
    EXPECT_TRUE(has(many, fmt::format("; the {} form: ", form))) << many;
  const std::string one = reason("sum 2000xf32", {{"accumulator", "f64"}});
  EXPECT_EQ(one, "convert in f64: this target does not keep f64");
}

TEST(Emit, WhatIsTooLargeIsRefused) {
  for (const auto& [line, choices] :
       std::vector<std::pair<std::string, Choices>>{{"matmul 4096x600xf32,600x4096xf32", {{"order", "pairwise(1)"}}}}) {
    try {
      emit(program(line, choices), Traits{});
      ADD_FAILURE() << line;
    } catch (const Refused& refused) {
      EXPECT_EQ(refused.diagnostic().code, Code::EmitTooLarge) << line;
    }
  }
}

// A chain that a compiler contracts starts from a zero that it does not know, and its text is cut before a compiler cuts it.
TEST(Emit, AChainOfFusedProductsStandsBehindBarriers) {
  const Choices fused{{"order", "interleaved(2)"}, {"product", "fused"}};
  const std::string text = emit(program("matmul 4x16xf32,16x4xf32", fused), Traits{}).back().module;
  EXPECT_TRUE(has(text, "stablehlo.xor"));
  EXPECT_TRUE(has(text, "optimization_barrier"));
  const std::string rounded = emit(program("matmul 4x16xf32,16x4xf32", {{"order", "interleaved(2)"}}), Traits{}).front().module;
  EXPECT_TRUE(has(rounded, "stablehlo.xor"));  // its zero is one that no compiler knows
  EXPECT_FALSE(has(rounded, "optimization_barrier"));
}

TEST(Emit, AReversedOrderIsALoop) {
  EXPECT_EQ(forms(emit(program("sum 3x40xf32", {{"order", "reversed"}}), Traits{})), (Names{"while", "written-out"}));
}

TEST(Emit, ATableIsLookedUpByBits) {
  const Tensor values(Format::F16, {65536});
  const BoundProgram alone{{{Input{"x", Format::BF16, {"m", "n"}}, Table{{0}, values, {"n", "m"}}}, {1}}, {{"m", 3}, {"n", 5}}};
  const auto all = emit(alone, Traits{});
  ASSERT_EQ(forms(all), (Names{"elementwise"}));
  EXPECT_TRUE(has(all[0].module, "stablehlo.gather"));
  EXPECT_TRUE(has(all[0].module, "-> tensor<5x3xf16>"));
  EXPECT_TRUE(all[0].carries.excludes.empty());  // on a target that flushes
  const auto behind = [&values](const ScalarBody& body) {
    return BoundProgram{{{Input{"x", Format::BF16, {"m"}}, Map{{0}, body, {"m"}}, Table{{1}, values, {"m"}}}, {2}}, {{"m", 3}}};
  };
  BodyBuilder twice({Format::BF16});
  const int sum = twice.op(ScalarOp::Add, Format::BF16, {0, 0});
  EXPECT_FALSE(emit(behind(twice.finish({sum})), Traits{})[0].carries.excludes.empty());
  EXPECT_TRUE(emit(behind(identity_body({Format::BF16})), Traits{})[0].carries.excludes.empty());  // moved, not computed
}

TEST(Emit, WhatOnlyMovesExcludesNothing) {
  for (const char* line : {"reverse 3x5xf32", "transpose 3x5xf32", "pad 3x5xf32 low=1,1", "reshape 3x5xf32 shape=15"}) {
    const auto all = emit(program(line), Traits{});
    ASSERT_EQ(forms(all), Names{"moves"}) << line;
    EXPECT_TRUE(all[0].carries.excludes.empty()) << line;
    EmitOptions inside;
    inside.in_module = true;
    EXPECT_FALSE(has(emit(program(line), Traits{}, inside)[0].module, "stablehlo.add")) << line;  // a barrier alone
  }
}

TEST(Emit, WhatHasNoArithmeticThereIsLookedUp) {
  const auto f16 = emit(program("tanh 3x5xf16"), Traits{});  // its body is in f64
  ASSERT_EQ(forms(f16), (Names{"table"}));
  EXPECT_TRUE(f16[0].carries.excludes.empty());
  EXPECT_TRUE(has(f16[0].module, "stablehlo.gather"));
  const Choices in_f32{{"algorithm", "cephes-exp2f"}, {"result", "f32-first"}};
  EXPECT_EQ(forms(emit(program("exp 3x5xf16", in_f32), Traits{})), (Names{"elementwise"}));
  EXPECT_THROW(emit(program("tanh 3x5xf32"), Traits{}), Refused);
}

TEST(Emit, FlushingTargetsNarrowTheDomain) {
  EXPECT_TRUE(emit(program("add 4xf32,4xf32"), Traits{})[0].carries.excludes.contains(Exclusion::SubnormalResult));
  Traits keeps;
  keeps.flushes_subnormal_inputs = keeps.flushes_subnormal_results = false;
  EXPECT_TRUE(emit(program("add 4xf32,4xf32"), keeps)[0].carries.excludes.empty());
}

TEST(Emit, WhatStableHloCannotSayIsRefusedByName) {
  for (const auto& [line, choices] :
       std::vector<std::pair<std::string, Choices>>{{"convert 4xf32 out=bf16", {{"rounding", "toward-zero"}}},
                                                    {"convert 4xf32 out=i64", {{"overflow", "wrap"}}},
                                                    {"convert 4xf64 out=bf16", {}},
                                                    {"convert 4xf32 out=f8E4M3FN", {}},
                                                    {"add 4xtf32,4xtf32", {}},
                                                    {"convert 4xf8E5M2 out=f32", {}},
                                                    {"multiply_add 4xbf16,4xbf16,4xbf16", {{"product", "fused"}}}}) {
    try {
      emit(program(line, choices), Traits{});
      ADD_FAILURE() << line;
    } catch (const Refused& refused) {
      EXPECT_EQ(refused.diagnostic().code, Code::EmitUnsupported) << line;
    }
  }
}

TEST(Emit, AnFmaThatNothingContractsIsMadeOfWiderSteps) {
  Traits traits;
  traits.contracts_multiply_add = false;
  const BoundProgram f32 = program("multiply_add 4xf32,4xf32,4xf32", {{"product", "fused"}});
  EXPECT_THROW(emit(f32, traits), Refused);
  traits.keeps_f64 = true;
  const std::string text = emit(f32, traits)[0].module;
  EXPECT_TRUE(has(text, "stablehlo.multiply") && has(text, "tensor<4xf64>") && has(text, "shift_right_arithmetic"));
  // Where the target contracts, multiply and add are enough.
  EXPECT_FALSE(has(emit(f32, Traits{})[0].module, "f64"));
  EXPECT_TRUE(has(emit(program("multiply_add 4xbf16,4xbf16,4xbf16", {{"product", "fused"}}), traits)[0].module, "f64"));
  // f16 needs no f64.
  EXPECT_FALSE(has(emit(program("multiply_add 4xf16,4xf16,4xf16", {{"product", "fused"}}), Traits{})[0].module, "f64"));
}

TEST(Emit, ExactProducts) {
  EXPECT_TRUE(product_is_exact(Format::F16, Format::F16, Format::F32));
  EXPECT_FALSE(product_is_exact(Format::BF16, Format::BF16, Format::F32));
  EXPECT_TRUE(product_significand_fits(Format::BF16, Format::BF16, Format::F32));
  EXPECT_FALSE(product_significand_fits(Format::F32, Format::F32, Format::F32));
  EXPECT_TRUE(product_is_exact(Format::F32, Format::F32, Format::F64));
  EXPECT_TRUE(product_is_exact(Format::BF16, Format::BF16, Format::F64));
}

constexpr const char* kModule = R"(// a user's module
func.func public @main(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.add %0, %b : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
)";

std::string helper(const std::string& line, const std::string& name) {
  return emit(program(line), Traits{}, {.function = name, .in_module = true})[0].module;
}

// A4: take away what was added, put the one line back, and the module is the user's, byte for byte.
TEST(Insert, NothingElseInTheModuleChanges) {
  const std::string function = helper("matmul 4x8xf32,8x4xf32", "f");
  const std::string changed = insert_call(kModule, function, "f", "%0");
  EXPECT_TRUE(has(changed, "  %0 = func.call @f(%x, %w) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>\n"));
  std::string back = changed;
  back.erase(back.find(function), function.size());
  const std::string call = "func.call @f(%x, %w) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>";
  back.replace(
      back.find(call), call.size(),
      "stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>");
  EXPECT_EQ(back, kModule);
}

TEST(Insert, AnElementwiseOperationKeepsItsOperands) {
  const std::string changed = insert_call(kModule, helper("add 4x4xf32,4x4xf32", "g"), "g", "%1");
  EXPECT_TRUE(has(changed, "%1 = func.call @g(%0, %b) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>"));
}

TEST(Insert, InsideAModuleTheFunctionGoesBeforeTheLastBrace) {
  const std::string wrapped = "module @m {\n" + std::string(kModule) + "}\n";
  const std::string changed = insert_call(wrapped, helper("matmul 4x8xf32,8x4xf32", "f"), "f", "%0");
  EXPECT_TRUE(changed.ends_with("}\n}\n"));
}

TEST(Insert, ASecondCallAddsNoSecondFunction) {
  const std::string function = helper("add 4x4xf32,4x4xf32", "g");
  const std::string once = insert_call(kModule, function, "g", "%1");
  const std::string more =
      "func.func private @other(%p: tensor<4x4xf32>) -> tensor<4x4xf32> {\n  %9 = stablehlo.add %p, %p : tensor<4x4xf32>\n  "
      "return %9 : "
      "tensor<4x4xf32>\n}\n";
  const std::string twice = insert_call(once + more, function, "g", "%9");
  EXPECT_EQ(twice.find("func.func private @g"), twice.rfind("func.func private @g"));
  EXPECT_TRUE(has(twice, "%9 = func.call @g(%p, %p)"));
}

TEST(Insert, WhatDoesNotFitIsRefused) {
  const std::string function = helper("matmul 4x8xf32,8x4xf32", "f");
  for (const char* value : {"%7", "%1", "0", "%"}) EXPECT_THROW(insert_call(kModule, function, "f", value), Refused) << value;
  const std::string taken =
      std::string(kModule) + "func.func private @f(%p: tensor<4x4xf32>) -> tensor<4x4xf32> {\n  return %p : tensor<4x4xf32>\n}\n";
  EXPECT_THROW(insert_call(taken, function, "f", "%0"), Refused);
}

}  // namespace
}  // namespace bitpact
