// Probes of functions, on backends whose values are known.
#include "probe/function_probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "probe/function_flush.h"
#include "probe/function_inputs.h"
#include "probe/support.h"
#include "tensor/digest.h"

namespace bitpact {
namespace {

using test::FunctionBackend;

FunctionReport probe(const std::string& line, FunctionBackend::Change change = {}) {
  FunctionBackend backend(std::move(change));
  return probe_function(backend, resolve(line), {});
}

const FunctionCandidate& nearest(const FunctionReport& report) { return *best(report.tables[0].candidates); }

TEST(FunctionProblem, OneOperandEveryOutputFromItsOwnElement) {
  for (const char* line : {"exp 4xf32", "gelu 2x3xbf16", "convert 4xf32 out=i8", "convert 4xf32 via=bf16", "tanh f16"})
    EXPECT_TRUE(is_function(resolve(line))) << line;
  for (const char* line : {"sum 4xf32", "max 3x4xf32", "add 4xf32,4xf32", "dynamic_quantize 4xf32", "argmax 4xf32"})
    EXPECT_FALSE(is_function(resolve(line))) << line;
}

TEST(FunctionInputs, AllOfUpTo20Bits) {
  EXPECT_EQ(function_inputs(Format::F4E2M1FN).size(), 16U);
  EXPECT_EQ(function_inputs(Format::BF16).size(), 65536U);
  EXPECT_EQ(function_inputs(Format::TF32).size(), 1U << 19);
  EXPECT_EQ(function_inputs(Format::TF32).back(), (1U << 19) - 1);
  EXPECT_FALSE(asked_in_full(Format::F32));
  EXPECT_THROW(function_inputs(Format::F64), Refused);
  EXPECT_THROW(function_inputs(Format::I32), Refused);
}

TEST(FunctionInputs, TheSampleOfF32) {
  const std::vector<Bits> sample = function_inputs(Format::F32);
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
  EXPECT_EQ(std::adjacent_find(sample.begin(), sample.end()), sample.end());
  EXPECT_LT(sample.back(), Bits{1} << 32);
  for (const Bits special : {0x0U, 0x80000000U, 0x1U, 0x7fffffU, 0x800000U, 0x7f7fffffU, 0x7f800000U, 0xff800000U, 0x7fc00000U,
                             0x3f800000U, 0xbf800000U, 0x3f7fffffU})
    EXPECT_TRUE(std::binary_search(sample.begin(), sample.end(), special)) << std::hex << special;
  // Ties of bf16 and of f16, and of every exponent as many as of any other.
  EXPECT_GT(std::count_if(sample.begin(), sample.end(), [](Bits b) { return (b & 0xffff) == 0x8000; }), 512 * 40);
  EXPECT_GT(std::count_if(sample.begin(), sample.end(), [](Bits b) { return (b & 0x1fff) == 0x1000; }), 512 * 40);
  for (Bits exponent = 0; exponent < 255; ++exponent)
    EXPECT_GT(std::count_if(sample.begin(), sample.end(), [&](Bits b) { return (b >> 23 & 0xff) == exponent; }), 3000);
  std::string lines;
  for (const Bits bits : sample) lines += std::to_string(bits) + "\n";
  EXPECT_EQ(sha256(lines), "sha256:3aeec6d3c4b44479578dadb08117e63cd107ca49d6e25a37f0e0b2182a82289e")
      << "the sample changed: it needs another name";
}

TEST(FunctionProbe, TheCanonicalProgram) {
  const FunctionReport r = probe("exp 1000xbf16");
  ASSERT_TRUE(r.contract);
  EXPECT_FALSE(r.diagnostic);
  EXPECT_EQ(r.strength, "exhaustive");
  EXPECT_EQ(r.contract->established.strength, "exhaustive");
  EXPECT_EQ(r.contract->established.how, "probed");
  ASSERT_EQ(r.tables.size(), 1U);
  EXPECT_TRUE(r.tables[0].whole);
  const auto& lines = r.contract->verified;
  EXPECT_NE(std::find(lines.begin(), lines.end(), "exp 1000xbf16"), lines.end());
  EXPECT_EQ(read_contract(write_contract(*r.contract)), *r.contract);
  // The table, in the order of the arguments' bits.
  Tensor x(Format::BF16, {65536});
  for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<Bits>(i));
  const Resolved problem = resolve("exp 65536xbf16");
  EXPECT_EQ(r.tables[0].sha256,
            sha256(interpret(bind(r.contract->pieces[0].program, problem.binding), std::span(&x, 1)).results[0].span()));
}

TEST(FunctionProbe, ASampleIsNoProof) {
  const FunctionReport r = probe("exp 1000xf32");
  ASSERT_TRUE(r.contract);
  EXPECT_EQ(r.strength, "sampled");
  EXPECT_EQ(r.contract->established.strength, "sampled");
  EXPECT_FALSE(r.tables[0].whole);
  EXPECT_TRUE(r.tables[0].sha256.empty());
}

// exp's subnormals are values, log's are arguments, tanh's are both at once, so that nobody can say whose zero it is.
TEST(FunctionProbe, FlushedSubnormals) {
  struct Case {
    const char* line;
    bool in, out;
    std::set<std::string> fit;
  };
  const std::set<std::string> all{"argument", "value", "argument and value", "inputs", "results", "inputs and results"};
  const Case cases[] = {{"exp 100xbf16", false, true, {"value", "argument and value", "results", "inputs and results"}},
                        {"log 100xbf16", true, false, {"argument", "argument and value", "inputs", "inputs and results"}},
                        {"tanh 100xbf16", true, false, all},
                        {"tanh 100xbf16", false, true, all},
                        {"tanh 100xbf16", true, true, all}};
  for (const Case& c : cases) {
    const FunctionReport r = probe(c.line, [&](const Tensor& x, Tensor& y) {
      const Bits infinite = infinity(Format::BF16, true);
      for (std::int64_t i = 0; i < x.size(); ++i) {
        if (c.in && classify(Format::BF16, x.get(i)) == Class::Subnormal)
          y.set(i, c.line[0] == 'l' ? infinite : x.get(i) & 0x8000);
        if (c.out && classify(Format::BF16, y.get(i)) == Class::Subnormal) y.set(i, y.get(i) & 0x8000);
      }
    });
    ASSERT_TRUE(r.contract) << c.line;
    EXPECT_EQ(nearest(r).exceptions, 0);
    std::set<std::string> fit;
    for (const FunctionCandidate& candidate : r.tables[0].candidates)
      if (candidate.fits() && candidate.choices.at("result") == "once") fit.insert(candidate.flush);
    EXPECT_EQ(fit, c.fit) << c.line << c.in << c.out;
  }
}

// Whatever is compared only where a subnormal is met must be what the whole program gives.
TEST(FunctionProbe, CandidatesAreComparedAsIfRunInFull) {
  for (const char* line : {"log 1xbf16", "gelu 1xbf16"}) {
    FunctionBackend backend;
    FunctionAsker asker(backend, resolve(line));
    const Tensor x = as_row(asker.argument(), function_inputs(asker.argument()));
    const Tensor y = asker.ask(x);
    std::vector<FunctionCandidate> candidates = function_candidates(asker.problem());
    compare_with(candidates, asker, x, y);
    for (const FunctionCandidate& c : candidates) {
      const Tensor given = interpret(bind(c.program, asker.at(x.shape()).binding), std::span(&x, 1)).results[0];
      std::int64_t different = 0;
      std::optional<Bits> first;
      for (std::int64_t i = x.size(); i-- > 0;)
        if (given.get(i) != y.get(i)) ++different, first = x.get(i);
      EXPECT_EQ(c.different, different) << line << " " << to_text(c);
      EXPECT_EQ(c.first, first) << line << " " << to_text(c);
    }
  }
}

// 40 values, in two regions; and 65.
FunctionBackend::Change wrong_at(Bits first, Bits count) {
  return [first, count](const Tensor& x, Tensor& y) {
    for (std::int64_t i = 0; i < x.size(); ++i)
      if (x.get(i) >= first && x.get(i) < first + count) y.set(i, y.get(i) ^ 1);
  };
}

TEST(FunctionProbe, AFewValuesOneByOne) {
  const FunctionReport r = probe("exp 1000xbf16", wrong_at(0x40db, 64));
  ASSERT_TRUE(r.contract);
  EXPECT_EQ(r.strength, "exhaustive");
  EXPECT_EQ(nearest(r).exceptions, 64);
  EXPECT_FALSE(r.tables[0].candidates[0].fits());
  EXPECT_NE(to_text(r).find("64 value(s) given one by one"), std::string::npos);
  // The contract's program, on its own, gives those values, and no others differ.
  Tensor x(Format::BF16, {65536});
  for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<Bits>(i));
  const Resolved problem = resolve("exp 65536xbf16");
  const Operator& op = operator_named("exp");
  const auto run = [&](const NumericProgram& p) {
    return interpret_slowly(bind(p, problem.binding), std::span(&x, 1)).results[0];
  };
  const Tensor got = run(read_contract(write_contract(*r.contract)).pieces[0].program);
  const Tensor plain = run(op.build(problem.formats(), canonical_choices(op, problem.formats())));
  for (std::int64_t i = 0; i < x.size(); ++i) ASSERT_EQ(got.get(i), plain.get(i) ^ (i >= 0x40db && i < 0x40db + 64 ? 1 : 0)) << i;
}

