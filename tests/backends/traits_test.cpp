// The questions can fail, the cache can be refused, and what the emitter goes by is careful where nothing is known. Known builds
// answer as they are known to.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "backends/support.h"
#include "backends/traits/ask.h"
#include "backends/traits/cache.h"
#include "backends/traits/question.h"
#include "contract/canonical_json.h"
#include "tensor/digest.h"

namespace bitpact {
namespace {

using testing::code_name;
using testing::refusal;
using traits::Question;

std::vector<Tensor> complete(const Question& q, const traits::Word& word) {
  std::vector<Tensor> results = word.results;
  for (size_t r = 0; r < results.size(); ++r)  // a result that the word does not look at
    if (results[r].format() != q.results[r].format) results[r] = Tensor(q.results[r].format, q.results[r].shape);
  return results;
}

TEST(Questions, EachWordsBitsGiveThatWord) {
  std::set<std::string> ids;
  for (const Question& q : traits::all_questions()) {
    EXPECT_TRUE(ids.insert(q.id).second) << q.id;
    int words = 0;
    for (const traits::Word& word : q.words) {
      if (word.results.empty()) continue;
      EXPECT_EQ(traits::judge(q, complete(q, word)).answer, word.word) << q.id;
      ++words;
    }
    EXPECT_TRUE(words > 0 || q.judge) << q.id;
  }
  EXPECT_GE(ids.size(), 50U);
}

TEST(Questions, ABitElsewhereIsNotThatWord) {
  for (const Question& q : traits::all_questions())
    for (const traits::Word& word : q.words)
      for (size_t r = 0; r < word.results.size(); ++r) {
        if (word.results[r].format() != q.results[r].format) continue;
        const std::int64_t step = std::max<std::int64_t>(1, word.results[r].size() / 7);
        for (std::int64_t i = 0; i < word.results[r].size(); i += step) {
          std::vector<Tensor> results = complete(q, word);
          const Bits was = results[r].get(i);
          if (!q.raw_nans && is_float(q.results[r].format) && classify(q.results[r].format, was) == Class::NaN) continue;
          results[r].set(i, was ^ 1);
          const traits::Judged judged = traits::judge(q, results);
          EXPECT_NE(judged.answer, word.word) << q.id << " result " << r << " element " << i;
          if (judged.answer == traits::kUnknown) {
            EXPECT_FALSE(judged.seen.empty()) << q.id;
          }
        }
      }
}

TEST(Questions, AccumulatorsAreToldApart) {
  // The three terms added in order in an accumulator of so many bits, rounded again after each block of 1000.
  for (const Question& q : traits::all_questions()) {
    if (q.topic != "accumulator" || q.operands.size() != 1) continue;
    const Tensor& x = q.operands[0];
    const Format format = x.format();
    const auto run = [&](Format accumulator, Format partial) {
      Tensor sums(q.results[0].format, q.results[0].shape);
      const std::int64_t n = x.shape()[1];
      for (std::int64_t r = 0; r < x.shape()[0]; ++r) {
        Bits sum = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          if (x.get(r * n + i) != 0) sum = add({accumulator, sum}, {format, x.get(r * n + i)}, accumulator);
          if (i % 1000 == 999) sum = convert({partial, convert({accumulator, sum}, partial)}, accumulator);
        }
        sums.set(r, convert({accumulator, sum}, q.results[0].format));
      }
      return traits::judge(q, std::vector{sums}).answer;
    };
    EXPECT_EQ(run(Format::F32, Format::F32), "f32") << q.id;
    if (format != Format::F16) {
      EXPECT_EQ(run(Format::F64, Format::F64), "f64") << q.id;
    }
    EXPECT_EQ(run(Format::F64, Format::F32), format == Format::F16 ? "wider-partials-f32" : "f64-partials-f32") << q.id;
    if (format == Format::BF16) {
      EXPECT_EQ(run(Format::BF16, Format::BF16), "bf16") << q.id;
      EXPECT_EQ(run(Format::F32, Format::BF16), "f32-partials-bf16") << q.id;
    }
    if (format == Format::F16) {
      EXPECT_EQ(run(Format::F16, Format::F16), "f16") << q.id;
    }
  }
}

TEST(EmissionTraits, NothingKnownIsCareful) {
  const Traits t = emission_traits({});
  EXPECT_TRUE(t.contracts_multiply_add);
  EXPECT_FALSE(t.dot_sequential);
  EXPECT_FALSE(t.reduce_sequential);
  EXPECT_TRUE(t.dot_fuses_products);
  EXPECT_TRUE(t.flushes_subnormal_inputs);
  EXPECT_TRUE(t.flushes_subnormal_results);
  EXPECT_FALSE(t.keeps_f64);
  EXPECT_TRUE(t.rewrites_divisions);
}

// ---- the cache

Identity someone(const std::string& version) { return {"some", version, "b", "cpu", "t", "f", "1", "k"}; }

TraitAnswers two_answers() { return {{"multiply_add", "fused", ""}, {"dot_32", "unknown", "of 32 leaves ..."}}; }

TEST(TraitCache, ComesBackAsWritten) {
  const std::string text = traits::write_cache(someone("1"), two_answers());
  EXPECT_EQ(traits::read_cache(text, someone("1"), traits::all_questions()), two_answers());
  EXPECT_NE(traits::cache_file_name(someone("1")), traits::cache_file_name(someone("2")));
}

std::string sealed(nlohmann::json j) {
  j.erase("sha256");
  j["sha256"] = sha256(canonical_json(j));
  return canonical_json(j);
}

TEST(TraitCache, EveryChangedByteIsRefused) {
  const std::string text = traits::write_cache(someone("1"), two_answers());
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_THROW(traits::read_cache(changed, someone("1"), traits::all_questions()), Refused) << i;
    if (i % 16 == 0) {
      EXPECT_THROW(traits::read_cache(text.substr(0, i), someone("1"), traits::all_questions()), Refused) << i;
    }
  }
}

