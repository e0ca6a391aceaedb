// Choice point `tail`, against loops of the language: NumPy's dot, and kernels like it.
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>

#include "contract/fold_words.h"
#include "contract/mutate.h"
#include "contract/normal_form.h"
#include "contract/program_json.h"
#include "contract/words.h"
#include "diagnostic/diagnostic.h"
#include "interpret/interpret.h"
#include "operators/catalogue.h"

namespace bitpact {
namespace {

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Refused& refused) {
    return refused.diagnostic().reason;
  }
  return "";
}

NumericProgram built(const std::string& op, const Choices& changes, Format format = Format::F32) {
  const Operator& of = operator_named(op);
  const OperatorFormats formats{std::vector<Format>(of.operands.size(), format), format};
  return of.build(formats, complete_choices(of, formats, changes));
}

NumericProgram dot_with(const std::string& tail, const std::string& order = "tailed(4, interleaved(2), apart)") {
  return built("dot", {{"order", order}, {"tail", tail}});
}

Fold& fold_of(NumericProgram& program) { return std::get<Fold>(program.nodes.back()); }

struct Vectors {
  Tensor x, y;
};

/// Magnitudes far apart, so that each rounding shows; negative zeros and subnormal products among them.
Vectors vectors(std::int64_t n, std::mt19937& random) {
  Vectors v{Tensor(Format::F32, {n}), Tensor(Format::F32, {n})};
  for (std::int64_t i = 0; i < n; ++i)
    for (Tensor* t : {&v.x, &v.y}) {
      float value = static_cast<float>(static_cast<int>(random() % 0x1000000U) - 0x800000);
      const int scale = static_cast<int>(random() % 8);
      for (int s = 0; s < scale; ++s) value *= 0.5F;
      if (random() % 16 == 0) value = -0.0F;
      if (random() % 16 == 0) value *= 0x1p-100F;
      t->mutable_as<float>()[i] = value;
    }
  return v;
}

/// Two lanes over rows of four from +0, their products rounded; the rest in double.
float by_hand(const Vectors& v, bool exact_products) {
  const std::int64_t n = v.x.size(), head = n - n % 4;
  const float *x = v.x.as<float>(), *y = v.y.as<float>();
  float lanes[2] = {0, 0};
  for (std::int64_t i = 0; i < head; ++i) {
    const float product = x[i] * y[i];
    lanes[i % 2] = lanes[i % 2] + product;
  }
  const float sum = lanes[0] + lanes[1];
  if (head == n) return sum;
  double tail = 0;
  for (std::int64_t i = head; i < n; ++i) {
    const float product = x[i] * y[i];
    tail = tail + (exact_products ? static_cast<double>(x[i]) * static_cast<double>(y[i]) : static_cast<double>(product));
  }
  return static_cast<float>(head == 0 ? tail : static_cast<double>(sum) + tail);
}

Bits run(const NumericProgram& program, const Vectors& v, bool slowly) {
  Binding binding;
  binding.operands = {{"k"}, {"k"}};
  binding.extents["k"] = v.x.size();
  const BoundProgram bound = bind(program, binding);
  const std::vector<Tensor> operands{v.x, v.y};
  return (slowly ? interpret_slowly(bound, operands, false) : interpret(bound, operands)).results[0].get(0);
}

TEST(Tail, GivesTheBitsOfALoop) {
  std::mt19937 random(7);
  int parted = 0;
  const NumericProgram as_body = dot_with("as-body");
  for (const bool exact : {false, true}) {
    const NumericProgram program = dot_with(exact ? "f64" : "f64-storage");
    for (int repeat = 0; repeat < 400; ++repeat) {
      const Vectors v = vectors(1 + static_cast<std::int64_t>(random() % 19), random);
      const Bits expected = std::bit_cast<std::uint32_t>(by_hand(v, exact));
      EXPECT_EQ(run(program, v, true), expected) << v.x.size();
      EXPECT_EQ(run(program, v, false), expected) << v.x.size();
      parted += run(as_body, v, false) != expected || run(dot_with(exact ? "f64-storage" : "f64"), v, false) != expected ? 1 : 0;
    }
  }
  EXPECT_GT(parted, 60);  // the operands tell
}

TEST(Tail, ManyTermsStayQuick) {
  std::mt19937 random(8);
  const Vectors v = vectors((std::int64_t{1} << 20) + 3, random);
  EXPECT_EQ(run(dot_with("f64-storage"), v, false), std::bit_cast<std::uint32_t>(by_hand(v, false)));
}

TEST(Tail, GoesWithSomeChoicesOnly) {
  const std::string apart = "tailed(4, apart)";
  const auto with = [](Choices changes) { return refusal([&] { built("dot", changes); }); };
  EXPECT_EQ(with({{"order", apart}, {"tail", "f64"}}), "");
  EXPECT_NE(with({{"order", "sequential"}, {"tail", "f64"}}).find("goes with order="), std::string::npos);
  EXPECT_NE(with({{"order", "tailed(4, continued)"}, {"tail", "f64"}}).find("goes with order="), std::string::npos);
  EXPECT_NE(with({{"order", apart}, {"tail", "f64"}, {"accumulator", "f64"}}).find("narrower than f64"), std::string::npos);
  EXPECT_NE(with({{"order", apart}, {"tail", "f64"}, {"result", "plus-zero"}}).find("result=kept"), std::string::npos);
  EXPECT_NE(refusal([&] { built("sum", {{"order", apart}, {"tail", "f64-storage"}}); }).find("none of"), std::string::npos);
  EXPECT_NE(refusal([&] {
              built("sum", {{"order", apart}, {"tail", "f64"}}, Format::BF16);
            }).find("no choice point"),
            std::string::npos);
  for (const char* op : {"sum", "mean", "matmul"})
    EXPECT_EQ(refusal([&] { built(op, {{"order", apart}, {"tail", "f64"}}); }), "");
}

