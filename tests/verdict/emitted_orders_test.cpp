// Sums of every order and length, emitted in every form, compiled and run: the bits are the interpreter's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "backends/backend.h"
#include "backends/traits/ask.h"
#include "compare/compare.h"
#include "diagnostic/diagnostic.h"
#include "emit/emit.h"
#include "emit/insert.h"
#include "interpret/covered.h"
#include "interpret/random_program.h"
#include "operators/catalogue.h"
#include "operators/recipe.h"
#include "verdict/opened.h"

namespace bitpact {
namespace {

struct Tally {
  std::int64_t exact = 0, differing = 0, refused = 0;
  std::set<std::string> forms;
};

std::int64_t random_cases(std::int64_t usual) {
  const char* text = std::getenv("BITPACT_RANDOM_CASES");
  return text ? std::min<std::int64_t>(std::atoll(text), 400) : usual;
}

/// All forms of the program on the compiler, but for long ones written out, which take long to compile; outputs outside the
/// domain of the form are left out. With `emitted`, that is emitted instead, and what differs is only counted.
Tally run_forms(const std::string& line, const Choices& choices, const std::string& spec, const Choices& emitted = {},
                const std::string& only = "") {
  constexpr size_t kLongText = 60'000;
  const Resolved problem = resolve(line);
  const Operator& op = operator_named(problem.problem.op);
  const auto program = [&](const Choices& c) {
    return bind(op.build(problem.formats(), complete_choices(op, problem.formats(), c)), problem.binding);
  };
  const Recipe recipe = Recipe::parse("bitpact-operands/2 seed=7 classes=normal,cancellation,ties,special");
  const std::vector<Tensor> operands =
      make_operands(recipe, problem.problem.operands, problem.binding.operands, independent_axes(problem));
  const Interpreted wanted = interpret(program(choices), operands, {.threads = 1, .watch = true});
  Tally tally;
  std::vector<Emitted> forms;
  try {
    forms = emit(program(emitted.empty() ? choices : emitted), traits_of(backend(spec)));
  } catch (const Refused& refused) {
    EXPECT_TRUE(refused.diagnostic().code == Code::EmitTooLarge || refused.diagnostic().code == Code::EmitUnsupported)
        << line << ": " << refused.what();
    ++tally.refused;
    return tally;
  }
  for (const Emitted& form : forms) {
    if (only.empty() ? form.form == "written-out" && form.module.size() > kLongText : form.form != only) continue;
    tally.forms.insert(form.form);
    const std::vector<std::uint8_t> keep = inside(wanted, form.carries);
    const std::int64_t kept = std::count(keep.begin(), keep.end(), 1);
    EXPECT_GT(2 * kept, static_cast<std::int64_t>(keep.size())) << line << " in the form " << form.form;
    Tensor got;
    try {
      got = backend(spec).run_stablehlo(form.module, {problem.result}, operands, {}).results[0];
    } catch (const Refused& refused) {
      // A compiler may fail at a module that is valid ("does not dominate this use": IREE, now and then); the next form is tried.
      EXPECT_EQ(refused.diagnostic().code, Code::CompileFailed) << line << ": " << refused.what();
      std::printf("  %s in the form %s on %s: %s\n", line.c_str(), form.form.c_str(), spec.c_str(), refused.what());
      ++tally.refused;
      continue;
    }
    const std::int64_t different = compare_tensors(wanted.results[0], got, {}, &keep).different;
    (different == 0 ? tally.exact : tally.differing) += 1;
    if (emitted.empty()) {
      EXPECT_EQ(different, 0) << line << " order=" << (choices.contains("order") ? choices.at("order") : "") << " in the form "
                              << form.form << " on " << spec;
    }
  }
  return tally;
}

const char* const kBoth[] = {"iree", "xla"};

TEST(EmittedOrders, OfRealKernelsAtTheirLengths) {
  const std::vector<std::pair<std::string, Choices>> cases{
      {"sum 3x4097xf32", {{"order", "pairwise(128, 8, tailed(8, interleaved(8, pairwise(1)), continued))"}, {"start", "first"}}},
      {"sum 3x1000xf32", {{"order", "blocked_short_both(32, sequential, blocked_short_both(32))"}}},
      {"sum 3x4097xf32", {{"order", "tailed(8, interleaved(8, interleaved(4, interleaved(2))), continued)"}}},
      {"sum 3x1000xbf16", {{"order", "blocked_short_both(32, sequential, blocked_short_both(32))"}}},
      {"sum 3x700xf16", {{"order", "pairwise(128, 8, interleaved(8, pairwise(1)))"}, {"accumulator", "f16"}}},
      {"matmul 33x500xf32,500x65xf32", {{"order", "blocked(128)"}, {"product", "fused"}}},
      {"matmul 33x100xf32,100x4xf32", {{"order", "interleaved(16, pairwise(1))"}, {"product", "fused"}}},
      {"matmul 33x251xf32,251x65xf32", {{"order", "blocked_short_both(96)"}, {"product", "rounded"}}},
      {"matmul 20x300xbf16,300x17xbf16", {{"order", "interleaved(16, pairwise(1))"}}},
      {"matmul 20x300xf16,300x17xf16", {{"order", "tailed(4, interleaved(4, pairwise(1)), apart)"}, {"start", "first"}}},
  };
  for (const auto& [line, choices] : cases)
    for (const char* spec : kBoth) {
      const Tally tally = run_forms(line, choices, spec);
      EXPECT_TRUE(tally.forms.contains("batched-while")) << line;
      EXPECT_EQ(tally.refused, 0) << line;
    }
}

std::string random_line(test::Random& random, std::int64_t n, Choices& choices) {
  const char* formats[] = {"f32", "f32", "bf16", "f16"};
  const char* format = formats[random.below(4)];
  choices["start"] = random.one_in(2) ? "zero" : "first";
  if (random.one_in(4)) choices["accumulator"] = format;
  choices["order"] = spelled(test::random_order(random, n));
  if (random.one_in(3)) return fmt::format("sum {}x{}x{} axis={}", n, random.between(1, 9), format, 0);
  if (random.one_in(3)) return fmt::format("sum {}x{}x{} axis=1", random.between(1, 9), n, format);
  const std::int64_t m = random.between(1, 20), columns = random.between(1, 20);
  choices["product"] = format == std::string("f32") && random.one_in(2) ? "fused" : "rounded";
  return fmt::format("matmul {}x{}x{},{}x{}x{}", m, n, format, n, columns, format);
}

TEST(EmittedOrders, OfRandomOrdersAtRandomLengths) {
  test::Random random(47);
  std::int64_t exact = 0, refused = 0;
  std::set<std::string> forms;
  for (std::int64_t i = random_cases(6); i > 0; --i) {
    const std::int64_t n = random.one_in(6) ? random.between(1000, 3000) : random.between(1, 700);
    Choices choices;
    const std::string line = random_line(random, n, choices);
    for (const char* spec : kBoth) {
      const Tally tally = run_forms(line, choices, spec);
      exact += tally.exact;
      refused += tally.refused;
      forms.insert(tally.forms.begin(), tally.forms.end());
    }
  }
  std::printf("  %ld modules exact, %ld refused\n", exact, refused);
  EXPECT_GT(exact, 8 * refused);
  for (const char* form : {"batched-reduce", "batched-while", "written-out"}) EXPECT_TRUE(forms.contains(form)) << form;
}

// Where IREE cut such a text by itself, a product was rounded apart from its sum.
TEST(EmittedOrders, ALongTextIsCutBetweenSteps) {
  const Choices fused{{"order", "blocked(128)"}, {"product", "fused"}};
  EXPECT_EQ(run_forms("matmul 33x251xf32,251x65xf32", fused, "iree", {}, "written-out").exact, 1);
}

// The check sees: the same sums emitted for an order that is not theirs differ in every form.
TEST(EmittedOrders, AnotherOrderIsSeen) {
  const std::string line = "matmul 30x250xf32,250x30xf32";
  const Choices theirs{{"order", "blocked(64)"}, {"product", "fused"}};
  for (const char* spec : kBoth)
    for (const Choices& other :
         {Choices{{"order", "blocked(65)"}, {"product", "fused"}}, Choices{{"order", "blocked(64)"}, {"product", "rounded"}},
          Choices{{"order", "blocked_short_first(64)"}, {"product", "fused"}}}) {
      const Tally tally = run_forms(line, theirs, spec, other);
      EXPECT_EQ(tally.exact, 0) << spec;
      EXPECT_GT(tally.differing, 0) << spec;
    }
}

/// A contract with a program for each region, on the compiler, against the interpreter.
void run_regions(const std::string& line, const std::vector<std::pair<std::string, Choices>>& regions, const std::string& spec) {
  const Resolved problem = resolve(line);
  const Operator& op = operator_named(problem.problem.op);
  Contract contract = contract_from_choices(problem, {}, {});
  const Piece first = contract.pieces.front();
  contract.pieces.clear();
  for (const auto& [region, choices] : regions) {
    Piece piece = first;
    piece.region = region;
    piece.program = op.build(problem.formats(), complete_choices(op, problem.formats(), choices));
    contract.pieces.push_back(piece);
  }
  const Covered covered = cover(contract, problem);
  ASSERT_EQ(covered.parts.size(), regions.size());
  const std::vector<Tensor> operands =
      make_operands(Recipe::parse("bitpact-operands/2 seed=9 classes=normal,cancellation,ties,special"), problem.problem.operands,
                    problem.binding.operands, independent_axes(problem));
  const Interpreted wanted = interpret(covered, operands, {.threads = 1, .watch = true});
  const std::vector<Emitted> forms = emit(covered, traits_of(backend(spec)));
  std::int64_t ran = 0;
  for (const Emitted& form : forms) {
    if (ran == 2) break;
    ++ran;
    const std::vector<std::uint8_t> keep = inside(wanted, form.carries);
    try {
      const Tensor got = backend(spec).run_stablehlo(form.module, {problem.result}, operands, {}).results[0];
      EXPECT_EQ(compare_tensors(wanted.results[0], got, {}, &keep).different, 0) << line << " as " << form.form << " on " << spec;
    } catch (const Refused& refused) {
      ADD_FAILURE() << line << " " << regions[0].first << " as " << form.form << " on " << spec << ": " << refused.what();
    }
  }
  EXPECT_GE(ran, 1);
}

// The same inside of a user's module.
TEST(EmittedRegions, AreInsertedAsOneCall) {
  const Resolved problem = resolve("matmul 20x100xf32,100x36xf32");
  const Operator& op = operator_named(problem.problem.op);
  Contract contract = contract_from_choices(problem, {{"order", "blocked(32)"}}, {});
  contract.pieces.push_back(contract.pieces.front());
  contract.pieces[0].region = "n[0,7)";
  contract.pieces[1].region = "n[7,36)";
  contract.pieces[1].program = op.build(problem.formats(), complete_choices(op, problem.formats(), {{"product", "fused"}}));
  const Covered covered = cover(contract, problem);
  const std::vector<Tensor> operands =
      make_operands(Recipe::parse("bitpact-operands/2 seed=9 classes=normal,ties"), problem.problem.operands,
                    problem.binding.operands, independent_axes(problem));
  const std::string user =
      "func.func public @main(%x: tensor<20x100xf32>, %w: tensor<100x36xf32>) -> tensor<20x36xf32> {\n  %0 = "
      "stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<20x100xf32>, tensor<100x36xf32>) -> "
      "tensor<20x36xf32>\n  return %0 : tensor<20x36xf32>\n}\n";
  const Tensor wanted = interpret(covered, operands).results[0];
  for (const char* spec : kBoth) {
    const auto differing = [&](const std::string& module) {
      return compare_tensors(wanted, backend(spec).run_stablehlo(module, {problem.result}, operands, {}).results[0]).different;
    };
    const Emitted form = emit(covered, traits_of(backend(spec)), {.function = "f", .in_module = true}).front();
    EXPECT_GT(differing(user), 0) << spec;
    EXPECT_EQ(differing(insert_call(user, form.module, "f", "%0")), 0) << spec;
  }
}

TEST(EmittedRegions, EachOutputHasItsProgram) {
  const Choices lanes{{"order", "interleaved(16, pairwise(1))"}, {"product", "fused"}};
  const Choices chain{{"product", "fused"}}, blocks{{"order", "blocked(32)"}, {"product", "rounded"}};
  for (const char* spec : kBoth) {
    run_regions("matmul 20x100xf32,100x36xf32", {{"n[32,36)", lanes}, {"n[0,32)", chain}}, spec);
    run_regions("matmul 20x100xf32,100x36xf32", {{"m[0,16), n[0,32)", lanes}, {"m[0,16), n[32,36); m[16,20)", blocks}}, spec);
    run_regions("matmul 20x100xf32,100x36xf32", {{"n[0,36) step 2", lanes}, {"n[1,36) step 2", blocks}}, spec);
    run_regions("matmul 20x100xf32,100x36xf32", {{"m[1,20) step 3", lanes}, {"m[0,19) step 3; m[2,18) step 3", chain}}, spec);
    // Along the axis that is folded over there is nothing to cut.
    run_regions("cumsum 4x50xf32 axis=1", {{"n[0,20)", {}}, {"n[20,50)", {{"start", "first"}}}}, spec);
  }
}

}  // namespace
}  // namespace bitpact
