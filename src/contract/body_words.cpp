#include "contract/body_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "contract/program_json.h"
#include "contract/words.h"

namespace bitpact {

std::string rounded_to(Format format, const Policy& policy) {
  std::vector<std::string> notes;
  if (policy.rounding != Rounding::NearestEven) notes.emplace_back(name(policy.rounding));
  if (policy.overflow == Overflow::Saturate) notes.emplace_back("saturating");
  if (policy.overflow == Overflow::Indefinite) notes.emplace_back("what is out of range becomes x86's integer indefinite");
  if (policy.flush_in) notes.emplace_back("subnormal operands as zeros");
  if (policy.flush_out) notes.emplace_back("subnormal results to zero");
  return notes.empty() ? std::string(name(format)) : fmt::format("{} ({})", name(format), fmt::join(notes, ", "));
}

std::string axes_text(const Axes& axes) { return fmt::format("[{}]", fmt::join(axes, ", ")); }

std::string formats_text(const std::vector<Format>& formats) {
  std::vector<std::string_view> names;
  names.reserve(formats.size());
  for (Format format : formats) names.push_back(name(format));
  return fmt::format("{}", fmt::join(names, ", "));
}

const Instruction* BodyWords::code(int value) const {
  const auto n = static_cast<int>(body_->arguments.size());
  return value < n ? nullptr : &body_->code.at(static_cast<size_t>(value - n));
}

std::string BodyWords::text(int value) const { return expression(*body_, value, arguments_); }

std::string BodyWords::all_results() const {
  std::vector<std::string> parts;
  parts.reserve(body_->results.size());
  for (int result : body_->results) parts.push_back(text(result));
  return fmt::format("{}", fmt::join(parts, "; "));
}

int BodyWords::origin(int value) const {
  for (const Instruction* i = code(value); i != nullptr && i->op == ScalarOp::Convert && i->policy == Policy{}; i = code(value)) {
    if (!fits(values_of(format_of(i->args[0])), i->format)) break;
    value = i->args[0];
  }
  return value;
}

std::string BodyWords::product(const Instruction& multiply) const {
  const auto factor = [this](int value) {
    const std::string text = this->text(origin(value));
    return code(origin(value)) == nullptr || text.find(' ') == std::string::npos ? text : "(" + text + ")";
  };
  return fmt::format("{} * {}", factor(multiply.args[0]), factor(multiply.args[1]));
}

Exactness BodyWords::exactness_of_product(const Instruction& multiply) const {
  return product_exactness(values_of(format_of(origin(multiply.args[0]))), values_of(format_of(origin(multiply.args[1]))),
                           multiply.format);
}

bool BodyWords::is_rounding(const Instruction& instruction) const {
  if (!info(instruction.op).rounds || !is_float(instruction.format)) return false;
  if (instruction.policy.flush_in || instruction.policy.flush_out) return true;
  if (instruction.op == ScalarOp::Multiply) return exactness_of_product(instruction) != Exactness::Always;
  if (instruction.op != ScalarOp::Convert) return true;
  const Format from = format_of(instruction.args[0]);
  return from != Format::I1 && !fits(values_of(from), instruction.format);
}

}  // namespace bitpact
