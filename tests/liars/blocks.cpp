// Blocks of terms, each in sequence, and the blocks in sequence.
#include "liars/chains.h"

namespace bitpact::liars {
namespace {

float in_blocks(const Terms& x, std::int64_t first, std::int64_t block) {
  float sum = chain(x, 0, std::min(first, x.size()));
  for (std::int64_t begin = first; begin < x.size(); begin += block)
    sum = sum + chain(x, begin, std::min(begin + block, x.size()));
  return sum;
}

template <int Block>
double blocked(const Terms& x, const Place&) {
  return in_blocks(x, Block, Block);
}

double first_short(const Terms& x, const Place&) {
  const std::int64_t odd = x.size() % 32;
  return in_blocks(x, odd == 0 ? 32 : odd, 32);
}

double by_columns(const Terms& x, const Place& place) {
  const std::int64_t block = place.columns <= 32 ? 64 : 32;
  return in_blocks(x, block, block);
}

// Blocks of 64; what is left of more than one and less than two blocks is cut into two even ones.
double evened(const Terms& x, const Place&) {
  constexpr std::int64_t kBlock = 64;
  float sum = 0;
  for (std::int64_t begin = 0; begin < x.size();) {
    const std::int64_t left = x.size() - begin;
    const std::int64_t block = left >= 2 * kBlock ? kBlock : left > kBlock ? (left + 1) / 2 : left;
    const float part = chain(x, begin, begin + block);
    sum = begin == 0 ? part : sum + part;
    begin += block;
  }
  return sum;
}

}  // namespace

std::vector<Liar> blocks() {
  return {{"blocked-32", blocked<32>},
          {"blocked-100", blocked<100>},
          {"first-block-short", first_short},
          {"blocks-by-columns", by_columns, Carries::Products},
          {"blocks-evened", evened}};
}

}  // namespace bitpact::liars
