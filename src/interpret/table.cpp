#include "interpret/nodes.h"
#include "interpret/watch.h"

namespace bitpact {

NodeValue run_table(const Table& node, Shape shape, const NodeValue& operand, const NodeSettings& settings) {
  // The operand's elements in the order of the node's axes; every NaN among them is the quiet one, or one that gives the same.
  NodeSettings quiet = settings;
  quiet.watch = false;
  const Format from = operand.value.format(), to = node.values.format();
  const Tensor elements = run_map({{0}, identity_body({from}), node.axes}, shape, {&operand}, quiet).value;
  NodeValue made{node.axes, Tensor(to, shape), {}, {}, false};
  for (std::int64_t i = 0; i < elements.size(); ++i)
    made.value.set(i, node.values.get(static_cast<std::int64_t>(elements.get(i))));
  if (!settings.watch) return made;
  // What its elements carry, in that order too.
  NodeValue flags{operand.axes, operand.carried, {}, {}, false};
  const Tensor inherited = run_map({{0}, identity_body({Format::UI8}), node.axes}, shape, {&flags}, quiet).value;
  made.carried = made.final = Tensor(Format::UI8, shape);
  for (std::int64_t i = 0; i < made.value.size(); ++i) {
    const Bits value = made.value.get(i);
    const OutputFlags of_one =
        output_flags(static_cast<std::uint8_t>(inherited.get(i)), is_tiny(to, value) ? 1 : 0, true, to, value);
    made.carried.set(i, of_one.carried);
    made.final.set(i, of_one.result);
  }
  return made;
}

}  // namespace bitpact
