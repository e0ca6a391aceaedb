#include "probe/probe.h"

#include "probe/function_probe.h"

namespace bitpact {
namespace {

Probed function(const Resolved& problem, Backend& backend, const ProbeSettings& settings) {
  const FunctionReport report = probe_function(backend, problem, {.exhaustive = false, .progress = {}, .say = settings.say});
  Probed probed;
  probed.contract = report.contract;
  probed.diagnostic = report.diagnostic;
  if (!report.contract) return probed;
  const FunctionCandidate* fit = best(report.tables.front().candidates);
  ProbedPart part;
  part.outputs = element_count(problem.result.shape);
  part.choices = fit->choices;
  part.flush = fit->flush;
  probed.parts.push_back(std::move(part));
  return probed;
}

}  // namespace

Probed probe(const Resolved& problem, Backend& backend, const ProbeSettings& settings) {
  if (!is_function(problem)) {
    ProbeReport report = probe_sum(to_text(problem.problem), backend, settings);
    if (!report.contract) return {{}, {}, std::move(report.diagnostic)};
    return {std::move(report.contract), std::move(report.parts), {}};
  }
  try {
    return function(problem, backend, settings);
  } catch (const Refused& refused) {
    const Where where{to_text(problem.problem), to_text(backend.spec()), backend.identity().machine()};
    return {{}, {}, refused.at(where).diagnostic()};
  }
}

}  // namespace bitpact
