// The catalogue: canonical names, clauses (cited by label), axes, contracts against problems.
#include "operators/catalogue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

Diagnostic refusal(const std::string& line) {
  try {
    resolve(line);
  } catch (const Refused& refused) {
    return refused.diagnostic();
  }
  ADD_FAILURE() << "'" << line << "' was taken";
  return {};
}

TEST(Catalogue, AliasesResolveToCanonicalNames) {
  EXPECT_EQ(to_text(resolve("gemm 2x3xf32,3x4xf32").problem), "matmul 2x3xf32,3x4xf32");
  EXPECT_EQ(to_text(resolve("cast 4xf32 out=bf16").problem), "convert 4xf32 out=bf16");
  EXPECT_EQ(to_text(resolve("matmul_integer 2x3xui8,3x4xi8").problem), "integer_matmul 2x3xui8,3x4xi8");
  std::set<std::string> names;
  for (const Operator& op : catalogue()) {
    EXPECT_TRUE(names.insert(op.name).second) << op.name;
    for (const std::string& alias : op.aliases) EXPECT_TRUE(names.insert(alias).second) << alias;
  }
}

TEST(Catalogue, DefaultsAreLeftOut) {
  EXPECT_EQ(to_text(resolve("matmul 2x3xf32,3x4xf32 transpose_a=false out=f32").problem), "matmul 2x3xf32,3x4xf32");
  EXPECT_EQ(to_text(resolve("sum 2x3xf32").problem), "sum 2x3xf32 axis=1");
  EXPECT_EQ(to_text(resolve("sum 2x3xf32 axis=-2").problem), "sum 2x3xf32 axis=0");
  EXPECT_EQ(to_text(resolve("cumsum 2x3xf32 reverse=false exclusive=true").problem), "cumsum 2x3xf32 axis=1 exclusive=true");
}

TEST(Catalogue, AConvertByWayOfAnotherFormatKeepsItsFormat) {
  const Resolved r = resolve("convert 3xf32 out=f32 via=bf16");
  EXPECT_EQ(to_text(r.problem), "convert 3xf32 via=bf16");
  EXPECT_EQ(r.result.format, Format::F32);
  EXPECT_EQ(resolve("convert 3xf32 out=f16 via=bf16").result.format, Format::F16);
}

TEST(Catalogue, UnknownNamesAreRefusedWithTheNearest) {
  const Diagnostic d = refusal("matmull 2x2xf32,2x2xf32");
  EXPECT_EQ(d.code, Code::UnknownOperator);
  EXPECT_NE(d.reason.find("'matmul'"), std::string::npos) << d.reason;
  EXPECT_EQ(refusal("add 2xf32,2xf32 axis=0").code, Code::UnknownAttribute);
  EXPECT_EQ(refusal("matmul 2x2xf32,2x2xf32 transpose_a=yes").code, Code::BadAttribute);
  EXPECT_EQ(refusal("sum 2xf32 axis=one").code, Code::BadAttribute);
  EXPECT_EQ(refusal("convert 2xf32 out=f33").code, Code::BadAttribute);
  EXPECT_EQ(refusal("dynamic_quantize 2xf32 give=all").code, Code::BadAttribute);
}

TEST(Catalogue, ListsOfNumbersHaveOneSpelling) {
  EXPECT_EQ(to_text(resolve("slice 4x6xf32 start=0,0 limit=4,6 stride=1,1").problem), "slice 4x6xf32 limit=4,6 rank=2");
  EXPECT_EQ(to_text(resolve("slice 4x6xf32 limit=04,06").problem), "slice 4x6xf32 limit=4,6 rank=2");
  EXPECT_EQ(to_text(resolve("transpose 4x6x2xf32 permutation=2,1,0").problem), "transpose 4x6x2xf32");
  EXPECT_EQ(to_text(resolve("pad 4xf32 low=0 high=2 value=0").problem), "pad 4xf32 high=2 rank=1");
  for (const char* list : {"1,", ",1", "1,,2", "1,x", "1.5", "9223372036854775808"})
    EXPECT_EQ(refusal(fmt::format("slice 4x6xf32 limit={}", list)).code, Code::BadAttribute) << list;
}

struct ClauseCase {
  const char* line;
  const char* clause;
};

class Clauses : public testing::TestWithParam<ClauseCase> {};

