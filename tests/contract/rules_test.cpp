// Each rule at its edges: pairs that are one by a rule, and pairs that only look like it, with operands that tell them apart.
#include <gtest/gtest.h>

#include "contract/generate.h"
#include "contract/normal_form.h"
#include "contract/run.h"
#include "contract/samples.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

using Build = std::function<int(BodyBuilder&)>;

NumericProgram map_of(const std::vector<Format>& arguments, const Build& build) {
  BodyBuilder b(arguments);
  const int result = build(b);
  return samples::elementwise(b.finish({result}));
}

generate::Case scalars(const NumericProgram& program) {
  generate::Case c{program, {}};
  for (Node& node : c.program.nodes) std::visit([](auto& n) { n.axes.clear(); }, node);
  return c;
}

void expect_one(const std::vector<Format>& arguments, const Build& a, const Build& b) {
  EXPECT_EQ(normal_form(map_of(arguments, a)), normal_form(map_of(arguments, b)));
}

/// Two fingerprints, on any domain, and the bits on these operands differ.
void expect_two(const std::vector<Format>& arguments, const Build& a, const Build& b, const std::vector<Bits>& apart) {
  const NumericProgram x = map_of(arguments, a), y = map_of(arguments, b);
  EXPECT_NE(arithmetic_fingerprint(x), arithmetic_fingerprint(y));
  std::vector<std::vector<Bits>> inputs;
  for (Bits bits : apart) inputs.push_back({bits});
  EXPECT_NE(generate::run(scalars(x), inputs).results, generate::run(scalars(y), inputs).results);
}

constexpr auto F16 = Format::F16, BF16 = Format::BF16, F32 = Format::F32, F64 = Format::F64;
constexpr Bits kOne32 = 0x3f800000, kInfinity32 = 0x7f800000;

Build op(ScalarOp op, Format format, std::vector<int> args, Policy policy = {}) {
  return [=](BodyBuilder& b) { return b.op(op, format, args, policy); };
}

TEST(Rules, NF3LeavesPoliciesThatMatter) {
  expect_one({F16}, op(ScalarOp::Convert, F32, {0}, {.rounding = Rounding::Up}), op(ScalarOp::Convert, F32, {0}));
  expect_one({F16, F16}, op(ScalarOp::Multiply, F32, {0, 1}, {.rounding = Rounding::Up}), op(ScalarOp::Multiply, F32, {0, 1}));
  expect_one({Format::I8},
             op(ScalarOp::Convert, F32, {0}, {.rounding = Rounding::Up, .overflow = Overflow::Saturate, .flush_in = true}),
             op(ScalarOp::Convert, F32, {0}));
  // A saturated infinity, though every number of f16 is one of f32.
  expect_two({F16}, op(ScalarOp::Convert, F32, {0}, {.overflow = Overflow::Saturate}), op(ScalarOp::Convert, F32, {0}), {0x7c00});
  // 2^-70 * 2^-70 * (1 + 2^-7)^2 in f32: not exact, though 16 bits are enough.
  expect_two({BF16, BF16}, op(ScalarOp::Multiply, F32, {0, 1}, {.rounding = Rounding::Up}), op(ScalarOp::Multiply, F32, {0, 1}),
             {(127 - 70) << 7 | 1, (127 - 70) << 7 | 1});
  const Domain domain{{Exclusion::SubnormalIntermediate, Exclusion::OverflowIntermediate}};
  EXPECT_NE(arithmetic_fingerprint(map_of({BF16, BF16}, op(ScalarOp::Multiply, F32, {0, 1}, {.rounding = Rounding::Up})), domain),
            arithmetic_fingerprint(map_of({BF16, BF16}, op(ScalarOp::Multiply, F32, {0, 1})), domain))
      << "a product that is the result is no intermediate, so no domain excludes that it is subnormal";
}

