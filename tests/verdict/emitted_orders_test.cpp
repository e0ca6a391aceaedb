// Sums of every order and length, emitted in every form, compiled and run: the bits are the interpreter's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "backends/backend.h"
#include "backends/traits/ask.h"
#include "compare/compare.h"
#include "diagnostic/diagnostic.h"
#include "emit/emit.h"
#include "interpret/covered.h"
#include "interpret/random_program.h"
#include "operators/catalogue.h"
#include "operators/recipe.h"

namespace bitpact {
namespace {

Backend& backend(const std::string& spec) {
  static std::map<std::string, std::unique_ptr<Backend>> open;
  std::unique_ptr<Backend>& one = open[spec];
  if (!one) one = open_backend(parse_backend(spec));
  return *one;
}

struct Tally {
  std::int64_t exact = 0, differing = 0, refused = 0;
  std::set<std::string> forms;
};

/// All forms of the program (or one of them) on the compiler; outputs outside the domain of the form are left out.
Tally run_forms(const std::string& line, const Choices& choices, const std::string& spec, const std::string& only = "",
                const Choices& emitted = {}) {
  const Resolved problem = resolve(line);
  const Operator& op = operator_named(problem.problem.op);
  const auto program = [&](const Choices& c) {
    return bind(op.build(problem.formats(), complete_choices(op, problem.formats(), c)), problem.binding);
  };
  const Recipe recipe = Recipe::parse("bitpact-operands/1 seed=7 classes=normal,cancellation,ties,special");
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
    if (!only.empty() && form.form != only) continue;
    tally.forms.insert(form.form);
    std::vector<std::uint8_t> keep;
    std::int64_t kept = 0;
    for (const std::uint8_t seen : wanted.occurrences[0]) {
      keep.push_back((seen & excluded_bits(form.carries)) == 0 ? 1 : 0);
      kept += keep.back();
    }
    EXPECT_GT(2 * kept, static_cast<std::int64_t>(keep.size())) << line << " in the form " << form.form;
    const Tensor got = backend(spec).run_stablehlo(form.module, {problem.result}, operands, {}).results[0];
    const std::int64_t different = compare_tensors(wanted.results[0], got, {}, &keep).different;
    (different == 0 ? tally.exact : tally.differing) += 1;
    if (emitted.empty())
      EXPECT_EQ(different, 0) << line << " order=" << (choices.contains("order") ? choices.at("order") : "") << " in the form "
                              << form.form << " on " << spec;
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

}  // namespace
}  // namespace bitpact
