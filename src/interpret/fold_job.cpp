#include "interpret/fold_job.h"

#include <algorithm>

#include "interpret/widen.h"
#include "tensor/transpose.h"

namespace bitpact {

ScalarBody after_leaf(const ScalarBody& leaf, const ScalarBody& then, size_t states) {
  ScalarBody body;
  body.arguments.assign(then.arguments.begin(), then.arguments.begin() + static_cast<std::ptrdiff_t>(states));
  body.arguments.insert(body.arguments.end(), leaf.arguments.begin(), leaf.arguments.end());
  body.code = leaf.code;
  for (Instruction& i : body.code)
    for (int& a : i.args)
      if (a >= 0) a += static_cast<int>(states);
  std::vector<int> value_of;  // by value of `then`
  for (size_t s = 0; s < states; ++s) value_of.push_back(static_cast<int>(s));
  for (int r : leaf.results) value_of.push_back(r + static_cast<int>(states));
  for (const Instruction& i : then.code) {
    body.code.push_back(i);
    for (int& a : body.code.back().args)
      if (a >= 0) a = value_of[static_cast<size_t>(a)];
    value_of.push_back(static_cast<int>(body.arguments.size() + body.code.size()) - 1);
  }
  for (int r : then.results) body.results.push_back(value_of[static_cast<size_t>(r)]);
  return body;
}

namespace {

constexpr std::int64_t kRowsWorthReading = 32;  // lanes in a row from which a transposed copy pays

/// The axes that lanes run over.
Axes lane_axes(const Fold& fold) {
  Axes axes = fold.axes;
  if (fold.emit == Emit::Prefixes) std::erase(axes, fold.over[0]);
  return axes;
}

/// Lanes want to read rows. An operand whose elements lie apart along them is copied once, its leaves outermost.
NodeValue in_rows(const NodeValue& operand, const Fold& fold, const Axes& lanes, const Shape& lane_shape) {
  size_t inner = lanes.size();
  while (inner > 0 && lane_shape[inner - 1] == 1) --inner;
  if (inner == 0 || lane_shape[inner - 1] < kRowsWorthReading) return operand;
  const std::int64_t stride = strides_along(operand.axes, operand.value.shape(), {lanes[inner - 1]})[0];
  if (stride <= 1) return operand;
  Axes axes;
  for (const Axes& group : {fold.over, lanes})
    for (const std::string& axis : group)
      if (std::find(operand.axes.begin(), operand.axes.end(), axis) != operand.axes.end()) axes.push_back(axis);
  std::vector<int> permutation;
  for (const std::string& axis : axes)
    permutation.push_back(static_cast<int>(std::find(operand.axes.begin(), operand.axes.end(), axis) - operand.axes.begin()));
  NodeValue rows = operand;
  rows.axes = axes;
  rows.value = transpose(operand.value, permutation);
  if (operand.any_carried) rows.carried = transpose(operand.carried, permutation);
  return rows;
}

LaneSpace lane_space(const Fold& fold, const NodeValue& made, const std::vector<NodeValue>& operands) {
  const Axes lanes = lane_axes(fold);
  Shape extents;
  for (size_t a = 0; a < made.axes.size(); ++a)
    if (std::find(lanes.begin(), lanes.end(), made.axes[a]) != lanes.end()) extents.push_back(made.value.shape()[a]);
  std::vector<std::vector<std::int64_t>> strides;
  for (const NodeValue& operand : operands) strides.push_back(strides_along(operand.axes, operand.value.shape(), lanes));
  strides.push_back(strides_along(made.axes, made.value.shape(), lanes));
  return collapse(extents, std::move(strides));
}

ChainBodies chain_bodies(const ScalarBody& leaf, const ScalarBody& step, const Start& start) {
  return {&start, step.result_formats(), start.first_leaf ? after_leaf(leaf, start.lift, 0) : ScalarBody{},
          after_leaf(leaf, step, step.results.size())};
}

std::optional<ChainBodies> tail_bodies(const Fold& fold) {
  if (!fold.tail) return {};
  return chain_bodies(fold.tail->leaf, fold.tail->step, fold.tail->start);
}

std::vector<NodeValue> prepare(const Fold& fold, const Shape& shape, const std::vector<const NodeValue*>& operands) {
  const Axes lanes = lane_axes(fold);
  Shape lane_shape;
  for (const std::string& axis : lanes)
    lane_shape.push_back(shape[static_cast<size_t>(std::find(fold.axes.begin(), fold.axes.end(), axis) - fold.axes.begin())]);
  std::vector<NodeValue> prepared;
  for (const NodeValue* operand : operands) prepared.push_back(in_rows(*operand, fold, lanes, lane_shape));
  return prepared;
}

}  // namespace

FoldJob::FoldJob(const Fold& node, const Shape& shape, const Shape& over, const std::vector<const NodeValue*>& inputs,
                 const NodeSettings& node_settings, NodeValue& made)
    : fold(node),
      settings(node_settings),
      operands(prepare(node, shape, inputs)),
      leaves(element_count(over)),
      schedule(bitpact::schedule(node.order, leaves)),
      head(chain_bodies(node.leaf, node.step, node.start)),
      tail(tail_bodies(node)),
      tail_from(leaves - (node.tail ? tail_length(node.order, leaves) : 0)),
      space(lane_space(node, made, operands)),
      chunks(space, node_settings.lanes),
      out(made.value.mutable_bytes()) {
  widen_operands();
  for (const NodeValue& operand : operands)
    leaf_offsets.emplace_back(over, strides_along(operand.axes, operand.value.shape(), node.over));
  if (prefixes()) prefix_stride = strides_along(made.axes, made.value.shape(), node.over)[0];
  if (!settings.watch) return;
  carried = made.carried.mutable_as<std::uint8_t>();
  final = made.final.mutable_as<std::uint8_t>();
}

void FoldJob::widen_operands() {
  constexpr std::int64_t kReadings = 4;  // of each element, from which it pays
  if (settings.watch) return;            // a conversion's result is watched as well
  if (has_tail()) return;                // which reads the operands by other bodies
  const size_t states = fold.state_formats().size();
  for (size_t o = 0; o < operands.size(); ++o) {
    if (work() < kReadings * operands[o].value.size()) continue;
    auto wide_advance = with_widened_argument(head.advance, states + o);
    auto wide_begin = fold.start.first_leaf ? with_widened_argument(head.begin, o) : head.begin;
    if (!wide_advance || !wide_begin) continue;
    head.advance = std::move(*wide_advance);
    head.begin = std::move(*wide_begin);
    operands[o].value = widened_to_f32(operands[o].value, *settings.kernels);
  }
}

}  // namespace bitpact
