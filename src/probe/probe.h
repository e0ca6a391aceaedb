// One call for every problem that a probe exists for.
#pragma once

#include <optional>
#include <vector>

#include "probe/sum_probe.h"

namespace bitpact {

struct Probed {
  std::optional<Contract> contract;
  std::vector<ProbedPart> parts;         ///< of the contract: its programs as choices
  std::optional<Diagnostic> diagnostic;  ///< where there is no contract: why
};

/// A function is probed by its table (function_probe.h), anything else by its hypotheses (sum_probe.h); `settings` count for the
/// latter, but for `say`. Never throws Refused: a refusal is a diagnostic.
Probed probe(const Resolved& problem, Backend& backend, const ProbeSettings& settings = {});

}  // namespace bitpact
