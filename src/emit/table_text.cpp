#include "emit/table_text.h"

#include <fmt/format.h>

#include "interpret/interpret.h"

namespace bitpact {
namespace {

Format integer_of(int bits) { return bits <= 8 ? Format::I8 : bits == 16 ? Format::I16 : bits == 32 ? Format::I32 : Format::I64; }

}  // namespace

TensorValue emit_table(FunctionText& function, const Table& table, const TensorValue& operand, const Shape& shape) {
  const TensorValue x = function.transpose(operand, table.axes);
  const int width = info(x.format).storage_bytes * 8;
  const TensorValue raw = is_float(x.format) ? function.bitcast(x, integer_of(width)) : x;
  const TensorValue signed_index = function.convert(raw, Format::I32);
  const TensorValue mask = function.constant(Format::I32, (Bits{1} << width) - 1, x.axes, x.shape);
  const TensorValue index = function.elementwise("stablehlo.and", {signed_index, mask}, Format::I32);
  const std::int64_t count = element_count(shape);
  const TensorValue column = function.reshape(index, {"element", "entry"}, {count, 1});

  const Format to = table.values.format();
  const Format bits = is_float(to) ? integer_of(info(to).storage_bytes * 8) : to;
  std::string entries = "0x";
  entries.reserve(2 + 2 * table.values.byte_size());
  for (const std::byte byte : table.values.span())
    fmt::format_to(std::back_inserter(entries), "{:02X}", static_cast<unsigned>(byte));
  const TensorValue all =
      function.define(fmt::format("stablehlo.constant dense<\"{}\"> : {}", entries, tensor_type(table.values.shape(), bits)),
                      bits, {"entry"}, table.values.shape());
  const TensorValue flat = function.define(
      fmt::format(
          "\"stablehlo.gather\"({}, {}) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map "
          "= [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}}> : ({}, {}) -> {}",
          all.ssa, column.ssa, tensor_type(all.shape, bits), tensor_type(column.shape, Format::I32), tensor_type({count}, bits)),
      bits, {"element"}, {count});
  const TensorValue y = function.reshape(flat, table.axes, shape);
  return is_float(to) ? function.bitcast(y, to) : y;
}

std::optional<BoundProgram> tabulated(const BoundProgram& program) {
  BoundProgram flat{program.program, {}};
  const Input* input = nullptr;
  for (Node& node : flat.program.nodes) {
    if (std::holds_alternative<Fold>(node)) return {};
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
