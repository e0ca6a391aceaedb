// Choice points.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "diagnostic/diagnostic.h"
#include "operators/operator.h"

namespace bitpact {

Choices canonical_choices(const Operator& op, const OperatorFormats& formats) {
  Choices choices;
  for (const auto& point : op.choice_points(formats)) choices[point.name] = point.values.front();
  return choices;
}

Choices complete_choices(const Operator& op, const OperatorFormats& formats, const Choices& changes) {
  Choices choices = canonical_choices(op, formats);
  for (const auto& [name, value] : changes) {
    const auto known = choices.find(name);
    if (known == choices.end()) refuse(Code::BadAttribute, fmt::format("{} has no choice point '{}'", op.name, name), {op.name});
    known->second = value;
  }
  return choices;
}

std::vector<Hypothesis> hypotheses(const Operator& op, const OperatorFormats& formats) {
  const std::vector<ChoicePoint> points = op.choice_points(formats);
  std::vector<Hypothesis> found;
  std::set<std::string> seen;
  std::vector<size_t> at(points.size(), 0);
  while (true) {
    Hypothesis h;
    for (size_t i = 0; i < points.size(); ++i) h.choices[points[i].name] = points[i].values[at[i]];
    try {
      h.program = op.build(formats, h.choices);
      h.fingerprint = arithmetic_fingerprint(h.program);
      if (seen.insert(h.fingerprint).second) found.push_back(std::move(h));
    } catch (const Refused& refused) {
      if (refused.diagnostic().code != Code::BadAttribute) throw;  // values that do not go together
    }
    size_t digit = points.size();
    while (digit > 0 && ++at[digit - 1] == points[digit - 1].values.size()) at[--digit] = 0;
    if (digit == 0) return found;
  }
}

}  // namespace bitpact
