// An Index, emitted and run: every bit pattern comes through as it was, subnormals on targets that flush and the payloads of NaNs
// among them. Wanted is what the interpreter moves as integers.
#include <gtest/gtest.h>

#include <algorithm>

#include "emit/emit.h"
#include "interpret/interpret.h"
#include "interpret/random_program.h"
#include "operators/building.h"
#include "operators/catalogue.h"
#include "verdict/opened.h"

namespace bitpact {
namespace {

Format integer_like(Format format) {
  return info(format).bits == 16 ? Format::I16 : info(format).bits == 32 ? Format::I32 : Format::I8;
}

/// Every bit pattern of a 16-bit format; else 0, 1, ... and all bits turned, so that exponents of all kinds are among them.
Tensor patterns(Format format, const Shape& shape) {
  Tensor all(format, shape);
  const Bits mask = (Bits{1} << info(format).bits) - 1;
  for (std::int64_t i = 0; i < all.size(); ++i) {
    const auto n = static_cast<Bits>(i);
    all.set(i, info(format).bits <= 16 ? n & mask : (n * 0x9e3779b1U ^ n) & mask);
  }
  return all;
}

BoundProgram in_format(BoundProgram program, Format format) {
  for (Node& node : program.program.nodes) {
    if (auto* input = std::get_if<Input>(&node)) input->format = format;
    if (auto* index = std::get_if<Index>(&node)) index->format = format;
  }
  return program;
}

/// How many elements of the compiled module's result have other bits; NaNs are told apart.
std::int64_t moved_wrongly(const BoundProgram& program, const std::string& spec, const Tensor& x, std::string* form = nullptr) {
  const Format format = x.format(), integer = integer_like(format);
  Tensor raw(integer, x.shape());
  std::ranges::copy(x.span(), raw.mutable_bytes());
  const Tensor wanted = interpret(in_format(program, integer), std::span(&raw, 1)).results[0];
  const Emitted emitted = emit(in_format(program, format), Traits{}).front();
  EXPECT_TRUE(emitted.carries.excludes.empty());
  if (form) *form = emitted.module;
  const Tensor got = backend(spec).run_stablehlo(emitted.module, {{format, wanted.shape()}}, std::span(&x, 1), {}).results[0];
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < wanted.size(); ++i) wrong += wanted.get(i) != got.get(i) ? 1 : 0;
  return wrong;
}

struct Move {
  std::string name, written;  ///< as what it is emitted
  std::vector<IndexCoordinate> from;
  Axes axes;
  std::map<std::string, std::int64_t> extents;
  std::optional<Bits> outside = {};
};

/// Of x [a, b], 256 x 256.
std::vector<Move> moves() {
  const std::map<std::string, std::int64_t> same{{"a", 256}, {"b", 256}};
  const auto with = [&same](std::map<std::string, std::int64_t> more) {
    more.insert(same.begin(), same.end());
    return more;
  };
  return {
      {"reversed", "stablehlo.reverse", {{"b", 0, true, {{"b"}}}}, {"a", "b"}, same},
      {"transposed", "stablehlo.transpose", {}, {"b", "a"}, same},
      {"repeated", "stablehlo.broadcast_in_dim", {}, {"a", "r", "b"}, with({{"r", 3}})},
      {"sliced",
       "stablehlo.slice",
       {{"a", 3, false, {{"i", {5}}}}, {"b", 250, false, {{"j", {-2}}}}},
       {"i", "j"},
       with({{"i", 50}, {"j", 100}})},
      {"one row", "stablehlo.slice", {{"a", 77}}, {"b"}, same},
      {"padded",
       "stablehlo.pad",
       {{"a", -2, false, {{"i"}}}, {"b", -1, true, {{"j"}}}},
       {"i", "j"},
       with({{"i", 260}, {"j", 259}}),
       1},
      {"spread",
       "stablehlo.gather",
       {{"b", 0, false, {{"s", {}, {3}}, {"s", {1, {"b"}}, {}, Multiple{3}}}}},
       {"a", "s"},
       with({{"s", 766}}),
       0x8000},
      {"windows",
       "stablehlo.gather",
       {{"a", -1, false, {{"i", {2}}, {"k"}}}, {"b", -1, false, {{"j", {2}}, {"l"}}}},
       {"i", "j", "k", "l"},
       with({{"i", 128}, {"j", 128}, {"k", 3}, {"l", 3}}),
       0},
      {"joined",
       "stablehlo.reshape",
       {{"a", 0, false, {{"f", {}, {1, {"b"}}}}}, {"b", 0, false, {{"f", {}, {}, Multiple{1, {"b"}}}}}},
       {"f"},
       with({{"f", 65536}})},
      {"split", "stablehlo.reshape", {{"b", 0, false, {{"g", {1, {"l"}}}, {"l"}}}}, {"a", "g", "l"}, with({{"g", 32}, {"l", 8}})},
      {"joined in part",
       "stablehlo.gather",
       {{"a", 0, false, {{"f", {}, {1, {"b"}}}}}, {"b", 0, true, {{"f", {}, {}, Multiple{1, {"b"}}}}}},
       {"f"},
       with({{"f", 66000}}),
       1},
      {"diagonal", "stablehlo.gather", {{"a", 0, false, {{"f"}}}, {"b", 0, false, {{"f"}}}}, {"f"}, with({{"f", 256}})},
      {"halves turned", "stablehlo.gather", {{"b", 128, false, {{"b"}, {"b", {-256}, {128}}}}}, {"a", "b"}, same},
      {"outside alone", "stablehlo.gather", {{"a", 100000, false, {{"i"}}}}, {"i", "b"}, with({{"i", 2}}), 0x7fc0},
  };
}

TEST(EmittedMoves, EveryBitComesThrough) {
  for (const Format format : {Format::BF16, Format::F16, Format::F32, Format::I8}) {
    const Tensor x = patterns(format, {256, 256});
    for (const Move& move : moves()) {
      if (info(format).bits < 16 && move.outside.value_or(0) > 1) continue;
      Index index{{0}, format, move.from, move.axes, move.outside};
      const BoundProgram program{{{Input{"x", format, {"a", "b"}}, index}, {1}}, move.extents};
      for (const std::string spec : {"iree", "xla"}) {
        std::string text;
        EXPECT_EQ(moved_wrongly(program, spec, x, &text), 0) << move.name << " " << name(format) << " " << spec;
        EXPECT_NE(text.find(move.written), std::string::npos) << move.name << "\n" << text;
      }
    }
  }
}

// What the check must see: where something is computed, subnormals are flushed.
TEST(EmittedMoves, WhatIsComputedIsSeen) {
  const Tensor x = patterns(Format::F32, {256, 256});
  BodyBuilder b({Format::F32});
  const int y = b.op(ScalarOp::Multiply, Format::F32, {0, b.constant(Format::F32, one(Format::F32))});
  const BoundProgram program{{{Input{"x", Format::F32, {"a", "b"}}, Map{{0}, b.finish({y}), {"a", "b"}}}, {1}},
                             {{"a", 256}, {"b", 256}}};
  Traits keeps;
  keeps.flushes_subnormal_inputs = keeps.flushes_subnormal_results = false;
  const Emitted emitted = emit(program, keeps).front();
  const Tensor got = backend("iree").run_stablehlo(emitted.module, {{Format::F32, x.shape()}}, std::span(&x, 1), {}).results[0];
  std::int64_t other = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) other += x.get(i) != got.get(i) ? 1 : 0;
  EXPECT_GT(other, 100);
}

