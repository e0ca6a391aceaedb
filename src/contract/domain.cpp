// Exclusions and domains.
#include <array>

#include "contract/contract.h"

namespace bitpact {
namespace {

constexpr std::array<std::string_view, 4> kNames{"subnormal-input", "subnormal-intermediate", "subnormal-result",
                                                 "overflow-intermediate"};

}  // namespace

std::string_view name(Exclusion exclusion) { return kNames.at(static_cast<size_t>(exclusion)); }

std::optional<Exclusion> exclusion_named(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<Exclusion>(i);
  return std::nullopt;
}

Domain operator|(const Domain& a, const Domain& b) {
  Domain both = a;
  both.excludes.insert(b.excludes.begin(), b.excludes.end());
  return both;
}

std::string to_text(const Domain& domain) {
  if (domain.excludes.empty()) return "all operand values";
  std::vector<std::string> subnormal;
  if (domain.excludes.contains(Exclusion::SubnormalInput)) subnormal.emplace_back("input");
  if (domain.excludes.contains(Exclusion::SubnormalIntermediate)) subnormal.emplace_back("intermediate");
  if (domain.excludes.contains(Exclusion::SubnormalResult)) subnormal.emplace_back("result");
  std::string text;
  for (size_t i = 0; i < subnormal.size(); ++i)
    text += (i == 0 ? "no subnormal " : i + 1 == subnormal.size() ? " or " : ", ") + subnormal[i];
  if (domain.excludes.contains(Exclusion::OverflowIntermediate))
    text += text.empty() ? "no intermediate that overflows" : ", no intermediate that overflows";
  return text;
}

}  // namespace bitpact
