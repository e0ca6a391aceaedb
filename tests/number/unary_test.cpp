// Every bf16 and every f16, through square root and conversion to every format, under every policy.
#include <algorithm>

#include "number/check.h"
#include "number/operands.h"

namespace bitpact::oracle {
namespace {

/// Into these every rounding is tried for each input here; into tf32 and the small formats, one policy after another, and all of
/// them where BITPACT_RANDOM_CASES asks for a long run.
const std::vector<Format>& wide_floats() {
  static const std::vector<Format> formats{Format::F64, Format::F32, Format::BF16, Format::F16};
  return formats;
}
void some_policies(Checker& checker, std::uint64_t& turn, bool flush_in) {
  static const bool all = many_cases();
  for (Format result : all_floats()) {
    if (std::ranges::find(wide_floats(), result) != wide_floats().end()) continue;
    if (!flush_in) checker.check(result, {});
    for (std::uint64_t n = all ? 0 : ++turn * 7 % 48, end = all ? 48 : n + 1; n < end; ++n) {
      Policy policy = policy_number(n);
      policy.flush_in = flush_in;
      checker.check(result, policy);
    }
  }
}

class EveryInput : public testing::TestWithParam<Format> {};

TEST_P(EveryInput, SquareRoot) {
  Checker checker;
  std::uint64_t turn = 0;
  for (Bits bits = 0; bits < 65536; ++bits) {
    const Operands x{Scalar{GetParam(), bits}};
    for (bool flush_in : {false, true}) {
      checker.set(Op::SquareRoot, x, flush_in);
      for (Format result : wide_floats()) {
        for (Rounding r : all_roundings) checker.check(result, {r, Overflow::Ieee, flush_in, flush_in});
      }
      some_policies(checker, turn, flush_in);
      checker.check(GetParam(), {Rounding::NearestEven, Overflow::Saturate, flush_in, !flush_in});
    }
    if (checker.failed()) break;
  }
}

TEST_P(EveryInput, ConvertToFloats) {
  Checker checker;
  std::uint64_t turn = 0;
  for (Bits bits = 0; bits < 65536; ++bits) {
    const Operands x{Scalar{GetParam(), bits}};
    for (bool flush_in : {false, true}) {
      checker.set(Op::Convert, x, flush_in);
      some_policies(checker, turn, flush_in);
      for (Format result : wide_floats()) {
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
        if (result != Format::I1) checker.check(result, {r, Overflow::Indefinite});
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
