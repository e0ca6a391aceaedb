// Where operands lie in memory: `align=N` of a problem line. Every operator takes it, and no numeric program depends on it: it is
// a condition under which a backend is asked, since kernels of vectors may begin and end elsewhere where their operands do.
#pragma once

#include <string>

#include "operators/operator.h"

namespace bitpact {

inline constexpr const char* kAlign = "align";
/// Bytes. Unless a problem line says otherwise, every operand begins at a multiple of this.
inline constexpr int kWholeAlignment = 64;

/// The addresses of the problem's operands modulo kWholeAlignment, 64 standing for 0: kWholeAlignment unless the line has align=.
int alignment_of(const Problem& problem);

/// The values that `align` may have, ascending: powers of two from the size of the operands' widest element to 32, and 64.
std::vector<int> alignments_of(const Problem& problem);

/// The canonical spelling of the attribute's value. Refuses `bad-attribute` for one that is none of alignments_of.
std::string checked_alignment(const Problem& problem, const std::string& value);

}  // namespace bitpact
