// Every bf16 and every f16, through square root and conversion to every format, under every policy.
#include "number/check.h"
#include "number/operands.h"

namespace bitpact::oracle {
namespace {

class EveryInput : public testing::TestWithParam<Format> {};

TEST_P(EveryInput, SquareRoot) {
  Checker checker;
  for (Bits bits = 0; bits < 65536; ++bits) {
    const Operands x{Scalar{GetParam(), bits}};
    for (bool flush_in : {false, true}) {
      checker.set(Op::SquareRoot, x, flush_in);
      for (Format result : float_formats()) {
        for (Rounding r : all_roundings) checker.check(result, {r, Overflow::Ieee, flush_in, flush_in});
      }
      checker.check(GetParam(), {Rounding::NearestEven, Overflow::Saturate, flush_in, !flush_in});
    }
    if (checker.failed()) break;
  }
}

TEST_P(EveryInput, ConvertToFloats) {
  Checker checker;
  for (Bits bits = 0; bits < 65536; ++bits) {
    const Operands x{Scalar{GetParam(), bits}};
    for (bool flush_in : {false, true}) {
      checker.set(Op::Convert, x, flush_in);
      for (Format result : float_formats()) {
        for (Rounding r : all_roundings) {
          checker.check(result, {r, Overflow::Ieee, flush_in, false});
          checker.check(result, {r, Overflow::Saturate, flush_in, true});
        }
      }
    }
    if (checker.failed()) break;
  }
}

TEST_P(EveryInput, ConvertToIntegers) {
  Checker checker;
  std::vector<Format> results = integer_formats();
  results.push_back(Format::I1);
  for (Bits bits = 0; bits < 65536; ++bits) {
    const Operands x{Scalar{GetParam(), bits}};
    checker.set(Op::Convert, x, false);
    for (Format result : results) {
      for (Rounding r : all_roundings) {
        checker.check(result, {r, Overflow::Ieee});
        checker.check(result, {r, Overflow::Saturate});
      }
    }
    checker.set(Op::Convert, x, true);
    for (Format result : results) checker.check(result, {Rounding::Up, Overflow::Ieee, true, false});
    if (checker.failed()) break;
  }
}

TEST_P(EveryInput, NegateAndAbsoluteTouchTheSignAlone) {
  for (Bits bits = 0; bits < 65536; ++bits) {
    ASSERT_EQ(negate({GetParam(), bits}), bits ^ 0x8000);
    ASSERT_EQ(absolute({GetParam(), bits}), bits & 0x7fff);
  }
}

INSTANTIATE_TEST_SUITE_P(Number, EveryInput, testing::Values(Format::BF16, Format::F16),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace bitpact::oracle