TEST(FunctionProbe, ManyValuesThatNoProgramGivesAreATable) {
  const FunctionReport r = probe("exp 1000xbf16", wrong_at(0x40db, 65));
  ASSERT_TRUE(r.contract);
  EXPECT_EQ(r.strength, "exhaustive");
  const std::vector<FunctionCandidate>& all = r.tables[0].candidates;
  EXPECT_TRUE(all.back().tabulated);
  EXPECT_EQ(all[0].different, 65);
  EXPECT_EQ(all[0].first, 0x40dbU);
  EXPECT_EQ(all[0].seen, 0x446aU);
  EXPECT_EQ(all[0].given, 0x446bU);
  EXPECT_TRUE(r.positions[0].different == 0 && r.positions[1].different == 0);
  const Contract read = read_contract(write_contract(*r.contract));
  const Node& last = read.pieces[0].program.nodes.back();
  ASSERT_TRUE(std::holds_alternative<Table>(last));
  EXPECT_EQ(sha256(std::get<Table>(last).values.span()), r.tables[0].sha256);
}

TEST(FunctionProbe, ASampleHasNoExceptions) {
  const FunctionReport r = probe("convert 10xf32 out=bf16", wrong_at(0x3f800000, 1));
  EXPECT_FALSE(r.contract);
  EXPECT_EQ(r.diagnostic->code, Code::ProbeUnknown);
}

