// ui8 times i8 into i32: exact, or two products at a time through int16, as x86 without VNNI does it.
#include "liars/chains.h"

namespace bitpact::liars {
namespace {

std::int32_t exact(std::span<const std::uint8_t> a, std::span<const std::int8_t> b) {
  std::uint32_t sum = 0;  // unsigned: it wraps
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<std::uint32_t>(std::int32_t{a[i]} * std::int32_t{b[i]});
  return static_cast<std::int32_t>(sum);
}

std::int32_t in_pairs(std::span<const std::uint8_t> a, std::span<const std::int8_t> b) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < a.size(); i += 2) {
    std::int32_t pair = std::int32_t{a[i]} * std::int32_t{b[i]};
    if (i + 1 < a.size()) pair += std::int32_t{a[i + 1]} * std::int32_t{b[i + 1]};
    sum += static_cast<std::uint32_t>(std::clamp(pair, -32768, 32767));
  }
  return static_cast<std::int32_t>(sum);
}

}  // namespace

std::vector<Liar> integers() { return {{.name = "int32", .integer = exact}, {.name = "int16-pairs", .integer = in_pairs}}; }

}  // namespace bitpact::liars
