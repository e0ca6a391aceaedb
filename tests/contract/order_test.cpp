#include "contract/order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <numeric>
#include <random>

#include "diagnostic/diagnostic.h"

using namespace bitpact;

namespace {

// ---- the definition, on strings: "a.b" is a step (state, leaf), "(a+b)" a merge

using Texts = std::vector<std::string>;

std::string step(const std::string& state, const std::string& leaf) { return state + "." + leaf; }
std::string merge(const std::string& a, const std::string& b) { return "(" + a + "+" + b + ")"; }

std::string associate(const Order& order, Texts items, bool leaves);

std::string associate_below(const std::vector<Order>& order, const Texts& items, bool leaves) {
  return associate(order.empty() ? Order{} : order[0], items, leaves);
}

std::string associate_blocks(const Order& order, const Texts& items, const std::vector<std::int64_t>& sizes, bool leaves) {
  Texts blocks;
  auto from = items.begin();
  for (const std::int64_t size : sizes) {
    blocks.push_back(associate_below(order.inner, Texts(from, from + size), leaves));
    from += size;
  }
  return associate_below(order.outer, blocks, false);
}

std::string associate(const Order& order, Texts items, bool leaves) {
  const auto n = static_cast<std::int64_t>(items.size());
  switch (order.kind) {
    case Order::Kind::Sequential: {
      if (order.reversed) std::reverse(items.begin(), items.end());
      std::string state = order.started && items.size() > 1 ? "<" + items[0] + ">" : items[0];
      for (size_t i = 1; i < items.size(); ++i) state = leaves ? step(state, items[i]) : merge(state, items[i]);
      return state;
    }
    case Order::Kind::Interleaved: {
      Texts lanes;
      for (std::int64_t j = 0; j < order.width && j < n; ++j) {
        Texts lane;
        for (std::int64_t i = j; i < n; i += order.width) lane.push_back(items[static_cast<size_t>(i)]);
        lanes.push_back(associate(Order{}, lane, leaves));
      }
      return associate_below(order.outer, lanes, false);
    }
    case Order::Kind::Blocked: {
      std::vector<std::int64_t> sizes;
      for (std::int64_t left = n; left > 0; left -= sizes.back()) {
        std::int64_t size = std::min(left, order.width);
        if (order.ends == Order::Ends::ShortFirst && left % order.width != 0) size = left % order.width;
        if (order.ends == Order::Ends::ShortBoth) {
          const std::int64_t missing = (order.width - n % order.width) % order.width;
          if (left == n) size = std::min(n, order.width - missing / 2);
          if (n <= order.width) size = n;
        }
        if (order.ends == Order::Ends::EvenLast && left > order.width && left < 2 * order.width) size = (left + 1) / 2;
        sizes.push_back(size);
      }
      return associate_blocks(order, items, sizes, leaves);
    }
    case Order::Kind::Parts:
      return associate_blocks(order, items, order.parts, leaves);
    case Order::Kind::Tailed: {
      const auto head = items.begin() + n / order.width * order.width;
      const Texts rest(head, items.end());
      if (head == items.begin()) return associate(Order{}, rest, leaves);
      std::string state = associate_below(order.inner, Texts(items.begin(), head), leaves);
      if (rest.empty()) return state;
      if (order.tail == Order::Tail::Apart) return merge(state, associate(Order{}, rest, leaves));
      for (const std::string& item : rest)
        state = leaves && order.tail == Order::Tail::Continued ? step(state, item) : merge(state, item);
      return state;
    }
    case Order::Kind::Pairwise: {
      if (n <= order.width) return associate_below(order.inner, items, leaves);
      std::int64_t split = n / 2 / order.multiple * order.multiple;
      if (split == 0) split = order.multiple;
      return merge(associate(order, Texts(items.begin(), items.begin() + split), leaves),
                   associate(order, Texts(items.begin() + split, items.end()), leaves));
    }
    case Order::Kind::Tree: {
      for (const auto& [a, b] : order.merges) {
        const std::string &left = items[static_cast<size_t>(a)], &right = items[static_cast<size_t>(b)];
        const bool by_steps = leaves && order.steps;
        if (by_steps && order.pairs && a < n && b < n)
          items.push_back(merge(left, right));
        else if (by_steps && b < n)
          items.push_back(step(left, right));
        else if (by_steps && a < n)
          items.push_back(step(right, left));
        else
          items.push_back(merge(left, right));
      }
      return items.back();
    }
  }
  return "?";
}

Texts leaf_names(std::int64_t n) {
  Texts names;
  for (std::int64_t i = 0; i < n; ++i) names.push_back(std::to_string(i));
  return names;
}

// ---- what the schedule does, on strings; empty where it breaks a rule

std::string run(const Schedule& schedule, std::int64_t n) {
  std::vector<std::string> slots(static_cast<size_t>(schedule.slots));
  std::vector<int> used(static_cast<size_t>(n), 0);
  auto slot = [&](std::int32_t s) -> std::string& { return slots.at(static_cast<size_t>(s)); };
  for (const ScheduleStep& s : schedule.steps) {
    if (s.kind == ScheduleStep::Kind::Merge) {
      if (s.slot == s.other || slot(s.slot).empty() || slot(s.other).empty()) return "";
      slot(s.slot) = merge(slot(s.slot), slot(s.other));
      slot(s.other).clear();
      continue;
    }
    if (s.kind == ScheduleStep::Kind::Enter) {
      if (slot(s.slot).empty()) return "";
      slot(s.slot) = "<" + slot(s.slot) + ">";
      continue;
    }
    const bool fresh = s.kind == ScheduleStep::Kind::Chain;
    if (slot(s.slot).empty() != fresh || s.count < 1) return "";
    for (std::int64_t i = 0; i < s.count; ++i) {
      const std::int64_t leaf = s.first + i * s.stride;
      if (leaf < 0 || leaf >= n || used[static_cast<size_t>(leaf)]++ != 0) return "";
      slot(s.slot) = i == 0 && fresh ? std::to_string(leaf) : step(slot(s.slot), std::to_string(leaf));
    }
  }
  for (int u : used)
    if (u != 1) return "";
  for (size_t s = 1; s < slots.size(); ++s)
    if (!slots[s].empty()) return "";
  return slots.at(0);
}

// ---- random orders

class RandomOrder {
 public:
  explicit RandomOrder(std::uint64_t seed) : engine_(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }

