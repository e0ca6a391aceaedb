#include "probe/order_fit.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

namespace bitpact {
namespace {

using Orders = std::vector<Order>;

// w items with w - j/2 ..: each with the one half their number away.
Order halves(std::int64_t width) {
  Order order = Order::sequential();
  for (std::int64_t w = 2; w < width; w *= 2) order = Order::interleaved(w, order);
  return order;
}

// Ways to join w lanes: in order, neighbours, halves; lanes of several vectors: the vectors first, in order or by halves.
Orders joins(std::int64_t width) {
  Orders orders{Order::sequential(), Order::pairwise(1), halves(width), Order::backwards()};
  for (std::int64_t v = 2; v < width; v *= 2) {
    for (Order lanes : {Order::sequential(), Order::pairwise(1), halves(v)}) {
      orders.push_back(Order::interleaved(v, lanes));
      orders.push_back(Order::blocked(v, lanes, Order::sequential()));
      orders.push_back(Order::blocked(v, lanes, Order::pairwise(1)));
      // By halves down to v lanes.
      Order narrowed = Order::interleaved(v, lanes);
      for (std::int64_t w = 2 * v; w < width; w *= 2) narrowed = Order::interleaved(w, narrowed);
      orders.push_back(narrowed);
    }
  }
  return orders;
}

const Orders& lanes() {
  static const Orders orders = [] {
    Orders list;
    for (const std::int64_t width : {2, 4, 8, 16, 32, 64, 128, 256})
      for (Order& join : joins(width)) list.push_back(Order::interleaved(width, std::move(join)));
    return list;
  }();
  return orders;
}

// Lanes whose rows are whole, the rest behind them.
const Orders& tailed() {
  static const Orders orders = [] {
    Orders list;
    using Tail = Order::Tail;
    for (const Order& inner : lanes())
      for (const Tail tail : {Tail::Continued, Tail::Joined, Tail::Apart})
        list.push_back(Order::tailed(inner.width, inner, tail));
    return list;
  }();
  return orders;
}

const Orders& runs() {
  static const Orders orders = [] {
    Orders list{Order::sequential(), Order::backwards()};
    list.insert(list.end(), lanes().begin(), lanes().end());
    list.insert(list.end(), tailed().begin(), tailed().end());
    return list;
  }();
  return orders;
}

/// What of the tree can be read off without guessing a generator.
class Shape {
 public:
  explicit Shape(const SumTree& tree) : n_(tree.leaves) {
    const TreeKey key = key_of(tree);
    groups_.insert(key.begin(), key.end());
    // Intervals of leaves that are groups.
    std::vector<std::int64_t> low, high, count;
    for (std::int64_t l = 0; l < n_; ++l) {
      low.push_back(l);
      high.push_back(l);
      count.push_back(1);
    }
    std::map<std::int64_t, int> joined;
    for (const auto& [a, b] : tree.merges) {
      const auto x = static_cast<size_t>(a), y = static_cast<size_t>(b);
      low.push_back(std::min(low[x], low[y]));
      high.push_back(std::max(high[x], high[y]));
      count.push_back(count[x] + count[y]);
      const auto interval = [&](size_t at) { return high[at] - low[at] + 1 == count[at]; };
      if (interval(low.size() - 1)) ends_[low.back()].insert(high.back() + 1);
      if (count[x] == 1 && count[y] == 1) continue;
      for (const size_t side : {x, y})
        if (count[side] > 1 && interval(side)) ++joined[count[side]];
    }
    for (const auto& [size, times] : joined)
      if (times > 1) common_.emplace_back(times, size);
    std::sort(common_.rbegin(), common_.rend());
  }

  bool is(const Order& order) const { return is(order, 0, n_); }

  /// Whether leaves from, from + 1, ... (count of them) are added like that. Most orders fail at their first group or two.
  bool is(const Order& order, std::int64_t from, std::int64_t count) const {
    const auto leaf_key = [from](std::int64_t leaf) { return bitpact::leaf_key(from + leaf); };
    if (!may_begin(order, from, count)) return false;
    std::vector<std::uint64_t> slots;
    for (const ScheduleStep& step : schedule(order, count).steps) {
      slots.resize(std::max(slots.size(), static_cast<size_t>(step.slot) + 1), 0);
      std::uint64_t& slot = slots[static_cast<size_t>(step.slot)];
      if (step.kind == ScheduleStep::Kind::Merge) {
        slot += slots[static_cast<size_t>(step.other)];
        if (!groups_.contains(slot)) return false;
        continue;
      }
      if (step.kind == ScheduleStep::Kind::Enter) continue;
      const bool fresh = step.kind == ScheduleStep::Kind::Chain;
      if (fresh) slot = leaf_key(step.first);
      for (std::int64_t i = fresh ? 1 : 0; i < step.count; ++i) {
        slot += leaf_key(step.first + i * step.stride);
        if (!groups_.contains(slot)) return false;
      }
    }
    return true;
  }
  std::int64_t leaves() const { return n_; }

