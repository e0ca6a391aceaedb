#include "contract/program.h"

#include <gtest/gtest.h>

#include <functional>

#include "diagnostic/diagnostic.h"

using namespace bitpact;

namespace {

constexpr Format kF = Format::F32;

ScalarBody binary(ScalarOp op) {
  BodyBuilder body({kF, kF});
  return body.finish({body.op(op, kF, {0, 1})});
}

/// Batched: sum over k of lhs * rhs, in order.
NumericProgram matmul() {
  Fold fold;
  fold.operands = {0, 1};
  fold.over = {"k"};
  fold.axes = {"*b", "m", "n"};
  fold.leaf = binary(ScalarOp::Multiply);
  fold.step = fold.merge = binary(ScalarOp::Add);
  fold.finish = fold.start.lift = identity_body({kF});
  NumericProgram program;
  program.nodes = {Input{"lhs", kF, {"*b", "m", "k"}}, Input{"rhs", kF, {"*b", "k", "n"}}, fold};
  program.results = {2};
  return program;
}

Binding binding() {
  Binding b;
  b.operands = {{"b0", "b1", "m", "k"}, {"b0", "b1", "k", "n"}};
  b.result = {"b0", "b1", "m", "n"};
  b.packs = {{"*b", {"b0", "b1"}}};
  b.extents = {{"b0", 2}, {"b1", 3}, {"m", 4}, {"k", 5}, {"n", 6}};
  return b;
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.diagnostic().code, Code::ContractProgram);
    return refused.diagnostic().reason;
  }
  return "";
}

/// Changes the matmul's fold; why it is refused then, or "".
std::string with_fold(const std::function<void(Fold&)>& change) {
  NumericProgram program = matmul();
  change(std::get<Fold>(program.nodes[2]));
  return refusal([&] { check_well_formed(program); });
}
std::string with_program(const std::function<void(NumericProgram&)>& change) {
  NumericProgram program = matmul();
  change(program);
  return refusal([&] { check_well_formed(program); });
}
std::string with_binding(const std::function<void(Binding&)>& change) {
  Binding b = binding();
  change(b);
  return refusal([&] { bind(matmul(), b); });
}

#define EXPECT_SAYS(text, word) EXPECT_NE((text).find(word), std::string::npos) << (text)

}  // namespace

TEST(Program, Folds) {
  EXPECT_EQ(with_fold([](Fold&) {}), "");
  EXPECT_SAYS(with_fold([](Fold& f) { f.operands = {0, 2}; }), "node 2: operand 2");
  EXPECT_SAYS(with_fold([](Fold& f) { f.operands = {0}; }), "node 2: the leaf's arguments");
  EXPECT_SAYS(with_fold([](Fold& f) { f.axes = {"*b", "m"}; }), "axis \"n\" of operand 1");
  EXPECT_SAYS(with_fold([](Fold& f) { f.axes.push_back("k"); }), "folded over and kept");
  EXPECT_SAYS(with_fold([](Fold& f) { f.axes.push_back("m"); }), "twice");
  EXPECT_SAYS(with_fold([](Fold& f) { f.axes.push_back("2x"); }), "no name");
  EXPECT_SAYS(with_fold([](Fold& f) { f.axes.push_back("*"); }), "no name");
  EXPECT_SAYS(with_fold([](Fold& f) { f.order = Order::interleaved(0); }), "width");
  EXPECT_SAYS(with_fold([](Fold& f) { f.step = identity_body({kF}); }), "step's arguments");
  EXPECT_SAYS(with_fold([](Fold& f) { f.step = identity_body({}); }), "needs a state");
  EXPECT_SAYS(with_fold([](Fold& f) { f.merge = identity_body({kF, kF}); }), "merge does not join");
  EXPECT_SAYS(with_fold([](Fold& f) { f.finish = identity_body({Format::BF16}); }), "finish's arguments");
  EXPECT_SAYS(with_fold([](Fold& f) { f.finish.results = {0, 0}; }), "one result");
  EXPECT_SAYS(with_fold([](Fold& f) { f.start.lift = identity_body({Format::F64}); }), "lift does not make");
  EXPECT_SAYS(with_fold([](Fold& f) { f.start.values = {0}; }), "no start values");
  EXPECT_SAYS(with_fold([](Fold& f) { f.start.first_leaf = false; }), "no lift");
  EXPECT_SAYS(with_fold([](Fold& f) { f.start = {false, {}, {}}; }), "0 start values");
  EXPECT_SAYS(with_fold([](Fold& f) { f.start = {false, {}, {Bits{1} << 32}}; }), "outside its format");
  EXPECT_EQ(with_fold([](Fold& f) { f.start = {false, {}, {1}}; }), "");
  // A merge may be left out exactly where nothing is merged.
  EXPECT_EQ(with_fold([](Fold& f) { f.merge = {}; }), "");
  EXPECT_SAYS(with_fold([](Fold& f) {
                f.merge = {};
                f.order = Order::pairwise(2);
              }),
              "merge does not join");
  EXPECT_SAYS(with_fold([](Fold& f) { f.leaf.results = {7}; }), "node 2, leaf");
}

