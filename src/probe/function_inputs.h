// Which arguments a function is asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "number/format.h"

namespace bitpact {

inline constexpr int kMostBitsInFull = 20;  ///< formats of up to so many bits are asked in full
inline constexpr const char* kFunctionSample = "bitpact-function-sample/1";

/// In ascending order of their bits, each once. All bit patterns where the format has at most kMostBitsInFull bits; of f32 the
/// sample that docs/functions.md describes. Refuses `probe-unsupported` for any other format.
std::vector<Bits> function_inputs(Format format);
/// Whether function_inputs gives all there are.
bool asked_in_full(Format format);

}  // namespace bitpact
