// Orders that depend on the values.
#include <cmath>

#include "liars/chains.h"

namespace bitpact::liars {
namespace {

// Terms that are zero are left out, and the others close up: four lanes of what is left.
double skips_zeros(const Terms& x, const Place&) {
  std::vector<float> kept;
  for (std::int64_t i = 0; i < x.size(); ++i)
    if (x[i] != 0) kept.push_back(x[i]);
  return kept.empty() ? 0.0 : static_cast<double>(in_sequence(lanes({kept, {}}, 0, static_cast<std::int64_t>(kept.size()), 4)));
}

// The greatest first; of equal magnitudes the earlier one. NaNs stay behind.
double sorts(const Terms& x, const Place&) {
  std::vector<float> terms;
  for (std::int64_t i = 0; i < x.size(); ++i) terms.push_back(x[i]);
  const auto numbers = std::stable_partition(terms.begin(), terms.end(), [](float t) { return !std::isnan(t); });
  std::stable_sort(terms.begin(), numbers, [](float a, float b) { return std::fabs(a) > std::fabs(b); });
  return in_sequence(terms);
}

}  // namespace

std::vector<Liar> values() { return {{"skips-zeros", skips_zeros}, {"sorts-by-magnitude", sorts}}; }

}  // namespace bitpact::liars
