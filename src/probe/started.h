// Whether partial results are joined from the start value or from the first of them: that shows where all of them are -0, which
// no mask sees and which few operands give.
#pragma once

#include "probe/elimination.h"

namespace bitpact {

/// The variants whose partial results, where they are joined in sequence, are joined from the start value: everywhere, or the
/// last time only; none where the order has no such place.
std::vector<Candidate> from_start(const Candidate& candidate, const Resolved& problem);
/// Of such a variant (its flushing done): whether it is more than other words for result=plus-zero, since a sum of partial
/// results may be flushed to -0.
bool is_own_arithmetic(const Candidate& variant, const Resolved& problem);

/// Operands with which every chain of the candidate's order leaves -0, if subnormals are flushed; and others with which one node
/// does, a dozen next to the root. None where the problem is no sum, or its operands no floats with a -0.
std::vector<std::vector<Tensor>> minus_zero_chains(const Candidate& candidate, const Resolved& problem);

}  // namespace bitpact
