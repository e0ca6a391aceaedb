// The rules of the normal form for an Index (docs/normal-form.md: NF11).
#pragma once

#include <optional>

#include "contract/program.h"

namespace bitpact {

/// Multiples and terms in one order, terms that are one merged, coordinates that take their axis as it is left out; without any
/// coordinate there is nothing outside. `index` is well formed.
Index canonical(Index index);

/// `outer` of `inner` as one Index of what `inner` reads, whose axes are `operand`; nothing where no such Index is known to give
/// the same elements at all extents that both can be bound to.
std::optional<Index> composed(const Index& outer, const Index& inner, const Axes& operand);

}  // namespace bitpact