TEST(Rules, NF4KeepsConversionsThatChangeAValue) {
  const auto chain = [](Format wide, Policy first, Format last, Policy second = {}) {
    return [=](BodyBuilder& b) { return b.op(ScalarOp::Convert, last, {b.op(ScalarOp::Convert, wide, {0}, first)}, second); };
  };
  const Build same = [](BodyBuilder&) { return 0; };
  expect_one({F16}, chain(F32, {}, F16), same);
  expect_one({BF16}, chain(F32, {}, BF16), same);
  expect_one({Format::I8}, chain(BF16, {}, Format::I8), same);
  expect_one({BF16}, chain(F32, {}, F16), op(ScalarOp::Convert, F16, {0}));
  expect_one({F32}, chain(F32, {.rounding = Rounding::Up}, F32), same);
  expect_two({F32}, chain(BF16, {}, F32), same, {kOne32 + 1});
  expect_two({F16}, chain(BF16, {}, F16), same, {0x3c01});
  expect_two({F32}, chain(F16, {}, F32), same, {0x7f000000});
  expect_two({Format::I32}, chain(F32, {}, Format::I32), same, {(1 << 24) + 1});
  expect_two({F32}, op(ScalarOp::Convert, F32, {0}, {.flush_in = true}), same, {1});
  expect_two({F32}, op(ScalarOp::Convert, F32, {0}, {.flush_out = true}), same, {1});
  expect_two({F32}, op(ScalarOp::Convert, F32, {0}, {.overflow = Overflow::Saturate}), same, {kInfinity32});
  expect_two({BF16}, chain(F32, {.flush_out = true}, BF16), same, {1});
  expect_two({BF16}, chain(F32, {}, BF16, {.flush_in = true}), same, {1});
  expect_two({F16}, chain(F32, {.overflow = Overflow::Saturate}, F16, {.rounding = Rounding::TowardZero}), same, {0x7c00});
  // An f16 subnormal is normal in f32, so that a flush there does nothing that one here does.
  expect_two({F16}, chain(F32, {}, BF16, {.flush_in = true}), op(ScalarOp::Convert, BF16, {0}, {.flush_in = true}), {1});
}

Build fused(Format via, Policy policy = {}) {
  return [=](BodyBuilder& b) { return b.op(ScalarOp::Fma, via, {b.convert(0, via), b.convert(1, via), 2}, policy); };
}
Build rounded(Format via, Policy policy = {}, Policy product = {}) {
  return [=](BodyBuilder& b) {
    return b.op(ScalarOp::Add, via, {b.op(ScalarOp::Multiply, via, {b.convert(0, via), b.convert(1, via)}, product), 2}, policy);
  };
}

TEST(Rules, NF5AppliesToExactProductsOnly) {
  expect_one({F16, F16, F32}, fused(F32), rounded(F32));
  expect_one({F16, F16, F32}, fused(F32, {.rounding = Rounding::Down, .overflow = Overflow::Saturate}),
             rounded(F32, {.rounding = Rounding::Down, .overflow = Overflow::Saturate}));
  expect_one({F32, F32, F64}, fused(F64), rounded(F64));
  expect_one({BF16, F16, F64}, fused(F64), rounded(F64));
  expect_one({Format::I8, Format::UI8, F32}, fused(F32), rounded(F32));
  expect_two({F32, F32, F32}, fused(F32), rounded(F32), {kOne32 + 1, kOne32 + 1, 0xbf800002});
  // Overflow of the product alone.
  expect_two({BF16, Format::UI8, F32}, fused(F32), rounded(F32), {0x7f7f, 2, 0xff7fffff});
  expect_two({BF16, BF16, F32}, fused(F32), rounded(F32), {0x7f7f, 0x4000, 0xff7fffff});
  // A product that rounds to -0: the sum's sign.
  expect_two({BF16, BF16, F32}, fused(F32), rounded(F32), {(127 - 80) << 7, 0x8000 | (127 - 80) << 7, 0});
  // A product of half the smallest subnormal: a tie beside an odd sum.
  expect_two({BF16, BF16, F32}, fused(F32), rounded(F32), {(127 - 75) << 7, (127 - 75) << 7, 0x00800001});
  // 31 + 24 bits are more than 53.
  expect_two({Format::I32, F32, F64}, fused(F64), rounded(F64), {0x7fffffff, 0x3fffffff, 0xc1efffffdfc00000});
  // Flushing acts on the product where there is one.
  expect_two({F16, F16, F32}, fused(F32, {.flush_in = true}), rounded(F32), {0x3c00, 0, 1});
}

