#include "probe/sum_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace bitpact {
namespace {

/// A group of leaves whose partial sum is formed by adding, to the pivot, groups in order.
struct Group {
  std::vector<std::int64_t> leaves;
  bool from_the_end = false;         ///< the pivot is the last leaf
  std::vector<std::int64_t> joined;  ///< groups (index), or leaves as -1 - leaf, in the order in which they join the pivot
  std::int64_t pivot = 0;
};

class Search {
 public:
  Search(std::int64_t leaves, const GroupSize& size) : leaves_(leaves), size_(size) {}

  TreeSearch run() {
    Group whole;
    whole.leaves.resize(static_cast<size_t>(leaves_));
    std::iota(whole.leaves.begin(), whole.leaves.end(), 0);
    groups_.push_back(std::move(whole));
    bool complete = true;
    for (size_t g = 0; g < groups_.size(); ++g) {
      complete = split(g) && complete;
      if (!found_.contradiction.empty()) return std::move(found_);
    }
    if (complete) found_.tree = assembled();
    return std::move(found_);
  }

 private:
  bool split(size_t g) {
    const std::vector<std::int64_t> leaves = std::move(groups_[g].leaves);
    const bool from_the_end = groups_[g].from_the_end;
    const std::int64_t pivot = from_the_end ? leaves.back() : leaves.front();
    groups_[g].pivot = pivot;
    std::map<std::int64_t, std::vector<std::int64_t>> by_size;
    bool known = true;
    for (const std::int64_t leaf : leaves) {
      if (leaf == pivot) continue;
      const LeafPair pair{std::min(leaf, pivot), std::max(leaf, pivot)};
      const std::optional<std::int64_t> size = size_(pair);
      if (!size) {
        found_.open.push_back(pair);
        known = false;
        continue;
      }
      if (*size < 2 || *size > leaves_) {
        contradict(fmt::format("leaves {} and {} gave no count of leaves", pair.first, pair.second), {pair.first, pair.second});
        return false;
      }
      by_size[*size].push_back(leaf);
    }
    if (!known) return false;
    std::int64_t sum = 1;
    for (auto& [size, members] : by_size) {
      sum += static_cast<std::int64_t>(members.size());
      if (size == sum) {
        add(g, std::move(members), from_the_end, by_size.size() == 1);
        continue;
      }
      const bool at_once = size > sum;
      contradict(
          at_once
              ? fmt::format("leaf {} meets {} leaf/leaves (the first {}) where {} are added, {} more than the groups that "
                            "it has met: more than two partial sums are added at once",
                            pivot, members.size(), members.front(), size, size - sum)
              : fmt::format("leaf {} meets leaf {} in a group of {}, but has met {} by then", pivot, members.front(), size, sum),
          {pivot, members.front()});
      return false;
    }
    return true;
  }

  void add(size_t g, std::vector<std::int64_t> members, bool from_the_end, bool only) {
    if (members.size() == 1) {
      groups_[g].joined.push_back(-1 - members[0]);
      return;
    }
    groups_[g].joined.push_back(static_cast<std::int64_t>(groups_.size()));
    // A pivot that meets all others at once tells nothing about them; the other end may.
    Group below;
    below.leaves = std::move(members);
    below.from_the_end = only ? !from_the_end : from_the_end;
    groups_.push_back(std::move(below));
  }

  void contradict(std::string why, std::vector<std::int64_t> witnesses) {
    found_.contradiction = std::move(why);
    found_.witnesses = std::move(witnesses);
  }

  // Groups come after the group that they join, so that backwards every part stands before its whole.
  SumTree assembled() const {
    SumTree tree{leaves_, {}};
    std::vector<std::int64_t> item(groups_.size(), 0);
    for (size_t g = groups_.size(); g-- > 0;) {
      std::int64_t state = groups_[g].pivot;
      for (const std::int64_t other : groups_[g].joined) {
        tree.merges.emplace_back(state, other < 0 ? -1 - other : item[static_cast<size_t>(other)]);
        state = leaves_ + static_cast<std::int64_t>(tree.merges.size()) - 1;
      }
      item[g] = state;
    }
    return tree;
  }

  std::int64_t leaves_;
  const GroupSize& size_;
  std::vector<Group> groups_;
  TreeSearch found_;
};

}  // namespace

TreeSearch search_tree(std::int64_t leaves, const GroupSize& size) { return Search(leaves, size).run(); }

std::uint64_t leaf_key(std::int64_t leaf) {
  std::uint64_t x = static_cast<std::uint64_t>(leaf) + 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

TreeKey key_of(const SumTree& tree) {
  std::vector<std::uint64_t> hash;
  for (std::int64_t l = 0; l < tree.leaves; ++l) hash.push_back(leaf_key(l));
  TreeKey key;
  for (const auto& [a, b] : tree.merges) {
    key.push_back(hash[static_cast<size_t>(a)] + hash[static_cast<size_t>(b)]);
    hash.push_back(key.back());
  }
  std::sort(key.begin(), key.end());
  return key;
}

SumTree tree_of(const Order& order, std::int64_t leaves) {
  const Schedule plan = schedule(order, leaves);
  SumTree tree{leaves, {}};
  std::vector<std::int64_t> slots(static_cast<size_t>(plan.slots), -1);
  const auto join = [&tree](std::int64_t& state, std::int64_t other) {
    tree.merges.emplace_back(state, other);
    state = tree.leaves + static_cast<std::int64_t>(tree.merges.size()) - 1;
  };
  for (const ScheduleStep& step : plan.steps) {
    std::int64_t& slot = slots[static_cast<size_t>(step.slot)];
    if (step.kind == ScheduleStep::Kind::Merge) {
      join(slot, slots[static_cast<size_t>(step.other)]);
      continue;
    }
    if (step.kind == ScheduleStep::Kind::Enter) continue;
    const bool fresh = step.kind == ScheduleStep::Kind::Chain;
    if (fresh) slot = step.first;
    for (std::int64_t i = fresh ? 1 : 0; i < step.count; ++i) join(slot, step.first + i * step.stride);
  }
  return tree;
}

TreeKey key_of(const Order& order, std::int64_t leaves) { return key_of(tree_of(order, leaves)); }

std::vector<LeafPair> node_witnesses(const SumTree& tree) {
  std::vector<std::int64_t> first(static_cast<size_t>(tree.leaves));
  std::iota(first.begin(), first.end(), 0);
  std::vector<LeafPair> pairs;
  for (const auto& [a, b] : tree.merges) {
    pairs.emplace_back(first[static_cast<size_t>(a)], first[static_cast<size_t>(b)]);
    first.push_back(std::min(pairs.back().first, pairs.back().second));
  }
  return pairs;
}

}  // namespace bitpact
