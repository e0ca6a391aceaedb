// An order's schedule with everything that can be done at once done at once: states at the same height are rows of one batch.
#pragma once

#include <cstdint>
#include <vector>

#include "contract/order.h"

namespace bitpact {

struct FoldPlan {
  /// A state: a row of an earlier batch.
  struct Row {
    std::int32_t batch = 0, row = 0;
    bool operator==(const Row&) const = default;
  };
  enum class Kind : std::uint8_t {
    Chains,   ///< each row a chain over its leaves, begun as Fold::start says
    Extends,  ///< each row a state that goes on over its leaves
    Enters,   ///< each row a state that goes through Fold::enter
    Merges,   ///< each row a state that others are merged into, one after another
  };
  struct Batch {
    Kind kind = Kind::Chains;
    std::vector<Row> heads;  ///< one a row; none for chains
    std::vector<std::vector<std::int64_t>>
        leaves;                           ///< one list a row, longest first; none for merges, an empty one where states enter
    std::vector<std::vector<Row>> items;  ///< the same, for merges
    std::size_t rows() const { return kind == Kind::Merges ? items.size() : leaves.size(); }
    std::int64_t count(std::size_t row) const {
      return static_cast<std::int64_t>(kind == Kind::Merges ? items[row].size() : leaves[row].size());
    }
  };
  std::vector<Batch> batches;  ///< each reads only those before it
  Row result;
};

/// Refuses as `schedule` does.
FoldPlan fold_plan(const Order& order, std::int64_t leaves);

}  // namespace bitpact
