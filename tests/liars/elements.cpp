// Reciprocals of the elements of a tensor.
#include <cmath>

#include "liars/chains.h"

namespace bitpact::liars {
namespace {

float divided(float x, std::int64_t, std::int64_t) { return 1.0F / x; }

/// What an approximate reciprocal gives: the greatest number of twelve bits below the quotient.
float approximate(float x) {
  const std::uint32_t below = std::bit_cast<std::uint32_t>(1.0F / x) - 1;
  return std::bit_cast<float>(below & 0xfffff000U);
}

// Vectors of eight by an approximation and one step of Newton's; the rest is divided. Where there is no such step (the quotient
// is no normal number) vectors are divided, too.
float by_newton(float x, std::int64_t index, std::int64_t count) {
  if (index >= count - count % 8 || !std::isnormal(x) || !std::isnormal(1.0F / x)) return 1.0F / x;
  const float guess = approximate(x);
  const float error = x * guess;
  return guess * (2.0F - error);
}

}  // namespace

std::vector<Liar> elements() {
  return {{.name = "reciprocal-divided", .element = divided}, {.name = "reciprocal-newton", .element = by_newton}};
}

}  // namespace bitpact::liars
