// A fold made ready for its threads.
#pragma once

#include <optional>

#include "interpret/lanes.h"
#include "interpret/nodes.h"

namespace bitpact {

/// What the chains of a head, or of a tail with bodies of its own, are made of.
struct ChainBodies {
  const Start* start;
  std::vector<Format> state;
  ScalarBody begin;    ///< operands -> state; empty where the start is a value
  ScalarBody advance;  ///< state, operands -> state
};

/// Shared by the threads; nothing here changes but the elements written.
struct FoldJob {
  FoldJob(const Fold& fold, const Shape& shape, const Shape& over, const std::vector<const NodeValue*>& operands,
          const NodeSettings& settings, NodeValue& made);

  const Fold& fold;
  const NodeSettings& settings;
  std::vector<NodeValue> operands;  ///< in an order of axes, and in formats, that suit the lanes
  std::int64_t leaves;
  Schedule schedule;
  ChainBodies head;
  std::optional<ChainBodies> tail;
  std::int64_t tail_from;  ///< the first leaf of a tail with bodies of its own; `leaves` where there is none
  LaneSpace space;         ///< tensors: the operands, then the result. Prefixes: without the axis that is folded over
  Chunks chunks;
  std::vector<LeafOffsets> leaf_offsets;  ///< one an operand
  std::int64_t prefix_stride = 0;         ///< Prefixes: elements of the result from leaf to leaf
  std::byte* out;
  std::uint8_t* carried = nullptr;
  std::uint8_t* final = nullptr;

  bool prefixes() const { return fold.emit == Emit::Prefixes; }
  bool has_tail() const { return tail_from < leaves; }
  std::int64_t work() const { return space.count() * leaves; }

 private:
  void widen_operands();
};

}  // namespace bitpact
