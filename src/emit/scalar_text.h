// Scalar bodies as elementwise StableHLO, every rounding where the body has it and nowhere else.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "contract/traits.h"
#include "emit/module_text.h"

namespace bitpact {

/// A value of a body, spread over a tensor.
///
/// 16-bit floats are computed in f32 and carried there: add, subtract, multiply, divide and square root of two 16-bit floats,
/// rounded to f32 and then to the 16-bit format, give the once-rounded result, since 24 >= 2 * 11 + 2 (Figueroa 1995). `rounded`
/// says whether the second rounding has been done; a value that only goes into a result is rounded by the final convert, one that
/// is used again on its bits, because a compiler may drop a convert there and back.
struct LaneValue {
  TensorValue tensor;  ///< of `format`, or f32 where that is a 16-bit float
  Format format = Format::F32;
  bool rounded = true;
  bool bare_product = false;    ///< a multiply that the compiler would contract into an add that uses it
  Format origin = Format::F32;  ///< the narrowest format known to hold the value: tells which products are exact
  /// A constant float, and what was just added to or multiplied by one: XLA makes (x + a) + b, a and b constants, into x + (a +
  /// b).
  bool constant = false, plus_constant = false, times_constant = false;
};

/// A product that must be rounded by itself is hidden behind "+ -0.0": contracted, fma(a, b, -0) is the rounded product; not
/// contracted, x + -0 is x. The -0.0 is made at run time from an operand's bits, m = bits & 1023, (m (m + 1) (m + 2) mod 3) |
/// sign, so that no compiler folds it away.
class Shield {
 public:
  explicit Shield(TensorValue source) : source_(std::move(source)) {}
  /// The scalar -0.0 of that format; its definition goes into prologue().
  TensorValue minus_zero(Format format);
  /// The scalar integer 0 (I16, I32 or I64), made at run time.
  TensorValue zero(Format integer);
  /// Lines to put in front of the function's body; empty where no shield was used.
  std::string prologue() const;

 private:
  TensorValue source_;
  std::set<Format> used_, zeros_;
};

class ScalarText {
 public:
  ScalarText(FunctionText& function, Shield& shield, const Traits& traits) : f_(function), shield_(shield), traits_(traits) {}

  /// Whether results in 16-bit floats are rounded on their bits before the convert, so that the rounding stands even where the
  /// compiler drops a convert there and back: between this code and a user's, or between one node and another that reads it.
  void round_results(bool on_bits) { round_results_ = on_bits; }

  /// Refuses `emit-unsupported`, naming the operation, where StableHLO or the target cannot carry it.
  std::vector<LaneValue> run(const ScalarBody& body, std::vector<LaneValue> arguments);

  /// x with a zero made at run time xored into its bits: no compiler knows it for a constant.
  TensorValue unknown(const TensorValue& x) { return with_runtime_zero(x, nullptr); }
  /// A constant; +0 only known at run time: XLA makes x + 0 into x, which is wrong for -0.
  TensorValue known_or_not(Format format, Bits bits, const Axes& axes, const Shape& shape);

  static LaneValue argument(const TensorValue& tensor);
  /// A tensor of the value's own format, products shielded: what a node gives.
  TensorValue materialize(LaneValue value);
  /// The tensor a loop carries: f32, rounded, for 16-bit floats.
  TensorValue carried(LaneValue value);
  static LaneValue from_carried(const TensorValue& tensor, Format format);
  static Format carrier(Format format);

 private:
  LaneValue arithmetic(const Instruction& instruction, std::vector<LaneValue*> operands);
  LaneValue convert(const Instruction& instruction, LaneValue& operand);
  /// integer_text.cpp: outside of the integer's range as the policy says.
  LaneValue to_integer(const Instruction& instruction, LaneValue& operand);
  LaneValue to_narrower_integer(const Instruction& instruction, const LaneValue& operand);
  LaneValue fused(const Instruction& instruction, std::vector<LaneValue*> operands);
  /// Without a contraction (fused_text.cpp): f16 by way of f32; f32 and bf16 by way of f64, where the target keeps it. Empty
  /// where there is no way.
  std::optional<LaneValue> fused_exactly(Format format, const std::vector<LaneValue*>& operands);
  /// x with a zero made at run time xored into its bits: `masked`'s bits & 0 where given.
  TensorValue with_runtime_zero(const TensorValue& x, const TensorValue* masked);
  /// The constant, hidden from the compiler where the other operand already has one that it would be joined with.
  void keep_apart(ScalarOp op, const LaneValue& left, const LaneValue& right, std::vector<TensorValue>& tensors);
  TensorValue wide(LaneValue& value, Format format);
  void round_on_bits(LaneValue& value);
  void guard(LaneValue& value);

  FunctionText& f_;
  Shield& shield_;
  const Traits& traits_;
  bool round_results_ = false;
};

/// Refuses `emit-unsupported`: "convert in i8: why".
[[noreturn]] void refuse_instruction(const Instruction& instruction, const std::string& why);

/// Whether every product of two values of these formats is exact in `result`: no rounding, no overflow, no underflow.
bool product_is_exact(Format a, Format b, Format result);
/// Whether the significand of such a product always fits, its exponent perhaps not.
bool product_significand_fits(Format a, Format b, Format result);

}  // namespace bitpact
