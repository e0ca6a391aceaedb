// How a product enters the sum: fused, rounded to storage, of narrower operands, or as several products of parts.
#include <cmath>

#include "liars/chains.h"

namespace bitpact::liars {
namespace {

float fused_from(const Terms& x, float sum, std::int64_t begin, std::int64_t end, std::int64_t stride = 1) {
  for (std::int64_t i = begin; i < end; i += stride) sum = std::fma(x.left(i), x.right(i), sum);
  return sum;
}

double first_rounded(const Terms& x, const Place&) { return fused_from(x, x[0], 1, x.size()); }

// The first product is fused onto +0: another result than the product only where that is -0.
double from_zero(const Terms& x, const Place&) { return fused_from(x, 0.0F, 0, x.size()); }

double by_row(const Terms& x, const Place& place) {
  return place.row % 4 == 0 ? fused_from(x, x[0], 1, x.size()) : chain(x, 0, x.size());
}

double in_lanes(const Terms& x, const Place&) {
  std::vector<float> sums;
  for (std::int64_t j = 0; j < std::min<std::int64_t>(8, x.size()); ++j) sums.push_back(fused_from(x, x[j], j + 8, x.size(), 8));
  return by_neighbours(sums);
}

double rounded_to_bf16(const Terms& x, const Place&) {
  float sum = to_bf16(x[0]);
  for (std::int64_t i = 1; i < x.size(); ++i) sum = sum + to_bf16(x[i]);
  return sum;
}

// Eleven bits each: the products are exact in f32.
double of_tf32(const Terms& x, const Place&) {
  float sum = to_tf32(x.left(0)) * to_tf32(x.right(0));
  for (std::int64_t i = 1; i < x.size(); ++i) sum = sum + to_tf32(x.left(i)) * to_tf32(x.right(i));
  return sum;
}

// Each operand is a bf16 and a bf16 of what is left; the product of the two rests is given up. The small products first.
double of_split_bf16(const Terms& x, const Place&) {
  float sum = 0;
  const auto low = [](float value) { return to_bf16(value - to_bf16(value)); };
  for (std::int64_t i = 0; i < x.size(); ++i) sum = sum + low(x.left(i)) * to_bf16(x.right(i));
  for (std::int64_t i = 0; i < x.size(); ++i) sum = sum + to_bf16(x.left(i)) * low(x.right(i));
  for (std::int64_t i = 0; i < x.size(); ++i) sum = sum + to_bf16(x.left(i)) * to_bf16(x.right(i));
  return sum;
}

}  // namespace

std::vector<Liar> products() {
  return {{"fma-first-rounded", first_rounded, Carries::Products},
          {"fma-from-zero", from_zero, Carries::Products},
          {"fma-by-row", by_row, Carries::Products},
          {"fma-lanes-8", in_lanes, Carries::Products},
          {"product-in-bf16", rounded_to_bf16, Carries::Products},
          {"tf32-inputs", of_tf32, Carries::Products},
          {"split-bf16", of_split_bf16, Carries::Products}};
}

}  // namespace bitpact::liars
