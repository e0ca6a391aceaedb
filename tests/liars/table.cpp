#include <algorithm>

#include "liars/kernel.h"

namespace bitpact::liars {

const std::vector<Liar>& table() {
  static const std::vector<Liar> all = [] {
    std::vector<Liar> list;
    for (const auto family : {orders, tails, blocks, fused, compensated, accumulators, products, matrices, flushes, positions,
                              values, elements, integers}) {
      const std::vector<Liar> some = family();
      list.insert(list.end(), some.begin(), some.end());
    }
    return list;
  }();
  return all;
}

const Liar* liar_named(std::string_view name) {
  const auto found = std::find_if(table().begin(), table().end(), [&](const Liar& liar) { return liar.name == name; });
  return found == table().end() ? nullptr : &*found;
}

}  // namespace bitpact::liars
