#include "emit/table_text.h"

#include <algorithm>

#include "interpret/interpret.h"

namespace bitpact {

TensorValue emit_table(FunctionText& function, const Table& table, const TensorValue& operand) {
  const TensorValue x = function.transpose(operand, table.axes);
  const int width = info(x.format).storage_bytes * 8;
  const TensorValue raw = is_float(x.format) ? function.bitcast(x, integer_of(width)) : x;
  const TensorValue signed_index = function.convert(raw, Format::I32);
  const TensorValue mask = function.constant(Format::I32, (Bits{1} << width) - 1, x.axes, x.shape);
  const TensorValue index = function.elementwise("stablehlo.and", {signed_index, mask}, Format::I32);
  const Format to = table.values.format();
  const Format bits = is_float(to) ? integer_of(info(to).storage_bytes * 8) : to;
  Tensor entries(bits, table.values.shape());
  std::ranges::copy(table.values.span(), entries.mutable_bytes());
  const TensorValue y = function.lookup(function.constants(entries, {"entry"}), index);
  return is_float(to) ? function.bitcast(y, to) : y;
}

std::optional<BoundProgram> tabulated(const BoundProgram& program) {
  BoundProgram flat{program.program, {}};
  const Input* input = nullptr;
  for (Node& node : flat.program.nodes) {
    if (std::holds_alternative<Fold>(node) || std::holds_alternative<Index>(node)) return {};
    if (std::holds_alternative<Input>(node)) {
      if (input != nullptr) return {};
      input = &std::get<Input>(node);
    } else if (!input || axes_of(node).size() != input->axes.size()) {
      return {};
    }
  }
  const auto entries = input ? table_entries(input->format) : std::nullopt;
  if (!entries || program.program.results.size() != 1) return {};
  const Axes axes = axes_of(program.program.nodes[static_cast<size_t>(program.program.results[0])]);
  const Input own = *input;
  const std::string along = "entry";
  for (Node& node : flat.program.nodes) std::visit([&](auto& n) { n.axes = {along}; }, node);
  flat.extents = {{along, *entries}};
  Tensor all(own.format, {*entries});
  for (std::int64_t i = 0; i < *entries; ++i) all.set(i, static_cast<Bits>(i));
  const Tensor values = interpret(flat, std::span(&all, 1)).results[0];
  return BoundProgram{{{own, Table{{0}, values, axes}}, {1}}, program.extents};
}

}  // namespace bitpact