  /// Sizes of blocks that are joined in sequence, each the longest group that begins where the last one ended, the whole left
  /// out.
  std::vector<std::int64_t> blocks() const {
    std::vector<std::int64_t> sizes;
    for (std::int64_t from = 0; from < n_;) {
      std::int64_t to = from + 1;
      const auto ends = ends_.find(from);
      if (ends != ends_.end())
        for (const std::int64_t end : ends->second)
          if (from != 0 || end != n_) to = std::max(to, from == 0 ? first_block(end, to) : end);
      sizes.push_back(to - from);
      from = to;
    }
    return sizes;
  }

  /// Sizes that blocks may have.
  std::set<std::int64_t> widths() const {
    constexpr size_t kMost = 6;
    std::set<std::int64_t> found;
    const auto add = [&](std::int64_t size) {
      if (size > 1 && size < n_) found.insert(size);
    };
    const std::vector<std::int64_t> sizes = blocks();
    for (size_t i = 0; i < sizes.size() && i < 3; ++i) add(sizes[i]);
    for (size_t i = 0; i < common_.size() && i < kMost; ++i) add(common_[i].second);
    // Two blocks made even, or both short, hide the size that they were cut from: a kernel's sizes are multiples of 32.
    if (sizes.size() == 2 && (sizes[0] - sizes[1] == 0 || sizes[0] - sizes[1] == 1))
      for (std::int64_t size = (sizes[0] + 31) / 32 * 32; size < n_; size += 32) add(size);
    return found;
  }

 private:
  // Without a schedule: lanes add their first two leaves.
  bool may_begin(const Order& order, std::int64_t from, std::int64_t count) const {
    const Order& lanes = order.kind == Order::Kind::Tailed && !order.inner.empty() ? order.inner[0] : order;
    if (lanes.kind != Order::Kind::Interleaved || count < 2 * lanes.width) return true;
    return groups_.contains(leaf_key(from) + leaf_key(from + lanes.width));
  }

  // At leaf 0 every prefix of blocks is a group too; the first block is the one behind which the next group begins.
  std::int64_t first_block(std::int64_t end, std::int64_t best) const {
    if (best > 1) return best;
    return ends_.contains(end) ? end : best;
  }

  std::int64_t n_;
  std::unordered_set<std::uint64_t> groups_;
  std::map<std::int64_t, std::set<std::int64_t>> ends_;
  std::vector<std::pair<int, std::int64_t>> common_;  ///< how often groups of a size are joined with others, the commonest first
};

class Fit {
 public:
  explicit Fit(const SumTree& tree) : shape_(tree), tree_(tree) {}

  std::vector<FittedOrder> run() {
    for (const Order& order : runs())
      if (order.width < shape_.leaves()) try_order(order);
    blocked();
    halved();
    if (found_.empty()) in_parts();
    if (found_.empty()) {
      found_.push_back({Order::tree(tree_.merges, true), false});
      found_.push_back({Order::tree(tree_.merges, false), false});
      if (joins_leaves(0) && joins_leaves(1)) found_.push_back({Order::tree(tree_.merges, true, true), false});
    }
    return std::move(found_);
  }

 private:
  /// Whether some merge joins two leaves, or a leaf and a partial result.
  bool joins_leaves(int partial_results) const {
    const auto partial = [this](std::int64_t item) { return item < tree_.leaves ? 0 : 1; };
    return std::ranges::any_of(tree_.merges,
                               [&](const auto& m) { return partial(m.first) + partial(m.second) == partial_results; });
  }

  bool try_order(const Order& order, bool general = true) {
    if (!shape_.is(order)) return false;
    found_.push_back({order, general});
    return true;
  }

