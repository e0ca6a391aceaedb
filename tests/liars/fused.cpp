// Matrix units: 2, 4, 8 or 16 products and the accumulator are aligned, cut to 24 bits after the greatest one's first, added, and
// the sum is cut to f32. The accumulator starts from +0; the last group may be shorter.
#include "liars/chains.h"
#include "number/fused_sum.h"

namespace bitpact::liars {
namespace {

Scalar scalar(float x) { return {Format::F32, std::bit_cast<std::uint32_t>(x)}; }

template <int Width>
double multi_term(const Terms& x, const Place&) {
  const FusedSumRule rule{.fraction_bits = 24, .policy = {.rounding = Rounding::TowardZero}};
  float sum = 0;
  std::vector<Product> group;
  for (std::int64_t begin = 0; begin < x.size(); begin += Width) {
    group.clear();
    for (std::int64_t i = begin; i < std::min(begin + Width, x.size()); ++i)
      group.push_back({scalar(x.left(i)), scalar(x.right(i))});
    const Scalar accumulator = scalar(sum);
    sum = std::bit_cast<float>(static_cast<std::uint32_t>(fused_sum(group, {&accumulator, 1}, rule)));
  }
  return sum;
}

}  // namespace

std::vector<Liar> fused() {
  return {{"fused-2", multi_term<2>}, {"fused-4", multi_term<4>}, {"fused-8", multi_term<8>}, {"fused-16", multi_term<16>}};
}

}  // namespace bitpact::liars