TEST_P(Clauses, AreCitedByLabel) {
  const Diagnostic d = refusal(GetParam().line);
  EXPECT_EQ(d.code, Code::ClauseViolated);
  EXPECT_TRUE(d.reason.starts_with(GetParam().clause)) << d.reason;
}

INSTANTIATE_TEST_SUITE_P(
    All, Clauses,
    testing::Values(
        ClauseCase{"matmul 2x2xi32,2x2xi32", "matmul.C1"}, ClauseCase{"matmul 2x2xf32,2x2xbf16", "matmul.C1"},
        ClauseCase{"matmul 2x2xf32,2x2xf32 out=i32", "matmul.C1"}, ClauseCase{"matmul 2xf32,2x2xf32", "matmul.C2"},
        ClauseCase{"matmul 2xf32,2xf32", "matmul.C2"}, ClauseCase{"matmul 2x2x2xf32,3x2x2xf32", "matmul.C3"},
        ClauseCase{"matmul 2x3xf32,2x3xf32", "matmul.C4"}, ClauseCase{"matmul 2x3xf32,4x5xf32 transpose_b=true", "matmul.C4"},
        ClauseCase{"sum 2xi32", "sum.C1"}, ClauseCase{"sum 2x2xf32 axis=2", "sum.C2"}, ClauseCase{"sum f32", "sum.C2"},
        ClauseCase{"add 2xf32,2xf16", "add.C1"}, ClauseCase{"add 2xf32,3xf32", "add.C2"},
        ClauseCase{"multiply 2xi8,2xi8", "multiply.C1"}, ClauseCase{"multiply_add 2xf32,2xf32,1xf32", "multiply_add.C2"},
        ClauseCase{"residual_add 2xf32,2x1xf32", "residual_add.C2"}, ClauseCase{"convert 2xf32", "convert.C1"},
        ClauseCase{"convert 2xf32 via=i8", "convert.C2"}, ClauseCase{"convert 2xi32 via=f32", "convert.C2"},
        ClauseCase{"convert 2xf32 via=bf16 out=i8", "convert.C2"}, ClauseCase{"divide 2xf32,2xf16", "divide.C1"},
        ClauseCase{"divide 2xi8,2xi8", "divide.C1"}, ClauseCase{"divide 2xf32,3xf32", "divide.C2"},
        ClauseCase{"multiply_subtract 2xf32,2xf32,2xf32,2xbf16", "multiply_subtract.C1"},
        ClauseCase{"multiply_subtract 2xf32,2xf32,2xf32,f32", "multiply_subtract.C2"}, ClauseCase{"exp 2xf64", "exp.C1"},
        ClauseCase{"log 2xi8", "log.C1"}, ClauseCase{"tanh 2xf64", "tanh.C1"}, ClauseCase{"erf 2xf64", "erf.C1"},
        ClauseCase{"gelu 2xf64", "gelu.C1"}, ClauseCase{"sin 2xf64", "sin.C1"}, ClauseCase{"cos 2xi8", "cos.C1"},
        ClauseCase{"sigmoid 2xf64", "sigmoid.C1"}, ClauseCase{"exp2 2xf64", "exp2.C1"}, ClauseCase{"expm1 2xf64", "expm1.C1"},
        ClauseCase{"log1p 2xi8", "log1p.C1"}, ClauseCase{"floor 2xf64", "floor.C1"}, ClauseCase{"ceil 2xi8", "ceil.C1"},
        ClauseCase{"round_nearest_even 2xf64", "round_nearest_even.C1"},
        ClauseCase{"round_nearest_afz 2xf64", "round_nearest_afz.C1"}, ClauseCase{"quantize 2xf32,f16,ui8", "quantize.C1"},
        ClauseCase{"quantize 2xi8,i8,i8", "quantize.C1"}, ClauseCase{"quantize 2xf32,f32,i32", "quantize.C2"},
        ClauseCase{"quantize 2xf32,2xf32,i8", "quantize.C3"}, ClauseCase{"quantize 2xf32,f32,1xi8", "quantize.C3"},
        ClauseCase{"dynamic_quantize 2xf16", "dynamic_quantize.C1"}, ClauseCase{"dynamic_quantize f32", "dynamic_quantize.C2"},
        ClauseCase{"max 2xi32", "max.C1"}, ClauseCase{"max 2xf32 axis=1", "max.C2"}, ClauseCase{"argmax 2xi8", "argmax.C1"},
        ClauseCase{"argmax 2x2xf32 axis=-3", "argmax.C2"}, ClauseCase{"argmax 2x2xf32 out=f32", "argmax.C3"},
        ClauseCase{"argmax 2147483648xbf16", "argmax.C4"}, ClauseCase{"mean 2xi32", "mean.C1"},
        ClauseCase{"mean 2xf32 out=i32", "mean.C1"}, ClauseCase{"mean 2x2xf32 axis=2", "mean.C2"},
        ClauseCase{"cumsum 2xi32", "cumsum.C1"}, ClauseCase{"cumsum 2xf32 axis=1", "cumsum.C2"},
        ClauseCase{"cumsum f32", "cumsum.C2"}, ClauseCase{"dot 2xi8,2xi8", "dot.C1"}, ClauseCase{"dot 2xf32,2xf16", "dot.C1"},
        ClauseCase{"dot 2xf32,2xf32 out=i32", "dot.C1"}, ClauseCase{"dot 2x2xf32,2x2xf32", "dot.C2"},
        ClauseCase{"dot f32,f32", "dot.C2"}, ClauseCase{"dot 2xf32,3xf32", "dot.C3"},
        ClauseCase{"integer_matmul 2x2xf32,2x2xi8", "integer_matmul.C1"},
        ClauseCase{"integer_matmul 2x2xi8,2x2xi32", "integer_matmul.C1"},
        ClauseCase{"integer_matmul 2xi8,2xi8", "integer_matmul.C2"},
        ClauseCase{"integer_matmul 2x2x2xi8,3x2x2xi8", "integer_matmul.C3"},
        ClauseCase{"integer_matmul 2x3xui8,2x3xi8", "integer_matmul.C4"}, ClauseCase{"reciprocal 2xi8", "reciprocal.C1"},
        ClauseCase{"reverse 2xi8 axis=1", "reverse.C1"}, ClauseCase{"reverse f32", "reverse.C1"},
        ClauseCase{"slice 2x2xf32 limit=1", "slice.C1"}, ClauseCase{"slice 2xf32", "slice.C1"},
        ClauseCase{"slice 2xf32 limit=1 rank=2", "slice.C1"}, ClauseCase{"slice 2x2xf32 limit=1,1 start=0", "slice.C1"},
        ClauseCase{"slice 2xf32 limit=3", "slice.C2"}, ClauseCase{"slice 2xf32 start=1 limit=1", "slice.C2"},
        ClauseCase{"slice 2xf32 start=-1 limit=1", "slice.C2"}, ClauseCase{"slice 2xf32 limit=2 stride=0", "slice.C3"},
        ClauseCase{"pad 2xf32 low=1,1", "pad.C1"}, ClauseCase{"pad 2xf32 interior=-1", "pad.C2"},
        ClauseCase{"pad 3xf32 interior=9223372036854775807", "pad.C2"}, ClauseCase{"pad 2xf32 low=-1 high=-1", "pad.C3"},
        ClauseCase{"pad 2xf32 low=9223372036854775807", "pad.C3"}, ClauseCase{"pad 2xi8 value=-0", "pad.C4"},
        ClauseCase{"pad 2xf8E4M3FN value=inf", "pad.C4"}, ClauseCase{"transpose 2x2xf32 permutation=0,0", "transpose.C1"},
        ClauseCase{"transpose 2x2xf32 permutation=0", "transpose.C1"}, ClauseCase{"reshape 6xf32 rank=2 shape=6", "reshape.C1"},
        ClauseCase{"reshape 6xf32", "reshape.C2"}, ClauseCase{"reshape 6xf32 shape=-2,-3", "reshape.C2"},
        ClauseCase{"reshape 6xf32 shape=7", "reshape.C3"}, ClauseCase{"sqrt 2xi8", "sqrt.C1"},
        ClauseCase{"rsqrt 2xf64", "rsqrt.C1"}, ClauseCase{"add 2xf32", "add takes 2 operand(s)"},
        ClauseCase{"add 0xf32,0xf32", "add: every extent"}));

