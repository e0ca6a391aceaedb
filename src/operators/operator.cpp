#include "operators/operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "diagnostic/diagnostic.h"
#include "operators/alignment.h"

namespace bitpact {

OperatorFormats Resolved::formats() const {
  OperatorFormats formats;
  for (const auto& operand : problem.operands) formats.operands.push_back(operand.format);
  formats.result = result.format;
  formats.attributes = problem.attributes;
  return formats;
}

std::string OperatorFormats::attribute(const std::string& name, const std::string& fallback) const {
  const auto given = attributes.find(name);
  return given == attributes.end() ? fallback : given->second;
}

void violated(const Operator& op, const std::string& label, const std::string& seen) {
  for (const Clause& clause : op.clauses)
    if (clause.label == label)
      refuse(Code::ClauseViolated, fmt::format("{}.{}: {}; {}", op.name, label, clause.text, seen), {op.name});
  refuse(Code::Internal, fmt::format("{} cites an unknown clause {}", op.name, label), {op.name});
}

std::string attribute(const Operator& op, const Problem& problem, const std::string& name) {
  const auto given = problem.attributes.find(name);
  if (given != problem.attributes.end()) return given->second;
  for (const AttributeSpec& spec : op.attributes)
    if (spec.name == name) return spec.fallback;
  if (name == kAlign) return std::to_string(kWholeAlignment);
  refuse(Code::Internal, fmt::format("{} asks for an unknown attribute {}", op.name, name), {op.name});
}

std::vector<std::int64_t> integers_of(std::string_view text) {
  std::vector<std::int64_t> numbers;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    std::from_chars(text.data(), text.data() + end, numbers.emplace_back(0));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return numbers;
}

bool flag(const Operator& op, const Problem& problem, const std::string& name) { return attribute(op, problem, name) == "true"; }

}  // namespace bitpact