TEST(Rules, NF3KnowsWhatAnIntegerBecame) {
  const Format i8 = Format::I8, ui8 = Format::UI8;
  const auto back = [](const Build& value, Format format, Overflow overflow) {
    return [=](BodyBuilder& b) { return b.op(ScalarOp::Convert, format, {value(b)}, {.overflow = overflow}); };
  };
  const auto of = [](ScalarOp op, std::vector<int> arguments) {
    return [=](BodyBuilder& b) {
      std::vector<int> wide;
      for (int a : arguments) wide.push_back(b.convert(a, F32));
      return b.op(op, F32, wide);
    };
  };
  const auto expect_range_matters = [&](const std::vector<Format>& arguments, const Build& value, Format format,
                                        const std::vector<Bits>& apart) {
    expect_two(arguments, back(value, format, Overflow::Saturate), back(value, format, Overflow::Ieee), apart);
  };
  expect_range_matters({ui8}, of(ScalarOp::Negate, {0}), ui8, {5});
  expect_range_matters({i8}, of(ScalarOp::Negate, {0}), i8, {0x80});
  expect_range_matters({i8}, of(ScalarOp::Abs, {0}), i8, {0x80});
  expect_range_matters({i8, ui8}, of(ScalarOp::Maximum, {0, 1}), i8, {1, 200});
  expect_range_matters({i8, ui8}, of(ScalarOp::Minimum, {0, 1}), ui8, {0xff, 200});
  const auto widened = [](int a) { return [=](BodyBuilder& b) { return b.convert(a, F32); }; };
  expect_one({i8}, back(widened(0), i8, Overflow::Saturate), back(widened(0), i8, Overflow::Ieee));
  // -0 is no integer.
  const auto negated_twice = [&](BodyBuilder& b) { return b.op(ScalarOp::Negate, F32, {b.convert(0, F32)}); };
  const auto through_integer = [&](BodyBuilder& b) { return b.convert(b.convert(negated_twice(b), Format::I32), F32); };
  expect_two({i8}, negated_twice, through_integer, {0});
}

TEST(Rules, NF5KnowsWhatAFactorCanBe) {
  // Two forms of x * f32(f16) + f32, by how x comes about.
  const auto form = [](const Build& x, bool fused) {
    return [=](BodyBuilder& b) {
      const int a = x(b), c = b.convert(3, F32);
      return fused ? b.op(ScalarOp::Fma, F32, {a, c, 4}) : b.op(ScalarOp::Add, F32, {b.op(ScalarOp::Multiply, F32, {a, c}), 4});
    };
  };
  const std::vector<Format> arguments{Format::I1, F16, F32, F16, F32};
  const auto narrow = [](BodyBuilder& b) { return b.convert(1, F32); };
  const std::vector<Build> exact{
      narrow,
      [=](BodyBuilder& b) { return b.op(ScalarOp::Negate, F32, {narrow(b)}); },
      [=](BodyBuilder& b) { return b.op(ScalarOp::Abs, F32, {narrow(b)}); },
      [=](BodyBuilder& b) {
        return b.op(ScalarOp::Select, F32, {0, narrow(b), b.convert(3, F32)});
      },
      [=](BodyBuilder& b) {
        return b.op(ScalarOp::Maximum, F32, {narrow(b), b.convert(3, F32)});
      },
      [=](BodyBuilder& b) { return b.convert(b.op(ScalarOp::Convert, F16, {2}), F32); },
  };
  for (const Build& x : exact) expect_one(arguments, form(x, true), form(x, false));
  const std::vector<Bits> wide{1, 0x3c00, kOne32 + 1, 0x3c01, 0xbf802000};  // (1 + 2^-23) (1 + 2^-10) - (1 + 2^-10)
  const auto any = [](BodyBuilder&) { return 2; };
  expect_two(arguments, form(any, true), form(any, false), wide);
  for (const bool first : {true, false}) {
    const auto chosen = [=](ScalarOp op) {
      return [=](BodyBuilder& b) {
        const int n = narrow(b);
        std::vector<int> args = first ? std::vector{2, n} : std::vector{n, 2};
        if (op == ScalarOp::Select) args.insert(args.begin(), 0);
        return b.op(op, F32, args);
      };
    };
    std::vector<Bits> operands = wide;
    operands[0] = first ? 1 : 0;
    for (ScalarOp op : {ScalarOp::Select, ScalarOp::Maximum})
      expect_two(arguments, form(chosen(op), true), form(chosen(op), false), operands);
    operands[1] = 0x4000;
    expect_two(arguments, form(chosen(ScalarOp::Minimum), true), form(chosen(ScalarOp::Minimum), false), operands);
  }
  // An infinity that saturates becomes f32's largest number, of 24 bits.
  const auto saturated = [](BodyBuilder& b) { return b.op(ScalarOp::Convert, F32, {1}, {.overflow = Overflow::Saturate}); };
  expect_two(arguments, form(saturated, true), form(saturated, false), {0, 0x7c00, 0, 0x3801, 0xff000000});
}

