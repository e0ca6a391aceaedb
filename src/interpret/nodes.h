// One node at a time: its whole tensor from those of its operands.
#pragma once

#include "contract/index.h"
#include "interpret/kernels.h"
#include "interpret/lanes.h"

namespace bitpact {

/// A node's elements and, where watched, each one's flags (as elements of UI8, shape as the value's).
struct NodeValue {
  Axes axes;
  Tensor value;
  Tensor carried;  ///< what a reader inherits
  Tensor final;    ///< what the element has as the program's result
  bool any_carried = false;
};

struct NodeSettings {
  const KernelSet* kernels = nullptr;
  int threads = 0;
  std::int64_t lanes = 0;
  bool watch = false;
};

/// `inherited` adds what the read elements of an operand carry to each lane's flags.
void inherit(std::vector<std::uint8_t>& flags, const NodeValue& operand, const LaneOffsets& at, std::int64_t shift);

NodeValue run_input(const Input& node, const Tensor& tensor, const NodeSettings& settings);
NodeValue run_map(const Map& node, Shape shape, const std::vector<const NodeValue*>& operands, const NodeSettings& settings);
NodeValue run_table(const Table& node, Shape shape, const NodeValue& operand, const NodeSettings& settings);
/// `from`: one coordinate a dimension of the operand.
NodeValue run_index(const Index& node, Shape shape, const std::vector<PlainCoordinate>& from, const NodeValue& operand,
                    const NodeSettings& settings);
NodeValue run_fold(const Fold& node, Shape shape, Shape over, const std::vector<const NodeValue*>& operands,
                   const NodeSettings& settings);

/// Refuses `operand-mismatch`.
void check_inputs(const BoundProgram& bound, std::span<const Tensor> inputs);
/// The extents that a fold goes over.
Shape fold_extents(const BoundProgram& bound, const Fold& fold);

/// `then` on what `leaf` makes: arguments are the first `states` of then's, and leaf's; results are then's.
ScalarBody after_leaf(const ScalarBody& leaf, const ScalarBody& then, size_t states);

}  // namespace bitpact
