#include "contract/scalar.h"

#include <fmt/format.h>

#include "diagnostic/diagnostic.h"

namespace bitpact {

const std::vector<ScalarOpInfo>& all_scalar_ops() {
  static const std::vector<ScalarOpInfo> table = {
#define X(name, spelling, operands, rounds, commutative) {ScalarOp::name, spelling, operands, rounds, commutative},
      BITPACT_SCALAR_OPS(X)
#undef X
  };
  return table;
}

const ScalarOpInfo& info(ScalarOp op) { return all_scalar_ops()[static_cast<size_t>(op)]; }

Format ScalarBody::format_of(int value) const {
  const auto n = static_cast<int>(arguments.size());
  return value < n ? arguments.at(static_cast<size_t>(value)) : code.at(static_cast<size_t>(value - n)).format;
}

std::vector<Format> ScalarBody::result_formats() const {
  std::vector<Format> formats;
  formats.reserve(results.size());
  for (int value : results) formats.push_back(format_of(value));
  return formats;
}

namespace {

Bits mask_of(Format format) {
  const int bits = info(format).bits;
  return bits == 64 ? ~Bits{0} : (Bits{1} << bits) - 1;
}

bool is_boolean(Format format) { return info(format).kind == FormatKind::Boolean; }
bool is_integer(Format format) { return !is_float(format) && !is_boolean(format); }

/// What is wrong with the formats of one instruction, or nothing.
std::string format_error(const Instruction& i, const std::vector<Format>& args) {
  const Format f = i.format;
  auto all_are = [&](Format format) {
    for (Format a : args)
      if (a != format) return false;
    return true;
  };
  auto all_float = [&] {
    for (Format a : args)
      if (!is_float(a)) return false;
    return is_float(f);
  };
  switch (i.op) {
    case ScalarOp::Constant:
      return (i.immediate & ~mask_of(f)) != 0 ? "the immediate has bits outside the format" : "";
    case ScalarOp::Add:
    case ScalarOp::Subtract:
    case ScalarOp::Multiply:
      return all_float() || (is_integer(f) && all_are(f)) ? "" : "needs floats, or one integer format throughout";
    case ScalarOp::Divide:
    case ScalarOp::Sqrt:
    case ScalarOp::Fma:
      return all_float() ? "" : "needs floats";
    case ScalarOp::Negate:
    case ScalarOp::Abs:
      if (i.op == ScalarOp::Negate && f == Format::F8E8M0FNU) return "needs a format with negative numbers";
      return all_are(f) && !is_boolean(f) ? "" : "needs one float or integer format";
    case ScalarOp::Maximum:
    case ScalarOp::Minimum:
      return all_are(f) ? "" : "needs one format throughout";
    case ScalarOp::Convert:
      return i.policy.overflow != Overflow::Indefinite || (is_float(args[0]) && is_integer(f))
                 ? ""
                 : "the integer indefinite is for floats that become integers";
    case ScalarOp::Bitcast:
      return info(args[0]).bits == info(f).bits ? "" : "needs formats of one width";
    case ScalarOp::And:
    case ScalarOp::Or:
    case ScalarOp::Xor:
      return all_are(f) && !is_float(f) ? "" : "needs one integer or boolean format throughout";
    case ScalarOp::ShiftLeft:
    case ScalarOp::ShiftRightLogical:
    case ScalarOp::ShiftRightArithmetic:
      return all_are(f) && is_integer(f) ? "" : "needs one integer format throughout";
    case ScalarOp::Compare:
      return args[0] == args[1] && f == Format::I1 ? "" : "needs operands of one format, and i1 as its result";
    case ScalarOp::Select:
      return args[0] == Format::I1 && args[1] == f && args[2] == f ? "" : "needs an i1 condition and one format for the rest";
  }
  return "is no operation";
}

/// Fields that the operation does not have must be as they are by default, so that equal meanings are equal values.
std::string field_error(const Instruction& i) {
  const ScalarOpInfo& op = info(i.op);
  if (!op.rounds && i.policy != Policy{}) return "has no policy";
  if (i.op != ScalarOp::Convert && i.policy.overflow == Overflow::Indefinite) return "has no integer indefinite";
  if (i.op != ScalarOp::Constant && i.immediate != 0) return "has no immediate";
  if (i.op != ScalarOp::Compare && i.comparison != Comparison::EQ) return "has no comparison";
  const bool extremum = i.op == ScalarOp::Maximum || i.op == ScalarOp::Minimum;
  if (i.nan != NanRule::Any && !(extremum && is_float(i.format))) return "has no NaN rule";
  for (int a = op.operands; a < 3; ++a)
    if (i.args[static_cast<size_t>(a)] != -1) return fmt::format("takes {} operands", op.operands);
  return "";
}

}  // namespace

void check_well_formed(const ScalarBody& body, std::string_view where) {
  const auto arguments = static_cast<int>(body.arguments.size());
  for (size_t c = 0; c < body.code.size(); ++c) {
    const Instruction& i = body.code[c];
    auto fail = [&](std::string_view rule) {
      refuse(Code::ContractProgram,
             fmt::format("{}, instruction {} ({}): {}", where, c,
                         static_cast<size_t>(i.op) < all_scalar_ops().size() ? info(i.op).name : "?", rule));
    };
    if (static_cast<size_t>(i.op) >= all_scalar_ops().size()) fail("is no operation");
    if (auto error = field_error(i); !error.empty()) fail(error);
    std::vector<Format> formats;
    for (int a = 0; a < info(i.op).operands; ++a) {
      const int value = i.args[static_cast<size_t>(a)];
      if (value < 0 || value >= arguments + static_cast<int>(c)) fail(fmt::format("operand {} is not a value defined before", a));
      formats.push_back(body.format_of(value));
    }
    if (auto error = format_error(i, formats); !error.empty()) fail(error);
  }
  for (int value : body.results)
    if (value < 0 || value >= arguments + static_cast<int>(body.code.size()))
      refuse(Code::ContractProgram, fmt::format("{}: result {} is not a value", where, value));
}

BodyBuilder::BodyBuilder(std::vector<Format> arguments) { body_.arguments = std::move(arguments); }

int BodyBuilder::push(const Instruction& instruction) {
  body_.code.push_back(instruction);
  return static_cast<int>(body_.arguments.size() + body_.code.size()) - 1;
}

int BodyBuilder::constant(Format format, Bits bits) {
  Instruction i;
  i.op = ScalarOp::Constant;
  i.format = format;
  i.immediate = bits;
  return push(i);
}

int BodyBuilder::op(ScalarOp op, Format format, std::vector<int> args, Policy policy) {
  Instruction i;
  i.op = op;
  i.format = format;
  i.policy = policy;
  if (args.size() > i.args.size())
    refuse(Code::ContractProgram, fmt::format("{} takes no {} operands", info(op).name, args.size()));
  for (size_t a = 0; a < args.size(); ++a) i.args[a] = args[a];
  return push(i);
}

int BodyBuilder::convert(int value, Format format, Policy policy) {
  return format_of(value) == format ? value : op(ScalarOp::Convert, format, {value}, policy);
}

ScalarBody BodyBuilder::finish(std::vector<int> results) {
  body_.results = std::move(results);
  check_well_formed(body_, "body");
  return std::move(body_);
}

ScalarBody identity_body(std::vector<Format> formats) {
  ScalarBody body;
  body.arguments = std::move(formats);
  for (size_t a = 0; a < body.arguments.size(); ++a) body.results.push_back(static_cast<int>(a));
  return body;
}

}  // namespace bitpact
