#include "probe/vary_conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "diagnostic/diagnostic.h"
#include "operators/alignment.h"

namespace bitpact {
namespace {

constexpr size_t kMostConditions = 64;

std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> values;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    values.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return values;
}

const AttributeSpec* attribute_named(const Operator& op, const std::string& name) {
  const auto at = std::ranges::find_if(op.attributes, [&](const AttributeSpec& spec) { return spec.name == name; });
  return at == op.attributes.end() ? nullptr : &*at;
}

/// The options of a kind of backend, by name; a worker of one's own judges itself what it takes.
std::vector<std::string> options_of(const BackendSpec& backend) {
  std::vector<std::string> names;
  for (const BackendKind& kind : backend_kinds())
    if (kind.name == backend.name)
      for (const std::string& words : kind.options) names.push_back(words.substr(0, words.find('=')));
  std::erase(names, "version");  // pins what is there, and changes nothing
  return names;
}

std::vector<std::string> attribute_names(const Operator& op) {
  std::vector<std::string> names;
  for (const AttributeSpec& spec : op.attributes) names.push_back(spec.name);
  names.emplace_back(kAlign);
  return names;
}

void add_once(std::vector<std::string>& values, const std::string& value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

Resolved resolved_with(const Resolved& problem, const std::string& name, const std::string& value) {
  Problem changed = problem.problem;
  changed.attributes[name] = value;
  const size_t operands = changed.operands.size();
  std::optional<Refused> why;
  for (size_t turned = 0; turned < size_t{1} << operands; ++turned) {
    Problem candidate = changed;
    bool can_turn = true;
    for (size_t o = 0; o < operands; ++o) {
      if ((turned >> o & 1) == 0) continue;
      Shape& shape = candidate.operands[o].shape;
      can_turn = can_turn && shape.size() >= 2;
      if (shape.size() >= 2) std::swap(shape[shape.size() - 2], shape[shape.size() - 1]);
    }
    if (!can_turn) continue;
    try {
      Resolved found = resolve(candidate);
      if (turned == 0 || found.binding.extents == problem.binding.extents) return found;
    } catch (const Refused& refused) {
      if (!why) why = refused;
      if (refused.diagnostic().code != Code::ClauseViolated) break;
    }
  }
  throw Refused(*why);
}

}  // namespace

Resolved with_attribute(const Resolved& problem, const std::string& name, const std::string& value) {
  const Operator& op = operator_named(problem.problem.op);
  Resolved changed = resolved_with(problem, name, value);
  const AttributeSpec* spec = attribute_named(op, name);
  const OperatorFormats before = problem.formats(), after = changed.formats();
  const bool other_program =
      spec != nullptr && spec->in_program && attribute(op, problem.problem, name) != attribute(op, changed.problem, name);
  if (other_program || before.operands != after.operands || before.result != after.result)
    refuse(Code::BadAttribute,
           fmt::format("{}={} makes another program of the operator, which needs a contract of its own: probe it by itself", name,
                       value),
           {to_text(problem.problem)});
  return changed;
}

VariedName parse_varied(const std::string& text, const Resolved& problem, const BackendSpec& backend) {
  const Where where{to_text(problem.problem), to_text(backend), ""};
  const size_t equals = text.find('=');
  const auto malformed = [&] {
    refuse(Code::Usage, fmt::format("--vary {}: NAME=VALUE,VALUE,... is taken, e.g. align=4,16 or threads=1,2", text), where);
  };
  if (equals == std::string::npos || equals == 0) malformed();
  VariedName varied{text.substr(0, equals), false, {}};
  const std::vector<std::string> values = split_values(text.substr(equals + 1));
  if (std::ranges::find(values, "") != values.end()) malformed();
  const Operator& op = operator_named(problem.problem.op);
  if (varied.name == kAlign || attribute_named(op, varied.name) != nullptr) {
    varied.values.push_back(attribute(op, problem.problem, varied.name));
    for (const std::string& value : values)
      add_once(varied.values, attribute(op, with_attribute(problem, varied.name, value).problem, varied.name));
    return varied;
  }
  const std::vector<std::string> options = options_of(backend);
  if (backend.name != "worker" && std::ranges::find(options, varied.name) == options.end())
    refuse(Code::UnknownAttribute,
           fmt::format("--vary {}: neither an attribute of {} ({}) nor an option of {} ({})", varied.name, op.name,
                       fmt::join(attribute_names(op), ", "), backend.name, fmt::join(options, ", ")),
           where);
  varied.option = true;
  if (const auto own = backend.options.find(varied.name); own != backend.options.end()) varied.values.push_back(own->second);
  for (const std::string& value : values) add_once(varied.values, value);
  return varied;
}

bool lists_all_values(const VariedName& varied, const Resolved& problem) {
  if (varied.option) return false;
  if (varied.name == kAlign) return varied.values.size() == alignments_of(problem.problem).size();
  const AttributeSpec* spec = attribute_named(operator_named(problem.problem.op), varied.name);
  if (spec == nullptr) return false;
  if (spec->kind == AttributeKind::Boolean) return varied.values.size() == 2;
  return spec->kind == AttributeKind::Word && varied.values.size() == spec->words.size();
}

std::vector<VaryCondition> conditions_of(const std::vector<VariedName>& varied, const Resolved& problem,
                                         const BackendSpec& backend) {
  const Where where{to_text(problem.problem), to_text(backend), ""};
  std::set<std::string> names;
  for (const VariedName& v : varied)
    if (!names.insert(v.name).second) refuse(Code::Usage, fmt::format("--vary {} is given twice", v.name), where);
  std::vector<VaryCondition> all{{{}, {}, problem, backend}};
  const auto multiply = [&](const VariedName& v, const auto& apply) {
    std::vector<VaryCondition> next;
    // An option that was not given has a value all the same: the backend's own choice.
    const bool unset = v.option && !backend.options.contains(v.name);
    for (const VaryCondition& condition : all) {
      if (unset) next.push_back(condition);
      for (const std::string& value : v.values) next.push_back(apply(condition, value));
    }
    all = std::move(next);
    if (all.size() > kMostConditions) refuse(Code::Usage, fmt::format("--vary: more than {} conditions", kMostConditions), where);
  };
  // Backends outermost: each is opened once.
  for (const VariedName& v : varied)
    if (v.option)
      multiply(v, [&](VaryCondition condition, const std::string& value) {
        condition.options[v.name] = condition.backend.options[v.name] = value;
        return condition;
      });
  for (const VariedName& v : varied)
    if (!v.option)
      multiply(v, [&](VaryCondition condition, const std::string& value) {
        condition.attributes[v.name] = value;
        const Operator& op = operator_named(problem.problem.op);
        if (attribute(op, condition.problem.problem, v.name) != value)
          condition.problem = with_attribute(condition.problem, v.name, value);
        return condition;
      });
  return all;
}

}  // namespace bitpact
