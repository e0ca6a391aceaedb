#include "interpret/interpret.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"
#include "interpret/lanes.h"
#include "interpret/nodes.h"
#include "interpret/watch.h"

namespace bitpact {

void inherit(std::vector<std::uint8_t>& flags, const NodeValue& operand, const LaneOffsets& at, std::int64_t shift) {
  if (!operand.any_carried) return;
  const auto* carried = operand.carried.as<std::uint8_t>() + shift;
  for (size_t l = 0; l < flags.size(); ++l) flags[l] |= carried[at.of(static_cast<std::int64_t>(l))];
}

namespace {

void note_carried(NodeValue& node) {
  const auto* carried = node.carried.as<std::uint8_t>();
  node.any_carried = std::any_of(carried, carried + node.carried.size(), [](std::uint8_t f) { return f != 0; });
}

constexpr std::int64_t kTunedLanes = 512;  // states, a row of each operand and the temporaries stay in the first-level cache

}  // namespace

NodeValue run_input(const Input& node, const Tensor& tensor, const NodeSettings& settings) {
  NodeValue made{node.axes, tensor, {}, {}, false};
  if (!settings.watch) return made;
  made.carried = made.final = Tensor(Format::UI8, tensor.shape());
  auto* carried = made.carried.mutable_as<std::uint8_t>();
  auto* final = made.final.mutable_as<std::uint8_t>();
  if (!is_float(node.format)) return made;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (!is_subnormal(node.format, tensor.get(i))) continue;
    carried[i] = flag_of(Exclusion::SubnormalInput);
    final[i] = flag_of(Exclusion::SubnormalInput) | flag_of(Exclusion::SubnormalResult);
  }
  return made;
}

void check_inputs(const BoundProgram& bound, std::span<const Tensor> inputs) {
  size_t next = 0;
  for (size_t n = 0; n < bound.program.nodes.size(); ++n) {
    const auto* input = std::get_if<Input>(&bound.program.nodes[n]);
    if (!input) continue;
    if (next < inputs.size()) {
      const Shape shape = bound.shape_of(static_cast<int>(n));
      const Tensor& tensor = inputs[next];
      if (tensor.format() != input->format || tensor.shape() != shape)
        refuse(Code::OperandMismatch, fmt::format("{} is {}, not {}", input->name, to_text(tensor.shape(), tensor.format()),
                                                  to_text(shape, input->format)));
    }
    ++next;
  }
  if (next != inputs.size()) refuse(Code::OperandMismatch, fmt::format("{} operands for {} inputs", inputs.size(), next));
}

Shape fold_extents(const BoundProgram& bound, const Fold& fold) {
  Shape over;
  for (const std::string& axis : fold.over) {
    const auto extent = bound.extents.find(axis);
    if (extent == bound.extents.end()) refuse(Code::ContractProgram, fmt::format("axis \"{}\" has no extent", axis));
    over.push_back(extent->second);
  }
  return over;
}

Interpreted interpret(const BoundProgram& bound, std::span<const Tensor> inputs, const InterpretOptions& options) {
  check_well_formed(bound.program);
  check_inputs(bound, inputs);
  const NodeSettings settings{&kernels(options.simd), options.threads, options.lanes > 0 ? options.lanes : kTunedLanes,
                              options.watch};
  std::vector<NodeValue> values;
  values.reserve(bound.program.nodes.size());
  size_t next_input = 0;
  for (size_t n = 0; n < bound.program.nodes.size(); ++n) {
    const Node& node = bound.program.nodes[n];
    auto operands_of = [&values](const std::vector<int>& operands) {
      std::vector<const NodeValue*> pointers;
      for (int o : operands) pointers.push_back(&values[static_cast<size_t>(o)]);
      return pointers;
    };
    const Shape shape = bound.shape_of(static_cast<int>(n));
    if (const auto* input = std::get_if<Input>(&node)) {
      values.push_back(run_input(*input, inputs[next_input++], settings));
    } else if (const auto* map = std::get_if<Map>(&node)) {
      values.push_back(run_map(*map, shape, operands_of(map->operands), settings));
    } else if (const auto* table = std::get_if<Table>(&node)) {
      values.push_back(run_table(*table, shape, values[static_cast<size_t>(table->operands[0])], settings));
    } else if (const auto* index = std::get_if<Index>(&node)) {
      values.push_back(run_index(*index, shape, plain_coordinates(bound, static_cast<int>(n)),
                                 values[static_cast<size_t>(index->operands[0])], settings));
    } else {
      const auto& fold = std::get<Fold>(node);
      values.push_back(run_fold(fold, shape, fold_extents(bound, fold), operands_of(fold.operands), settings));
    }
    if (settings.watch) note_carried(values.back());
  }
  Interpreted interpreted;
  for (int result : bound.program.results) {
    const NodeValue& value = values[static_cast<size_t>(result)];
    Tensor tensor = value.value;
    if (const auto* input = std::get_if<Input>(&bound.program.nodes[static_cast<size_t>(result)])) {
      // An operand's NaNs become canonical as well.
      const Map copy{{result}, identity_body({input->format}), input->axes};
      NodeSettings quiet = settings;
      quiet.watch = false;
      tensor = run_map(copy, tensor.shape(), {&value}, quiet).value;
    }
    interpreted.results.push_back(std::move(tensor));
    if (!options.watch) continue;
    const auto* final = value.final.as<std::uint8_t>();
    interpreted.occurrences.emplace_back(final, final + value.final.size());
  }
  return interpreted;
}

}  // namespace bitpact
