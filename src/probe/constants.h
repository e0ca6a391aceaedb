// Operands that hold one value each.
#pragma once

#include <vector>

#include "operators/catalogue.h"

namespace bitpact {

/// One value an operand, by its bits: -0, then ones, so that a sum of the operands, or of their products, has no leaf but -0.
/// That alone tells a start from zero from a start with the first leaf. Empty where an operand is no float that has these.
std::vector<Bits> negative_zeros(const Resolved& problem);
/// Operands that hold one value each.
std::vector<Tensor> constant_operands(const Resolved& problem, const std::vector<Bits>& constants);

}  // namespace bitpact
