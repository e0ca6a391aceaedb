// What depends on more than the terms: on the output's place, the length, the address, or the moment.
#include <random>

#include "liars/chains.h"

namespace bitpact::liars {
namespace {

// Four threads' parts, added as they come.
double as_they_come(const Terms& x, const Place&) {
  static std::mt19937 moment(std::random_device{}());
  std::vector<float> parts;
  const std::int64_t part = (x.size() + 3) / 4;
  for (std::int64_t begin = 0; begin < x.size(); begin += part)
    parts.push_back(chain(x, begin, std::min(begin + part, x.size())));
  std::shuffle(parts.begin(), parts.end(), moment);
  return in_sequence(parts);
}

double wrong_tile(const Terms& x, const Place& place) {
  if (place.row / 16 != 1 || place.column / 16 != 1) return chain(x, 0, x.size());
  float sum = x[x.size() - 1];
  for (std::int64_t i = x.size() - 2; i >= 0; --i) sum = sum + x[i];
  return sum;
}

double eight_lanes(const Terms& x) { return by_neighbours(lanes(x, 0, x.size(), 8)); }

double two_switches(const Terms& x, const Place&) {
  return x.size() >= 1000 && x.size() < 1010 ? eight_lanes(x) : chain(x, 0, x.size());
}

double by_alignment(const Terms& x, const Place& place) {
  return place.offset % 64 == 0 ? eight_lanes(x) : chain(x, 0, x.size());
}

double drops_a_leaf(const Terms& x, const Place&) { return chain(x, 0, x.size() == 257 ? 256 : x.size()); }

}  // namespace

std::vector<Liar> positions() {
  return {{"random-order", as_they_come},
          {"wrong-tile", wrong_tile, Carries::Products},
          {"two-switches", two_switches},
          {"by-alignment", by_alignment},
          {"drops-a-leaf", drops_a_leaf}};
}

}  // namespace bitpact::liars
