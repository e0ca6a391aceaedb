// Scalar bodies as JSON.
#include <fmt/format.h>

#include <array>

#include "contract/program_json.h"

namespace bitpact {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 6> kRoundings{"nearest-even", "nearest-away", "toward-zero", "up", "down", "to-odd"};
constexpr std::array<std::string_view, 3> kOverflows{"ieee", "saturate", "indefinite"};
constexpr std::array<std::string_view, 6> kComparisons{"EQ", "NE", "LT", "LE", "GT", "GE"};

template <typename Enum, size_t n>
Enum named(const JsonView& json, const std::array<std::string_view, n>& names) {
  const std::string& text = json.string();
  for (size_t i = 0; i < n; ++i)
    if (names[i] == text) return static_cast<Enum>(i);
  std::string list;
  for (std::string_view name : names) list += fmt::format("{}{}", list.empty() ? "" : ", ", name);
  json.bad_value("is none of " + list);
}

ScalarOp read_op(const JsonView& json) {
  for (const ScalarOpInfo& op : all_scalar_ops())
    if (op.name == json.string()) return op.op;
  json.bad_value("is no scalar operation");
}

/// True where `name` is there. Its only other value is the default, which is not written.
bool read_flag(JsonFields& fields, const std::string& name) {
  const auto json = fields.take_optional(name);
  if (!json) return false;
  if (!json->boolean()) json->bad_value("is the default, which is left out");
  return true;
}

Policy read_policy(JsonFields& fields) {
  Policy policy;
  if (const auto json = fields.take_optional("rounding")) {
    policy.rounding = named<Rounding>(*json, kRoundings);
    if (policy.rounding == Rounding::NearestEven) json->bad_value("is the default, which is left out");
  }
  if (const auto json = fields.take_optional("overflow")) {
    policy.overflow = named<Overflow>(*json, kOverflows);
    if (policy.overflow == Overflow::Ieee) json->bad_value("is the default, which is left out");
  }
  policy.flush_in = read_flag(fields, "flush_in");
  policy.flush_out = read_flag(fields, "flush_out");
  return policy;
}

Instruction read_instruction(const JsonView& json, int values) {
  JsonFields fields(json);
  Instruction i;
  i.op = read_op(fields.take("op"));
  i.format = read_format(fields.take("format"));
  const ScalarOpInfo& op = info(i.op);
  if (op.operands > 0) {
    const JsonView args = fields.take("args");
    const auto list = args.array();
    if (static_cast<int>(list.size()) != op.operands) args.bad_value(fmt::format("{} takes {} operands", op.name, op.operands));
    for (size_t a = 0; a < list.size(); ++a) i.args[a] = static_cast<int>(list[a].integer(0, values - 1));
  }
  if (op.rounds) i.policy = read_policy(fields);
  if (i.op == ScalarOp::Maximum || i.op == ScalarOp::Minimum)
    if (const auto nan = fields.take_optional("nan")) {
      i.nan = named<NanRule>(*nan, std::array<std::string_view, 2>{"any", "number"});
      if (i.nan == NanRule::Any) nan->bad_value("is the default, which is left out");
    }
  if (i.op == ScalarOp::Compare) i.comparison = named<Comparison>(fields.take("comparison"), kComparisons);
  if (i.op == ScalarOp::Constant) i.immediate = read_bits(fields.take("bits"), i.format);
  fields.done();
  return i;
}

Json to_json(const Instruction& i) {
  const ScalarOpInfo& op = info(i.op);
  Json json{{"op", op.name}, {"format", name(i.format)}};
  for (int a = 0; a < op.operands; ++a) json["args"].push_back(i.args[static_cast<size_t>(a)]);
  if (i.policy.rounding != Rounding::NearestEven) json["rounding"] = name(i.policy.rounding);
  if (i.policy.overflow != Overflow::Ieee) json["overflow"] = kOverflows[static_cast<size_t>(i.policy.overflow)];
  if (i.policy.flush_in) json["flush_in"] = true;
  if (i.policy.flush_out) json["flush_out"] = true;
  if (i.nan != NanRule::Any) json["nan"] = "number";
  if (i.op == ScalarOp::Compare) json["comparison"] = name(i.comparison);
  if (i.op == ScalarOp::Constant) json["bits"] = bits_text(i.format, i.immediate);
  return json;
}

}  // namespace

std::string_view name(Rounding rounding) { return kRoundings.at(static_cast<size_t>(rounding)); }
std::string_view name(Comparison comparison) { return kComparisons.at(static_cast<size_t>(comparison)); }

std::string bits_text(Format format, Bits bits) { return to_hex({format, bits}); }

Format read_format(const JsonView& json) {
  const auto format = format_named(json.string());
  if (!format) json.bad_value("is no number format");
  return *format;
}

Json to_json(const ScalarBody& body) {
  Json json{{"arguments", Json::array()}, {"code", Json::array()}, {"results", body.results}};
  for (Format format : body.arguments) json["arguments"].push_back(name(format));
  for (const Instruction& i : body.code) json["code"].push_back(to_json(i));
  return json;
}

ScalarBody read_body(const JsonView& json) {
  JsonFields fields(json);
  ScalarBody body;
  for (const JsonView& argument : fields.take("arguments").array()) body.arguments.push_back(read_format(argument));
  auto values = static_cast<int>(body.arguments.size());
  for (const JsonView& instruction : fields.take("code").array()) body.code.push_back(read_instruction(instruction, values++));
  for (const JsonView& result : fields.take("results").array())
    body.results.push_back(static_cast<int>(result.integer(0, values - 1)));
  fields.done();
  return body;
}

Bits read_bits(const JsonView& json, Format format) {
  const std::string& text = json.string();
  Bits bits = 0;
  if (text.size() == 2 + (static_cast<size_t>(info(format).bits) + 3) / 4)
    for (char c : text.substr(2)) bits = bits << 4 | static_cast<Bits>(c >= 'a' ? c - 'a' + 10 : c - '0');
  if (bits_text(format, bits) != text) json.bad_value(fmt::format("is not the hexadecimal bits of an {}", name(format)));
  return bits;
}

}  // namespace bitpact
