#include "emit/scalar_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"
#include "number/layout.h"

namespace bitpact {
namespace {

bool is_narrow(Format format) { return is_float(format) && info(format).bits == 16; }

int precision(Format format) { return info(format).mantissa_bits + 1; }
int least_exponent(Format format) { return layout(format).emin - layout(format).fraction_bits; }
int greatest_exponent(Format format) { return layout(format).emax; }

bool widens_exactly(Format from, Format to) {
  return is_float(from) && is_float(to) && precision(from) <= precision(to) && least_exponent(from) >= least_exponent(to) &&
         greatest_exponent(from) <= greatest_exponent(to);
}

const char* direction(Comparison comparison) {
  constexpr const char* kNames[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  return kNames[static_cast<int>(comparison)];
}

}  // namespace

void refuse_instruction(const Instruction& instruction, const std::string& why) {
  refuse(Code::EmitUnsupported, fmt::format("{} in {}: {}", info(instruction.op).name, name(instruction.format), why));
}

bool product_significand_fits(Format a, Format b, Format result) {
  return is_float(a) && is_float(b) && precision(a) + precision(b) <= precision(result);
}

bool product_is_exact(Format a, Format b, Format result) {
  return product_significand_fits(a, b, result) && least_exponent(a) + least_exponent(b) >= least_exponent(result) &&
         greatest_exponent(a) + greatest_exponent(b) + 1 <= greatest_exponent(result);
}

TensorValue Shield::minus_zero(Format format) {
  used_.insert(format);
  return {fmt::format("%minus_zero_{}", name(format)), format, {}, {}};
}

TensorValue Shield::zero(Format integer) {
  zeros_.insert(integer);
  const char* const ssa = integer == Format::I64 ? "%shield_zero64" : integer == Format::I16 ? "%shield_zero16" : "%shield_zero";
  return {ssa, integer, {}, {}};
}

std::string Shield::prologue() const {
  if (used_.empty() && zeros_.empty()) return {};
  FunctionText f;
  TensorValue first = source_;
  const Format bits = info(source_.format).bits == 64 ? Format::I64 : info(source_.format).bits == 32 ? Format::I32 : Format::I16;
  if (!source_.shape.empty()) {
    std::string ranges;
    for (size_t d = 0; d < source_.shape.size(); ++d) ranges += d == 0 ? "0:1" : ", 0:1";
    const Shape ones(source_.shape.size(), 1);
    f.line(fmt::format("%shield_slice = stablehlo.slice {} [{}] : ({}) -> {}", source_.ssa, ranges,
                       tensor_type(source_.shape, source_.format), tensor_type(ones, source_.format)));
    f.line(fmt::format("%shield_first = stablehlo.reshape %shield_slice : ({}) -> {}", tensor_type(ones, source_.format),
                       tensor_type({}, source_.format)));
    first = {"%shield_first", source_.format, {}, {}};
  }
  f.line(fmt::format("%shield_raw = stablehlo.bitcast_convert {} : ({}) -> {}", first.ssa, tensor_type({}, source_.format),
                     tensor_type({}, bits)));
  std::string raw = "%shield_raw";
  if (bits != Format::I32) {
    f.line(fmt::format("%shield_bits = stablehlo.convert %shield_raw : ({}) -> tensor<i32>", tensor_type({}, bits)));
    raw = "%shield_bits";
  }
  const auto constant = [&f](const std::string& ssa, std::int64_t value) {
    f.line(fmt::format("{} = stablehlo.constant dense<{}> : tensor<i32>", ssa, value));
  };
  const auto binary = [&f](const std::string& ssa, const std::string& op, const std::string& a, const std::string& b) {
    f.line(fmt::format("{} = stablehlo.{} {}, {} : tensor<i32>", ssa, op, a, b));
  };
  constant("%shield_c1023", 1023);
  constant("%shield_c1", 1);
  constant("%shield_c2", 2);
  constant("%shield_c3", 3);
  binary("%shield_m", "and", raw, "%shield_c1023");
  binary("%shield_m1", "add", "%shield_m", "%shield_c1");
  binary("%shield_m2", "add", "%shield_m", "%shield_c2");
  binary("%shield_mm", "multiply", "%shield_m", "%shield_m1");
  binary("%shield_mmm", "multiply", "%shield_mm", "%shield_m2");
  binary("%shield_zero", "remainder", "%shield_mmm", "%shield_c3");
  if (used_.contains(Format::F64) || zeros_.contains(Format::I64))
    f.line("%shield_zero64 = stablehlo.convert %shield_zero : (tensor<i32>) -> tensor<i64>");
  if (zeros_.contains(Format::I16)) f.line("%shield_zero16 = stablehlo.convert %shield_zero : (tensor<i32>) -> tensor<i16>");
  for (const Format format : used_) {
    const std::string type = std::string(name(format));
    const bool is_double = format == Format::F64;
    std::string zero = "%shield_zero";
    const std::string integer = is_double ? "i64" : "i32";
    if (is_double) zero = "%shield_zero64";
    f.line(fmt::format("%shield_sign_{} = stablehlo.constant dense<{}> : tensor<{}>", type,
                       is_double ? "-9223372036854775808" : "-2147483648", integer));
    f.line(fmt::format("%shield_or_{} = stablehlo.or {}, %shield_sign_{} : tensor<{}>", type, zero, type, integer));
    f.line(fmt::format("%minus_zero_{} = stablehlo.bitcast_convert %shield_or_{} : (tensor<{}>) -> tensor<{}>", type, type,
                       integer, type));
  }
  return f.text();
}

LaneValue ScalarText::argument(const TensorValue& tensor) { return {tensor, tensor.format, true, false, tensor.format}; }

Format ScalarText::carrier(Format format) { return is_narrow(format) ? Format::F32 : format; }

LaneValue ScalarText::from_carried(const TensorValue& tensor, Format format) { return {tensor, format, true, false, format}; }

void ScalarText::guard(LaneValue& value) {
  if (!value.bare_product) return;
  const TensorValue zero = shield_.minus_zero(value.tensor.format);
  const TensorValue spread = f_.broadcast(zero, value.tensor.axes, value.tensor.shape);
  value.tensor = f_.elementwise("stablehlo.add", {value.tensor, spread}, value.tensor.format);
  value.bare_product = false;
}

void ScalarText::round_on_bits(LaneValue& value) {
  if (value.rounded) return;
  guard(value);
  const TensorValue x = value.tensor;
  if (value.format == Format::F16) {
    // On bits no compiler knows: with AVX-512's FP16, LLVM takes the convert there and back for one f16 operation and contracts
    // it.
    value.tensor = f_.convert(unknown(f_.convert(x, Format::F16)), Format::F32);
  } else {
    // Nearest even on the bits: i + 0x7fff + bit 16 of i, low half cleared. NaN is left alone: the addition could carry it into
    // an infinity.
    const auto c = [&](Bits bits) { return f_.constant(Format::UI32, bits, x.axes, x.shape); };
    const auto op = [&](const char* spelling, const TensorValue& a, const TensorValue& b) {
      return f_.elementwise(spelling, {a, b}, Format::UI32);
    };
    const TensorValue i = f_.bitcast(x, Format::UI32);
    const TensorValue odd = op("stablehlo.and", op("stablehlo.shift_right_logical", i, c(16)), c(1));
    const TensorValue up = op("stablehlo.add", i, op("stablehlo.add", odd, c(0x7fff)));
    const TensorValue cut = f_.bitcast(op("stablehlo.and", up, c(0xffff0000)), Format::F32);
    value.tensor = f_.select(f_.compare("NE", x, x), x, cut);
  }
  value.rounded = true;
}

TensorValue ScalarText::wide(LaneValue& value, Format format) {
  round_on_bits(value);
  return f_.convert(value.tensor, format);
}

TensorValue ScalarText::materialize(LaneValue value) {
  guard(value);
  if (round_results_) round_on_bits(value);
  return f_.convert(value.tensor, value.format);
}

TensorValue ScalarText::carried(LaneValue value) {
  guard(value);
  if (!is_narrow(value.format)) return value.tensor;
  return wide(value, Format::F32);
}

void ScalarText::keep_apart(ScalarOp op, const LaneValue& left, const LaneValue& right, std::vector<TensorValue>& tensors) {
  const auto joined = [op](const LaneValue& x) { return op == ScalarOp::Multiply ? x.times_constant : x.plus_constant; };
  if (left.constant && joined(right)) tensors[0] = unknown(tensors[0]);
  if (right.constant && joined(left)) tensors[1] = unknown(tensors[1]);
}

LaneValue ScalarText::arithmetic(const Instruction& instruction, std::vector<LaneValue*> operands) {
  const Format format = instruction.format;
  const Format compute = carrier(format);
  const bool adds = instruction.op == ScalarOp::Add || instruction.op == ScalarOp::Subtract;
  std::vector<TensorValue> tensors;
  for (LaneValue* operand : operands) {
    if (operand->format != format && !widens_exactly(operand->format, format))
      refuse_instruction(instruction, fmt::format("an operand in {} cannot be rounded once", name(operand->format)));
    if (adds) guard(*operand);
    tensors.push_back(wide(*operand, compute));
  }
  LaneValue value;
  if (adds || instruction.op == ScalarOp::Multiply) keep_apart(instruction.op, *operands[0], *operands[1], tensors);
  // A divisor that is one value for all dividends, or a constant, is turned into a product with its reciprocal: one that depends
  // on the dividend's bits is not.
  const bool hide = traits_.rewrites_divisions && is_float(format);
  if (hide && instruction.op == ScalarOp::Divide) tensors[1] = with_runtime_zero(tensors[1], &tensors[0]);
  value.tensor = f_.elementwise("stablehlo." + std::string(info(instruction.op).name), tensors, compute);
  // 1 / sqrt(x) becomes another function where the division sees the root.
  if (hide && instruction.op == ScalarOp::Sqrt) value.tensor = with_runtime_zero(value.tensor, nullptr);
  value.format = value.origin = format;
  value.rounded = compute == format;
  if (adds || instruction.op == ScalarOp::Multiply)
    (adds ? value.plus_constant : value.times_constant) = operands[0]->constant || operands[1]->constant;
  if (instruction.op == ScalarOp::Multiply) {
    const bool exact = product_is_exact(operands[0]->origin, operands[1]->origin, compute);
    value.bare_product = traits_.contracts_multiply_add && is_float(format) && compute == format && !exact;
  }
  return value;
}

LaneValue ScalarText::fused(const Instruction& instruction, std::vector<LaneValue*> operands) {
  const Format format = instruction.format;
  for (LaneValue* operand : operands)
    if (operand->format != format && !widens_exactly(operand->format, format))
      refuse_instruction(instruction, "an operand is wider than the result");
  if (is_narrow(format) || !traits_.contracts_multiply_add) {
    if (std::optional<LaneValue> value = fused_exactly(format, operands)) return *value;
    if (is_narrow(format))
      refuse_instruction(instruction, "StableHLO has no fused multiply-add that rounds once to it, and this target keeps no f64");
    refuse_instruction(instruction, fmt::format("StableHLO has no fused multiply-add, this target contracts none, and {}",
                                                format == Format::F64 ? "f64 has nothing wider here" : "keeps no f64"));
  }
  guard(*operands[2]);
  const TensorValue product =
      f_.elementwise("stablehlo.multiply", {wide(*operands[0], format), wide(*operands[1], format)}, format);
  LaneValue value;
  value.tensor = f_.elementwise("stablehlo.add", {product, wide(*operands[2], format)}, format);
  value.format = value.origin = format;
  value.plus_constant = operands[2]->constant;
  return value;
}

TensorValue ScalarText::known_or_not(Format format, Bits bits, const Axes& axes, const Shape& shape) {
  if (!is_float(format) || bits != positive_zero(format)) return f_.constant(format, bits, axes, shape);
  return f_.broadcast(unknown(f_.constant(format, bits, {}, {})), axes, shape);
}

TensorValue ScalarText::with_runtime_zero(const TensorValue& x, const TensorValue* masked) {
  const int width = info(x.format).bits;
  const Format bits = width == 64 ? Format::I64 : width == 16 ? Format::I16 : Format::I32;
  TensorValue zero = f_.broadcast(shield_.zero(bits), x.axes, x.shape);
  if (masked) zero = f_.elementwise("stablehlo.and", {f_.bitcast(*masked, bits), zero}, bits);
  return f_.bitcast(f_.elementwise("stablehlo.xor", {f_.bitcast(x, bits), zero}, bits), x.format);
}

LaneValue ScalarText::convert(const Instruction& instruction, LaneValue& operand) {
  const Format from = operand.format, to = instruction.format;
  LaneValue value;
  value.format = to;
  if (from == to) return operand;
  if (is_float(from) && is_float(to)) {
    if (widens_exactly(from, to)) {
      round_on_bits(operand);
      value.tensor = f_.convert(operand.tensor, carrier(to));
      value.origin = operand.origin;
      return value;
    }
    value.origin = to;
    if (is_narrow(to)) {
      // Carried unrounded in f32: only an operand that f32 holds exactly may be rounded there.
      if (from == Format::F64) refuse_instruction(instruction, "from f64 it would be rounded twice");
      guard(operand);
      value.tensor = wide(operand, Format::F32);
      value.rounded = false;
      return value;
    }
    value.tensor = f_.convert(materialize(operand), to);
    return value;
  }
  if (is_float(from)) return to_integer(instruction, operand);
  if (instruction.policy.overflow == Overflow::Saturate && !is_float(to)) return to_narrower_integer(instruction, operand);
  value.origin = to;
  value.tensor = f_.convert(operand.tensor, to);
  if (is_narrow(to)) {
    value.tensor = f_.convert(value.tensor, Format::F32);
  }
  return value;
}

std::vector<LaneValue> ScalarText::run(const ScalarBody& body, std::vector<LaneValue> arguments) {
  if (arguments.empty() && !body.code.empty()) refuse(Code::EmitUnsupported, "a body without arguments");
  std::vector<LaneValue> values = std::move(arguments);
  for (const Instruction& instruction : body.code) {
    std::vector<LaneValue*> operands;
    for (const int arg : instruction.args)
      if (arg >= 0) operands.push_back(&values[static_cast<size_t>(arg)]);
    const bool in_f64 =
        instruction.format == Format::F64 ||
        std::any_of(operands.begin(), operands.end(), [](const LaneValue* o) { return o->format == Format::F64; });
    if (in_f64 && !traits_.keeps_f64) refuse_instruction(instruction, "this target does not keep f64");
    const Policy& p = instruction.policy;
    const bool both_flushed = traits_.flushes_subnormal_inputs && traits_.flushes_subnormal_results;
    if ((p.flush_in || p.flush_out) && !(p.flush_in && p.flush_out && both_flushed))
      refuse_instruction(instruction, "it flushes subnormals, which the target does not do the same way");
    if (p.rounding != Rounding::NearestEven && is_float(instruction.format))
      refuse_instruction(instruction, "StableHLO rounds to nearest even only");
    if (p.overflow != Overflow::Ieee && (instruction.op != ScalarOp::Convert || is_float(instruction.format)))
      refuse_instruction(instruction, "StableHLO has no form of it that saturates");

    LaneValue value;
    const auto plain = [&](const std::string& spelling) {
      std::vector<TensorValue> tensors;
      // A product stays one behind a sign: it must not be fused into what comes after.
      const bool signs = instruction.op == ScalarOp::Negate || instruction.op == ScalarOp::Abs;
      for (LaneValue* operand : operands) {
        if (signs) guard(*operand);
        tensors.push_back(is_narrow(operand->format) ? wide(*operand, Format::F32) : operand->tensor);
      }
      value.tensor = f_.elementwise("stablehlo." + spelling, tensors, carrier(instruction.format));
      value.format = value.origin = instruction.format;
    };
    switch (instruction.op) {
      case ScalarOp::Constant: {
        const TensorValue& like = values.front().tensor;
        const Format carry = carrier(instruction.format);
        const Bits bits = bitpact::convert({instruction.format, instruction.immediate}, carry);
        value.tensor = known_or_not(carry, bits, like.axes, like.shape);
        value.format = value.origin = instruction.format;
        value.constant = is_float(instruction.format);
        break;
      }
      case ScalarOp::Add:
      case ScalarOp::Subtract:
      case ScalarOp::Multiply:
      case ScalarOp::Divide:
      case ScalarOp::Sqrt:
        value = arithmetic(instruction, operands);
        break;
      case ScalarOp::Fma:
        value = fused(instruction, operands);
        break;
      case ScalarOp::Convert:
        value = convert(instruction, *operands[0]);
        break;
      case ScalarOp::Bitcast:
        value.tensor = f_.bitcast(materialize(*operands[0]), instruction.format);
        if (is_narrow(instruction.format)) value.tensor = f_.convert(value.tensor, Format::F32);
        value.format = value.origin = instruction.format;
        break;
      case ScalarOp::Compare:
        value.tensor = f_.compare(direction(instruction.comparison), wide(*operands[0], carrier(operands[0]->format)),
                                  wide(*operands[1], carrier(operands[1]->format)));
        value.format = value.origin = Format::I1;
        break;
      case ScalarOp::Select:
        value.tensor = f_.select(operands[0]->tensor, carried(*operands[1]), carried(*operands[2]));
        value.format = value.origin = instruction.format;
        break;
      case ScalarOp::Maximum:
      case ScalarOp::Minimum:
        if (instruction.nan != NanRule::Any) refuse_instruction(instruction, "StableHLO's hands NaN on");
        plain(std::string(info(instruction.op).name));
        break;
      default:
        plain(std::string(info(instruction.op).name));
        break;
    }
    values.push_back(value);
  }
  std::vector<LaneValue> results;
  for (const int result : body.results) results.push_back(values[static_cast<size_t>(result)]);
  return results;
}

}  // namespace bitpact
