// Runs a numeric program, bit for bit.
#pragma once

#include <span>
#include <vector>

#include "contract/contract.h"

namespace bitpact {

/// Which instructions of the processor the native kernels are compiled for. All give the same bits.
enum class Simd : std::uint8_t {
  Auto,      ///< the widest that this processor has
  Baseline,  ///< what every processor of the architecture has
  V3,        ///< x86-64-v3: AVX2, FMA
  V4,        ///< x86-64-v4: AVX-512
};
/// Whether this processor can run them.
bool supported(Simd simd);

struct InterpretOptions {
  int threads = 0;         ///< 0: as many as there are processors
  bool watch = false;      ///< also report which exclusions occurred, output by output
  int lanes = 0;           ///< outputs computed side by side; 0: tuned. No bit depends on it
  Simd simd = Simd::Auto;  ///< refuses `internal` where it is not supported. No bit depends on it
};

/// Bit e of an entry is set where Exclusion(e) occurred while that output (or anything it depends on) was computed.
///   SubnormalInput         an element read of an Input is subnormal
///   SubnormalIntermediate  an instruction of any body, a start value or a value outside of an index gave a subnormal that is not
///   itself the program's result SubnormalResult        the program's result is subnormal OverflowIntermediate   an instruction
///   that rounds gave an infinity (as the result or before), all its float operands finite
using Occurrences = std::vector<std::uint8_t>;

struct Interpreted {
  std::vector<Tensor> results;           ///< one a program result
  std::vector<Occurrences> occurrences;  ///< one a program result, row-major, where watched; else empty
};

/// `inputs`: one tensor an Input node, in their order, in the bound axes' order. Refuses `operand-mismatch` where shape or format
/// differ. NaN results are the quiet NaN of their format. Bits do not depend on `threads`, nor on the modes that the calling
/// thread has set for its floating-point unit.
Interpreted interpret(const BoundProgram& program, std::span<const Tensor> inputs, const InterpretOptions& options = {});

/// Every output one by one with the exact engine: the slow oracle for `interpret`.
Interpreted interpret_slowly(const BoundProgram& program, std::span<const Tensor> inputs, bool watch = false);

}  // namespace bitpact
