// Plain additions in f32, in one order or another. A lane order of fewer terms than lanes has a lane a term; joined by halves it
// is then in sequence.
#include "liars/chains.h"

namespace bitpact::liars {
namespace {

double sequential(const Terms& x, const Place&) { return chain(x, 0, x.size()); }

double reversed(const Terms& x, const Place&) {
  float sum = x[x.size() - 1];
  for (std::int64_t i = x.size() - 2; i >= 0; --i) sum = sum + x[i];
  return sum;
}

float halved(const Terms& x, std::int64_t begin, std::int64_t end, std::int64_t cutoff) {
  if (end - begin <= cutoff) return chain(x, begin, end);
  const std::int64_t middle = begin + (end - begin) / 2;
  return halved(x, begin, middle, cutoff) + halved(x, middle, end, cutoff);
}
template <int Cutoff>
double pairwise(const Terms& x, const Place&) {
  return halved(x, 0, x.size(), Cutoff);
}

template <int Width>
double joined_in_sequence(const Terms& x, const Place&) {
  return in_sequence(lanes(x, 0, x.size(), Width));
}
template <int Width>
double joined_by_neighbours(const Terms& x, const Place&) {
  return by_neighbours(lanes(x, 0, x.size(), Width));
}
template <int Width>
double joined_by_halves(const Terms& x, const Place&) {
  return x.size() < Width ? chain(x, 0, x.size()) : by_halves(lanes(x, 0, x.size(), Width));
}

}  // namespace

std::vector<Liar> orders() {
  return {
      {"sequential", sequential},
      {"reversed", reversed},
      {"pairwise-1", pairwise<1>},
      {"pairwise-8", pairwise<8>},
      {"pairwise-128", pairwise<128>},
      {"lanes-2", joined_in_sequence<2>},
      {"lanes-4-sequence", joined_in_sequence<4>},
      {"lanes-4-neighbours", joined_by_neighbours<4>},
      {"lanes-4-halves", joined_by_halves<4>},
      {"lanes-8-sequence", joined_in_sequence<8>},
      {"lanes-8-neighbours", joined_by_neighbours<8>},
      {"lanes-8-halves", joined_by_halves<8>},
      {"lanes-16-sequence", joined_in_sequence<16>},
      {"lanes-16-neighbours", joined_by_neighbours<16>},
      {"lanes-16-halves", joined_by_halves<16>},
      {"lanes-32-sequence", joined_in_sequence<32>},
      {"lanes-32-neighbours", joined_by_neighbours<32>},
      {"lanes-32-halves", joined_by_halves<32>},
  };
}

}  // namespace bitpact::liars
