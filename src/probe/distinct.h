// Which of an operator's programs are one at a problem's own extents.
#pragma once

#include <vector>

#include "operators/catalogue.h"

namespace bitpact {

/// Without the hypotheses that add the same leaves in the same schedule as an earlier one, all else equal: of 16 leaves,
/// interleaved(16) and blocked(32) are sequential; where every chain is one leaf, as in
/// pairwise(1), what a further leaf would do does not count. Folds of more than 65536 leaves are left as they are.
std::vector<Hypothesis> distinct_at(std::vector<Hypothesis> hypotheses, const Binding& binding);

}  // namespace bitpact
