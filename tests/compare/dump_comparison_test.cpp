#include "compare/dump_comparison.h"

#include <gtest/gtest.h>

#include "compare/dump_order.h"
#include "compare/memory_dump.h"
#include "tensor/refusal.h"

namespace bitpact {
namespace {

const Bits kOne = 0x3f800000;

MemoryDump of_names(const std::vector<std::string>& names) {
  MemoryDump dump;
  Bits value = 1;
  for (const std::string& name : names) dump.add(name, vector_of(Format::F32, {kOne, value++}));
  return dump;
}

std::vector<std::string> joined(const DumpReport& report) {
  std::vector<std::string> lines;
  for (const DumpPair& p : report.pairs) {
    const DumpEntry *a = report.entry_a(p), *b = report.entry_b(p);
    lines.push_back((a ? a->name : "-") + " " + (b ? b->name : "-") + " " + std::string(a && b ? name(p.by) : "") + " " +
                    std::string(name(p.outcome)));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(DumpComparison, OneBitInThe700thOf1000Tensors) {
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back("t" + std::to_string(i));
  MemoryDump a;
  for (int i = 0; i < 1000; ++i)
    a.add(names[static_cast<std::size_t>(i)], tensor_of(Format::BF16, {3, 5, 7}, {static_cast<Bits>(i)}));
  MemoryDump b = a;
  EXPECT_TRUE(compared(a, b).equal());
  const std::int64_t flat = flat_index({3, 5, 7}, {1, 2, 3});
  b[699].set(flat, b[699].get(flat) ^ 0x100);
  const DumpReport report = compared(a, b);
  EXPECT_EQ(report.count(Outcome::Equal), 999);
  ASSERT_EQ(report.first, 699u);
  const RawComparison& d = *report.pairs[699].difference;
  EXPECT_EQ(d.different, 1);
  EXPECT_EQ(d.first->flat, flat);
  EXPECT_EQ(d.first->a ^ d.first->b, Bits{0x100});
}

TEST(DumpComparison, WhatThreadsFindDoesNotDependOnTheirNumber) {
  MemoryDump a;
  std::uint64_t state = 1;
  const auto random = [&] { return state = state * 6364136223846793005U + 1442695040888963407U, state >> 33; };
  for (const std::int64_t size :
       {std::int64_t{3000000}, std::int64_t{10}, std::int64_t{0}, std::int64_t{2500000}, std::int64_t{100000}}) {
    Tensor tensor(Format::F32, {size});
    for (std::int64_t i = 0; i < size; ++i)
      tensor.mutable_as<std::uint32_t>()[i] = static_cast<std::uint32_t>(random() << 9 ^ random());
    a.add("t" + std::to_string(size), tensor);
  }
  MemoryDump b = a;
  for (std::int64_t i = 1500000; i < 2800000; i += 1 + static_cast<std::int64_t>(random() % 7)) b[0].set(i, b[0].get(i) ^ 2);
  b[3].set(2499999, 0);  // the last element only: all that is before was passed by
  const DumpReport one = compared(a, b, {.threads = 1}), four = compared(a, b, {.threads = 4});
  EXPECT_EQ(joined(one), joined(four));
  EXPECT_EQ(joined(one), (Lines{"t3000000 t3000000 name differs", "t10 t10 name equal", "t0 t0 name equal",
                                "t2500000 t2500000 name differs", "t100000 t100000 name equal"}));
  for (std::size_t i : {std::size_t{0}, std::size_t{3}}) {
    const RawComparison &x = *one.pairs[i].difference, &y = *four.pairs[i].difference;
    const RawComparison whole = compare_raw(Format::F32, a[i].span(), b[i].span());
    for (const RawComparison* r : {&y, &whole}) {
      EXPECT_EQ(x.different, r->different);
      EXPECT_EQ(x.first->flat, r->first->flat);
      EXPECT_EQ(x.greatest->flat, r->greatest->flat);
      EXPECT_EQ(x.histogram, r->histogram);
      EXPECT_EQ(x.a, r->a);
      EXPECT_EQ(x.b, r->b);
      EXPECT_GT(x.a.nan, 0);
      EXPECT_EQ(x.finite, r->finite);
      EXPECT_EQ(x.max_abs, r->max_abs);
    }
    EXPECT_EQ(x.rms, y.rms);
    EXPECT_NEAR(*x.rms, *whole.rms, 1e-13 * *whole.rms);
  }
  EXPECT_EQ(one.pairs[3].difference->first->flat, 2499999);
}

TEST(DumpComparison, OtherShapesAndFormatsAreNotCompared) {
  MemoryDump a, b;
  a.add("shape", Tensor(Format::F32, {2, 3})).add("format", Tensor(Format::F16, {2})).add("both", Tensor(Format::F16, {}));
  b.add("format", Tensor(Format::BF16, {2})).add("both", Tensor(Format::F32, {1})).add("shape", Tensor(Format::F32, {3, 2}));
  const DumpReport report = compared(a, b);
  EXPECT_EQ(joined(report),
            (Lines{"shape shape name other-shape", "format format name other-format", "both both name other-shape-and-format"}));
  EXPECT_FALSE(report.equal());
}

TEST(DumpComparison, EmptyTensorsAndScalars) {
  MemoryDump a;
  a.add("empty", Tensor(Format::F32, {0, 3})).add("scalar", tensor_of(Format::F64, {}, {7}));
  MemoryDump b = a;
  EXPECT_TRUE(compared(a, b).equal());
  b[1].set(0, 8);
  EXPECT_EQ(compared(a, b).first, 1u);
  EXPECT_TRUE(compared(MemoryDump(), MemoryDump()).equal());
}

TEST(DumpMatch, NamesThenMaps) {
  const DumpReport report = compared(of_names({"h.0.w", "h.1.w", "x"}), of_names({"layers.0.w", "layers.1.w", "x"}),
                                     {.maps = {{"^h\\.(\\d+)", "blocks.$1"}, {"blocks", "layers"}, {"q", "z"}}});
  EXPECT_EQ(joined(report), (Lines{"h.0.w layers.0.w map equal", "h.1.w layers.1.w map equal", "x x name equal"}));
  EXPECT_EQ(report.renamed, (std::vector<std::int64_t>{2, 2, 0}));
}

TEST(DumpMatch, CollisionsAndBrokenExpressionsAreRefused) {
  const auto with_map = [](NameMap map) { compared(of_names({"a.1", "a.2"}), of_names({"a"}), {.maps = {std::move(map)}}); };
  EXPECT_EQ(refusal([&] { with_map({"\\.\\d", ""}); }), Code::NameCollision);
  EXPECT_EQ(refusal([&] { with_map({"(", ""}); }), Code::Usage);
  EXPECT_EQ(refusal([&] { compared(of_names({"a"}), of_names({"b", "b"})); }), Code::NameCollision);
  EXPECT_EQ(refusal([&] { compared(of_names({"b", "b"}), of_names({"a"})); }), Code::NameCollision);
}

TEST(DumpMatch, ContentWhereItIsUniqueOnBothSides) {
  MemoryDump a, b;
  a.add("same", vector_of(Format::F32, {1, 2}))
      .add("one", vector_of(Format::F32, {3, 4}))
      .add("twin", vector_of(Format::F32, {5, 5}));
  a.add("twin2", vector_of(Format::F32, {5, 5})).add("empty", Tensor(Format::F32, {0}));
  b.add("uno", vector_of(Format::F32, {3, 4})).add("zwei", vector_of(Format::F32, {5, 5})).add("leer", Tensor(Format::F32, {0}));
  b.add("same", vector_of(Format::F32, {1, 2})).add("as integers", vector_of(Format::I32, {5, 5}));
  EXPECT_EQ(joined(compared(a, b)),
            (Lines{"same same name equal", "one uno content equal", "twin -  only-in-a", "twin2 -  only-in-a",
                   "empty -  only-in-a", "- zwei  only-in-b", "- leer  only-in-b", "- as integers  only-in-b"}));
  EXPECT_EQ(compared(a, b, {.match = MatchLevel::Name}).count(Outcome::OnlyInA), 4);
}

TEST(DumpMatch, ShapeOnlyWhereAskedForAndSingle) {
  MemoryDump a, b;
  a.add("p", Tensor(Format::F32, {2, 3})).add("q", Tensor(Format::F32, {4})).add("r", tensor_of(Format::F32, {4}, {9}));
  b.add("P", tensor_of(Format::F32, {2, 3}, {kOne})).add("Q", tensor_of(Format::F32, {4}, {kOne}));
  EXPECT_EQ(compared(a, b).count(Outcome::OnlyInA), 3);
  EXPECT_EQ(joined(compared(a, b, {.match = MatchLevel::Shape})),
            (Lines{"p P shape differs", "q -  only-in-a", "r -  only-in-a", "- Q  only-in-b"}));
}

std::vector<OrderStep> order_of(std::string_view text) { return parse_order_file(text, "o.txt"); }

TEST(DumpOrder, LinesNamesAndInputs) {
  const auto steps = order_of("# the model\nx\n relu:0:  x ,  w#1 # why\r\nsource:\n\"a, \\u0062\": \"#c\",relu:0");
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_EQ(steps[0].name, "x");
  EXPECT_FALSE(steps[0].inputs);
  EXPECT_EQ(steps[1].name, "relu:0");
  EXPECT_EQ(steps[1].inputs, (Lines{"x", "w#1"}));
  EXPECT_EQ(steps[1].line, 3);
  EXPECT_EQ(steps[2].inputs, Lines{});
  EXPECT_EQ(steps[3].name, "a, b");
  EXPECT_EQ(steps[3].inputs, (Lines{"#c", "relu:0"}));
}

TEST(DumpOrder, BrokenLinesAreRefused) {
  for (const char* text : {"", "# only\n", "x y", "x: a b", "x: a,", "x: ,a", "\"x", "\"\\q\"", ": a", "x\ny\nx"})
    EXPECT_EQ(refusal([&] { order_of(text); }), Code::OrderMalformed) << text;
}

TEST(DumpOrder, UnknownLaterAndOwnNamesAreRefused) {
  const MemoryDump dump = of_names({"x", "y", "z"});
  for (const char* text : {"u", "x: u", "x: x", "x: y\ny"})
    EXPECT_EQ(refusal([&] { compared(dump, dump, {.order = order_of(text)}); }), Code::OrderMalformed) << text;
  EXPECT_EQ(refusal([&] {
              compared(of_names({"x"}), of_names({"y"}), {.maps = {{"x", "y"}}, .order = order_of("x\ny")});
            }),
            Code::OrderMalformed);
}

TEST(DumpOrder, TheOrderDecidesWhichIsFirst) {
  const MemoryDump a = of_names({"x", "y", "z", "w"});
  MemoryDump b = a;
  b[0].set(0, 0);
  b[2].set(0, 0);
  const DumpReport report = compared(a, b, {.order = order_of("w\nz\ny")});
  EXPECT_EQ(joined(report), (Lines{"w w name equal", "z z name differs", "y y name equal", "x x name differs"}));
  EXPECT_EQ(report.first, 1u);
  EXPECT_FALSE(report.pairs[3].ordered);
}

TEST(DumpOrder, AStepPartedOnlyWhereItsInputsAreKnownEqual) {
  const MemoryDump a = of_names({"x", "w", "y", "z", "v", "q"});
  MemoryDump b = of_names({"x", "w", "y", "z", "u", "q"});
  b[2].set(0, 0);
  b[3].set(0, 0);
  // v = u by content: equal, but whether it is what B's step reads is not known.
  const DumpReport report = compared(a, b, {.order = order_of("x\ny: x, w\nz: y, x\nq: v")});
  EXPECT_EQ(report.pairs[0].step, StepState::NotDeclared);
  EXPECT_EQ(report.pairs[1].step, StepState::InputsEqual);
  EXPECT_EQ(report.pairs[2].step, StepState::InputsDiffer);
  EXPECT_EQ(report.pairs[2].input, 1u);
  EXPECT_EQ(report.pairs[3].step, StepState::InputsUnknown);
  EXPECT_EQ(report.pairs[report.pairs[3].input].by, MatchedBy::Content);
  EXPECT_TRUE(report.parted(report.pairs[1]));
}

TEST(DumpOrder, NothingPartedWhereNothingWasCompared) {
  MemoryDump a, b;
  a.add("x", Tensor(Format::F32, {2})).add("y", Tensor(Format::F32, {2}));
  b.add("x", Tensor(Format::F32, {2})).add("y", Tensor(Format::F16, {2}));
  const DumpReport report = compared(a, b, {.order = order_of("x\ny: x")});
  EXPECT_EQ(report.pairs[1].outcome, Outcome::OtherFormat);
  EXPECT_EQ(report.pairs[1].step, StepState::InputsEqual);
  EXPECT_FALSE(report.parted(report.pairs[1]));
}

}  // namespace
}  // namespace bitpact
