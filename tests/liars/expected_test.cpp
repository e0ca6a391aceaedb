// Every kernel against expected.txt: where a contract is expected, against the interpreter on that contract's program; where none
// is, against everything that the catalogue has.
#include "liars/expected.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "compare/compare.h"
#include "interpret/interpret.h"
#include "operators/building.h"
#include "operators/compensated.h"
#include "operators/recipe.h"
#include "probe/function_flush.h"

namespace bitpact::liars {
namespace {

/// Whether the catalogue has the problem's operator: one that it lacks is asked by hand only (kernels_test.cpp).
bool in_catalogue(const std::string& line) {
  const std::string op = parse_problem(line).op;
  return std::any_of(catalogue().begin(), catalogue().end(), [&](const Operator& known) {
    return known.name == op || std::count(known.aliases.begin(), known.aliases.end(), op) != 0;
  });
}

/// `dot 257xf32,257xf32` is asked of the interpreter as a product of a row and a column.
Resolved resolve_for_oracle(const Problem& asked) {
  Problem problem = asked;
  if (problem.op == "dot" && problem.operands[0].shape.size() == 1) {
    problem.op = "matmul";
    const std::int64_t k = problem.operands[0].shape[0];
    problem.operands[0].shape = {1, k};
    problem.operands[1].shape = {k, 1};
  }
  return resolve(problem);
}

/// A question to one kernel, with its answer.
struct Question {
  Resolved resolved;
  std::vector<Tensor> operands;
  Tensor answer;

