// Errors of functions, on backends whose errors are known.
#include "probe/function_errors.h"

#include <gtest/gtest.h>

#include "diagnostic/diagnostic.h"
#include "probe/support.h"

namespace bitpact {
namespace {

using test::FunctionBackend;

ErrorReport errors(const std::string& line, FunctionBackend::Change change = {}) {
  FunctionBackend backend(std::move(change));
  return measure_errors(backend, resolve(line), {});
}

TEST(FunctionErrors, TheCanonicalProgramsHaveNone) {
  for (const char* line : {"exp 4xbf16", "exp 4xf16", "log 4xbf16", "log 4xf16", "tanh 4xbf16", "tanh 4xf16", "erf 4xbf16",
                           "erf 4xf16", "exp 4xf32", "log 4xf32", "tanh 4xf32", "erf 4xf32", "sin 4xf32", "cos 4xf16",
                           "sqrt 4xbf16", "rsqrt 4xf16", "rsqrt 4xf32", "reciprocal 4xf32"}) {
    const ErrorReport r = errors(line);
    EXPECT_EQ(r.tally.wrong, 0) << line;
    EXPECT_EQ(r.tally.greatest, 0U);
    EXPECT_EQ(r.tally.unmonotone, 0) << line;
    EXPECT_EQ(r.tally.seen[0].edges, r.tally.right[0].edges);
    EXPECT_EQ(r.strength, r.argument == Format::F32 ? "sampled" : "exhaustive");
  }
}

// An approximation whose range ends at 88, as MLX's: found exactly although only a sample is asked.
TEST(FunctionErrors, WhereTheRangeEnds) {
  const ErrorReport r = errors("exp 4xf32", [](const Tensor& x, Tensor& y) {
    for (std::int64_t i = 0; i < x.size(); ++i) {
      if (x.get(i) > 0x42b00000 && x.get(i) < 0x7f800000) y.set(i, 0x7f800000);
      if (x.get(i) > 0xc2b00000 && x.get(i) < 0xff800000) y.set(i, 0);
    }
  });
  const std::vector<RangeEdge> seen{{0x42b00001, "normal", "infinite"}, {0x7f800001, "infinite", "NaN"}};
  const std::vector<RangeEdge> right{{0x42b17218, "normal", "infinite"}, {0x7f800001, "infinite", "NaN"}};
  EXPECT_EQ(r.tally.seen[0].edges, seen);
  EXPECT_EQ(r.tally.right[0].edges, right);
  const std::vector<RangeEdge> below{
      {0xc2aeac50, "normal", "subnormal"}, {0xc2b00001, "subnormal", "zero"}, {0xff800001, "zero", "NaN"}};
  EXPECT_EQ(r.tally.seen[1].edges, below);
  EXPECT_EQ(r.tally.right[1].edges[1].x, 0xc2cff1b5U);
  EXPECT_EQ(r.tally.infinite.x, 0x42b00001U);
  EXPECT_EQ(r.tally.zero.x, 0xc2b00001U);
  EXPECT_EQ(r.tally.greatest, 0U) << "no distance is measured to an infinity or a zero in its place";
}

TEST(FunctionErrors, TheGreatestAndHowManyAreWrong) {
  const ErrorReport r = errors("exp 4xf16", [](const Tensor& x, Tensor& y) {
    for (std::int64_t i = 0; i < x.size(); ++i) {
      if (x.get(i) == 0x3c00) y.set(i, y.get(i) + 3);  // 1
      if (x.get(i) == 0x4000) y.set(i, y.get(i) - 5);  // 2
      if (x.get(i) == 0xc000) y.set(i, y.get(i) + 5);  // -2
      if (x.get(i) == 0x4200) y.set(i, 0x7e00);        // 3
    }
  });
  EXPECT_EQ(r.tally.wrong, 4);
  EXPECT_EQ(r.tally.greatest, 5U);
  EXPECT_EQ(r.tally.greatest_count, 2);
  EXPECT_EQ(r.tally.greatest_x, 0x4000U);
  EXPECT_EQ(r.tally.nan.count, 1);
  EXPECT_EQ(r.tally.nan.x, 0x4200U);
  // Of the neighbours, 1 and the next, the one before 2 and 2, -2 and the one above it (the next by its bits is below).
  EXPECT_GT(r.tally.unmonotone, 0);
  EXPECT_EQ(r.tally.unmonotone_x, 0x3c00U);
}

TEST(FunctionErrors, ATallyGoesOnFromWhatWasSaved) {
  ErrorTally whole(Format::F16, Format::F16, 1), part(Format::F16, Format::F16, 1);
  FunctionTruth truth(MathFunction::Log, Format::F16, Format::F16);
  const auto got = [&](Bits x) { return x % 1000 == 17 ? truth(x) ^ 6 : truth(x); };
  for (Bits x = 0; x < 65536; ++x) {
    whole.add(x, got(x), truth(x));
    if (x == 12345 || x == 0x3c00 || x == 40000) {  // log(1) is of another kind than its neighbours
      ErrorTally next(Format::F16, Format::F16, 1);
      next.restore(nlohmann::json::parse(part.to_json().dump()));
      part = next;
    }
    part.add(x, got(x), truth(x));
  }
  EXPECT_EQ(part.to_json(), whole.to_json());
  EXPECT_GT(whole.wrong, 0);
}

TEST(FunctionErrors, OnlyWhereTheTruthIsKnown) {
  for (const char* line : {"gelu 4xf32", "convert 4xf32 out=bf16"}) {
    try {
      errors(line);
      FAIL() << line;
    } catch (const Refused& refused) {
      EXPECT_EQ(refused.diagnostic().code, Code::ProbeNoTruth);
    }
  }
}

TEST(FunctionErrors, TextSaysWhatMatters) {
  const std::string text = to_text(errors("exp 4xf16", [](const Tensor& x, Tensor& y) {
    for (std::int64_t i = 0; i < x.size(); ++i)
      if (x.get(i) == 0x3c00) y.set(i, y.get(i) + 3);
  }));
  for (const char* part : {"1 of 65536 values", "3 ulps (1 times), first at 1 (0x3c00)", "monotone   no", "as it should be"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace bitpact