  // Blocks of one size, joined in sequence or by the same rule again.
  void blocked() {
    using Ends = Order::Ends;
    for (const std::int64_t width : shape_.widths()) {
      bool any = false;
      for (const Ends ends : {Ends::ShortLast, Ends::ShortFirst, Ends::ShortBoth, Ends::EvenLast}) {
        Order again = Order::blocked(width, {}, {}, ends);
        std::vector<Order> outers{Order::sequential(), Order::pairwise(1), Order::backwards()};
        for (int level = 0; level < 3; ++level) {
          outers.push_back(again);
          again = Order::blocked(width, {}, again, ends);
        }
        for (const Order& outer : outers) any = try_order(Order::blocked(width, {}, outer, ends)) || any;
      }
      if (any) continue;
      const std::int64_t n = shape_.leaves();
      for (const Order& inner : runs()) {
        if (shape_.is(inner, 0, width))
          for (const Ends ends : {Ends::ShortLast, Ends::EvenLast}) try_order(Order::blocked(width, inner, {}, ends));
        if (shape_.is(inner, n - width, width)) try_order(Order::blocked(width, inner, {}, Ends::ShortFirst));
      }
    }
  }

  void halved() {
    for (const std::int64_t cutoff : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}) {
      if (cutoff >= shape_.leaves()) break;
      try_order(Order::pairwise(cutoff));
      for (const std::int64_t multiple : {8, 4, 16, 32}) {
        if (multiple > cutoff) continue;
        try_order(Order::pairwise(cutoff, multiple));
        for (const std::int64_t width : {8, 4, 16})
          for (const Order& join : {Order::pairwise(1), halves(width), Order::sequential()}) {
            const Order inner = Order::interleaved(width, join);
            try_order(Order::pairwise(cutoff, multiple, inner));
            for (const Order::Tail tail : {Order::Tail::Continued, Order::Tail::Joined, Order::Tail::Apart})
              try_order(Order::pairwise(cutoff, multiple, Order::tailed(width, inner, tail)));
          }
      }
    }
  }

  void in_parts() {
    const std::vector<std::int64_t> sizes = shape_.blocks();
    constexpr size_t kMost = 4096;
    if (sizes.size() < 2 || sizes.size() > kMost) return;
    for (const Order& inner : runs()) {
      if (!shape_.is(inner, 0, sizes[0])) continue;
      for (const Order& outer : {Order::sequential(), Order::pairwise(1)})
        if (try_order(Order::of_parts(sizes, inner, outer), false)) return;
    }
  }

  const Shape shape_;
  const SumTree& tree_;
  std::vector<FittedOrder> found_;
};

}  // namespace

std::vector<FittedOrder> fit_orders(const SumTree& tree) { return Fit(tree).run(); }

std::vector<FittedOrder> fit_tails(const SumTree& tree) {
  if (tree.merges.empty()) return {};
  const Shape shape(tree);
  std::vector<bool> has_first(static_cast<size_t>(tree.leaves), false);
  std::vector<std::int64_t> count(static_cast<size_t>(tree.leaves), 1);
  has_first[0] = true;
  for (const auto& [a, b] : tree.merges) {
    const auto x = static_cast<size_t>(a), y = static_cast<size_t>(b);
    has_first.push_back(has_first[x] || has_first[y]);
    count.push_back(count[x] + count[y]);
  }
  const auto& [a, b] = tree.merges.back();
  const std::int64_t length = count[static_cast<size_t>(has_first[static_cast<size_t>(a)] ? a : b)];
  const std::int64_t tail = tree.leaves - length;
  if (length <= tail || !shape.is(Order::sequential(), length, tail)) return {};
  // The head's merges, renumbered; a leaf beyond it means that the head is none.
  SumTree head{length, {}};
  std::vector<std::int64_t> number(count.size(), -1);
  for (std::int64_t leaf = 0; leaf < length; ++leaf) number[static_cast<size_t>(leaf)] = leaf;
  for (size_t m = 0; m + 1 < tree.merges.size(); ++m) {
    const auto [x, y] = tree.merges[m];
    const std::int64_t left = number[static_cast<size_t>(x)], right = number[static_cast<size_t>(y)];
    if (left < 0 || right < 0) continue;
    head.merges.emplace_back(left, right);
    number[static_cast<size_t>(tree.leaves) + m] = length + static_cast<std::int64_t>(head.merges.size()) - 1;
  }
  if (static_cast<std::int64_t>(head.merges.size()) != length - 1) return {};
  std::vector<FittedOrder> found;
  std::vector<FittedOrder> heads{{Order::sequential(), true}};
  if (length > 1) heads = fit_orders(head);
  for (const FittedOrder& fit : heads) {
    // Rows as wide as they may be; a generator may have narrower ones.
    std::int64_t width = 1;
    while (length % (2 * width) == 0) width *= 2;
    if (width <= tail) width = length;
    do found.push_back({Order::tailed(width, fit.order, Order::Tail::Apart), fit.general});
    while (fit.general && width % 2 == 0 && (width /= 2) > tail);
  }
  return found;
}

}  // namespace bitpact
