// Questions that are said to part a program from others do: every other one is run as a backend and asked them.
#include "probe/separating.h"

#include <gtest/gtest.h>

#include "diagnostic/diagnostic.h"
#include "probe/distinct.h"
#include "probe/support.h"

namespace bitpact {
namespace {

using test::Known;
using test::program;

ProbeSettings few() {
  ProbeSettings settings;
  settings.replay_outputs = 256;
  settings.repeats = 2;
  settings.other_lengths = false;
  return settings;
}

Separation separation_of(const Resolved& problem, const Choices& changes) {
  Known backend(program(problem, changes));
  const Probed probed = probe(problem, backend, few());
  EXPECT_TRUE(probed.contract) << (probed.diagnostic ? probed.diagnostic->reason : "");
  return separate(problem, backend, probed, 1);
}

struct Case {
  const char* problem;
  Choices changes;
};

class Separating : public testing::TestWithParam<Case> {};

TEST_P(Separating, EveryProgramThatIsSaidToBePartedAnswersOtherwise) {
  const Resolved problem = resolve(GetParam().problem);
  const Separation separation = separation_of(problem, GetParam().changes);
  ASSERT_GE(separation.questions.size(), 3U);
  ASSERT_LE(separation.questions.size(), 6U);
  // The backend's own program first: what is the same at this shape goes.
  const Operator& op = operator_named(problem.problem.op);
  std::vector<Hypothesis> all{{GetParam().changes, program(problem, GetParam().changes), ""}};
  for (Hypothesis& h : hypotheses(op, problem.formats())) all.push_back(std::move(h));
  all = distinct_at(std::move(all), problem.binding);
  std::int64_t parted = 0;
  Known backend(all[0].program);
  for (size_t h = 0; h < all.size(); ++h) {
    Known other(all[h].program);
    bool differs = false;
    for (const AnsweredQuestion& q : separation.questions) differs = differs || ask(other, q.question).digest != q.digest;
    EXPECT_FALSE(h == 0 && differs) << "the backend itself answers otherwise";
    if (h > 0 && differs) ++parted;
    // Nothing else that could be asked parts the rest.
    Question further{to_text(problem.problem), {}};
    for (further.recipe.seed = 100; !differs && further.recipe.seed < 106; ++further.recipe.seed)
      EXPECT_EQ(ask(other, further).digest, ask(backend, further).digest) << all[h].fingerprint;
  }
  const auto listed = static_cast<std::int64_t>(all.size()) - 1;
  EXPECT_GT(listed, 1);
  // Beside those listed, others are: orders that were found, subnormals that are flushed.
  EXPECT_GE(separation.others, listed);
  EXPECT_EQ(listed - parted, separation.others - separation.parted);
  EXPECT_GE(parted * 10, listed * 9);
}

INSTANTIATE_TEST_SUITE_P(Programs, Separating,
                         testing::Values(Case{"sum 8x64xf32", {{"order", "interleaved(8)"}, {"start", "first"}}},
                                         Case{"matmul 8x24xf32,24x8xf32", {{"product", "fused"}}},
                                         Case{"matmul 8x24xbf16,24x8xbf16", {{"accumulator", "bf16"}}}));

TEST(SeparatingFunctions, TheFirstQuestionOf16BitsIsTheWholeTable) {
  const Resolved problem = resolve("sqrt 40xbf16");
  const Separation separation = separation_of(problem, {});
  ASSERT_GE(separation.questions.size(), 3U);
  EXPECT_EQ(separation.questions[0].question.problem, "sqrt 65536xbf16");
  EXPECT_TRUE(separation.questions[0].question.recipe.enumerates());
  EXPECT_EQ(separation.questions[0].outputs, 65536);
  EXPECT_EQ(separation.questions[1].question.problem, "sqrt 40xbf16");
  EXPECT_GT(separation.parted, 0);
  EXPECT_LE(separation.parted, separation.others);
}

TEST(SeparatingFunctions, PayloadsOfNansDoNotCount) {
  const Resolved problem = resolve("sum 4x4xf32");
  class Negated : public Known {
   public:
    using Known::Known;
    Answer call_operator(const Problem& problem, const ResultSpecs& specs, std::span<const Tensor> operands,
                         const RunOptions& options) override {
      Answer answer = Known::call_operator(problem, specs, operands, options);
      Tensor& t = answer.results[0];
      for (std::int64_t i = 0; i < t.size(); ++i)
        if (classify(t.format(), t.get(i)) == Class::NaN) {
          t.set(i, t.get(i) | 0x80000001);
          ++nans;
        }
      return answer;
    }
    int nans = 0;
  };
  Known known(program(problem, {}));
  Negated negated(program(problem, {}));
  Recipe recipe;
  recipe.classes = {"special"};
  const Question question{"sum 4x4xf32", recipe, {}};
  EXPECT_EQ(ask(known, question).digest, ask(negated, question).digest);
  EXPECT_GT(negated.nans, 0);
}

TEST(SeparatingFunctions, ABackendThatRunsProgramsOnlyIsRefused) {
  const auto native = open_backend(parse_backend("native"));
  try {
    ask(*native, {"sum 4x4xf32", {}});
    ADD_FAILURE();
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.diagnostic().code, Code::ProbeUnsupported);
  }
}

}  // namespace
}  // namespace bitpact
