// Eight lanes joined by neighbours, over as many terms as fill them; what becomes of the rest. Fewer than eight terms are added
// in sequence, but by `tail-masked`.
#include "liars/chains.h"

namespace bitpact::liars {
namespace {

constexpr std::int64_t kWidth = 8;

std::int64_t body(const Terms& x) { return x.size() - x.size() % kWidth; }
float body_sum(const Terms& x) { return by_neighbours(lanes(x, 0, body(x), kWidth)); }

double appended(const Terms& x, const Place&) {
  if (body(x) == 0) return chain(x, 0, x.size());
  float sum = body_sum(x);
  for (std::int64_t i = body(x); i < x.size(); ++i) sum = sum + x[i];
  return sum;
}

double own_chain(const Terms& x, const Place&) {
  if (body(x) == 0) return chain(x, 0, x.size());
  const float sum = body_sum(x);
  return body(x) == x.size() ? sum : sum + chain(x, body(x), x.size());
}

// The last vector is filled up with +0, and every lane adds its own: an order of the terms, but for a lane of -0.
double masked(const Terms& x, const Place&) {
  std::vector<float> sums;
  for (std::int64_t j = 0; j < kWidth; ++j) sums.push_back(j < x.size() ? x[j] : 0.0F);
  for (std::int64_t first = kWidth; first < x.size(); first += kWidth)
    for (std::int64_t j = 0; j < kWidth; ++j) {
      float& lane = sums[static_cast<std::size_t>(j)];
      lane = lane + (first + j < x.size() ? x[first + j] : 0.0F);
    }
  return by_neighbours(sums);
}

// The last terms are added in double and rounded once, together with the body: NumPy's dot does that.
constexpr std::int64_t kDoubleTail = 32;
double in_double(const Terms& x, const Place&) {
  const std::int64_t end = x.size() - x.size() % kDoubleTail;
  double tail = 0;
  for (std::int64_t i = end; i < x.size(); ++i) tail = tail + static_cast<double>(x.left(i)) * static_cast<double>(x.right(i));
  if (end == 0) return static_cast<float>(tail);
  const float sum = chain(x, 0, end);
  return end == x.size() ? sum : static_cast<float>(static_cast<double>(sum) + tail);
}

}  // namespace

std::vector<Liar> tails() {
  return {{"tail-appended", appended}, {"tail-own-chain", own_chain}, {"tail-masked", masked}, {"tail-in-double", in_double}};
}

}  // namespace bitpact::liars
