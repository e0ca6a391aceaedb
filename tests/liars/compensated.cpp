// Sums that carry their own error along (Kahan 1965, Neumaier 1974).
#include <cmath>

#include "liars/chains.h"

namespace bitpact::liars {
namespace {

struct Kahan {
  float sum = 0, lost = 0;
  void add(float term) {
    const float wanted = term - lost;
    const float next = sum + wanted;
    lost = (next - sum) - wanted;
    sum = next;
  }
};

double kahan(const Terms& x, const Place&) {
  Kahan state;
  for (std::int64_t i = 0; i < x.size(); ++i) state.add(x[i]);
  return state.sum;
}

double neumaier(const Terms& x, const Place&) {
  float sum = 0, lost = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const float term = x[i];
    const float next = sum + term;
    lost = lost + (std::fabs(sum) >= std::fabs(term) ? (sum - next) + term : (term - next) + sum);
    sum = next;
  }
  return sum + lost;
}

double kahan_across_blocks(const Terms& x, const Place&) {
  Kahan state;
  for (std::int64_t begin = 0; begin < x.size(); begin += 64) state.add(chain(x, begin, std::min(begin + 64, x.size())));
  return state.sum;
}

}  // namespace

std::vector<Liar> compensated() {
  return {{"kahan", kahan}, {"neumaier", neumaier}, {"kahan-across-blocks", kahan_across_blocks}};
}

}  // namespace bitpact::liars
