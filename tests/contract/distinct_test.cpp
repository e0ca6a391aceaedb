// Equal fingerprints, equal bits: programs that some operand tells apart never share one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "contract/canonical_json.h"
#include "contract/normal_form.h"
#include "contract/one_step.h"
#include "contract/program_json.h"
#include "contract/run.h"

namespace bitpact {
namespace {

using generate::Case;
using generate::Random;

std::string text(const NumericProgram& program) { return canonical_json(to_json(program)); }

RC_GTEST_PROP(Fingerprint, IsNotSharedByAMutantThatAnOperandTellsApart, ()) {
  Random random(*generate::seed());
  for (int n = 0; n < 6; ++n) {
    const Case c = generate::program(random);
    const std::string fingerprint = arithmetic_fingerprint(c.program);
    std::vector<Case> same;
    for (int m = 0; m < 40; ++m)
      if (auto made = generate::one_step(random, c); made && arithmetic_fingerprint(made->program) == fingerprint)
        same.push_back(*made);
    for (int t = 0; t < 6 && !same.empty(); ++t) {
      const auto inputs = generate::operands(random, c);
      const auto expected = generate::run(c, inputs).results;
      for (const Case& made : same)
        if (generate::run(made, inputs).results != expected)
          RC_FAIL("one fingerprint, different bits:\n" + text(c.program) + "\n" + text(made.program));
    }
  }
}

/// Programs out of a small alphabet, so that many share a fingerprint. Their interface is the same.
Case small_map(Random& random) {
  Case c;
  c.program.nodes = {Input{"x", Format::F16, {}}, Input{"y", Format::F16, {}}, Input{"z", Format::F32, {}}};
  BodyBuilder b({Format::F16, Format::F16, Format::F32});
  std::vector<int> values{0, 1, 2};
  const int length = random.between(1, 4);
  for (int n = 0; n < length; ++n) {
    const Format format = random.chance(75) ? Format::F32 : Format::F16;
    Policy p;
    if (random.chance(15)) p.rounding = random.chance(50) ? Rounding::Down : Rounding::TowardZero;
    if (random.chance(8)) p.overflow = Overflow::Saturate;
    if (random.chance(8)) (random.chance(50) ? p.flush_in : p.flush_out) = true;
    switch (random.below(5)) {
      case 0:
        values.push_back(b.op(ScalarOp::Convert, format, {random.pick(values)}, p));
        break;
      case 1:
        values.push_back(b.op(ScalarOp::Add, format, {random.pick(values), random.pick(values)}, p));
        break;
      case 2:
        values.push_back(b.op(ScalarOp::Multiply, format, {random.pick(values), random.pick(values)}, p));
        break;
      case 3:
        values.push_back(b.op(ScalarOp::Fma, format, {random.pick(values), random.pick(values), random.pick(values)}, p));
        break;
      default:
        values.push_back(b.constant(format, random.chance(60) ? negative_zero(format) : positive_zero(format)));
    }
  }
  const int last =
      b.format_of(values.back()) == Format::F32 ? values.back() : b.op(ScalarOp::Convert, Format::F32, {values.back()});
  c.program.nodes.emplace_back(Map{{0, 1, 2}, b.finish({last}), {}});
  c.program.results = {3};
  return c;
}

/// The same with integers and what keeps a value's set: conversions there and back, negation, absolute value, extrema.
Case small_conversion(Random& random) {
  Case c;
  const std::vector<Format> inputs{Format::I8, Format::UI8, Format::F16};
  for (size_t i = 0; i < inputs.size(); ++i)
    c.program.nodes.emplace_back(Input{std::string(1, static_cast<char>('x' + i)), inputs[i], {}});
  const std::vector<Format> through{Format::I8, Format::UI8, Format::I32, Format::F16, Format::BF16, Format::F32};
  BodyBuilder b(inputs);
  std::vector<int> values{0, 1, 2};
  const int length = random.between(2, 5);
  for (int n = 0; n < length; ++n) {
    Policy p;
    if (random.chance(20)) p.rounding = random.chance(50) ? Rounding::Down : Rounding::Up;
    if (random.chance(20)) p.overflow = Overflow::Saturate;
    const int v = random.chance(60) ? values.back() : random.pick(values);
    const Format format = b.format_of(v);
    switch (random.below(6)) {
      case 0:
        values.push_back(b.op(ScalarOp::Negate, format, {v}));
        break;
      case 1:
        values.push_back(b.op(ScalarOp::Abs, format, {v}));
        break;
      case 2: {
        const int w = b.convert(random.pick(values), format);
        values.push_back(b.op(random.chance(50) ? ScalarOp::Maximum : ScalarOp::Minimum, format, {v, w}));
        break;
      }
      default:
        values.push_back(b.op(ScalarOp::Convert, random.pick(through), {v}, p));
    }
  }
  c.program.nodes.emplace_back(Map{{0, 1, 2}, b.finish({b.op(ScalarOp::Convert, Format::F32, {values.back()})}), {}});
  c.program.results = {3};
  return c;
}

Case small_fold(Random& random) {
  Case c;
  c.extents = {{"k", 3}};
  const Format operand = random.chance(50) ? Format::F16 : Format::F32;
  c.program.nodes = {Input{"x", operand, {"k"}}, Input{"y", operand, {"k"}}};
  Fold fold;
  fold.operands = {0, 1};
  fold.over = {"k"};
  BodyBuilder leaf({operand, operand});
  const int a = leaf.convert(0, Format::F32), d = leaf.convert(1, Format::F32);
  const bool fused = random.chance(50), first = random.chance(50);
  fold.leaf = leaf.finish(fused ? std::vector{a, d} : std::vector{leaf.op(ScalarOp::Multiply, Format::F32, {a, d})});
  BodyBuilder step(fused ? std::vector<Format>(3, Format::F32) : std::vector<Format>(2, Format::F32));
  fold.step = step.finish({fused ? step.op(ScalarOp::Fma, Format::F32, {1, 2, 0}) : step.op(ScalarOp::Add, Format::F32, {0, 1})});
  BodyBuilder merge({Format::F32, Format::F32});
  const int order = random.below(2);
  fold.merge = merge.finish({merge.op(ScalarOp::Add, Format::F32, {order, 1 - order})});
  fold.finish = identity_body({Format::F32});
  if (first) {
    BodyBuilder lift(fused ? std::vector<Format>(2, Format::F32) : std::vector<Format>(1, Format::F32));
    fold.start.lift = lift.finish({fused ? lift.op(ScalarOp::Multiply, Format::F32, {0, 1}) : 0});
  } else {
    fold.start = {false, {}, {random.chance(50) ? negative_zero(Format::F32) : positive_zero(Format::F32)}};
  }
  const std::vector<Order> orders{Order::sequential(),
                                  Order::backwards(),
                                  Order::interleaved(1),
                                  Order::interleaved(2),
                                  Order::interleaved(3),
                                  Order::interleaved(3, Order::backwards()),
                                  Order::blocked(1),
                                  Order::blocked(2),
                                  Order::blocked(1, Order::sequential(), Order::blocked(1)),
                                  Order::interleaved(3, Order::blocked(1, Order::sequential(), Order::backwards())),
                                  Order::pairwise(1),
                                  Order::pairwise(3)};
  fold.order = random.pick(orders);
  c.program.nodes.emplace_back(fold);
  c.program.results = {2};
  return c;
}

/// All that share a fingerprint have the same bits on all operands that are tried. Gives how many there were.
int check_groups(Random& random, const std::function<Case(Random&)>& make, int programs, int times) {
  std::map<std::string, std::vector<Case>> groups;
  for (int n = 0; n < programs; ++n) {
    Case c = make(random);
    auto& group = groups[arithmetic_fingerprint(c.program)];
    if (std::ranges::find(group, c) == group.end() && group.size() < 40) group.push_back(std::move(c));
  }
  int shared = 0;
  for (const auto& [fingerprint, group] : groups) {
    if (group.size() < 2) continue;
    shared += static_cast<int>(group.size());
    for (int t = 0; t < times; ++t) {
      const auto inputs = generate::operands(random, group[0]);
      const auto expected = generate::run(group[0], inputs).results;
      for (const Case& other : group)
        if (generate::run(other, inputs).results != expected) {
          ADD_FAILURE() << "one fingerprint, different bits:\n" << text(group[0].program) << "\n" << text(other.program);
          return shared;
        }
    }
  }
  return shared;
}

TEST(Fingerprint, IsSharedOnlyByEqualSmallMaps) {
  Random random(11);
  EXPECT_GT(check_groups(random, small_map, 12000, 40), 2000);
}

TEST(Fingerprint, IsSharedOnlyByEqualSmallConversions) {
  Random random(14);
  EXPECT_GT(check_groups(random, small_conversion, 12000, 40), 2000);
}

TEST(Fingerprint, IsSharedOnlyByEqualSmallFolds) {
  Random random(12);
  EXPECT_GT(check_groups(random, small_fold, 3000, 300), 100);
}

// ---- the rule that rests on the domain

const Domain kNoTinyNoHuge{{Exclusion::SubnormalIntermediate, Exclusion::OverflowIntermediate}};

Case multiply_add(bool fused, Format operand = Format::BF16, Policy policy = {}) {
  Case c;
  c.program.nodes = {Input{"x", operand, {}}, Input{"y", operand, {}}, Input{"z", Format::F32, {}}};
  BodyBuilder b({operand, operand, Format::F32});
  const int x = b.convert(0, Format::F32), y = b.convert(1, Format::F32);
  const int sum = fused ? b.op(ScalarOp::Fma, Format::F32, {x, y, 2}, policy)
                        : b.op(ScalarOp::Add, Format::F32, {b.op(ScalarOp::Multiply, Format::F32, {x, y}), 2}, policy);
  c.program.nodes.emplace_back(Map{{0, 1, 2}, b.finish({sum}), {}});
  c.program.results = {3};
  return c;
}

TEST(Domain, EntersTheFingerprintOnlyWhereARuleRestsOnIt) {
  const auto of = [](const Case& c, const Domain& d = {}) { return arithmetic_fingerprint(c.program, d); };
  const Case fused = multiply_add(true), rounded = multiply_add(false);
  EXPECT_NE(of(fused), of(rounded));
  EXPECT_EQ(of(fused, kNoTinyNoHuge), of(rounded, kNoTinyNoHuge));
  EXPECT_NE(of(rounded, kNoTinyNoHuge), of(rounded)) << "a weaker claim is another fingerprint";
  for (Exclusion one : kNoTinyNoHuge.excludes) {
    EXPECT_NE(of(fused, Domain{{one}}), of(rounded, Domain{{one}}));
    EXPECT_EQ(of(rounded, Domain{{one}}), of(rounded));
  }
  Domain more = kNoTinyNoHuge;
  more.excludes.insert(Exclusion::SubnormalResult);
  EXPECT_EQ(of(fused, more), of(fused, kNoTinyNoHuge));
  // f16 products are exact in f32 on all operands, so the domain does not matter.
  EXPECT_EQ(of(multiply_add(true, Format::F16)), of(multiply_add(false, Format::F16)));
  EXPECT_EQ(of(multiply_add(true, Format::F16), kNoTinyNoHuge), of(multiply_add(false, Format::F16)));
  // f32 products are not, on any domain.
  EXPECT_NE(of(multiply_add(true, Format::F32), kNoTinyNoHuge), of(multiply_add(false, Format::F32), kNoTinyNoHuge));
  EXPECT_NE(of(multiply_add(true, Format::BF16, {.flush_out = true}), kNoTinyNoHuge),
            of(multiply_add(false, Format::BF16, {.flush_out = true}), kNoTinyNoHuge));
}

TEST(Domain, ExactProductsAreExactInsideIt) {
  Random random(13);
  int inside = 0, apart_outside = 0;
  for (int n = 0; n < 200000; ++n) {
    Policy p;
    if (random.chance(30)) p.rounding = static_cast<Rounding>(random.below(6));
    if (random.chance(20)) p.overflow = Overflow::Saturate;
    const Case fused = multiply_add(true, Format::BF16, p), rounded = multiply_add(false, Format::BF16, p);
    std::vector<Bits> inputs;
    // Exponents whose sum is near the end of f32's range, or anything.
    const int split = random.between(20, 100), total = random.between(-4, 12);
    for (int exponent : {127 - split, 127 - 150 + split + total})
      inputs.push_back(random.chance(80)
                           ? static_cast<Bits>(random.below(2) << 15 | std::clamp(exponent, 0, 254) << 7 | random.below(128))
                           : generate::value(random, Format::BF16));
    inputs.push_back(random.chance(50)
                         ? static_cast<Bits>(random.below(2)) << 31 | static_cast<Bits>(random.below(6) << 23 | random.below(4))
                         : generate::value(random, Format::F32));
    const std::vector<std::vector<Bits>> operands{{inputs[0]}, {inputs[1]}, {inputs[2]}};
    const auto x = generate::run(fused, operands), y = generate::run(rounded, operands);
    if (y.tiny || y.overflowed) {
      apart_outside += x.results != y.results;
      continue;
    }
    ++inside;
    ASSERT_EQ(x.results, y.results) << std::hex << inputs[0] << " " << inputs[1] << " " << inputs[2];
  }
  EXPECT_GT(inside, 10000);
  EXPECT_GT(apart_outside, 1000) << "the operands do not reach beyond the domain";
}

RC_GTEST_PROP(Domain, NormalFormHasTheSameBitsInsideIt, ()) {
  Random random(*generate::seed());
  for (int n = 0; n < 10; ++n) {
    const Case c = generate::program(random);
    const NormalForm form = normalise(c.program, kNoTinyNoHuge);
    Case normal{form.program, {}};
    for (const auto& [name, axis] : form.axis_names) normal.extents[axis] = c.extents.at(name);
    for (int t = 0; t < 4; ++t) {
      const auto inputs = generate::operands(random, c);
      const auto run = generate::run(normal, inputs);
      if (run.tiny || run.overflowed) continue;
      if (run.results != generate::run(c, inputs).results)
        RC_FAIL("different bits:\n" + text(c.program) + "\n" + text(normal.program));
    }
  }
}

}  // namespace
}  // namespace bitpact
