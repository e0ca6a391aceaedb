#include "operators/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "diagnostic/diagnostic.h"
#include "operators/alignment.h"
#include "operators/families.h"

namespace bitpact {

const std::vector<Operator>& catalogue() {
  static const std::vector<Operator> operators = {
      add(),
      argmax(),
      ceil(),
      convert(),
      cumsum(),
      divide(),
      dot(),
      dynamic_quantize(),
      erf(),
      exp(),
      exp2(),
      expm1(),
      floor(),
      gelu(),
      integer_matmul(),
      log(),
      log1p(),
      matmul(),
      max(),
      mean(),
      multiply(),
      multiply_add(),
      multiply_subtract(),
      pad(),
      quantize(),
      reciprocal(),
      reshape(),
      residual_add(),
      reverse(),
      round_nearest_afz(),
      round_nearest_even(),
      rsqrt(),
      sigmoid(),
      sin(),
      cos(),
      slice(),
      sqrt(),
      sum(),
      tanh(),
      transpose(),
  };
  return operators;
}

namespace {

// Levenshtein distance, for "did you mean".
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

std::string canonical_value(const Operator& op, const AttributeSpec& spec, const std::string& value) {
  const auto bad = [&](std::string_view wanted) {
    refuse(Code::BadAttribute, fmt::format("{}={} of {}: expected {}", spec.name, value, op.name, wanted), {op.name});
  };
  switch (spec.kind) {
    case AttributeKind::Boolean:
      if (value != "true" && value != "false") bad("true or false");
      return value;
    case AttributeKind::Integer:
    case AttributeKind::Integers: {
      std::vector<std::int64_t> numbers;
      for (const char *at = value.data(), *end = at + value.size();; ++at) {
        const auto [next, error] = std::from_chars(at, end, numbers.emplace_back(0));
        const bool last = next == end;
        if (error != std::errc() || (!last && (spec.kind == AttributeKind::Integer || *next != ',')))
          bad(spec.kind == AttributeKind::Integer ? "an integer" : "integers, joined by ','");
        if (last) break;
        at = next;
      }
      return fmt::format("{}", fmt::join(numbers, ","));
    }
    case AttributeKind::FormatName:
      if (!format_named(value)) bad("a format");
      return value;
    case AttributeKind::Word:
      if (std::find(spec.words.begin(), spec.words.end(), value) == spec.words.end())
        bad(fmt::format("{}", fmt::join(spec.words, " or ")));
      return value;
  }
  return value;
}

}  // namespace

const Operator& operator_named(const std::string& name) {
  std::string nearest;
  size_t best = 4;
  for (const Operator& op : catalogue()) {
    std::vector<std::string> names = op.aliases;
    names.push_back(op.name);
    for (const std::string& candidate : names) {
      if (candidate == name) return op;
      const size_t d = distance(candidate, name);
      if (d < best) {
        best = d;
        nearest = candidate;
      }
    }
  }
  refuse(Code::UnknownOperator,
         fmt::format("'{}' is not an operator{}", name, nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)),
         {name});
}

Resolved resolve(const Problem& given) {
  const Operator& op = operator_named(given.op);
  Problem problem = given;
  problem.op = op.name;
  if (problem.operands.size() != op.operands.size())
    refuse(Code::ClauseViolated,
           fmt::format("{} takes {} operand(s) ({}), not {}", op.name, op.operands.size(), fmt::join(op.operands, ", "),
                       problem.operands.size()),
           {op.name});
  problem.attributes.clear();
  for (const auto& [name, value] : given.attributes) {
    if (name == kAlign) continue;  // every operator takes it, and none of them sees it
    const auto spec =
        std::find_if(op.attributes.begin(), op.attributes.end(), [&key = name](const AttributeSpec& s) { return s.name == key; });
    if (spec == op.attributes.end())
      refuse(Code::UnknownAttribute, fmt::format("{} has no attribute '{}'", op.name, name), {op.name});
    problem.attributes[name] = canonical_value(op, *spec, value);
  }
  for (const OperandSpec& operand : problem.operands)
    for (const std::int64_t extent : operand.shape)
      if (extent < 1)
        refuse(Code::ClauseViolated,
               fmt::format("{}: every extent is at least 1; got {}", op.name, to_text(operand.shape, operand.format)), {op.name});
  for (const OperandSpec& operand : problem.operands) element_count(operand.shape);
  Resolved resolved = op.resolve(op, problem);
  // One spelling: an attribute with its default value says nothing.
  for (const AttributeSpec& spec : op.attributes) {
    const auto at = resolved.problem.attributes.find(spec.name);
    if (at == resolved.problem.attributes.end()) continue;
    if (!spec.fallback.empty() && at->second == spec.fallback) resolved.problem.attributes.erase(at);
  }
  if (const auto align = given.attributes.find(kAlign); align != given.attributes.end())
    if (const std::string value = checked_alignment(resolved.problem, align->second); value != std::to_string(kWholeAlignment))
      resolved.problem.attributes[kAlign] = value;
  element_count(resolved.result.shape);
  return resolved;
}

Axes independent_axes(const Resolved& problem) {
  const Operator& op = operator_named(problem.problem.op);
  const BoundProgram bound = bind(op.build(problem.formats(), canonical_choices(op, problem.formats())), problem.binding);
  Axes axes = problem.binding.result;
  const Axes entangled = entangled_axes(bound.program);
  std::erase_if(axes, [&entangled](const std::string& axis) {
    return std::find(entangled.begin(), entangled.end(), axis) != entangled.end();
  });
  return axes;
}

Resolved resolve(std::string_view line) { return resolve(parse_problem(line)); }

}  // namespace bitpact