TEST(Rules, NF7KnowsTheSignsOfZero) {
  const auto plus = [](Bits zero, Policy policy = {}) {
    return [=](BodyBuilder& b) { return b.op(ScalarOp::Add, F32, {0, b.constant(F32, zero)}, policy); };
  };
  const auto fma = [](Bits zero, Policy policy = {}) {
    return [=](BodyBuilder& b) { return b.op(ScalarOp::Fma, F32, {0, 1, b.constant(F32, zero)}, policy); };
  };
  const Build same = [](BodyBuilder&) { return 0; };
  const Bits minus = 0x80000000;
  for (Rounding r : {Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero, Rounding::Up, Rounding::ToOdd}) {
    expect_one({F32}, plus(minus, {.rounding = r}), same);
    expect_one({F32, F32}, fma(minus, {.rounding = r}), op(ScalarOp::Multiply, F32, {0, 1}, {.rounding = r}));
  }
  expect_two({F32}, plus(minus, {.rounding = Rounding::Down}), same, {0});
  expect_two({F32}, plus(0), same, {minus});
  expect_two({F32}, plus(minus, {.overflow = Overflow::Saturate}), same, {kInfinity32});
  expect_two({F32}, plus(minus, {.flush_out = true}), same, {1});
  expect_two({F32, F32}, fma(minus, {.rounding = Rounding::Down}),
             op(ScalarOp::Multiply, F32, {0, 1}, {.rounding = Rounding::Down}), {0, kOne32});
  expect_two({F32, F32}, fma(0), op(ScalarOp::Multiply, F32, {0, 1}), {minus, kOne32});
}

TEST(Rules, NF3SwapsOnlyWhatCommutes) {
  expect_one({F32, F32}, op(ScalarOp::Add, F32, {0, 1}), op(ScalarOp::Add, F32, {1, 0}));
  expect_one({F32, F32, F32}, op(ScalarOp::Fma, F32, {0, 1, 2}), op(ScalarOp::Fma, F32, {1, 0, 2}));
  expect_two({F32, F32}, op(ScalarOp::Subtract, F32, {0, 1}), op(ScalarOp::Subtract, F32, {1, 0}), {kOne32, 0});
  expect_two({F32, F32, F32}, op(ScalarOp::Fma, F32, {0, 1, 2}), op(ScalarOp::Fma, F32, {0, 2, 1}), {0x40000000, kOne32, 0});
  for (Comparison c : {Comparison::LE, Comparison::GT}) {
    const auto compare = [](Comparison comparison) {
      return [=](BodyBuilder& b) {
        Instruction i;
        i.op = ScalarOp::Compare;
        i.format = Format::I1;
        i.comparison = comparison;
        i.args = {0, 1, -1};
        return b.push(i);
      };
    };
    expect_two({F32, F32}, compare(Comparison::LT), compare(c),
               c == Comparison::LE ? std::vector<Bits>{kOne32, kOne32} : std::vector<Bits>{kOne32, 0});
  }
}