TEST(Catalogue, MatmulNamesItsAxes) {
  const Resolved r = resolve("matmul 5x3x7xf32,5x4x7xf32 transpose_b=true");
  EXPECT_EQ(r.binding.operands[0], (Axes{"b0", "m", "k"}));
  EXPECT_EQ(r.binding.operands[1], (Axes{"b0", "n", "k"}));
  EXPECT_EQ(r.binding.result, (Axes{"b0", "m", "n"}));
  EXPECT_EQ(r.result, (OperandSpec{Format::F32, {5, 3, 4}}));
}

TEST(Catalogue, ResultsOfSumsAlongAnAxis) {
  EXPECT_EQ(resolve("cumsum 5x3x7xbf16 axis=1").result, (OperandSpec{Format::BF16, {5, 3, 7}}));
  EXPECT_EQ(resolve("mean 5x3x7xbf16 axis=1 out=f32").result, (OperandSpec{Format::F32, {5, 7}}));
  EXPECT_EQ(resolve("dot 5xbf16,5xbf16 out=f32").result, (OperandSpec{Format::F32, {}}));
  EXPECT_EQ(resolve("integer_matmul 3x5xui8,3x4xi8 transpose_a=true").result, (OperandSpec{Format::I32, {5, 4}}));
  // A running sum depends on what is before it along its axis, on nothing beside it.
  EXPECT_EQ(independent_axes(resolve("cumsum 5x3x7xbf16 axis=1")), (Axes{"o0", "i2"}));
}

