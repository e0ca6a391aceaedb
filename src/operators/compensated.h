// Sums that carry their own error along. Each is a fold whose state has several components. Graphs only.
#pragma once

#include "operators/building.h"

namespace bitpact {

/// What partial sums are kept as, with the choice value's meaning in words; f32, for operands of up to 32 bits.
struct Compensation {
  std::string value;
  std::string meaning;
};
/// "f32/kahan", "f32/neumaier", "f32/kahan@64", "f32/kahan@4x4x4".
const std::vector<Compensation>& compensations();
bool is_compensation(const std::string& value);

/// Fills in step, merge, finish and start of a fold over one leaf value in f32. Refuses `bad-attribute` where the fold's order,
/// or the number of leaf values, does not go with it.
void compensate(Fold& fold, const std::string& value, Format result);

}  // namespace bitpact