TEST(Rules, NF6MindsStepAndMerge) {
  EXPECT_EQ(normal_order(Order::interleaved(1)), Order::sequential());
  EXPECT_EQ(normal_order(Order::interleaved(1, Order::backwards())), Order::sequential());
  EXPECT_EQ(normal_order(Order::interleaved(4, Order::interleaved(1))), Order::interleaved(4));
  EXPECT_EQ(normal_order(Order::interleaved(4, Order::sequential())), Order::interleaved(4));
  EXPECT_EQ(normal_order(Order::interleaved(4, Order::blocked(1, Order::backwards(), Order::pairwise(2)))),
            Order::interleaved(4, Order::pairwise(2)));
  EXPECT_EQ(normal_order(Order::blocked(4, Order::sequential(), Order::backwards())).outer, std::vector{Order::backwards()});
  EXPECT_EQ(normal_order(Order::blocked(4, Order::sequential(), Order::backwards())).inner, std::vector<Order>{});
  EXPECT_EQ(normal_order(Order::pairwise(1, 1, Order::blocked(2))), Order::pairwise(1));
  // Blocks of one leaf are joined by merge, leaves by step.
  EXPECT_EQ(normal_order(Order::blocked(1)), Order::blocked(1));
  EXPECT_EQ(normal_order(Order::blocked(2, Order::blocked(1), Order::sequential())).inner, std::vector{Order::blocked(1)});
  // A tree has its own number of items, and refuses others.
  const Order tree = Order::tree({{0, 1}});
  EXPECT_EQ(normal_order(Order::interleaved(1, tree)), Order::interleaved(1, tree));
  EXPECT_EQ(normal_order(Order::pairwise(1, 1, tree)), Order::pairwise(1, 1, tree));
  EXPECT_EQ(normal_order(tree), tree);
  EXPECT_EQ(normal_order(Order::backwards()), Order::backwards());
}

TEST(Rules, NF1TheInterfaceStays) {
  const auto input = [](const std::string& name, const Axes& axes) { return NumericProgram{{Input{name, F32, axes}}, {0}}; };
  EXPECT_EQ(arithmetic_fingerprint(input("x", {"m", "k"})), arithmetic_fingerprint(input("x", {"p", "q"})));
  EXPECT_NE(arithmetic_fingerprint(input("x", {"m", "k"})), arithmetic_fingerprint(input("y", {"m", "k"})));
  EXPECT_NE(arithmetic_fingerprint(input("x", {"m", "k"})), arithmetic_fingerprint(input("x", {"m", "*k"})));
  // An unused input, and the order of the axes of inputs and results.
  NumericProgram two = input("x", {"m", "k"});
  two.nodes.emplace_back(Input{"y", F32, {"k", "m"}});
  EXPECT_NE(arithmetic_fingerprint(two), arithmetic_fingerprint(input("x", {"m", "k"})));
  NumericProgram turned = two;
  std::get<Input>(turned.nodes[1]).axes = {"m", "k"};
  EXPECT_NE(arithmetic_fingerprint(two), arithmetic_fingerprint(turned));
  NumericProgram transposed = input("x", {"m", "k"});
  transposed.nodes.emplace_back(Map{{0}, identity_body({F32}), {"k", "m"}});
  transposed.results = {1};
  EXPECT_NE(arithmetic_fingerprint(transposed), arithmetic_fingerprint(input("x", {"m", "k"})));
}

TEST(Rules, NF2TheOrderOfLeavesStays) {
  const auto sum_over = [](const Axes& over) {
    NumericProgram program = samples::sum(F32, F32);
    std::get<Input>(program.nodes[0]).axes = {"m", "k"};
    auto& fold = std::get<Fold>(program.nodes[1]);
    fold.over = over;
    fold.axes = {};
    return program;
  };
  EXPECT_NE(arithmetic_fingerprint(sum_over({"m", "k"})), arithmetic_fingerprint(sum_over({"k", "m"})));
}

