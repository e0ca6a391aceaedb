// In sequence, product rounded; subnormal operands of every operation, its results, or both, count as zeros of their sign. A
// result is flushed where it is tiny after rounding with unbounded exponent, as x86 does it.
#include <cmath>

#include "liars/chains.h"

namespace bitpact::liars {
namespace {

constexpr float kSmallestNormal = 0x1p-126F;

float flushed(float x) { return std::fabs(x) < kSmallestNormal ? std::copysign(0.0F, x) : x; }

// Far above the subnormals every result is rounded as if the exponent were unbounded.
bool tiny(double exact) { return std::fabs(static_cast<float>(exact * 0x1p64)) < kSmallestNormal * 0x1p64F; }

struct Flush {
  bool in, out;
  float operand(float x) const { return in ? flushed(x) : x; }
  float multiply(float a, float b) const {
    const double exact = static_cast<double>(operand(a)) * static_cast<double>(operand(b));
    const float product = static_cast<float>(exact);
    return out && std::fabs(exact) < 0x1p-100 && tiny(exact) ? std::copysign(0.0F, product) : product;
  }
  // A sum below the smallest normal number is exact.
  float add(float a, float b) const {
    const float sum = operand(a) + operand(b);
    return out ? flushed(sum) : sum;
  }
};

template <bool In, bool Out>
double sequential(const Terms& x, const Place&) {
  constexpr Flush f{In, Out};
  const auto term = [&](std::int64_t i) { return x.b.empty() ? x.left(i) : f.multiply(x.left(i), x.right(i)); };
  float sum = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) sum = f.add(sum, term(i));
  return sum;
}

}  // namespace

std::vector<Liar> flushes() {
  return {{"flush-inputs", sequential<true, false>},
          {"flush-outputs", sequential<false, true>},
          {"flush-both", sequential<true, true>}};
}

}  // namespace bitpact::liars
