// In sequence, in a narrower or wider accumulator, or with a result that is rounded more than once.
#include "liars/chains.h"
#include "number/arithmetic.h"

namespace bitpact::liars {
namespace {

double in_double(const Terms& x, const Place&) {
  double sum = static_cast<double>(x.left(0)) * static_cast<double>(x.right(0));
  for (std::int64_t i = 1; i < x.size(); ++i) sum = sum + static_cast<double>(x.left(i)) * static_cast<double>(x.right(i));
  return sum;
}

double in_bf16(const Terms& x, const Place&) {
  float sum = to_bf16(x[0]);
  for (std::int64_t i = 1; i < x.size(); ++i) sum = to_bf16(sum + to_bf16(x[i]));
  return sum;
}

float to_f16(float x) {
  const Bits half = convert({Format::F32, std::bit_cast<std::uint32_t>(x)}, Format::F16);
  return std::bit_cast<float>(static_cast<std::uint32_t>(convert({Format::F16, half}, Format::F32)));
}
double in_f16(const Terms& x, const Place&) {
  float sum = to_f16(x[0]);
  for (std::int64_t i = 1; i < x.size(); ++i) sum = to_f16(sum + to_f16(x[i]));
  return sum;
}

// For a bf16 result: 24 bits, then 11, then 8.
double rounded_twice(const Terms& x, const Place&) { return to_tf32(chain(x, 0, x.size())); }

// Two halves of the terms, each rounded to bf16 before they are added, and the sum rounded again.
double halves_in_bf16(const Terms& x, const Place&) {
  const std::int64_t half = (x.size() + 1) / 2;
  const float first = to_bf16(chain(x, 0, half));
  return half == x.size() ? first : to_bf16(first + to_bf16(chain(x, half, x.size())));
}

}  // namespace

std::vector<Liar> accumulators() {
  return {{"double-accumulator", in_double},
          {"bf16-accumulator", in_bf16},
          {"f16-accumulator", in_f16},
          {"rounded-twice", rounded_twice},
          {"halves-in-bf16", halves_in_bf16}};
}

}  // namespace bitpact::liars