TEST(Rules, NF2ResultsInSeveralOrdersOfAxes) {
  NumericProgram program{{Input{"x", F32, {"m", "n"}}}, {}};
  BodyBuilder b({F32});
  program.nodes.emplace_back(Map{{0}, b.finish({b.op(ScalarOp::Negate, F32, {0})}), {"m", "n"}});
  program.nodes.emplace_back(Map{{1}, identity_body({F32}), {"n", "m"}});
  program.nodes.emplace_back(Map{{0}, identity_body({F32}), {"n", "m"}});
  program.results = {2, 1, 0, 3, 1, 2};
  const NumericProgram normal = normal_form(program);
  check_well_formed(normal);
  EXPECT_EQ(normal_form(normal), normal);
  for (size_t r = 0; r < program.results.size(); ++r) {
    const bool turned = program.results[r] >= 2;
    EXPECT_EQ(axes_of(normal.nodes[static_cast<size_t>(normal.results[r])]), turned ? (Axes{"a1", "a0"}) : (Axes{"a0", "a1"}))
        << r;
  }
}

TEST(Rules, NF2KeepsApartWhatHasOtherAxes) {
  // One body, broadcast along n or not.
  NumericProgram program{{Input{"x", F32, {"m"}}, Input{"y", F32, {"n"}}}, {}};
  const NumericProgram negate = map_of({F32}, op(ScalarOp::Negate, F32, {0}));
  for (const Axes& axes : {Axes{"m"}, Axes{"m", "n"}})
    program.nodes.emplace_back(Map{{0}, std::get<Map>(negate.nodes[1]).body, axes});
  program.results = {2, 3};
  const NumericProgram normal = normal_form(program);
  EXPECT_EQ(axes_of(normal.nodes[static_cast<size_t>(normal.results[0])]).size(), 1u);
  EXPECT_EQ(axes_of(normal.nodes[static_cast<size_t>(normal.results[1])]).size(), 2u);
}

TEST(Rules, NF2AResultThatIsAnOperandToo) {
  // The fold's axes stand in another order than ascending, and it is used again.
  NumericProgram program = samples::sum(F32, F32);
  std::get<Input>(program.nodes[0]).axes = {"m", "n", "p"};
  auto& fold = std::get<Fold>(program.nodes[1]);
  fold.axes = {"p", "m"};
  BodyBuilder b({F32});
  program.nodes.emplace_back(Map{{1}, b.finish({b.op(ScalarOp::Sqrt, F32, {0})}), {"m", "p"}});
  program.results = {1, 2};
  EXPECT_EQ(normal_form(program).nodes.size(), 3u);
}

TEST(Rules, LongAndDeepProgramsAreRefusedOrDone) {
  // One chain of 100,000 instructions: no recursion.
  BodyBuilder b({F32, F32});
  int v = 0;
  for (int n = 0; n < 100000; ++n) v = b.op(ScalarOp::Add, F32, {v, 1});
  const NumericProgram chain = samples::elementwise(b.finish({v}));
  EXPECT_EQ(std::get<Map>(normal_form(chain).nodes[2]).body.code.size(), 100000u);
  // Maps that are results and operands at once grow quadratically.
  NumericProgram many{{Input{"x", F32, {}}}, {}};
  for (int n = 0; n < 3000; ++n) {
    BodyBuilder step({F32});
    many.nodes.emplace_back(Map{{n}, step.finish({step.op(ScalarOp::Sqrt, F32, {0})}), {}});
    many.results.push_back(n + 1);
  }
  EXPECT_THROW(normal_form(many), Refused);
  // Folds of folds as deep as there may be nodes.
  NumericProgram deep{{Input{"x", F32, {"n"}}}, {}};
  for (int n = 0; n < 4000; ++n) {
    NumericProgram one = samples::sum(F32, F32);
    auto fold = std::get<Fold>(one.nodes[1]);
    fold.operands = {n};
    fold.axes = {};
    if (n > 0) fold.over = {};
    deep.nodes.emplace_back(fold);
  }
  deep.results = {4000};
  EXPECT_EQ(normal_form(deep).nodes.size(), 4001u);
}

}  // namespace
}  // namespace bitpact
