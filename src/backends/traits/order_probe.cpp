#include "backends/traits/order_probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

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
    const auto leaf = [p = plus, m = minus](std::int64_t i) { return i == p ? Sum{1, 0} : i == m ? Sum{-1, 0} : Sum{0, 1}; };
    const auto join = [](const Sum& a, const Sum& b) {
      const bool masked = a.masks != 0 || b.masks != 0;
      return Sum{a.masks + b.masks, masked ? 0 : a.ones + b.ones};
    };
    through.push_back(run_schedule<Sum>(order, n, leaf, join).ones);
  }
  return through;
}

const std::vector<NamedOrder>& named_orders() {
  static const std::vector<NamedOrder> orders = [] {
    std::vector<NamedOrder> list{
        {"sequential", "in order", Order::sequential()},
        {"reversed", "from the last to the first", Order::backwards()},
        {"pairwise(1)", "halves, down to single terms", Order::pairwise(1)},
        {"pairwise(8)", "halves, down to 8 terms in order", Order::pairwise(8)},
        {"pairwise(8, 8)", "halves of a multiple of 8 terms, down to 8 in order", Order::pairwise(8, 8)}};
    for (const std::int64_t width : {2, 4, 8, 16, 32, 64}) {
      const auto add = [&](const char* how, const char* words, Order outer) {
        list.push_back({fmt::format("interleaved({}), {}", width, how), fmt::format("{} lanes, joined {}", width, words),
                        Order::interleaved(width, std::move(outer))});
      };
      add("in order", "in order", Order::sequential());
      add("neighbours", "neighbour with neighbour", Order::pairwise(1));
      Order halves = Order::sequential();
      for (std::int64_t w = 2; w < width; w *= 2) halves = Order::interleaved(w, halves);
      add("halves", "each with the one half their number away", halves);
    }
    for (const std::int64_t block : {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024})
      list.push_back({fmt::format("blocked({})", block), fmt::format("blocks of {}, each in order, joined in order", block),
                      Order::blocked(block)});
    return list;
  }();
  return orders;
}

namespace {

struct Tree {
  const NamedOrder* named;
  std::vector<std::int64_t> through;
};

// The orders that give trees of their own for these pairs. Several questions ask the same.
const std::vector<Tree>& distinct_trees(std::int64_t n, const Pairs& pairs) {
  static std::map<std::pair<std::int64_t, Pairs>, std::vector<Tree>> known;
  const auto [at, fresh] = known.try_emplace({n, pairs});
  if (!fresh) return at->second;
  for (const NamedOrder& named : named_orders()) {
    Tree tree{&named, ones_through(named.order, n, pairs)};
    if (std::none_of(at->second.begin(), at->second.end(), [&](const Tree& t) { return t.through == tree.through; }))
      at->second.push_back(std::move(tree));
  }
  return at->second;
}

}  // namespace

std::vector<Word> order_words(std::int64_t n, const Pairs& pairs,
                              const std::function<std::vector<Tensor>(const std::vector<std::int64_t>&)>& results_of) {
  std::vector<Word> words;
  for (const Tree& tree : distinct_trees(n, pairs))
    words.push_back({tree.named->word, tree.named->sentence, results_of(tree.through)});
  return words;
}

std::optional<std::int64_t> whole_number(Scalar x) {
  const auto n = static_cast<std::int64_t>(convert(x, Format::I64, {.rounding = Rounding::TowardZero}));
  if (n < 0 || n > (1 << 20) || !equal({x.format, convert({Format::I64, static_cast<Bits>(n)}, x.format)}, x)) return {};
  return n;
}

Judged judge_order(const Question& question, std::span<const Tensor> results, std::int64_t n, const Pairs& pairs,
                   const std::function<std::optional<std::int64_t>(std::int64_t)>& through) {
  Question plain = question;
  plain.judge = nullptr;
  const Judged judged = judge(plain, results);
  if (judged.answer != kUnknown) return judged;
  // Size of a group -> the first leaf that it joins with leaf 0.
  std::map<std::int64_t, std::int64_t> groups;
  for (size_t p = 0; p < pairs.size(); ++p) {
    if (pairs[p].first != 0) continue;
    const std::optional<std::int64_t> ones = through(static_cast<std::int64_t>(p));
    if (!ones || *ones < 0 || *ones > n - 2) return judged;
    groups.emplace(n - *ones, pairs[p].second);
  }
  constexpr size_t kMost = 6;
  std::vector<std::string> texts;
  for (const auto& [size, leaf] : groups) {
    if (texts.size() == kMost) {
      texts.push_back(fmt::format("{} more", groups.size() - kMost));
      break;
    }
    texts.push_back(fmt::format("{} (with leaf {})", size, leaf));
  }
  return {std::string(kUnknown), fmt::format("of {} leaves, the first is joined in groups of {}", n, fmt::join(texts, ", "))};
}

}  // namespace bitpact::traits
