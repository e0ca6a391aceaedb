// All pairs and all triples of boundary operands, against both oracles.
#include "number/check.h"
#include "number/operands.h"

namespace bitpact::oracle {
namespace {

class Boundary : public testing::TestWithParam<Format> {};

TEST_P(Boundary, PairsUnderEveryPolicy) {
  const Format format = GetParam();
  Checker checker;
  for (Op op : {Op::Add, Op::Subtract, Op::Multiply, Op::Divide}) {
    for (Bits a : boundaries(format)) {
      for (Bits b : boundaries(format)) {
        const Operands x{Scalar{format, a}, Scalar{format, b}};
        for (bool flush_in : {false, true}) {
          checker.set(op, x, flush_in);
          for (int n = 0; n < 48; ++n) {
            Policy policy = policy_number(n);
            if (policy.flush_in == flush_in) checker.check(format, policy);
          }
        }
        if (checker.failed()) return;
      }
    }
  }
}

TEST_P(Boundary, SingleOnesUnderEveryPolicyIntoEveryFloat) {
  Checker checker;
  for (Op op : {Op::SquareRoot, Op::Convert}) {
    for (Bits a : boundaries(GetParam())) {
      for (int n = 0; n < 48; ++n) {
        checker.set(op, {Scalar{GetParam(), a}}, policy_number(n).flush_in);
        for (Format result : float_formats()) checker.check(result, policy_number(n));
      }
      if (checker.failed()) return;
    }
  }
}

TEST_P(Boundary, TriplesUnderEveryRounding) {
  const Format format = GetParam();
  const auto values = boundaries(format);
  Checker checker;
  std::uint64_t turn = 0;
  for (Bits a : values) {
    for (Bits b : values) {
      for (Bits c : values) {
        const Operands x{Scalar{format, a}, Scalar{format, b}, Scalar{format, c}};
        checker.set(Op::Fma, x, false);
        for (Rounding r : all_roundings) checker.check(format, {r});
        const Policy other = policy_number(turn++ * 2654435761 >> 3);
        if (other.flush_in) checker.set(Op::Fma, x, true);
        checker.check(format, other);
      }
      if (checker.failed()) return;
    }
  }
}

/// Operands of two formats and a result of a third, a coarser choice of the boundaries.
TEST(BoundaryMixed, TriplesOfMixedFormats) {
  Checker checker;
  std::uint64_t turn = 0;
  for (Format fa : float_formats()) {
    for (Format fb : float_formats()) {
      for (Format fc : float_formats()) {
        const auto as = boundaries(fa), bs = boundaries(fb), cs = boundaries(fc);
        for (int n = 0; n < 6000; ++n, ++turn) {
          const std::uint64_t h = turn * 0x9e3779b97f4a7c15;
          const Operands x{Scalar{fa, as[(h >> 8) % as.size()]}, Scalar{fb, bs[(h >> 24) % bs.size()]},
                           Scalar{fc, cs[(h >> 40) % cs.size()]}};
          const Policy policy = policy_number(h >> 52);
          for (Op op : {Op::Add, Op::Subtract, Op::Multiply, Op::Divide, Op::Fma}) {
            checker.set(op, x, policy.flush_in);
            checker.check(all_floats()[turn % all_floats().size()], policy);
          }
        }
        if (checker.failed()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Number, Boundary, testing::ValuesIn(float_formats()),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace bitpact::oracle
