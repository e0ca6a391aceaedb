// Problem lines: the grammar of docs/problem-lines.md.
#include "operators/problem.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnostic/diagnostic.h"
#include "operators/catalogue.h"

namespace bitpact {
namespace {

Code code_of(const std::string& line) {
  try {
    parse_problem(line);
  } catch (const Refused& refused) {
    return refused.diagnostic().code;
  }
  ADD_FAILURE() << "'" << line << "' was taken";
  return Code::Internal;
}

TEST(ProblemLine, ReadsOperatorOperandsAndAttributes) {
  const Problem p = parse_problem("matmul 64x128xbf16,128x32xbf16 transpose_b=false out=f32");
  EXPECT_EQ(p.op, "matmul");
  ASSERT_EQ(p.operands.size(), 2U);
  EXPECT_EQ(p.operands[0], (OperandSpec{Format::BF16, {64, 128}}));
  EXPECT_EQ(p.operands[1], (OperandSpec{Format::BF16, {128, 32}}));
  EXPECT_EQ(p.attributes.at("out"), "f32");
  EXPECT_EQ(to_text(p), "matmul 64x128xbf16,128x32xbf16 out=f32 transpose_b=false");
}

TEST(ProblemLine, AScalarIsItsFormat) { EXPECT_EQ(parse_problem("add f32,f32").operands[0], (OperandSpec{Format::F32, {}})); }

TEST(ProblemLine, RefusesWhatTheGrammarDoesNotGive) {
  for (const char* line : {"",
                           " ",
                           "matmul",
                           "matmul ",
                           "Matmul 1xf32",
                           "1add f32",
                           "add  f32,f32",
                           "add f32, f32",
                           "add f32,",
                           "add ,f32",
                           "add 1x2f32",
                           "add 01xf32",
                           "add -1xf32",
                           "add f32 axis",
                           "add f32 axis=",
                           "add f32 =1",
                           "add f32  axis=1",
                           "add f32 axis=1 ",
                           "add f32 a=1 a=2",
                           "add f32 a=b;c",
                           "add 2x",
                           "add 1099511627777xf32",
                           "add 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32",
                           "add f32\n",
                           "add\tf32"})
    EXPECT_EQ(code_of(line), Code::ProblemSyntax) << line;
  EXPECT_EQ(code_of("add " + std::string(5000, '1') + "xf32"), Code::ProblemSyntax);
  EXPECT_EQ(code_of("add 2xf33"), Code::UnknownFormat);
  EXPECT_EQ(code_of("add x2xf32"), Code::UnknownFormat);
}

TEST(ProblemLine, NamesTheColumn) {
  try {
    parse_problem("add 2xf32 axis");
    FAIL();
  } catch (const Refused& refused) {
    EXPECT_NE(refused.diagnostic().reason.find("column 15"), std::string::npos) << refused.diagnostic().reason;
  }
}

RC_GTEST_PROP(ProblemLine, RoundTripsStructurally, ()) {
  const auto name = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', static_cast<char>('z' + 1))));
  Problem p;
  p.op = *name;
  const auto operands = *rc::gen::inRange(1, 4);
  for (int i = 0; i < operands; ++i) {
    OperandSpec spec;
    spec.format = all_formats()[*rc::gen::inRange<size_t>(0, all_formats().size())].format;
    spec.shape = *rc::gen::container<Shape>(rc::gen::inRange<std::int64_t>(0, 1 << 20));
    if (spec.shape.size() > 16) spec.shape.resize(16);
    p.operands.push_back(spec);
  }
  const auto attributes = *rc::gen::inRange(0, 3);
  for (int i = 0; i < attributes; ++i)
    p.attributes[*name] = *rc::gen::elementOf(std::vector<std::string>{"true", "-1", "nhwc,ohwi", "f32", "1.5"});
  RC_ASSERT(parse_problem(to_text(p)) == p);
}

RC_GTEST_PROP(ProblemLine, OnlyNamedDiagnosticsComeOut, (const std::string& noise)) {
  try {
    resolve("matmul 4x4xf32" + noise);
  } catch (const Refused& refused) {
    RC_ASSERT(refused.diagnostic().code != Code::Internal);
  }
}

}  // namespace
}  // namespace bitpact