  Order make(std::int64_t n, int depth = 0, bool leaves = true) {
    if (!leaves && between(0, 5) == 0) return Order::from_start();
    const std::int64_t width = between(1, std::max<std::int64_t>(3, n));
    switch (between(0, depth > 4 ? 1 : 10)) {
      case 0:
        return Order::sequential();
      case 1:
        return Order::backwards();
      case 2:
        return Order::interleaved(width);
      case 3:
        return Order::interleaved(width, make(std::min(width, n), depth + 1, false));
      case 4:
        return Order::blocked(width);
      case 5: {
        // Only blocks of one length can share a tree.
        const std::int64_t blocks = (n - 1) / width + 1;
        Order inner = blocks == 1      ? make(n, depth + 1, leaves)
                      : n % width == 0 ? make(width, depth + 1, leaves)
                                       : Order::pairwise(between(1, 4));
        return Order::blocked(width, std::move(inner), make(blocks, depth + 1, false));
      }
      case 6: {
        const std::int64_t multiple = between(1, width);
        return between(0, 1) == 0
                   ? Order::pairwise(width, multiple)
                   : Order::pairwise(width, multiple, between(0, 1) == 0 ? Order::backwards() : Order::interleaved(2));
      }
      case 7:
        return Order::blocked(width, Order::interleaved(2), Order::pairwise(1), static_cast<Order::Ends>(between(0, 3)));
      case 8: {
        const std::int64_t head = n - n % width;
        return Order::tailed(width, head > 0 ? make(head, depth + 1, leaves) : Order::interleaved(3),
                             static_cast<Order::Tail>(between(0, 2)));
      }
      case 9: {
        std::vector<std::int64_t> sizes;
        for (std::int64_t left = n; left > 0; left -= sizes.back()) sizes.push_back(between(1, left));
        return Order::of_parts(sizes, Order::interleaved(2), make(static_cast<std::int64_t>(sizes.size()), depth + 1, false));
      }
      default:
        return tree(n, between(0, 1) == 0);
    }
  }

  Order tree(std::int64_t n, bool steps) {
    std::vector<std::int64_t> loose(static_cast<size_t>(n));
    std::iota(loose.begin(), loose.end(), 0);
    std::vector<std::pair<std::int64_t, std::int64_t>> merges;
    auto take = [&] {
      const auto at = loose.begin() + between(0, static_cast<std::int64_t>(loose.size()) - 1);
      const std::int64_t item = *at;
      loose.erase(at);
      return item;
    };
    while (loose.size() > 1) {
      const std::int64_t a = take(), b = take();
      loose.push_back(n + static_cast<std::int64_t>(merges.size()));
      merges.emplace_back(a, b);
    }
    return Order::tree(merges, steps, steps && between(0, 1) == 0);
  }