TEST(Tail, IsPartOfTheFingerprint) {
  std::set<std::string> fingerprints;
  for (const char* tail : {"as-body", "f64", "f64-storage"}) fingerprints.insert(arithmetic_fingerprint(dot_with(tail)));
  EXPECT_EQ(fingerprints.size(), 3U);
  // Rows of one term leave no tail.
  EXPECT_EQ(arithmetic_fingerprint(dot_with("f64", "tailed(1, interleaved(2), apart)")),
            arithmetic_fingerprint(dot_with("as-body", "interleaved(2)")));
  EXPECT_NE(arithmetic_fingerprint(dot_with("f64", "tailed(2, interleaved(2), apart)")),
            arithmetic_fingerprint(dot_with("as-body", "interleaved(2)")));
}

TEST(Tail, WithTheHeadsBodiesIsNone) {
  NumericProgram program = dot_with("as-body");
  const std::string plain = arithmetic_fingerprint(program);
  Fold& fold = fold_of(program);
  fold.tail = TailBodies{fold.leaf, fold.step, fold.start, fold.merge, fold.finish};
  EXPECT_EQ(arithmetic_fingerprint(program), plain);
  EXPECT_FALSE(fold_of(program = normal_form(program)).tail);
}

TEST(Tail, IsWrittenAndRead) {
  const NumericProgram program = dot_with("f64-storage");
  nlohmann::json json = to_json(program);
  const auto read = [](const nlohmann::json& j) { return read_program(JsonView(j, "")); };
  EXPECT_EQ(read(json), program);
  nlohmann::json& tail = json["nodes"][2]["fold"]["tail"];
  for (const char* part : {"leaf", "step", "start", "join", "finish"}) {
    nlohmann::json less = json;
    less["nodes"][2]["fold"]["tail"].erase(part);
    EXPECT_NE(refusal([&] { read(less); }), "") << part;
  }
  tail["merge"] = tail["join"];
  EXPECT_NE(refusal([&] { read(json); }), "");
}

TEST(Tail, IsChecked) {
  const auto with = [](const std::function<void(Fold&)>& change) {
    NumericProgram program = dot_with("f64");
    change(fold_of(program));
    return refusal([&] { check_well_formed(program); });
  };
  const auto says = [&](const std::function<void(Fold&)>& change, const char* words) {
    EXPECT_NE(with(change).find(words), std::string::npos) << with(change);
  };
  EXPECT_EQ(with([](Fold&) {}), "");
  says([](Fold& f) { f.order = Order::tailed(4, {}, Order::Tail::Joined); }, "whose tail is apart");
  says([](Fold& f) { f.order = Order::blocked(4, Order::tailed(2, {}, Order::Tail::Apart), {}); }, "whose tail is apart");
  says([](Fold& f) { f.tail->leaf = identity_body({Format::F64, Format::F64}); }, "does not take the operands");
  says([](Fold& f) { f.tail->step = identity_body({Format::F64}); }, "the tail's step does not take");
  says([](Fold& f) { f.tail->step = ScalarBody{{Format::F64, Format::F64}, {}, {}}; }, "a tail needs a state");
  says([](Fold& f) { f.tail->join = f.tail->finish; }, "the tail's join does not make");
  says([](Fold& f) { f.tail->finish = identity_body({Format::F64}); }, "the tail's finish does not make");
  says([](Fold& f) { f.tail->start = {true, identity_body({Format::F32}), {}}; }, "lift does not make");
  says([](Fold& f) { f.merge = {}; }, "merge does not join");
  EXPECT_EQ(with([](Fold& f) {
              f.merge = {};  // a sequential head and a tail with a join of its own merge nothing
              f.order.inner.clear();
            }),
            "");
}

TEST(Tail, HasWords) {
  const NumericProgram program = dot_with("f64-storage");
  const NumericProgram normal = normal_form(program);
  const std::string text = FoldWords(normal, std::get<Fold>(normal.nodes.back())).sentence();
  EXPECT_NE(text.find("of the tail behind the whole rows each"), std::string::npos) << text;
  EXPECT_NE(text.find("accumulator in f64"), std::string::npos) << text;
  const std::vector<std::string> different = differences(program, dot_with("f64"));
  ASSERT_EQ(different.size(), 1U) << different.front();
  EXPECT_NE(different[0].find("tail: "), std::string::npos) << different[0];
}

TEST(Tail, MutantsReachIntoIt) {
  std::set<std::string> fingerprints;
  int inside = 0;
  const NumericProgram program = dot_with("f64-storage");
  for (const Mutant& mutant : mutants(program)) {
    fingerprints.insert(arithmetic_fingerprint(mutant.program));
    if (mutant.change.find("tail") != std::string::npos) ++inside;
  }
  EXPECT_GE(inside, 12);
  EXPECT_TRUE(fingerprints.contains(arithmetic_fingerprint(dot_with("as-body"))));
}

}  // namespace
}  // namespace bitpact
