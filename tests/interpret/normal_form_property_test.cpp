// The interpreter gives a program and its normal form the same bits: on all operands, and where a rule rests on the domain, on
// all operands that the interpreter itself finds inside it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "contract/canonical_json.h"
#include "contract/normal_form.h"
#include "contract/program_json.h"
#include "contract/rewrite.h"
#include "contract/samples.h"
#include "interpret/interpret.h"
#include "interpret/same.h"

namespace bitpact {
namespace {

using generate::Case;
using generate::Random;

const Domain kDomain{{Exclusion::SubnormalIntermediate, Exclusion::OverflowIntermediate}};

std::string text(const NumericProgram& program) { return canonical_json(to_json(program)); }

BoundProgram bound(const Case& c) { return {c.program, c.extents}; }

Case normal(const Case& c, const Domain& domain = {}) {
  const NormalForm form = normalise(c.program, domain);
  Case made{form.program, {}};
  for (const auto& [name, axis] : form.axis_names) made.extents[axis] = c.extents.at(name);
  return made;
}

std::vector<Tensor> tensors(const Case& c, const std::vector<std::vector<Bits>>& values) {
  std::vector<Tensor> all;
  size_t next = 0;
  for (size_t n = 0; n < c.program.nodes.size(); ++n) {
    const auto* input = std::get_if<Input>(&c.program.nodes[n]);
    if (input == nullptr) continue;
    Tensor tensor(input->format, bound(c).shape_of(static_cast<int>(n)));
    for (size_t i = 0; i < values[next].size(); ++i) tensor.set(static_cast<std::int64_t>(i), values[next][i]);
    all.push_back(std::move(tensor));
    ++next;
  }
  return all;
}

/// Empty, or what is wrong.
std::string compare(const Interpreted& x, const Interpreted& y) {
  if (x.results.size() != y.results.size()) return "another number of results";
  for (size_t r = 0; r < x.results.size(); ++r)
    if (const auto same = test::same_bits(x.results[r], y.results[r]); !same) return same.message();
  return "";
}

RC_GTEST_PROP(NormalFormInterpreted, HasTheBitsOfTheProgram, ()) {
  Random random(*generate::seed());
  for (int n = 0; n < 4; ++n) {
    const Case c = generate::program(random);
    const Case form = normal(c);
    for (int t = 0; t < 2; ++t) {
      const auto inputs = tensors(c, generate::operands(random, c));
      const Interpreted slow = interpret_slowly(bound(c), inputs);
      for (const Interpreted& other : {interpret(bound(form), inputs, {.threads = 1}), interpret_slowly(bound(form), inputs)})
        if (const std::string wrong = compare(slow, other); !wrong.empty())
          RC_FAIL(wrong + "\n" + text(c.program) + "\n" + text(form.program));
    }
  }
}

RC_GTEST_PROP(NormalFormInterpreted, HasTheBitsOfEveryRewrittenProgram, ()) {
  Random random(*generate::seed());
  const Case c = generate::program(random);
  Case made = c;
  for (int n = 0; n < 8; ++n)
    if (auto next = random.pick(generate::all_rewrites()).rewrite(random, made)) made = *next;
  const auto inputs = tensors(c, generate::operands(random, c));
  const std::string wrong = compare(interpret(bound(c), inputs, {.threads = 1}), interpret(bound(made), inputs, {.threads = 1}));
  if (!wrong.empty()) RC_FAIL(wrong + "\n" + text(c.program) + "\n" + text(made.program));
}

/// bf16 operands whose products are ordinary, or lie around both ends of f32's range, beside sums that are as small.
Tensor edge_operands(Random& random, const Shape& shape) {
  Tensor tensor(Format::BF16, shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const int exponent = random.chance(50)   ? random.between(-2, 2)
                         : random.chance(60) ? random.between(-80, -58)
                                             : random.between(60, 66);
    Bits bits =
        static_cast<Bits>(random.below(2)) << 15 | static_cast<Bits>(127 + exponent) << 7 | static_cast<Bits>(random.below(128));
    if (random.chance(5)) bits = generate::value(random, Format::BF16);
    tensor.set(i, bits);
  }
  return tensor;
}

// What the domain has to exclude for an FMA and a rounded product to be one: also the products that round to zero.
TEST(NormalFormInterpreted, HasTheBitsOfTheProgramInsideTheDomain) {
  Random random(21);
  int inside = 0, apart_outside = 0;
  for (int t = 0; t < 400; ++t) {
    const std::int64_t k = random.between(1, 3);
    samples::Matmul m{.operand = Format::BF16, .result = Format::F32, .product = samples::Product::Fused};
    m.start = random.chance(50) ? samples::From::Zero : samples::From::First;
    NumericProgram program = samples::matmul(m);
    for (Node& node : program.nodes) std::visit([](auto& n) { std::erase(n.axes, "*b"); }, node);
    const Case c{program, {{"m", 4}, {"n", 4}, {"k", k}}};
    const Case form = normal(c, kDomain);
    ASSERT_NE(form.program, normal(c).program);
    const std::vector<Tensor> inputs{edge_operands(random, {4, k}), edge_operands(random, {k, 4})};
    const Interpreted x = interpret(bound(c), inputs, {.threads = 1});
    const Interpreted y = interpret(bound(form), inputs, {.threads = 1, .watch = true});
    for (std::int64_t i = 0; i < 16; ++i) {
      const bool same = x.results[0].get(i) == y.results[0].get(i);
      bool excluded = false;
      for (Exclusion e : kDomain.excludes) excluded |= (y.occurrences[0][static_cast<size_t>(i)] >> static_cast<int>(e) & 1) != 0;
      if (excluded) {
        apart_outside += same ? 0 : 1;
        continue;
      }
      ++inside;
      ASSERT_TRUE(same) << "bits " << std::hex << x.results[0].get(i) << " fused, " << y.results[0].get(i)
                        << " rounded, and no exclusion was reported";
    }
  }
  EXPECT_GT(inside, 500);
  EXPECT_GT(apart_outside, 5);
}

}  // namespace
}  // namespace bitpact