 private:
  std::mt19937_64 engine_;
};

void refuses(const Order& order, std::string_view word) {
  try {
    check_well_formed(order);
    ADD_FAILURE() << "accepted: " << to_text(order);
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.diagnostic().code, Code::ContractProgram);
    EXPECT_NE(refused.diagnostic().reason.find(word), std::string::npos) << refused.diagnostic().reason;
  }
}

}  // namespace

TEST(Order, SchedulesAreTheAssociation) {
  EXPECT_TRUE(rc::check("schedule == definition", [] {
    const auto seed = *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>()));
    RandomOrder random(seed);
    for (int i = 0; i < 20; ++i) {
      const std::int64_t n = random.between(1, i < 10 ? 20 : 300);
      const Order order = random.make(n);
      RC_LOG() << to_text(order) << " of " << n << "\n";
      RC_ASSERT(run(schedule(order, n), n) == associate(order, leaf_names(n), true));
    }
  }));
}

TEST(Order, Examples) {
  auto text = [](const Order& order, std::int64_t n) { return run(schedule(order, n), n); };
  EXPECT_EQ(text(Order::sequential(), 4), "0.1.2.3");
  EXPECT_EQ(text(Order::backwards(), 3), "2.1.0");
  EXPECT_EQ(text(Order::interleaved(2), 5), "(0.2.4+1.3)");
  EXPECT_EQ(text(Order::interleaved(4, Order::pairwise(1)), 6), "((0.4+1.5)+(2+3))");
  EXPECT_EQ(text(Order::blocked(2), 5), "((0.1+2.3)+4)");
  EXPECT_EQ(text(Order::blocked(4, Order::interleaved(2), Order::backwards()), 8), "((4.6+5.7)+(0.2+1.3))");
  EXPECT_EQ(text(Order::pairwise(2), 7), "((0+1.2)+(3.4+5.6))");
  EXPECT_EQ(text(Order::pairwise(4, 4), 5), "(0.1.2.3+4)");
  EXPECT_EQ(text(Order::tree({{2, 0}, {1, 3}}), 3), "(1+(2+0))");
  EXPECT_EQ(text(Order::tree({}), 1), "0");
  EXPECT_EQ(text(Order::tree({{2, 0}, {1, 3}}, true), 3), "2.0.1");
  EXPECT_EQ(text(Order::tree({{0, 1}, {2, 3}, {5, 6}, {7, 4}}, true), 5), "(0.1+2.3).4");
  EXPECT_EQ(text(Order::tree({{0, 1}, {2, 3}, {5, 6}, {7, 4}}, true, true), 5), "((0+1)+(2+3)).4");
  using Ends = Order::Ends;
  EXPECT_EQ(text(Order::blocked(2, {}, {}, Ends::ShortFirst), 5), "((0+1.2)+3.4)");
  EXPECT_EQ(text(Order::blocked(4, {}, {}, Ends::ShortBoth), 9), "((0.1.2+3.4.5.6)+7.8)");
  EXPECT_EQ(text(Order::blocked(4, {}, {}, Ends::EvenLast), 9), "((0.1.2.3+4.5.6)+7.8)");
  EXPECT_EQ(text(Order::tailed(2, Order::interleaved(2)), 5), "(0.2+1.3).4");
  EXPECT_EQ(text(Order::tailed(2, Order::interleaved(2), Order::Tail::Joined), 5), "((0.2+1.3)+4)");
  EXPECT_EQ(text(Order::tailed(3, {}, Order::Tail::Apart), 5), "(0.1.2+3.4)");
  EXPECT_EQ(text(Order::tailed(8, Order::interleaved(8)), 3), "0.1.2");
  EXPECT_EQ(text(Order::of_parts({1, 3}, Order::backwards(), Order::backwards()), 4), "(3.2.1+0)");
  EXPECT_EQ(text(Order::blocked(2, {}, Order::from_start()), 5), "((<0.1>+2.3)+4)");
  EXPECT_EQ(text(Order::blocked(8, {}, Order::from_start()), 3), "0.1.2");
  EXPECT_EQ(text(Order::blocked(1, {}, Order::blocked(2, Order::from_start(), Order::from_start())), 4), "(<(<0>+1)>+(<2>+3))");
}

TEST(Order, SlotsStayFew) {
  EXPECT_EQ(schedule(Order::sequential(), 1 << 20).slots, 1);
  EXPECT_EQ(schedule(Order::interleaved(64), 1 << 12).slots, 2);
  EXPECT_LE(schedule(Order::pairwise(1), 1 << 16).slots, 17);
  // Trees that lean either way, as deep as they are long.
  constexpr std::int64_t n = 100000;
  std::vector<std::pair<std::int64_t, std::int64_t>> left, right;
  for (std::int64_t t = 0; t + 1 < n; ++t) {
    left.emplace_back(t == 0 ? 0 : n + t - 1, t + 1);
    right.emplace_back(n - 2 - t, t == 0 ? n - 1 : n + t - 1);
  }
  EXPECT_EQ(schedule(Order::tree(left), n).slots, 2);
  EXPECT_EQ(schedule(Order::tree(right), n).slots, 2);
  // By steps they are one chain; the second begins upwards, as its first merge does.
  EXPECT_EQ(schedule(Order::tree(left, true), n).steps.size(), 1U);
  EXPECT_EQ(schedule(Order::tree(right, true), n).steps.size(), 2U);
}

