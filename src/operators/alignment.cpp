#include "operators/alignment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"

namespace bitpact {

int alignment_of(const Problem& problem) {
  const auto given = problem.attributes.find(kAlign);
  return given == problem.attributes.end() ? kWholeAlignment : std::stoi(checked_alignment(problem, given->second));
}

std::vector<int> alignments_of(const Problem& problem) {
  int widest = 1;
  for (const OperandSpec& operand : problem.operands) widest = std::max(widest, info(operand.format).storage_bytes);
  std::vector<int> all;
  for (int bytes = widest; bytes <= kWholeAlignment; bytes *= 2) all.push_back(bytes);
  return all;
}

std::string checked_alignment(const Problem& problem, const std::string& value) {
  const std::vector<int> all = alignments_of(problem);
  const bool known = std::any_of(all.begin(), all.end(), [&](int bytes) { return std::to_string(bytes) == value; });
  if (!known)
    refuse(Code::BadAttribute,
           fmt::format("align={} of {}: expected one of {} for these formats", value, problem.op, fmt::join(all, ", ")),
           {problem.op});
  return value;
}

}  // namespace bitpact
