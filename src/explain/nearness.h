// Where no program of an operator gives the bits that were seen: which one comes nearest, and what that tells. Never a claim
// that the bits are the same.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "explain/replay.h"

namespace bitpact {

/// One program against outputs that it does not reproduce.
struct Nearness {
  Choices choices;
  std::int64_t compared = 0;
  std::int64_t near = 0;       ///< outputs at most kNearUlps away
  std::uint64_t greatest = 0;  ///< distance in ulps; UINT64_MAX where NaN meets a number
  double bits = 0;             ///< mean of log2(1 + ulps): what is lost of the significand
  /// The geometric mean of 1 + ulps, less 1.
  double typical() const;
};
inline constexpr std::uint64_t kNearUlps = 2;

/// What the distances say about one choice point.
struct NearestValue {
  std::string point, value;
  Nearness next;  ///< the nearest program with another value; only told from it by far
  std::string next_value;
};

struct Nearest {
  Nearness program;                   ///< the nearest of all
  std::vector<NearestValue> decided;  ///< choice points where every other value is further away by far
};

/// Empty where no program agrees with the outputs in at least half of their significand. Tries every hypothesis on a window of
/// outputs around `index`.
std::optional<Nearest> find_nearest(const Resolved& problem, const std::vector<Tensor>& operands, const Tensor& outputs,
                                    const std::vector<std::int64_t>& index);

/// "formula=erf, intermediates=f32: within 2 ulps on all 4096 outputs"; "within 2 ulps on 4000 of 4096 outputs, at most 31".
std::string to_text(const Nearness& nearness);

}  // namespace bitpact