TEST(EmittedMoves, RandomOnes) {
  int ran = 0;
  for (std::uint64_t seed = 1; ran < 25; ++seed) {
    test::Random random(seed);
    BoundProgram program = test::random_moves(random, Format::BF16);
    const Shape shape = program.shape_of(0);
    Tensor x(Format::BF16, shape);
    for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<Bits>(random.bits() & 0xffff));
    for (const std::string spec : {"iree", "xla"}) {
      std::string text;
      EXPECT_EQ(moved_wrongly(program, spec, x, &text), 0) << seed << " " << spec << "\n" << text;
    }
    ++ran;
  }
}

TEST(EmittedMoves, PositionsAreConstants) {
  BodyBuilder finish({Format::I64});
  Fold position = position_of("b", finish.finish({finish.convert(0, Format::F32)}));
  position.axes = {"b", "a"};
  BodyBuilder sum({Format::F32, Format::F32});
  const BoundProgram program{{{Input{"x", Format::F32, {"a", "b"}}, position,
                               Map{{0, 1}, sum.finish({sum.op(ScalarOp::Add, Format::F32, {0, 1})}), {"a", "b"}}},
                              {2}},
                             {{"a", 3}, {"b", 5}}};
  Tensor x(Format::F32, {3, 5});
  for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, convert({Format::I64, static_cast<Bits>(100 * (i + 1))}, Format::F32));
  const Tensor wanted = interpret(program, std::span(&x, 1)).results[0];
  EXPECT_EQ(wanted.get(7), convert({Format::I64, 802}, Format::F32));
  for (const std::string spec : {"iree", "xla"}) {
    const Emitted emitted = emit(program, Traits{}).front();
    EXPECT_EQ(emitted.form, "elementwise");
    const Tensor got = backend(spec).run_stablehlo(emitted.module, {{Format::F32, {3, 5}}}, std::span(&x, 1), {}).results[0];
    EXPECT_TRUE(std::ranges::equal(wanted.span(), got.span())) << spec << "\n" << emitted.module;
  }
}

}  // namespace
}  // namespace bitpact
