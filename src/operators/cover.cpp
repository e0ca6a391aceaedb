// Contracts against problems: which piece of a contract covers a problem.
#include <fmt/format.h>

#include <algorithm>

#include "contract/region.h"
#include "diagnostic/diagnostic.h"
#include "operators/alignment.h"
#include "operators/catalogue.h"

namespace bitpact {
namespace {

std::string formats_text(const std::vector<Format>& operands, Format result) {
  std::string text;
  for (const Format format : operands) text += fmt::format("{}{}", text.empty() ? "" : ",", name(format));
  return fmt::format("{} -> {}", text, name(result));
}

// Empty where the piece covers the problem, else why not.
std::string why_not(const Piece& piece, const Resolved& problem) {
  for (const AxisBound& bound : piece.shapes) {
    const auto extent = problem.binding.extents.find(bound.axis);
    if (extent == problem.binding.extents.end()) return fmt::format("it bounds an axis '{}' that the problem lacks", bound.axis);
    const std::int64_t n = extent->second;
    if (n < bound.min || (bound.max && n > *bound.max) || n % bound.multiple != 0)
      return fmt::format("axis {} is {}, outside [{}, {}] in multiples of {}", bound.axis, n, bound.min,
                         bound.max ? std::to_string(*bound.max) : "any", bound.multiple);
  }
  const Operator& op = operator_named(problem.problem.op);
  for (const auto& [name, value] : piece.when) {
    const bool known = name == kAlign || std::any_of(op.attributes.begin(), op.attributes.end(),
                                                     [&key = name](const auto& a) { return a.name == key; });
    if (!known) return fmt::format("it has a condition on '{}', which the problem says nothing about", name);
    const std::string is = attribute(op, problem.problem, name);
    if (is != value) return fmt::format("it holds for {}={}, the problem has {}", name, value, is);
  }
  return {};
}

}  // namespace

Covered cover(const Contract& contract, const Resolved& problem) {
  const std::string line = to_text(problem.problem);
  const auto refuse_cover = [&](const std::string& why) { refuse(Code::ContractNotForProblem, why, {line}); };
  if (contract.op.name != problem.problem.op)
    refuse_cover(fmt::format("the contract is for {}, the problem for {}", contract.op.name, problem.problem.op));
  const OperatorFormats formats = problem.formats();
  if (contract.op.operands != formats.operands || contract.op.result != formats.result)
    refuse_cover(fmt::format("the contract is for {}, the problem for {}", formats_text(contract.op.operands, contract.op.result),
                             formats_text(formats.operands, formats.result)));
  const Operator& op = operator_named(problem.problem.op);
  for (const auto& [name, value] : contract.op.attributes)
    if (attribute(op, problem.problem, name) != value)
      refuse_cover(
          fmt::format("the contract fixes {}={}, the problem has {}", name, value, attribute(op, problem.problem, name)));
  // What changes the program and is not named has its default.
  for (const AttributeSpec& spec : op.attributes)
    if (spec.in_program && !contract.op.attributes.contains(spec.name) &&
        attribute(op, problem.problem, spec.name) != spec.fallback)
      refuse_cover(fmt::format("the contract is for {} without {}=, the problem has {}={}", op.name, spec.name, spec.name,
                               attribute(op, problem.problem, spec.name)));
  std::string why = "it has no piece";
  Covered covered;
  covered.verified = std::find(contract.verified.begin(), contract.verified.end(), line) != contract.verified.end();
  std::vector<int> times;  // in how many regions each output lies
  for (const Piece& piece : contract.pieces) {
    why = why_not(piece, problem);
    if (!why.empty()) continue;
    CoveredPart part{&piece, bind(piece.program, problem.binding), {}};
    const Region region = parse_region(piece.region);
    if (covered.piece == nullptr) {
      covered.piece = part.piece;
      covered.program = part.program;
      if (region.all()) return covered;
    } else if (region.all()) {
      continue;  // for other shapes, which these happen to be among
    }
    part.mask = region_mask(region, problem.binding.result, problem.result.shape);
    times.resize(part.mask.size(), 0);
    for (size_t i = 0; i < times.size(); ++i) times[i] += part.mask[i] != 0 ? 1 : 0;
    covered.parts.push_back(std::move(part));
  }
  if (covered.piece == nullptr) refuse_cover("no piece of the contract covers it: " + why);
  const auto odd = std::find_if(times.begin(), times.end(), [](int t) { return t != 1; });
  if (odd != times.end())
    refuse_cover(fmt::format("the regions of its pieces hold output {} (row-major) {}", odd - times.begin(),
                             *odd == 0 ? "nowhere" : "more than once"));
  return covered;
}

Domain Covered::domain() const {
  Domain domain = piece->operands;
  for (const CoveredPart& part : parts) domain = domain | part.piece->operands;
  return domain;
}

std::string Covered::arithmetic() const {
  if (parts.empty()) return arithmetic_fingerprint(piece->program, piece->operands);
  std::string text;
  for (const CoveredPart& part : parts)
    text += (text.empty() ? "" : " ") + arithmetic_fingerprint(part.piece->program, part.piece->operands);
  return text;
}

Contract contract_from_choices(const Resolved& problem, const Choices& choices, const Domain& domain) {
  const Operator& op = operator_named(problem.problem.op);
  const OperatorFormats formats = problem.formats();
  Contract contract;
  contract.op = {op.name, formats.operands, formats.result, {}};
  for (const AttributeSpec& spec : op.attributes)
    if (const std::string value = attribute(op, problem.problem, spec.name); spec.in_program && value != spec.fallback)
      contract.op.attributes[spec.name] = value;
  Piece piece;
  piece.operands = domain;
  piece.program = op.build(formats, complete_choices(op, formats, choices));
  check_well_formed(piece.program);
  contract.pieces.push_back(std::move(piece));
  return contract;
}

}  // namespace bitpact