  Question(const Liar& liar, const Resolved& problem, const std::string& op, std::vector<Tensor> given)
      : resolved(problem), operands(std::move(given)) {
    Problem asked = resolved.problem;
    asked.op = op;
    answer = ask(liar, asked, operands, resolved.result);
  }
  Tensor run(const NumericProgram& program) const { return interpret(bind(program, resolved.binding), operands).results[0]; }
  std::int64_t different(const NumericProgram& program) const { return compare_tensors(run(program), answer).different; }
};

constexpr std::int64_t kFewOutputs = 16;

/// Questions enough to tell programs apart: operands by recipe, of all classes and of normal ones with zeros among them; and
/// terms that are all -0; of integers the largest ones.
std::vector<Question> questions(const Expected& row) {
  const Liar& liar = *liar_named(row.kernel);
  const Problem problem = parse_problem(row.problem);
  const Resolved resolved = resolve_for_oracle(problem);
  std::vector<Question> all;
  const int seeds = element_count(resolved.result.shape) < kFewOutputs ? 24 : 2;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Recipe recipe =
        Recipe::parse(fmt::format("bitpact-operands/2 seed={}{}", seed, seed % 2 == 0 ? " classes=normal,cancellation" : ""));
    std::vector<Tensor> operands =
        make_operands(recipe, resolved.problem.operands, resolved.binding.operands, independent_axes(resolved));
    for (std::int64_t i = 0; seed % 2 == 0 && i < operands[0].size(); i += 7) operands[0].set(i, 0);
    all.emplace_back(liar, resolved, problem.op, std::move(operands));
  }
  std::vector<Tensor> extremes;
  for (const OperandSpec& spec : resolved.problem.operands) {
    Tensor& operand = extremes.emplace_back(spec.format, spec.shape);
    const Bits bits = !is_float(spec.format) ? largest_finite(spec.format)
                      : extremes.size() == 1 ? negative_zero(spec.format)
                                             : one(spec.format);
    for (std::int64_t i = 0; i < operand.size(); ++i) operand.set(i, bits);
  }
  all.emplace_back(liar, resolved, problem.op, std::move(extremes));
  return all;
}

/// The leaf's operands rounded to a narrower format first.
void round_operands(NumericProgram& program, Format narrow) {
  auto& fold = std::get<Fold>(program.nodes.back());
  BodyBuilder b(fold.leaf.arguments);
  std::vector<int> rounded;
  for (int i = 0; i < static_cast<int>(fold.leaf.arguments.size()); ++i)
    rounded.push_back(b.convert(b.convert(i, narrow), fold.leaf.arguments[static_cast<std::size_t>(i)]));
  fold.leaf = b.finish(inlined(b, fold.leaf, rounded));
}

NumericProgram expected_program(const Resolved& resolved, const Expected& row) {
  const Operator& op = operator_named(resolved.problem.op);
  const OperatorFormats formats = resolved.formats();
  const bool tree = row.order.rfind("tree", 0) == 0;
  Choices changes;
  if (row.order != "-") changes["order"] = tree ? "sequential" : row.order;
  std::string flush, operands;
  for (const auto& [name, value] : row.facts) {
    if (name == "flush")
      flush = value;
    else if (name == "operands")
      operands = value;
    else
      changes[name] = value;
  }
  NumericProgram program = op.build(formats, complete_choices(op, formats, changes));
  if (tree) std::get<Fold>(program.nodes.back()).order = parse_tree(row.order);
  if (!operands.empty()) round_operands(program, parse_format(operands));
  return flush.empty() ? program : with_flush(program, flush != "results", flush != "inputs");
}

std::vector<Expected> contracts() {
  std::vector<Expected> rows = read_expected();
  std::erase_if(rows, [](const Expected& row) { return row.verdicts[0] != "CONTRACT" || !in_catalogue(row.problem); });
  return rows;
}

TEST(Expected, NamesEveryKernelAndNoOther) {
  std::set<std::string> expected, known;
  for (const Expected& row : read_expected()) expected.insert(row.kernel);
  for (const Liar& liar : table()) EXPECT_TRUE(known.emplace(liar.name).second) << liar.name << " is there twice";
  EXPECT_EQ(expected, known);
  EXPECT_GE(known.size(), 40U);
}

TEST(Expected, EveryRowIsWellFormed) {
  const std::set<std::string> verdicts = {"CONTRACT", "UNKNOWN", "NOT_A_TREE", "NONDETERMINISTIC"};
  std::set<std::string> seen;
  for (const Expected& row : read_expected()) {
    EXPECT_TRUE(seen.insert(row.kernel + " " + row.problem).second) << row.kernel << " " << row.problem;
    EXPECT_EQ(to_text(parse_problem(row.problem)), row.problem);
    for (const std::string& verdict : row.verdicts) EXPECT_TRUE(verdicts.contains(verdict)) << row.kernel << ": " << verdict;
    const bool worded = row.order == "-" && row.facts.empty() && row.words != "-";
    EXPECT_TRUE(row.verdicts[0] == "CONTRACT" || worded) << row.kernel;
  }
}

// A tree is read as it is written: (0 2) + (1 3) + 4.
TEST(Expected, ReadsTrees) {
  EXPECT_EQ(parse_tree("tree (0..2/2 + 1..3/2) + 4"), Order::tree({{0, 2}, {1, 3}, {5, 6}, {7, 4}}));
  for (const char* bad : {"tree", "tree 0 +", "tree (0 + 1", "tree 0..", "tree 0 + 0", "tree 1 + 2", "tree 0..2/0", "0 + 1"})
    EXPECT_ANY_THROW(parse_tree(bad)) << bad;
}

std::int64_t different(const std::vector<Question>& asked, const NumericProgram& program) {
  std::int64_t sum = 0;
  for (const Question& question : asked) sum += question.different(program);
  return sum;
}

TEST(Expected, ContractsGiveTheKernelsBits) {
  for (const Expected& row : contracts()) {
    const std::vector<Question> asked = questions(row);
    EXPECT_EQ(different(asked, expected_program(asked[0].resolved, row)), 0) << row.kernel << ": " << row.problem;
  }
}

/// What a fact would be if it were another; none where the other gives the same bits.
std::optional<Expected> another(const Expected& row, const std::string& fact, Format operand) {
  static const std::map<std::string, std::string> others = {{"f64", "f32"},
                                                            {"bf16", "f32"},
                                                            {"f16", "f32"},
                                                            {"f32", "f64"},
                                                            {"first", "zero"},
                                                            {"zero", "first"},
                                                            {"fused", "rounded"},
                                                            {"rounded", "fused"},
                                                            {"f32/kahan", "f32"},
                                                            {"f32/neumaier", "f32/kahan"},
                                                            {"f32/kahan@64", "f32/kahan"},
                                                            {"storage", "rounded"},
                                                            {"i32", "i16-pairs"},
                                                            {"i16-pairs", "i32"},
                                                            {"kept", "read-as-signed"}};
  Expected wrong = row;
  const bool in_double = row.facts.contains("accumulator") && row.facts.at("accumulator") == "f64";
  // Sums that carry their errors have one order, one start and rounded products.
  const bool compensated = row.facts.contains("accumulator") && is_compensation(row.facts.at("accumulator"));
  if (compensated && fact != "accumulator") return std::nullopt;
  if (fact == "order") {
    if (in_double || row.order == "-") return std::nullopt;  // kernels_test.cpp has terms that tell
    wrong.order = row.order == "sequential" ? "pairwise(8)" : "sequential";
    wrong.facts.erase("tail");  // which goes with the one order only
    return wrong;
  }
  const std::string value = row.facts.at(fact);
  // Products that are exact are rounded nowhere; nor is one fused that a chain starts with, where chains have one term.
  const bool exact = row.facts.contains("operands") || in_double || operand != Format::F32;
  const bool short_chains = row.order == "pairwise(1)" || row.order.rfind("tree", 0) == 0;
  if (fact == "product" && (exact || short_chains) && value != "storage") return std::nullopt;
  if (fact == "accumulator" && row.facts.contains("tail")) return std::nullopt;  // the two go together
  if (fact == "flush" || fact == "operands" || fact == "tail")
    wrong.facts.erase(fact);
  else
    wrong.facts[fact] = others.at(value);
  return wrong;
}

// The questions can tell: no fact can be exchanged.
TEST(Expected, ContractsWithOneFactChangedDoNot) {
  int changed = 0;
  for (const Expected& row : contracts()) {
    const std::vector<Question> asked = questions(row);
    std::vector<std::string> facts{"order"};
    for (const auto& [name, value] : row.facts) facts.push_back(name);
    for (const std::string& fact : facts) {
      const std::optional<Expected> wrong = another(row, fact, asked[0].resolved.formats().operands[0]);
      if (!wrong) continue;
      EXPECT_GT(different(asked, expected_program(asked[0].resolved, *wrong)), 0)
          << row.kernel << ": " << row.problem << ", " << fact;
      ++changed;
    }
  }
  EXPECT_GT(changed, 250);
}

TEST(Expected, WhatIsNoContractIsNoneOfTheCatalogue) {
  int tried = 0;
  for (const Expected& row : read_expected()) {
    if (std::count(row.verdicts.begin(), row.verdicts.end(), "CONTRACT") != 0 || !in_catalogue(row.problem)) continue;
    const std::vector<Question> asked = questions(row);
    const Resolved& resolved = asked[0].resolved;
    for (const Hypothesis& hypothesis : hypotheses(operator_named(resolved.problem.op), resolved.formats())) {
      EXPECT_GT(different(asked, hypothesis.program), 0)
          << row.kernel << ": " << row.problem << ", " << fmt::format("{}", fmt::join(hypothesis.choices, ", "));
      ++tried;
    }
  }
  EXPECT_GT(tried, 1000);
}

}  // namespace
}  // namespace bitpact::liars
