#include "cli/probe_other.h"

#include "diagnostic/diagnostic.h"

namespace bitpact {

void probe_other(Backend& backend, const Resolved& problem) {
  refuse(Code::ProbeUnsupported, "only functions of each element of one operand are probed",
         {to_text(problem.problem), to_text(backend.spec()), ""});
}

}  // namespace bitpact