TEST(TraitCache, WhatIsSealedWellAndStillForeignIsRefused) {
  const auto refused = [](const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json j = parse_json(traits::write_cache(someone("1"), two_answers()));
    change(j);
    try {
      traits::read_cache(sealed(j), someone("1"), traits::all_questions());
    } catch (const Refused&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& j) { j["identity"]["version"] = "2"; }));
  EXPECT_TRUE(refused([](auto& j) { j["schema"] = "bitpact.traits/2"; }));
  EXPECT_TRUE(refused([](auto& j) { j["question_set"] = "sha256:0"; }));
  EXPECT_TRUE(refused([](auto& j) { j["more"] = 1; }));
  EXPECT_TRUE(refused([](auto& j) { j["answers"][0]["answer"] = "maybe"; }));
  EXPECT_TRUE(refused([](auto& j) { j["answers"][0]["question"] = "multiply"; }));
  EXPECT_TRUE(refused([](auto& j) { j["answers"][1] = j["answers"][0]; }));
  EXPECT_TRUE(refused([](auto& j) { j["answers"][0]["note"] = ""; }));
}

// ---- backends that lie, that refuse, that die

class Place {
 public:
  Place() : path_(std::filesystem::temp_directory_path() / fmt::format("bitpact-traits-{}", ::getpid())) {
    std::filesystem::remove_all(path_);
  }
  ~Place() { std::filesystem::remove_all(path_); }
  std::string text() const { return path_.string(); }
  size_t files() const {
    return std::filesystem::exists(path_) ? static_cast<size_t>(std::distance(std::filesystem::directory_iterator(path_), {}))
                                          : 0;
  }

 private:
  std::filesystem::path path_;
};

std::unique_ptr<Backend> liar(const std::string& lie) {
  return open_backend(
      parse_backend(fmt::format("worker[lie={}]:{} {}/lying_worker.py", lie, locate_python(), testing::tests_folder())));
}

const std::vector<std::string> kFew{"multiply_add",
                                    "narrow_widen_bf16",
                                    "reduce_rows_32",
                                    "dot_32",
                                    "dot_products",
                                    "reduce_accumulator_f32",
                                    "multiply_subnormal_result",
                                    "add_constant_zero",
                                    "divide_by_constant",
                                    "convert_f32_i8",
                                    "f64_inside",
                                    "add_minus_zeros"};

std::map<std::string, TraitAnswer> by_question(const TraitReport& report) {
  std::map<std::string, TraitAnswer> map;
  for (const TraitAnswer& a : report.answers) map[a.question] = a;
  return map;
}

TEST(AskTraits, AWrongBitIsUnknownWithWhatWasSeen) {
  for (const char* lie : {"last-bit", "last-element"}) {
    const Place place;
    const auto backend = liar(lie);
    const TraitReport report = ask_traits(*backend, {.only = kFew, .cache = place.text()});
    ASSERT_EQ(report.answers.size(), kFew.size());
    for (const TraitAnswer& a : report.answers) {
      EXPECT_EQ(a.answer, "unknown") << lie << " " << a.question << " " << a.seen;
      EXPECT_FALSE(a.seen.empty()) << a.question;
    }
    const Traits t = emission_traits(report.answers);
    EXPECT_EQ(t.dot_sequential || t.reduce_sequential || t.keeps_f64, false);
  }
}

TEST(AskTraits, RunsThatDoNotAgreeAreUnknown) {
  const Place place;
  const auto backend = liar("unsteady");
  const TraitReport report = ask_traits(*backend, {.only = {"multiply_add"}, .cache = place.text()});
  EXPECT_EQ(report.answers.at(0).answer, "unknown");
  EXPECT_NE(report.answers.at(0).seen.find("did not agree"), std::string::npos);
}

