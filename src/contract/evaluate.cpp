#include "contract/scalar.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

Bits mask_of(Format format) {
  const int bits = info(format).bits;
  return bits == 64 ? ~Bits{0} : (Bits{1} << bits) - 1;
}

bool is_nan(Scalar a) { return is_float(a.format) && classify(a.format, a.bits) == Class::NaN; }

/// Which NaN an operation gives is open, so the ones that can be seen are made one.
Bits canonical(Scalar a) { return is_nan(a) ? quiet_nan(a.format) : a.bits; }

/// -0 stands below +0 here, unlike in less().
bool below(Scalar a, Scalar b) {
  if (less(a, b)) return true;
  return is_float(a.format) && equal(a, b) && sign_bit(a.format, a.bits) && !sign_bit(b.format, b.bits);
}

Bits extremum(const Instruction& i, Scalar a, Scalar b) {
  const bool nan_a = is_nan(a), nan_b = is_nan(b);
  if (nan_a && nan_b) return quiet_nan(i.format);
  if (nan_a || nan_b) return i.nan == NanRule::Any ? quiet_nan(i.format) : nan_a ? b.bits : a.bits;
  const bool take_b = i.op == ScalarOp::Maximum ? below(a, b) : below(b, a);
  return take_b ? b.bits : a.bits;
}

bool compare(Comparison comparison, Scalar a, Scalar b) {
  switch (comparison) {
    case Comparison::EQ:
      return equal(a, b);
    case Comparison::NE:
      return !equal(a, b);
    case Comparison::LT:
      return less(a, b);
    case Comparison::LE:
      return less(a, b) || equal(a, b);
    case Comparison::GT:
      return less(b, a);
    case Comparison::GE:
      return less(b, a) || equal(a, b);
  }
  refuse(Code::Internal, "unknown comparison");
}

/// The amount is read as unsigned, so a negative one is at least the width.
Bits shift(ScalarOp op, Scalar a, Bits amount) {
  const auto width = static_cast<Bits>(info(a.format).bits);
  const Bits mask = mask_of(a.format);
  const bool beyond = amount >= width;
  if (op == ScalarOp::ShiftLeft) return beyond ? 0 : (a.bits << amount) & mask;
  if (op == ScalarOp::ShiftRightLogical) return beyond ? 0 : a.bits >> amount;
  const bool negative = ((a.bits >> (width - 1)) & 1) != 0;
  if (beyond) return negative ? mask : 0;
  const Bits sign_fill = negative ? mask & ~(mask >> amount) : 0;
  return (a.bits >> amount) | sign_fill;
}

}  // namespace

Bits evaluate(const Instruction& i, std::span<const Scalar> v) {
  switch (i.op) {
    case ScalarOp::Constant:
      return i.immediate;
    case ScalarOp::Add:
      return add(v[0], v[1], i.format, i.policy);
    case ScalarOp::Subtract:
      return subtract(v[0], v[1], i.format, i.policy);
    case ScalarOp::Multiply:
      return multiply(v[0], v[1], i.format, i.policy);
    case ScalarOp::Divide:
      return divide(v[0], v[1], i.format, i.policy);
    case ScalarOp::Sqrt:
      return square_root(v[0], i.format, i.policy);
    case ScalarOp::Fma:
      return fused_multiply_add(v[0], v[1], v[2], i.format, i.policy);
    case ScalarOp::Negate:
      return negate(v[0]);
    case ScalarOp::Abs:
      return absolute(v[0]);
    case ScalarOp::Maximum:
    case ScalarOp::Minimum:
      return extremum(i, v[0], v[1]);
    case ScalarOp::Convert:
      return convert(v[0], i.format, i.policy);
    case ScalarOp::Bitcast:
      return canonical(v[0]);
    case ScalarOp::And:
      return v[0].bits & v[1].bits;
    case ScalarOp::Or:
      return v[0].bits | v[1].bits;
    case ScalarOp::Xor:
      return v[0].bits ^ v[1].bits;
    case ScalarOp::ShiftLeft:
    case ScalarOp::ShiftRightLogical:
    case ScalarOp::ShiftRightArithmetic:
      return shift(i.op, v[0], v[1].bits);
    case ScalarOp::Compare:
      return compare(i.comparison, v[0], v[1]) ? 1 : 0;
    case ScalarOp::Select:
      return v[0].bits != 0 ? v[1].bits : v[2].bits;
  }
  refuse(Code::Internal, "unknown scalar operation");
}

std::vector<Bits> evaluate(const ScalarBody& body, const std::vector<Bits>& arguments) {
  if (arguments.size() != body.arguments.size()) refuse(Code::Internal, "a body was given another number of arguments");
  std::vector<Scalar> values;
  values.reserve(body.arguments.size() + body.code.size());
  for (size_t a = 0; a < arguments.size(); ++a) values.push_back({body.arguments[a], arguments[a]});
  for (const Instruction& i : body.code) {
    std::array<Scalar, 3> operands{};
    const auto count = static_cast<size_t>(info(i.op).operands);
    for (size_t a = 0; a < count; ++a) operands[a] = values[static_cast<size_t>(i.args[a])];
    values.push_back({i.format, evaluate(i, {operands.data(), count})});
  }
  std::vector<Bits> results;
  results.reserve(body.results.size());
  for (int r : body.results) results.push_back(canonical(values[static_cast<size_t>(r)]));
  return results;
}

}  // namespace bitpact
