#include "backends/traits/order_probe.h"

#include <algorithm>
#include <cstring>

namespace bitpact::traits {

Pairs all_pairs(std::int64_t n) {
  Pairs pairs;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = i + 1; j < n; ++j) pairs.emplace_back(i, j);
  return pairs;
}

Pairs from_the_first(std::int64_t n, std::int64_t count) {
  Pairs pairs;
  const std::int64_t near = std::min<std::int64_t>({n - 1, count, 64});
  for (std::int64_t j = 1; j <= near; ++j) pairs.emplace_back(0, j);
  for (std::int64_t k = 1; k <= count - near; ++k) pairs.emplace_back(0, near + k * (n - 1 - near) / (count - near));
  return pairs;
}

MaskValues mask_values(Format format) {
  // f16 reaches from 2^-24 to 2^15: that swamps an f32 accumulator, and nothing wider.
  if (format == Format::F16) return {format, convert({Format::F32, 0x4700'0000}, format), smallest_subnormal(format)};
  const Bits mask = convert({Format::F32, Bits{127 + 100} << 23}, format);  // 2^100
  return {format, mask, one(format)};
}

std::vector<std::int64_t> ones_through(const Order& order, std::int64_t n, const Pairs& pairs) {
  struct Sum {
    int masks = 0;  // +1, -1 or, where both or neither are in it, 0
    std::int64_t ones = 0;
  };
  std::vector<std::int64_t> through;
  for (const auto& [plus, minus] : pairs) {
    const std::function<Sum(std::int64_t)> leaf = [p = plus, m = minus](std::int64_t i) {
      return i == p ? Sum{1, 0} : i == m ? Sum{-1, 0} : Sum{0, 1};
    };
    const std::function<Sum(const Sum&, const Sum&)> join = [](const Sum& a, const Sum& b) {
      const bool masked = a.masks != 0 || b.masks != 0;
      return Sum{a.masks + b.masks, masked ? 0 : a.ones + b.ones};
    };
    through.push_back(run_schedule(order, n, leaf, join).ones);
  }
  return through;
}

const std::vector<Order>& named_orders() {
  static const std::vector<Order> orders = [] {
    std::vector<Order> list{Order::sequential(), Order::backwards(), Order::pairwise(1), Order::pairwise(8), Order::pairwise(8, 8)};
    for (const std::int64_t width : {2, 4, 8, 16, 32}) {
      list.push_back(Order::interleaved(width));
      list.push_back(Order::interleaved(width, Order::pairwise(1)));
      // Lanes joined with those half their number away, and so on.
      Order halves = Order::sequential();
      for (std::int64_t w = 2; w < width; w *= 2) halves = Order::interleaved(w, halves);
      list.push_back(Order::interleaved(width, halves));
    }
    for (const std::int64_t block : {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}) list.push_back(Order::blocked(block));
    return list;
  }();
  return orders;
}

std::vector<Word> order_words(std::int64_t n, const Pairs& pairs,
                              const std::function<std::vector<Tensor>(const std::vector<std::int64_t>&)>& results_of) {
  std::vector<Word> words;
  std::vector<std::vector<std::int64_t>> seen;
  for (const Order& order : named_orders()) {
    std::vector<std::int64_t> through = ones_through(order, n, pairs);
    if (std::find(seen.begin(), seen.end(), through) != seen.end()) continue;
    words.push_back({to_text(order), order == Order::sequential() ? "in order" : "", results_of(through)});
    seen.push_back(std::move(through));
  }
  return words;
}

}  // namespace bitpact::traits
