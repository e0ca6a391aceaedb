#include "probe/other_extent.h"

#include "diagnostic/diagnostic.h"

namespace bitpact {

std::optional<Resolved> with_extent(const Resolved& problem, const std::string& axis, std::int64_t extent) {
  Problem changed = problem.problem;
  for (size_t o = 0; o < changed.operands.size(); ++o)
    for (size_t d = 0; d < changed.operands[o].shape.size(); ++d)
      if (problem.binding.operands[o][d] == axis) changed.operands[o].shape[d] = extent;
  try {
    return resolve(changed);
  } catch (const Refused&) {
    return {};
  }
}

}  // namespace bitpact
