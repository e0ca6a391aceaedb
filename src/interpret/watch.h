// Which exclusions occur while outputs are computed.
#pragma once

#include <vector>

#include "interpret/kernels.h"

namespace bitpact {

constexpr std::uint8_t flag_of(Exclusion exclusion) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(exclusion)); }

/// What is known of one run of lanes so far. Subnormal intermediates are counted (up to 2), since one of them may turn out to be
/// the program's result itself.
struct LaneWatch {
  std::vector<std::uint8_t> flags;       ///< one a lane
  std::vector<std::uint8_t> subnormals;  ///< one a lane

  void reset(std::int64_t lanes);
  /// After a kernel ran. `single`: it ran on one lane for all.
  void observe(const Instruction& instruction, const KernelCall& call, bool single);
  /// A value that every lane has.
  void observe_value(Format format, Bits bits);
};

bool is_subnormal(Format format, Bits bits);
/// What counts as subnormal among computed values: those, and the smallest normal magnitude, which may have been rounded up from
/// below. A target that computes a 16-bit operation in f32 and flushes there sees the value before that rounding.
bool is_tiny(Format format, Bits bits);
/// A rounding instruction gave a zero though its exact result is not one: counts as a subnormal, which the value is before it is
/// rounded.
bool underflowed(const Instruction& instruction, std::span<const Scalar> operands, Bits result);
/// A rounding instruction gave an infinity (where the format has none: the NaN that stands for it) though no float operand is
/// infinite or NaN.
bool overflowed(const Instruction& instruction, std::span<const Scalar> operands, Bits result);

/// What an output has in the end. `carried`: what those get that read it.
struct OutputFlags {
  std::uint8_t result = 0, carried = 0;
};
/// `made`: the result is an instruction's (or a start value), not an operand's element handed on.
OutputFlags output_flags(std::uint8_t flags, int subnormals, bool made, Format format, Bits result);

}  // namespace bitpact
