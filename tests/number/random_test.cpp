// Random operands, every operation, every policy. BITPACT_RANDOM_CASES sets the number of cases a result format.
#include <cstdlib>

#include "number/check.h"
#include "number/operands.h"

namespace bitpact::oracle {
namespace {

long cases() {
  const char* text = std::getenv("BITPACT_RANDOM_CASES");
  return text ? std::atol(text) : 200'000;
}

class Random : public testing::TestWithParam<Format> {};

TEST_P(Random, EveryOperation) {
  const Format result = GetParam();
  RandomOperands random(20260101 + static_cast<int>(result));
  Checker checker;
  for (long n = 0; n < cases() && !checker.failed(); ++n) {
    const Op op = all_ops[static_cast<size_t>(n) % all_ops.size()];
    const std::uint64_t choice = random.word();
    Operands x;
    for (int i = 0; i < 3; ++i) {
      // Half of the cases are of one format, as most programs are. A conversion to the same format would be no test.
      const bool same = choice & 1 && op != Op::Convert;
      x[i] = {same ? result : random.pick(float_formats()), 0};
    }
    random.fill(op, x);
    // Every other case with the default flushing and overflow.
    Policy policy = policy_number(choice >> 2);
    if (choice >> 1 & 1) policy = {policy.rounding};
    checker.set(op, x, policy.flush_in);
    checker.check(result, policy);
  }
  RecordProperty("checks", std::to_string(checker.checks()));
}

TEST_P(Random, FromIntegersAndBack) {
  const Format format = GetParam();
  RandomOperands random(77 + static_cast<int>(format));
  Checker checker;
  for (long n = 0; n < cases() / 4 && !checker.failed(); ++n) {
    const std::uint64_t choice = random.word();
    const Policy policy = policy_number(choice);
    const Format integer = random.pick(integer_formats());
    const Bits bits = (random.word() >> choice % 64) & ~Bits{0} >> (64 - integer_spec(integer).width);
    checker.set(Op::Convert, {Scalar{integer, choice >> 63 ? bits : negate({integer, bits})}}, policy.flush_in);
    checker.check(format, policy);
    Operands x{Scalar{format, 0}};
    random.fill(Op::Convert, x);
    checker.set(Op::Convert, x, policy.flush_in);
    checker.check(integer, policy);
  }
}

INSTANTIATE_TEST_SUITE_P(Number, Random, testing::ValuesIn(float_formats()),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace bitpact::oracle
