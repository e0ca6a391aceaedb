// Scalar bodies as expressions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "contract/program_json.h"
#include "contract/words.h"

namespace bitpact {
namespace {

constexpr int kMostOperations = 300;
constexpr std::size_t kLongest = 8192;  // of the names of arguments, which may be long

std::string policy_text(const Policy& policy) {
  std::vector<std::string> parts;
  if (policy.rounding != Rounding::NearestEven) parts.emplace_back(name(policy.rounding));
  if (policy.overflow == Overflow::Saturate) parts.emplace_back("saturate");
  if (policy.overflow == Overflow::Indefinite) parts.emplace_back("indefinite");
  if (policy.flush_in) parts.emplace_back("flush-in");
  if (policy.flush_out) parts.emplace_back("flush-out");
  return parts.empty() ? "" : fmt::format(" {{{}}}", fmt::join(parts, ", "));
}

std::string_view infix(ScalarOp op) {
  switch (op) {
    case ScalarOp::Add:
      return "+";
    case ScalarOp::Subtract:
      return "-";
    case ScalarOp::Multiply:
      return "*";
    case ScalarOp::Divide:
      return "/";
    default:
      return "";
  }
}

class Printer {
 public:
  Printer(const ScalarBody& body, const std::vector<std::string>& arguments) : body_(body), arguments_(arguments) {}

  std::string text(int value, bool nested = false) {
    const auto n = static_cast<int>(body_.arguments.size());
    if (value < n) {
      const std::string& argument = arguments_.at(static_cast<size_t>(value));
      names_ += argument.size();
      return names_ > kLongest ? "..." : argument;
    }
    if (--left_ < 0) return "...";
    const Instruction& i = body_.code.at(static_cast<size_t>(value - n));
    if (i.op == ScalarOp::Constant) return fmt::format("{}:{}", to_text(Scalar{i.format, i.immediate}), name(i.format));
    if (i.op == ScalarOp::Convert) return fmt::format("{}({}){}", name(i.format), text(i.args[0]), policy_text(i.policy));
    const std::string suffix = format_suffix(i) + policy_text(i.policy);
    if (const std::string_view sign = infix(i.op); !sign.empty()) {
      const std::string left = text(i.args[0], true);
      const std::string both = fmt::format("{} {} {}{}", left, sign, text(i.args[1], true), suffix);
      return nested ? "(" + both + ")" : both;
    }
    std::string name(info(i.op).name);
    if (i.op == ScalarOp::Compare) name += fmt::format(".{}", bitpact::name(i.comparison));
    if (i.nan == NanRule::Number) name += ".number";
    std::vector<std::string> operands;
    operands.reserve(3);
    for (int a = 0; a < info(i.op).operands; ++a) operands.push_back(text(i.args[static_cast<size_t>(a)]));
    return fmt::format("{}({}){}", name, fmt::join(operands, ", "), suffix);
  }

 private:
  /// The format goes without saying where the operands have it.
  std::string format_suffix(const Instruction& i) const {
    if (i.op == ScalarOp::Compare || i.op == ScalarOp::Select) return "";
    for (int a = 0; a < info(i.op).operands; ++a)
      if (body_.format_of(i.args[static_cast<size_t>(a)]) != i.format) return fmt::format(":{}", name(i.format));
    return "";
  }

  const ScalarBody& body_;
  const std::vector<std::string>& arguments_;
  int left_ = kMostOperations;
  std::size_t names_ = 0;
};

}  // namespace

std::string expression(const ScalarBody& body, int value, const std::vector<std::string>& arguments) {
  return Printer(body, arguments).text(value);
}

}  // namespace bitpact
