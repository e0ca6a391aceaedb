// Where two orders part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "picture/tree.h"

namespace bitpact {

struct OrderDifference {
  enum class Kind : std::uint8_t {
    None,     ///< the same steps, at this number of leaves
    Steps,    ///< the same association; what the one joins by a step of a chain, the other joins by a merge
    Sides,    ///< `left` and `right` are joined in both, with their sides exchanged
    Parting,  ///< `left` and `right` are joined in the first, with others in the second
  };
  Kind kind = Kind::None;
  std::int64_t leaves = 0;
  // Ascending leaf numbers; empty where kind is None.
  std::vector<std::int64_t> left, right;            ///< what the first order's first step that the second lacks joins
  std::vector<std::int64_t> left_with, right_with;  ///< what the second joins them with; the whole parts. Parting only
  std::vector<std::int64_t> part;                   ///< the smallest part that holds the step and that both compute
  bool first_by_step = false;                       ///< Steps: the first joins them by a step
  OrderTree first, second;                          ///< with marks on these steps and this part
};

/// For n >= 1 leaves. Refuses `contract-program` as schedule() does.
OrderDifference difference(const Order& first, const Order& second, std::int64_t n);

/// What of a marked tree is worth drawing: all of a small one, else the smallest part that differs.
OrderTree worth_drawing(const OrderTree& tree);

/// A sentence each; none where the orders do not differ.
std::vector<std::string> in_words(const OrderDifference& difference);

}  // namespace bitpact
