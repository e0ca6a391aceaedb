// Whether two runs gave the same bits and flags.
#pragma once

#include <gtest/gtest.h>

#include "interpret/interpret.h"

namespace bitpact::test {

inline ::testing::AssertionResult same_bits(const Tensor& a, const Tensor& b) {
  if (a.format() != b.format() || a.shape() != b.shape()) return ::testing::AssertionFailure() << "another shape or format";
  for (std::int64_t i = 0; i < a.size(); ++i)
    if (a.get(i) != b.get(i))
      return ::testing::AssertionFailure() << "element " << i << ": " << to_hex({a.format(), a.get(i)}) << " and "
                                           << to_hex({b.format(), b.get(i)}) << " (" << name(a.format()) << ")";
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult same(const Interpreted& a, const Interpreted& b) {
  if (a.results.size() != b.results.size()) return ::testing::AssertionFailure() << "another number of results";
  for (size_t r = 0; r < a.results.size(); ++r)
    if (auto bits = same_bits(a.results[r], b.results[r]); !bits) return bits << " of result " << r;
  if (a.occurrences.size() != b.occurrences.size()) return ::testing::AssertionFailure() << "one is watched";
  for (size_t r = 0; r < a.occurrences.size(); ++r)
    for (size_t i = 0; i < a.occurrences[r].size(); ++i)
      if (a.occurrences[r][i] != b.occurrences[r][i])
        return ::testing::AssertionFailure() << "flags of element " << i << " of result " << r << ": " << int{a.occurrences[r][i]}
                                             << " and " << int{b.occurrences[r][i]};
  return ::testing::AssertionSuccess();
}

/// The ones this processor can run, without Auto.
inline std::vector<Simd> every_simd() {
  std::vector<Simd> all;
  for (Simd simd : {Simd::Baseline, Simd::V3, Simd::V4})
    if (supported(simd)) all.push_back(simd);
  return all;
}

}  // namespace bitpact::test
