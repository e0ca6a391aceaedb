#include "emit/table_text.h"

#include <fmt/format.h>

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

}  // namespace bitpact