TEST(Order, IllFormed) {
  refuses(Order::interleaved(0), "width");
  refuses(Order::blocked(-1), "width");
  refuses(Order::pairwise(0), "width");
  refuses(Order::pairwise(4, 8), "multiple");
  refuses(Order::pairwise(4, 0), "multiple");
  refuses(Order::tree({{0, 0}}), "again");
  refuses(Order::tree({{0, 1}, {0, 2}}), "again");
  refuses(Order::tree({{0, 3}, {1, 2}}), "neither");
  refuses(Order::tree({{0, 2}}), "neither");
  refuses(Order::tree({{0, -1}}), "neither");
  refuses(Order::tailed(0, {}), "width");
  refuses(Order::of_parts({}), "sizes");
  refuses(Order::of_parts({2, 0}), "part");
  Order order = Order::interleaved(2);
  order.inner.push_back(Order::sequential());
  refuses(order, "inner");
  order = Order::pairwise(2);
  order.outer.push_back(Order::sequential());
  refuses(order, "outer");
  order = Order::blocked(2);
  order.reversed = true;
  refuses(order, "reversed");
  refuses(Order::from_start(), "partial results");
  refuses(Order::blocked(2, Order::from_start(), {}), "partial results");
  order = Order::backwards();
  order.started = true;
  refuses(Order::blocked(2, {}, order), "started");
  order = Order::sequential();
  order.ends = Order::Ends::ShortFirst;
  refuses(order, "ends");
  order = Order::sequential();
  order.tail = Order::Tail::Apart;
  refuses(order, "tail");
  order = Order::interleaved(2);
  order.steps = true;
  refuses(order, "merges");
  order = Order::sequential();
  order.width = 1;
  refuses(order, "width");
  order = Order::sequential();
  order.merges = {{0, 1}};
  refuses(order, "merges");
  order = Order::backwards();
  for (int depth = 1; depth < 16; ++depth) order = Order::blocked(2, order, Order::sequential());
  EXPECT_NO_THROW(check_well_formed(order));
  refuses(Order::blocked(2, order, Order::sequential()), "nested");
  refuses(Order::blocked(2, Order::sequential(), Order::interleaved(0)), "width");
}

TEST(Order, ATreeIsForOneNumberOfLeaves) {
  EXPECT_THROW(schedule(Order::tree({{0, 1}}), 3), Refused);
  EXPECT_THROW(schedule(Order::of_parts({1, 2}), 4), Refused);
  EXPECT_THROW(schedule(Order::sequential(), 0), Refused);
}

TEST(Order, Words) {
  EXPECT_EQ(to_text(Order::sequential()), "sequential");
  EXPECT_EQ(to_text(Order::backwards()), "sequential backwards");
  EXPECT_EQ(to_text(Order::interleaved(8, Order::pairwise(1))), "interleaved(8), lanes joined pairwise(1)");
  EXPECT_EQ(to_text(Order::blocked(64, Order::interleaved(4), Order::sequential())),
            "blocked(64), each block (interleaved(4), lanes joined sequential), blocks joined sequential");
  EXPECT_EQ(to_text(Order::pairwise(128, 8)), "pairwise(128 by 8)");
  EXPECT_EQ(to_text(Order::tree({{0, 1}, {3, 2}})), "tree(0+1 3+2)");
  EXPECT_EQ(to_text(Order::tree({{0, 1}, {3, 2}}, true)), "stepped tree(0+1 3+2)");
  EXPECT_EQ(to_text(Order::tree({{0, 1}, {3, 2}}, true, true)), "stepped tree with pairs(0+1 3+2)");
  EXPECT_EQ(to_text(Order::tailed(8, Order::interleaved(8), Order::Tail::Joined)),
            "rows of 8 (interleaved(8), lanes joined sequential), the rest joined to it one by one");
  EXPECT_EQ(to_text(Order::of_parts({448, 448, 289, 288})),
            "blocks of 448 x2, 289, 288, each block sequential, blocks joined sequential");
  EXPECT_EQ(to_text(Order::blocked(32, {}, {}, Order::Ends::ShortFirst)),
            "blocked(32, the first the short one), each block sequential, blocks joined sequential");
}
