// Runs an operation of the library against the oracle; a difference prints a line from which it can be repeated.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "number/oracle.h"

namespace bitpact::oracle {

using Operands = std::array<Scalar, 3>;

inline Bits run(Op op, const Operands& x, Format result, const Policy& policy) {
  switch (op) {
    case Op::Add:
      return add(x[0], x[1], result, policy);
    case Op::Subtract:
      return subtract(x[0], x[1], result, policy);
    case Op::Multiply:
      return multiply(x[0], x[1], result, policy);
    case Op::Divide:
      return divide(x[0], x[1], result, policy);
    case Op::SquareRoot:
      return square_root(x[0], result, policy);
    case Op::Fma:
      return fused_multiply_add(x[0], x[1], x[2], result, policy);
    case Op::Convert:
      return convert(x[0], result, policy);
  }
  return 0;
}

inline std::string describe(Op op, const Operands& x, Format result, const Policy& policy) {
  std::string line = spelling(op);
  for (int i = 0; i < arity(op); ++i) line += fmt::format(" {}:{:#x}", name(x[i].format), x[i].bits);
  return line + fmt::format(" -> {} rounding={} overflow={} flush_in={} flush_out={}", name(result), spelling(policy.rounding),
                            spelling(policy.overflow), policy.flush_in, policy.flush_out);
}

/// One oracle and the count of what it was asked. Stops the test after a few differences.
class Checker {
 public:
  /// For operands that stay while the rounding changes.
  void set(Op op, const Operands& x, bool flush_in) {
    op_ = op;
    x_ = x;
    flush_in_ = flush_in;
    oracle_.set(op, x, flush_in);
  }
  /// policy.flush_in is the one given to set().
  void check(Format result, const Policy& policy) {
    ASSERT_EQ(policy.flush_in, flush_in_);
    ++checks_;
    const Bits got = run(op_, x_, result, policy);
    if (const Bits want = oracle_.expected(result, policy); got != want)
      return differs(result, policy, got, want, "by definition");
    if (const auto want = oracle_.expected_native(result, policy); want && got != *want)
      differs(result, policy, got, *want, "mpfr native");
  }
  bool failed() const { return differences_ > 20; }
  long checks() const { return checks_; }

 private:
  void differs(Format result, const Policy& policy, Bits got, Bits want, const char* by) {
    ++differences_;
    ADD_FAILURE() << describe(op_, x_, result, policy) << ": got " << fmt::format("{:#x}, want {:#x} ({})", got, want, by);
  }

  Oracle oracle_;
  Op op_ = Op::Convert;
  Operands x_{};
  bool flush_in_ = false;
  long checks_ = 0, differences_ = 0;
};

}  // namespace bitpact::oracle
