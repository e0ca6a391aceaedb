// The work of comparing many pairs of tensors, shared by threads.
#pragma once

#include <span>

#include "compare/dump_comparison.h"

namespace bitpact {

/// Compares the pairs whose outcome is still Equal and sets it. Large pairs are divided in ranges of fixed size, small ones taken
/// many at a time; a thread has one pair open at a time, which matters where a dump cannot map it. What is found does not depend
/// on `threads`. An exception of a reader is thrown again here.
void compare_pairs(const Dump& a, const Dump& b, std::span<DumpPair> pairs, int threads);

}  // namespace bitpact