TEST(Catalogue, EveryChoiceBuildsAWellFormedProgram) {
  std::set<std::string> covered;
  const auto check = [&](const std::string& line) {
    const Resolved problem = resolve(line);
    const Operator& op = operator_named(problem.problem.op);
    covered.insert(op.name);
    std::set<std::string> fingerprints;
    for (const Hypothesis& h : hypotheses(op, problem.formats())) {
      EXPECT_NO_THROW(bind(h.program, problem.binding)) << line;
      EXPECT_TRUE(fingerprints.insert(h.fingerprint).second);
    }
    EXPECT_GE(fingerprints.size(), 1U);
  };
  for (const std::string format : {"f32", "bf16", "f16", "f64"}) {
    const std::string one = "4x" + format, two = one + "," + one;
    for (const char* name : {"add", "multiply", "residual_add", "divide"}) check(std::string(name) + " " + two);
    check("multiply_add " + two + "," + one);
    check("multiply_subtract " + two + "," + two);
    check("matmul 2x2x" + format + ",2x2x" + format);
    check("dot " + two);
    for (const char* name : {"reciprocal", "sqrt"}) check(std::string(name) + " " + one);
    for (const char* turned : {"", " reverse=true", " exclusive=true", " exclusive=true reverse=true"})
      check("cumsum " + one + turned);
    for (const char* name : {"sum", "mean", "max", "argmax"}) check(std::string(name) + " " + one);
    for (const char* out : {"bf16", "i8", "ui32", "i64"}) check("convert " + one + " out=" + out);
    check("convert " + one + " via=f16");
    check("quantize " + one + "," + format + ",i8");
    for (const char* name : {"reverse", "slice", "pad", "transpose", "reshape"}) {
      const std::string more = name == std::string("slice") ? " limit=3" : name == std::string("reshape") ? " shape=2,2" : "";
      check(std::string(name) + " " + one + more);
    }
    if (format == "f64") continue;
    for (const char* name : {"exp", "log", "tanh", "erf", "gelu", "rsqrt", "sigmoid", "sin", "cos", "exp2", "expm1", "log1p",
                             "floor", "ceil", "round_nearest_even", "round_nearest_afz"})
      check(std::string(name) + " " + one);
  }
  for (const char* give : {"values", "scale", "zero_point"}) check(std::string("dynamic_quantize 4xf32 give=") + give);
  for (const char* formats : {"ui8,3x2xi8", "i8,3x2xui8", "i8,3x2xi8", "ui8,3x2xui8"})
    check(std::string("integer_matmul 2x3x") + formats);
  EXPECT_EQ(covered.size(), catalogue().size());
}

// A format without infinities has fewer programs, not none.
TEST(Choices, HypothesesLeaveOutWhatAFormatCannotHold) {
  for (const char* name : {"max", "argmax"}) {
    const OperatorFormats formats{{Format::F8E4M3FN}, std::string(name) == "max" ? Format::F8E4M3FN : Format::I32};
    EXPECT_FALSE(hypotheses(operator_named(name), formats).empty()) << name;
  }
}

TEST(Choices, UnknownOnesAreRefused) {
  const Operator& op = operator_named("matmul");
  const OperatorFormats formats{{Format::F32, Format::F32}, Format::F32};
  for (const auto& [point, value] :
       {std::pair{"colour", "red"}, {"product", "guessed"}, {"order", "random"}, {"accumulator", "f99"}}) {
    try {
      op.build(formats, complete_choices(op, formats, {{point, value}}));
      ADD_FAILURE() << point << "=" << value;
    } catch (const Refused& refused) {
      EXPECT_TRUE(refused.diagnostic().code == Code::BadAttribute || refused.diagnostic().code == Code::UnknownFormat);
    }
  }
}

