// Runs a numeric program, bit for bit.
#pragma once

#include <span>
#include <vector>

#include "contract/contract.h"

namespace bitpact {

struct InterpretOptions {
  int threads = 0;     ///< 0: as many as there are processors
  bool watch = false;  ///< also report which exclusions occurred, output by output
};

/// Bit e of an entry is set where Exclusion(e) occurred while that output (or anything it depends on) was computed.
using Occurrences = std::vector<std::uint8_t>;

struct Interpreted {
  std::vector<Tensor> results;           ///< one a program result
  std::vector<Occurrences> occurrences;  ///< one a program result, row-major, where watched; else empty
};

/// `inputs`: one tensor an Input node, in their order, in the bound axes' order. Refuses `operand-mismatch` where shape or format
/// differ. NaN results are the quiet NaN of their format. Bits do not depend on `threads`.
Interpreted interpret(const BoundProgram& program, std::span<const Tensor> inputs, const InterpretOptions& options = {});

/// Every output one by one with the exact engine: the slow oracle for `interpret`.
Interpreted interpret_slowly(const BoundProgram& program, std::span<const Tensor> inputs, bool watch = false);

}  // namespace bitpact
