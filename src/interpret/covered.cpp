#include "interpret/covered.h"

#include <cstring>

namespace bitpact {

std::uint8_t excluded_bits(const Domain& domain) {
  std::uint8_t bits = 0;
  for (const Exclusion e : domain.excludes) bits |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(e));
  return bits;
}

std::vector<std::uint8_t> inside(const Interpreted& interpreted, const Domain& domain) {
  const std::uint8_t excluded = excluded_bits(domain);
  std::vector<std::uint8_t> keep;
  keep.reserve(interpreted.occurrences[0].size());
  for (const std::uint8_t seen : interpreted.occurrences[0]) keep.push_back((seen & excluded) == 0 ? 1 : 0);
  return keep;
}

void copy_where(const std::vector<std::uint8_t>& mask, const Tensor& from, Tensor& to) {
  const auto bytes = static_cast<size_t>(info(from.format()).storage_bytes);
  std::byte* out = to.mutable_bytes();
  for (size_t i = 0; i < mask.size(); ++i)
    if (mask[i] != 0) std::memcpy(out + i * bytes, from.bytes() + i * bytes, bytes);
}

Interpreted interpret(const Covered& covered, std::span<const Tensor> inputs, const InterpretOptions& options) {
  Interpreted whole = interpret(covered.program, inputs, options);
  for (size_t p = 1; p < covered.parts.size(); ++p) {
    const CoveredPart& part = covered.parts[p];
    const Interpreted one = interpret(part.program, inputs, options);
    copy_where(part.mask, one.results[0], whole.results[0]);
    if (!options.watch) continue;
    for (size_t i = 0; i < part.mask.size(); ++i)
      if (part.mask[i] != 0) whole.occurrences[0][i] = one.occurrences[0][i];
  }
  return whole;
}

}  // namespace bitpact
