// What the kernels are made of: chains of additions, and ways to join partial sums.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "liars/kernel.h"

namespace bitpact::liars {

/// Terms begin, begin + stride, ... below end, one addition each; the first one is where it starts. At least one term.
inline float chain(const Terms& x, std::int64_t begin, std::int64_t end, std::int64_t stride = 1) {
  float sum = x[begin];
  for (std::int64_t i = begin + stride; i < end; i += stride) sum = sum + x[i];
  return sum;
}

/// Lane j adds up terms begin + j, begin + j + width, ...; no more lanes than terms.
inline std::vector<float> lanes(const Terms& x, std::int64_t begin, std::int64_t end, std::int64_t width) {
  std::vector<float> sums;
  for (std::int64_t j = 0; j < std::min(width, end - begin); ++j) sums.push_back(chain(x, begin + j, end, width));
  return sums;
}

inline float in_sequence(const std::vector<float>& parts) {
  float sum = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) sum = sum + parts[i];
  return sum;
}

/// ((0 1) (2 3)) ((4 5) (6 7)): the two halves, each joined likewise.
inline float by_neighbours(std::span<const float> parts) {
  if (parts.size() == 1) return parts[0];
  const std::size_t half = parts.size() / 2;
  return by_neighbours(parts.first(half)) + by_neighbours(parts.subspan(half));
}

/// ((0 4) (2 6)) ((1 5) (3 7)): the upper half is added onto the lower one, until one is left. A power of two of them.
inline float by_halves(std::vector<float> parts) {
  for (std::size_t half = parts.size() / 2; half > 0; half /= 2)
    for (std::size_t j = 0; j < half; ++j) parts[j] = parts[j] + parts[j + half];
  return parts[0];
}

/// The nearest bf16, ties to even; infinities and NaNs stay what they are.
inline float to_bf16(float x) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7f800000U) == 0x7f800000U) return x;
  bits += 0x7fffU + ((bits >> 16) & 1U);
  return std::bit_cast<float>(bits & 0xffff0000U);
}

/// The nearest tf32 (ten bits after the point), ties to even.
inline float to_tf32(float x) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7f800000U) == 0x7f800000U) return x;
  bits += 0xfffU + ((bits >> 13) & 1U);
  return std::bit_cast<float>(bits & 0xffffe000U);
}

}  // namespace bitpact::liars
