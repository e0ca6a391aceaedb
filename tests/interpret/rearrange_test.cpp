// The operators that move elements, over every bit pattern of the 16-bit formats and against loops of their own; positions.
#include <gtest/gtest.h>

#include <functional>

#include "contract/normal_form.h"
#include "interpret/interpret.h"
#include "interpret/same.h"
#include "operators/building.h"
#include "operators/catalogue.h"

namespace bitpact {
namespace {

using At = std::vector<std::int64_t>;
/// Where an element of the result is read; nothing: outside.
using Source = std::function<std::optional<At>(const At&)>;

BoundProgram program_of(const Resolved& r) {
  const Operator& op = operator_named(r.problem.op);
  return bind(op.build(r.formats(), canonical_choices(op, r.formats())), r.binding);
}

void moves(const std::string& line, const Source& source, Bits outside = 0) {
  const Resolved r = resolve(line);
  const Format format = r.result.format;
  Tensor x(format, r.problem.operands[0].shape);
  for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<Bits>(i) & ((Bits{1} << info(format).bits) - 1));
  const BoundProgram program = program_of(r);
  const Tensor fast = interpret(program, std::span(&x, 1)).results[0];
  ASSERT_EQ(fast.shape(), r.result.shape) << line;
  const NormalForm normal = normalise(program.program, {});
  BoundProgram of_normal{normal.program, {}};
  for (const auto& [name, axis] : normal.axis_names) of_normal.extents[axis] = program.extents.at(name);
  const Tensor again = interpret(of_normal, std::span(&x, 1)).results[0];
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < fast.size(); ++i) {
    const auto at = source(coordinate(fast.shape(), i));
    const Bits wanted = at ? with_quiet_nan(format, x.get(flat_index(x.shape(), *at))) : outside;
    wrong += fast.get(i) != wanted || again.get(i) != wanted ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0) << line;
}

TEST(Rearrange, NoBitChanges) {
  for (const std::string format : {"bf16", "f16", "f8E5M2", "i1", "ui16"}) {
    const std::string x = " 16x64x64x" + format;
    moves("reverse" + x + " axis=1", [](const At& at) { return At{at[0], 63 - at[1], at[2]}; });
    moves("slice" + x + " start=0,1,60 limit=16,64,64 stride=1,3,2", [](const At& at) {
      return At{at[0], 1 + 3 * at[1], 60 + 2 * at[2]};
    });
    moves("transpose" + x + " permutation=2,0,1", [](const At& at) { return At{at[1], at[2], at[0]}; });
    moves("reshape" + x + " shape=4,4,32,128", [](const At& at) {
      const std::int64_t flat = ((at[0] * 4 + at[1]) * 32 + at[2]) * 128 + at[3];
      return At{flat / 4096, flat / 64 % 64, flat % 64};
    });
    const std::string value = format == "ui16" || format == "i1" ? "1" : "-0";
    const Bits outside = format == "i1" || format == "ui16" ? 1 : negative_zero(parse_format(format));
    moves(
        "pad" + x + " low=1,-2,0 high=0,3,-1 interior=0,1,2 value=" + value,
        [](const At& at) -> std::optional<At> {
          const std::int64_t a = at[0] - 1, b = at[1] + 2, c = at[2];
          if (a < 0 || b % 2 != 0 || b / 2 > 63 || c % 3 != 0 || c / 3 > 63) return {};
          return At{a, b / 2, c / 3};
        },
        outside);
  }
}

TEST(Rearrange, EdgesAlone) {
  moves("pad 3x4xf32 low=0,2 high=1,0", [](const At& at) -> std::optional<At> {
    if (at[0] > 2 || at[1] < 2) return {};
    return At{at[0], at[1] - 2};
  });
  moves("pad bf16 value=1", [](const At&) { return At{}; });
  moves("reshape f16 shape=1,1", [](const At&) { return At{}; });
  moves("reshape 1x1xf16 shape=1", [](const At&) { return At{0, 0}; });
  moves("transpose f16", [](const At&) { return At{}; });
}

TEST(Rearrange, PositionsAlongAnAxis) {
  for (const Format format : {Format::I64, Format::I32, Format::F32, Format::UI8}) {
    BodyBuilder finish({Format::I64});
    const Fold position = position_of("n", finish.finish({finish.convert(0, format)}));
    // Between an input and a map, and by its normal form.
    BodyBuilder b({Format::I8, format});
    const NumericProgram program{{Input{"x", Format::I8, {"n", "m"}}, position, Map{{0, 1}, b.finish({1}), {"m", "n"}}}, {2}};
    const NormalForm normal = normalise(program, {});
    EXPECT_EQ(normal_form(normal.program), normal.program);
    const std::map<std::string, std::int64_t> extents{{"n", 100}, {"m", 3}};
    std::map<std::string, std::int64_t> renamed;
    for (const auto& [name, axis] : normal.axis_names) renamed[axis] = extents.at(name);
    const Tensor x(Format::I8, {100, 3});
    for (const BoundProgram& bound : {BoundProgram{program, extents}, BoundProgram{normal.program, renamed}}) {
      const Tensor fast = interpret(bound, std::span(&x, 1)).results[0],
                   slow = interpret_slowly(bound, std::span(&x, 1)).results[0];
      ASSERT_EQ(fast.shape(), (Shape{3, 100}));
      for (std::int64_t i = 0; i < fast.size(); ++i) {
        EXPECT_EQ(fast.get(i), convert({Format::I64, static_cast<Bits>(i % 100)}, format)) << i;
        EXPECT_EQ(slow.get(i), fast.get(i)) << i;
      }
    }
  }
}

// A value outside is one that was made: subnormal, it is an intermediate to whoever reads it.
TEST(Rearrange, FlagsFollowTheElements) {
  const Index index{{0}, Format::F32, {{"n", -1, false, {{"n"}}}}, {"n"}, Bits{1}};
  BodyBuilder b({Format::F32});
  const Map twice{{1}, b.finish({b.op(ScalarOp::Add, Format::F32, {0, 0})}), {"n"}};
  Tensor x(Format::F32, {3});
  x.set(0, one(Format::F32));
  x.set(1, 5);
  const BoundProgram bound{{{Input{"x", Format::F32, {"n"}}, index, twice}, {1, 2}}, {{"n", 3}}};
  const auto flag = [](Exclusion e) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(e)); };
  const std::uint8_t input = flag(Exclusion::SubnormalInput), result = flag(Exclusion::SubnormalResult),
                     between = flag(Exclusion::SubnormalIntermediate);
  for (const auto& seen : {interpret(bound, std::span(&x, 1), {.watch = true}).occurrences,
                           interpret_slowly(bound, std::span(&x, 1), true).occurrences}) {
    EXPECT_EQ(seen[0], (Occurrences{result, 0, static_cast<std::uint8_t>(input | result)}));
    EXPECT_EQ(seen[1], (Occurrences{static_cast<std::uint8_t>(between | result), 0, static_cast<std::uint8_t>(input | result)}));
  }
}

}  // namespace
}  // namespace bitpact
