#include "probe/verify_also.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"
#include "probe/sum_replay.h"

namespace bitpact {

std::int64_t verify_also(Contract& contract, const std::string& line, Backend& backend, const ProbeSettings& settings) {
  const Resolved problem = resolve(line);
  const std::string canonical = to_text(problem.problem);
  Asker asker(backend, problem);
  SumReplay replay(asker, contract, settings);
  if (!replay.recipes())
    refuse(Code::ProbeUnknown,
           fmt::format("the contract does not hold here: {} output(s) differ after {} were equal", replay.different().size(),
                       replay.outputs()),
           {canonical, to_text(backend.spec()), backend.identity().machine()});
  if (std::find(contract.verified.begin(), contract.verified.end(), canonical) == contract.verified.end())
    contract.verified.push_back(canonical);
  return replay.outputs();
}

}  // namespace bitpact
