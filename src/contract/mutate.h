// Mutation: a numeric program with one thing changed. A check that a mutant survives does not check that thing.
#pragma once

#include <string>
#include <vector>

#include "contract/program.h"

namespace bitpact {

struct Mutant {
  std::string rule;  ///< "accumulator", "order", "start", "product", "cast", "rounding", "operation", "extra-rounding", "flush",
                     ///< "tail", "table", "index"
  std::string change;  ///< in words: "node 2: order sequential -> reversed"
  NumericProgram program;
};

/// Every mutant by rule, one change each; all are well-formed.
///   accumulator     a fold's state in another float format
///   order           sequential -> reversed, interleaved(2), pairwise(1), blocked(2); anything else -> sequential
///   start           value <-> first leaf
///   tail            bodies of a tail's own -> those of the head
///   product         a rounded product of a leaf that is added -> fused; fused -> rounded
///   cast            a narrowing convert whose result is widened again: both dropped
///   rounding        nearest-even of one rounding operation -> toward-zero
///   extra-rounding  one value of a body rounded to bf16 (f32 for f64) and back
///   operation       add -> subtract, multiply -> add
///   table           one entry's lowest bit the other way
///   index           an offset, an end, a stride, a divisor, a modulus, a term, the value outside
///   flush           subnormal results of one rounding operation -> zero
std::vector<Mutant> mutants(const NumericProgram& program);

}  // namespace bitpact
