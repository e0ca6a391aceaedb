#include "fprev.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace bitpact::bench {
namespace {

using Leaves = std::vector<std::int64_t>;

/// A subtree in the making: the path from one of its leaves up, and what joins it.
struct Frame {
  std::int64_t node = 0;                   ///< the top of the path so far
  std::int64_t limit = 0;                  ///< leaves below the node that the subtree joins
  std::map<std::int64_t, Leaves> joining;  ///< leaves below a node of the path -> the leaves that join there
  std::int64_t meeting = 0;                ///< the key of the subtree that is being built
  std::vector<std::int64_t> siblings;      ///< subtrees of the same leaves that join the same node on their own
};

class Revealer {
 public:
  Revealer(const Sum& sum, std::int64_t n, const Mask& mask)
      : sum_(sum), mask_(mask), operands_(static_cast<std::size_t>(n), mask.unit) {
    tree_.leaves = n;
  }

  // An explicit stack: a sum backwards is a subtree in a subtree, n times.
  SummationTree run() {
    if (tree_.leaves < 1) throw std::domain_error("no leaves");
    Leaves all(static_cast<std::size_t>(tree_.leaves));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
    open(all, tree_.leaves + 1);
    while (true) {
      Frame& top = stack_.back();
      if (!top.joining.empty()) {
        const auto lowest = top.joining.begin();
        const Leaves leaves = std::move(lowest->second);
        top.meeting = lowest->first;
        top.joining.erase(lowest);
        open(leaves, top.meeting);
        continue;
      }
      if (stack_.size() == 1) return std::move(tree_);
      close();
    }
  }

 private:
  void open(const Leaves& leaves, std::int64_t limit) {
    Frame frame;
    frame.node = leaves[0];
    frame.limit = limit;
    for (std::size_t i = 1; i < leaves.size(); ++i) frame.joining[ask(leaves[0], leaves[i])].push_back(leaves[i]);
    stack_.push_back(std::move(frame));
  }

  void close() {
    const Frame done = std::move(stack_.back());
    stack_.pop_back();
    Frame& below = stack_.back();
    std::vector<std::int64_t> children{done.node};
    children.insert(children.end(), done.siblings.begin(), done.siblings.end());
    if (below.meeting == below.limit) {  // they meet the rest of this subtree only where all of it is joined
      below.siblings.insert(below.siblings.end(), children.begin(), children.end());
      return;
    }
    children.insert(children.begin(), below.node);
    below.node = tree_.leaves + static_cast<std::int64_t>(tree_.joins.size());
    tree_.joins.push_back(std::move(children));
  }

  /// How many leaves hang below the node where the two meet.
  std::int64_t ask(std::int64_t a, std::int64_t b) {
    float &plus = operands_[static_cast<std::size_t>(a)], &minus = operands_[static_cast<std::size_t>(b)];
    plus = mask_.mask;
    minus = -mask_.mask;
    const double left = sum_(operands_) / static_cast<double>(mask_.unit);
    ++tree_.calls;
    plus = minus = mask_.unit;
    const double lost = static_cast<double>(tree_.leaves) - left;
    if (!(lost >= 2 && lost <= static_cast<double>(tree_.leaves)) || lost != std::floor(lost))
      throw std::domain_error("a count that is none of a tree's");
    return static_cast<std::int64_t>(lost);
  }

  const Sum& sum_;
  Mask mask_;
  std::vector<float> operands_;
  SummationTree tree_;
  std::vector<Frame> stack_;
};

}  // namespace

SummationTree reveal(const Sum& sum, std::int64_t n, const Mask& mask) { return Revealer(sum, n, mask).run(); }

}  // namespace bitpact::bench