TEST(Program, Prefixes) {
  auto prefixes = [](Fold& f) {
    f.emit = Emit::Prefixes;
    f.axes = {"*b", "m", "k", "n"};
  };
  EXPECT_EQ(with_fold(prefixes), "");
  EXPECT_SAYS(with_fold([&](Fold& f) {
                prefixes(f);
                f.axes = {"*b", "m", "n"};
              }),
              "keep the axis");
  EXPECT_SAYS(with_fold([&](Fold& f) {
                prefixes(f);
                f.order = Order::blocked(2);
              }),
              "sequential");
  EXPECT_SAYS(with_fold([&](Fold& f) {
                prefixes(f);
                f.over = {"k", "m"};
              }),
              "one axis");
  EXPECT_SAYS(with_fold([&](Fold& f) {
                prefixes(f);
                f.over = {"*b"};
              }),
              "one axis");
}

TEST(Program, InputsMapsAndResults) {
  EXPECT_SAYS(with_program([](NumericProgram& p) { p.results = {}; }), "no result");
  EXPECT_SAYS(with_program([](NumericProgram& p) { p.results = {3}; }), "result 3");
  EXPECT_SAYS(with_program([](NumericProgram& p) { std::get<Input>(p.nodes[1]).name = "lhs"; }), "node 1: another input");
  EXPECT_SAYS(with_program([](NumericProgram& p) { std::get<Input>(p.nodes[1]).name = ""; }), "needs a name");
  auto with_map = [](const std::function<void(Map&)>& change) {
    return with_program([&](NumericProgram& p) {
      Map map{{2}, identity_body({kF}), {"*b", "m", "n"}};
      change(map);
      p.nodes.emplace_back(map);
      p.results = {3};
    });
  };
  EXPECT_EQ(with_map([](Map&) {}), "");
  EXPECT_SAYS(with_map([](Map& m) { m.operands = {3}; }), "node 3: operand 3");
  EXPECT_SAYS(with_map([](Map& m) { m.operands = {-1}; }), "operand -1");
  EXPECT_SAYS(with_map([](Map& m) { m.axes = {"*b", "m"}; }), "axis \"n\"");
  EXPECT_SAYS(with_map([](Map& m) { m.body = identity_body({Format::F16}); }), "operands' formats");
  EXPECT_SAYS(with_map([](Map& m) { m.body.results = {}; }), "one result");
}

TEST(Program, Binds) {
  const BoundProgram bound = bind(matmul(), binding());
  EXPECT_EQ(bound.shape_of(0), (Shape{2, 3, 4, 5}));
  EXPECT_EQ(bound.shape_of(2), (Shape{2, 3, 4, 6}));
  Binding turned = binding();
  turned.operands[1] = {"b0", "b1", "n", "k"};
  turned.result = {"n", "b1", "b0", "m"};
  const BoundProgram other = bind(matmul(), turned);
  EXPECT_EQ(other.shape_of(1), (Shape{2, 3, 6, 5}));
  EXPECT_EQ(other.shape_of(2), (Shape{6, 3, 2, 4}));
  Binding plain = binding();
  plain.packs["*b"] = {};
  plain.operands = {{"m", "k"}, {"k", "n"}};
  plain.result = {"m", "n"};
  EXPECT_EQ(bind(matmul(), plain).shape_of(2), (Shape{4, 6}));
}

TEST(Program, AnInputThatIsTheResultMayBeTurned) {
  NumericProgram program;
  program.nodes = {Input{"x", kF, {"i", "j"}}};
  program.results = {0};
  Binding b;
  b.operands = {{"i", "j"}};
  b.result = {"i", "j"};
  b.extents = {{"i", 2}, {"j", 3}};
  EXPECT_EQ(bind(program, b).program, program);
  b.result = {"j", "i"};
  const BoundProgram bound = bind(program, b);
  EXPECT_EQ(bound.shape_of(0), (Shape{2, 3}));
  EXPECT_EQ(bound.program.results, std::vector<int>{1});
  EXPECT_EQ(bound.shape_of(1), (Shape{3, 2}));
}

TEST(Program, RefusesToBind) {
  EXPECT_EQ(with_binding([](Binding&) {}), "");
  EXPECT_SAYS(with_binding([](Binding& b) { b.operands[0] = {"b0", "m", "k"}; }), "operand lhs");
  EXPECT_SAYS(with_binding([](Binding& b) { b.operands[0] = {"b0", "b1", "n", "k"}; }), "operand lhs");
  EXPECT_SAYS(with_binding([](Binding& b) { b.operands.pop_back(); }), "2 inputs");
  EXPECT_SAYS(with_binding([](Binding& b) { b.operands.push_back({}); }), "3 operands");
  EXPECT_SAYS(with_binding([](Binding& b) { b.result = {"b0", "b1", "n", "k"}; }), "result");
  EXPECT_SAYS(with_binding([](Binding& b) { b.packs.clear(); }), "\"*b\" stands for nothing");
  EXPECT_SAYS(with_binding([](Binding& b) { b.extents.erase("n"); }), "\"n\" has no extent");
  EXPECT_SAYS(with_binding([](Binding& b) { b.extents.erase("k"); }), "\"k\" has no extent");
  EXPECT_SAYS(with_binding([](Binding& b) { b.extents["k"] = 0; }), "no leaf");
  EXPECT_SAYS(with_binding([](Binding& b) { b.extents["n"] = -1; }), "extent -1");
  EXPECT_EQ(with_binding([](Binding& b) { b.extents["n"] = 0; }), "");
}
