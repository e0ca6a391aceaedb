// Which program gives which outputs: one for all, or one a region.
#pragma once

#include <map>

#include "probe/elimination.h"

namespace bitpact {

/// Outputs that share a tree, as far as masks tell, and orders that give it; no orders where none was found.
struct OutputGroup {
  std::vector<std::int64_t> outputs;
  std::vector<Order> orders;
  bool tails = false;  ///< programs whose tail has bodies of its own, and no others; else only others
};

/// Outputs and the programs that gave all of them on everything asked.
struct FoundPart {
  std::vector<std::int64_t> outputs;
  std::vector<Candidate> fits;  ///< the first is the one to name; the others were not told from it
};

struct PartSearch {
  std::vector<FoundPart> parts;
  /// Where some outputs have none: those, and the candidate that came nearest on them.
  std::vector<std::int64_t> unexplained;
  std::optional<Candidate> nearest;
  std::int64_t nearest_different = 0;
  std::int64_t tried = 0;
};

/// Strikes out candidates on operands of all classes, splits a group where one candidate gives some of its outputs, always, and
/// another the rest; excludes values from the domain where nothing else fits. `say` gets a line a step; may be empty.
PartSearch search_parts(Asker& asker, const std::vector<OutputGroup>& groups, std::uint64_t seed,
                        const std::function<void(const std::string&)>& say);

}  // namespace bitpact
