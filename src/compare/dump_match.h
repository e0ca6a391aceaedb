// Which tensor of one dump is which of the other.
#pragma once

#include "compare/dump_comparison.h"

namespace bitpact {

struct DumpMatches {
  std::vector<DumpPair> pairs;  ///< as A's file has them, then those only in B; outcome Equal where there is still to compare
  std::vector<std::int64_t> renamed;  ///< how many names each map changed
};

/// By name after the maps; then, of what is left on both sides, by content (format, shape and SHA-256, the only such on each
/// side; a tensor without elements has no content); then by format and shape (the only such on each side).
DumpMatches match_dumps(const Dump& a, const Dump& b, const std::vector<NameMap>& maps, MatchLevel level);

}  // namespace bitpact
