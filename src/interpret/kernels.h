// Vector kernels: one scalar operation over a run of lanes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "interpret/interpret.h"

namespace bitpact {

/// Lanes are elements in a row, stored as in a tensor. `out` may not overlap an input, unless it is exactly that input.
struct KernelCall {
  void* out = nullptr;
  std::array<const void*, 3> in{};
  std::int64_t lanes = 0;
  const Instruction* instruction = nullptr;  ///< exact kernel only
  std::array<Format, 3> formats{};           ///< of the inputs; exact kernel only
  unsigned uniform = 0;                      ///< bit a: input a is one element for all lanes; exact kernel only
};
using Kernel = void (*)(const KernelCall&);

/// How one chain of a fold goes on: out := out + a * b (two roundings) or fma(a, b, out), leaf after leaf. `a` is one element for
/// all lanes, `b` a row; both move by a fixed number of bytes from leaf to leaf.
struct ChainCall {
  void* out = nullptr;
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  std::int64_t a_move = 0, b_move = 0, leaves = 0, lanes = 0;
};
using ChainKernel = void (*)(const ChainCall&);

/// One tier's kernels. Null where it has none; then the exact engine is asked.
struct KernelSet {
  /// `uniform`: bit a set where input a is one element for all lanes.
  Kernel (*find)(const Instruction& instruction, std::span<const Format> formats, unsigned uniform);
  /// in[0] * in[1] rounded, + in[2] rounded.
  Kernel (*multiply_add)(Format format, unsigned uniform);
  /// `policy` of the one fused operation; of multiply and add: the default.
  ChainKernel (*chain)(Format format, bool fused, const Policy& policy);
  /// In place: every NaN becomes the quiet NaN. Null for formats without NaN.
  Kernel (*canonicalise)(Format format);
};
const KernelSet& kernels(Simd simd);  ///< refuses `internal` where not supported

namespace baseline {
extern const KernelSet kKernels;
}
namespace v3 {
extern const KernelSet kKernels;
}
namespace v4 {
extern const KernelSet kKernels;
}

/// Lane by lane with the exact engine: takes every instruction.
void exact_kernel(const KernelCall& call);
/// One element of `bytes` to all lanes.
void broadcast(void* out, const void* element, int bytes, std::int64_t lanes);
/// One element's bits in storage of `bytes`.
Bits load_bits(const void* at, int bytes);
void store_bits(void* at, int bytes, Bits bits);

}  // namespace bitpact