TEST(Choices, OrdersReadBack) {
  EXPECT_EQ(parse_order("sequential"), Order::sequential());
  EXPECT_EQ(parse_order("reversed"), Order::backwards());
  EXPECT_EQ(parse_order("interleaved(8, pairwise(1))"), Order::interleaved(8, Order::pairwise(1)));
  EXPECT_EQ(parse_order("blocked(128, interleaved(4), reversed)"),
            Order::blocked(128, Order::interleaved(4), Order::backwards()));
  EXPECT_EQ(parse_order("pairwise(128, 8, interleaved(8))"), Order::pairwise(128, 8, Order::interleaved(8)));
  for (const char* text :
       {"", "pairwise", "interleaved()", "interleaved(0)", "blocked(2, sequential, sequential, sequential)", "sequential x"})
    EXPECT_THROW(parse_order(text), Refused) << text;
}

// What is not named in a contract has its default: a contract for a plain convert says nothing about one by way of f16.
TEST(Cover, AttributesThatChangeTheProgramMustAgree) {
  const Resolved plain = resolve("convert 4xf32 out=bf16"), through = resolve("convert 4xf32 out=bf16 via=f16");
  EXPECT_THROW(cover(contract_from_choices(plain, {}, {}), through), Refused);
  EXPECT_THROW(cover(contract_from_choices(through, {}, {}), plain), Refused);
  EXPECT_NO_THROW(cover(contract_from_choices(through, {}, {}), through));
  EXPECT_EQ(contract_from_choices(through, {}, {}).op.attributes.at("via"), "f16");
  const Resolved forward = resolve("cumsum 4xf32"), before = resolve("cumsum 4xf32 exclusive=true");
  EXPECT_THROW(cover(contract_from_choices(forward, {}, {}), before), Refused);
  EXPECT_THROW(cover(contract_from_choices(before, {}, {}), resolve("cumsum 4xf32 exclusive=true reverse=true")), Refused);
  EXPECT_NO_THROW(cover(contract_from_choices(before, {}, {}), before));
}

TEST(Cover, SaysWhatDiffers) {
  const Resolved wide = resolve("matmul 64x64xf32,64x64xf32");
  Contract contract = contract_from_choices(wide, {}, {});
  contract.verified = {to_text(wide.problem)};
  EXPECT_TRUE(cover(contract, wide).verified);
  EXPECT_FALSE(cover(contract, resolve("matmul 8x64xf32,64x64xf32")).verified);
  EXPECT_FALSE(cover(contract, resolve("matmul 2x8x64xf32,2x64x64xf32")).verified);
  const auto reason = [&](const std::string& line) {
    try {
      cover(contract, resolve(line));
    } catch (const Refused& refused) {
      EXPECT_EQ(refused.diagnostic().code, Code::ContractNotForProblem);
      return refused.diagnostic().reason;
    }
    return std::string("covered");
  };
  EXPECT_NE(reason("matmul 4x4xbf16,4x4xbf16").find("bf16"), std::string::npos);
  EXPECT_NE(reason("add 4xf32,4xf32").find("matmul"), std::string::npos);
  contract.pieces[0].shapes = {{"k", 1, 32, 1}};
  EXPECT_NE(reason("matmul 64x64xf32,64x64xf32").find("axis k is 64"), std::string::npos);
  contract.pieces[0].shapes.clear();
  contract.pieces[0].when = {{"transpose_b", "true"}};
  EXPECT_NE(reason("matmul 64x64xf32,64x64xf32").find("transpose_b=true"), std::string::npos);
  contract.pieces[0].when.clear();
  contract.pieces[0].region = "m[0,32)";
  EXPECT_NE(reason("matmul 64x64xf32,64x64xf32").find("output 2048 (row-major) nowhere"), std::string::npos);
  contract.pieces.push_back(contract.pieces[0]);
  contract.pieces[1].region = "m[31,64)";
  EXPECT_NE(reason("matmul 64x64xf32,64x64xf32").find("output 1984 (row-major) more than once"), std::string::npos);
  contract.pieces[1].region = "m[32,64)";
  EXPECT_EQ(reason("matmul 64x64xf32,64x64xf32"), "covered");
}

}  // namespace
}  // namespace bitpact