TEST(AskTraits, OneRefusedQuestionLeavesTheOthers) {
  const Place place;
  const auto backend = liar("no-bf16");
  const auto answers =
      by_question(ask_traits(*backend, {.only = {"narrow_widen_bf16", "narrow_widen_f16"}, .cache = place.text()}));
  EXPECT_EQ(answers.at("narrow_widen_bf16").answer, "refused");
  EXPECT_NE(answers.at("narrow_widen_bf16").seen.find("compile-failed"), std::string::npos);
  EXPECT_EQ(answers.at("narrow_widen_f16").answer, "kept");
  EXPECT_EQ(place.files(), 1U);
}

TEST(AskTraits, WhatAWorkerDiesOfIsNotRemembered) {
  const Place place;
  const auto backend = liar("dies");
  const AskOptions options{.only = {"multiply_add"}, .cache = place.text()};
  EXPECT_EQ(ask_traits(*backend, options).answers.at(0).answer, "refused");
  EXPECT_EQ(ask_traits(*backend, options).asked, 1);
}

TEST(AskTraits, ABackendWithoutStableHloIsRefused) {
  const auto native = open_backend(parse_backend("native"));
  EXPECT_EQ(code_name(refusal([&] { ask_traits(*native); }).code), "backend-lacks-form");
}

TEST(AskTraits, AskedOnceThenFromTheCacheUnlessItIsBroken) {
  const Place place;
  const auto backend = liar("nothing");
  std::vector<std::string> said;
  AskOptions options{
      .only = {"multiply_add"}, .cache = place.text(), .say = [&](const std::string& text) { said.push_back(text); }};
  const TraitReport first = ask_traits(*backend, options);
  EXPECT_EQ(first.asked, 1);
  EXPECT_EQ(first.source(), "asked of this identity");
  const TraitReport second = ask_traits(*backend, options);
  EXPECT_EQ(second.asked, 0);
  EXPECT_EQ(second.answers, first.answers);
  EXPECT_EQ(second.source(), "from the cache");
  EXPECT_TRUE(said.empty());

  // Another question joins what is remembered.
  options.only = {"multiply_add", "subtract_product"};
  EXPECT_EQ(ask_traits(*backend, options).source(), "1 asked of this identity, 1 from the cache");
  EXPECT_EQ(ask_traits(*backend, options).asked, 0);
  options.fresh = true;
  EXPECT_EQ(ask_traits(*backend, options).asked, 2);
  options.fresh = false;

  const std::string path = place.text() + "/" + traits::cache_file_name(backend->identity());
  std::ofstream(path) << "{\"schema\":";
  EXPECT_EQ(ask_traits(*backend, options).asked, 2);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("[json-malformed]"), std::string::npos) << said[0];
  // Somebody else's answers under this name.
  std::ofstream(path) << traits::write_cache(someone("1"), two_answers());
  EXPECT_EQ(ask_traits(*backend, options).asked, 2);
  EXPECT_EQ(said.size(), 2U);
  EXPECT_EQ(ask_traits(*backend, options).asked, 0);
}

// ---- builds of one compiler whose traits are known to differ

std::map<std::string, TraitAnswer> asked(const std::string& spec, std::vector<std::string> only) {
  const Place place;
  const auto backend = open_backend(parse_backend(spec));
  return by_question(ask_traits(*backend, {.only = std::move(only), .cache = place.text()}));
}

TEST(KnownTraits, IreeContractsUnlessTheTargetHasNoFma) {
  const std::vector<std::string> only{"multiply_add", "two_products", "dot_products", "dot_32", "f64_inside"};
  auto with = asked("iree", only);
  EXPECT_EQ(with["multiply_add"].answer, "fused");
  EXPECT_NE(with["two_products"].answer, "rounded");
  EXPECT_EQ(with["dot_products"].answer, "fused");
  EXPECT_EQ(with["dot_32"].answer, "sequential");
  EXPECT_EQ(with["f64_inside"].answer, "demoted");
  auto without = asked("iree[target-cpu=x86-64-v3,features=-fma,demote-f64=false]", only);
  EXPECT_EQ(without["multiply_add"].answer, "rounded");
  EXPECT_EQ(without["two_products"].answer, "rounded");
  EXPECT_EQ(without["dot_products"].answer, "rounded");
  EXPECT_EQ(without["dot_32"].answer, "sequential");
  EXPECT_EQ(without["f64_inside"].answer, "kept");
}

TEST(KnownTraits, IreeReassociatesAtO2) {
  EXPECT_EQ(asked("iree", {"reduce_rows_32"})["reduce_rows_32"].answer, "sequential");
  EXPECT_NE(asked("iree[opt=O2]", {"reduce_rows_32"})["reduce_rows_32"].answer, "sequential");
}

}  // namespace
}  // namespace bitpact