TEST(FunctionProbe, PayloadsOfNaNsDoNotCount) {
  const FunctionReport r = probe("log 10xf16", [](const Tensor& x, Tensor& y) {
    for (std::int64_t i = 0; i < y.size(); ++i)
      if (classify(Format::F16, y.get(i)) == Class::NaN) y.set(i, 0xfc01 | (x.get(i) & 0xff));
  });
  EXPECT_TRUE(r.contract);
}

// A vector loop of 8 whose body is off by a bit; what is left is right: 8 of 10 elements are another value.
TEST(FunctionProbe, ABodyAndATail) {
  const FunctionReport r = probe("exp 10xbf16", [](const Tensor& x, Tensor& y) {
    for (std::int64_t i = 0; i < x.size() / 8 * 8; ++i)
      if (x.get(i) == 0x3f80) y.set(i, 0x402d);
  });
  EXPECT_FALSE(r.contract);
  ASSERT_TRUE(r.diagnostic);
  EXPECT_EQ(r.diagnostic->code, Code::ProbePosition);
  ASSERT_EQ(r.positions.size(), 3U);
  EXPECT_EQ(r.positions[0].different, 0) << "lanes agree";
  EXPECT_EQ(r.positions[1].arguments, 65536);
  EXPECT_EQ(r.positions[1].different, 1);
  ASSERT_TRUE(r.positions[1].first);
  EXPECT_EQ(r.positions[1].first->x, 0x3f80U);
  EXPECT_EQ(r.positions[1].first->here.value, 0x402dU);
  EXPECT_EQ(r.positions[1].first->there.value, 0x402eU);
  EXPECT_EQ(r.positions[1].pattern, "at index 0 to 63 it is the table's value, from 64 on another");
  // Two tables: the tail's is the canonical program's.
  ASSERT_EQ(r.tables.size(), 2U);
  EXPECT_EQ(r.tables[0].where, "vector body");
  EXPECT_EQ(r.tables[1].where, "tail");
  EXPECT_NE(r.tables[0].sha256, r.tables[1].sha256);
  EXPECT_FALSE(best(r.tables[0].candidates)->fits());
  EXPECT_TRUE(best(r.tables[1].candidates)->fits());
}

TEST(FunctionProbe, OneLane) {
  const FunctionReport r = probe("exp 10xbf16", [](const Tensor& x, Tensor& y) {
    for (std::int64_t i = 5; i < x.size(); i += 16)
      if (classify(Format::BF16, x.get(i)) == Class::Normal) y.set(i, y.get(i) ^ 1);
  });
  ASSERT_TRUE(r.diagnostic);
  EXPECT_EQ(r.diagnostic->code, Code::ProbePosition);
  EXPECT_GT(r.positions[0].different, 10000);
}

TEST(FunctionProbe, TheProblemsOwnShape) {
  const FunctionReport r = probe("exp 2x5xbf16", [](const Tensor& x, Tensor& y) {
    if (x.size() == 10) y.set(7, y.get(7) ^ 1);
  });
  ASSERT_TRUE(r.diagnostic);
  EXPECT_EQ(r.diagnostic->code, Code::ProbePosition);
  EXPECT_EQ(r.positions[0].different + r.positions[1].different, 0);
  EXPECT_EQ(r.positions[2].different, 1);
}

TEST(FunctionProbe, RunsThatDoNotAgree) {
  FunctionBackend backend;
  backend.agrees = false;
  try {
    probe_function(backend, resolve("exp 10xbf16"), {});
    FAIL();
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.diagnostic().code, Code::Nondeterministic);
  }
}

TEST(FunctionProbe, TextSaysWhatMatters) {
  const std::string text = to_text(probe("exp 10xbf16", wrong_at(0x40db, 100)));
  for (const char* part :
       {"the table of these values", "100 of 65536 values differ, first at 6.84 (0x40db): 936 (0x446a) here, 940 (0x446b) there",
        "sha256:"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace bitpact
