#include "emit/module_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

size_t position(const Axes& axes, const std::string& axis) {
  const auto at = std::find(axes.begin(), axes.end(), axis);
  if (at == axes.end()) refuse(Code::Internal, fmt::format("emission lost axis '{}'", axis));
  return static_cast<size_t>(at - axes.begin());
}

template <typename T>
std::string list(const std::vector<T>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string type_of(const TensorValue& x) { return tensor_type(x.shape, x.format); }

// x without one of its dimensions.
TensorValue without(const TensorValue& x, size_t dimension) {
  TensorValue y = x;
  y.axes.erase(y.axes.begin() + static_cast<std::ptrdiff_t>(dimension));
  y.shape.erase(y.shape.begin() + static_cast<std::ptrdiff_t>(dimension));
  return y;
}

}  // namespace

std::string tensor_type(const Shape& shape, Format format) {
  std::string text = "tensor<";
  for (const std::int64_t extent : shape) text += fmt::format("{}x", extent);
  return text + std::string(name(format)) + ">";
}

Format integer_of(int bits) { return bits <= 8 ? Format::I8 : bits == 16 ? Format::I16 : bits == 32 ? Format::I32 : Format::I64; }

std::string FunctionText::fresh() { return fmt::format("%v{}", next_++); }

void FunctionText::line(const std::string& text) { text_ += std::string(static_cast<size_t>(depth_) * 2, ' ') + text + "\n"; }

TensorValue FunctionText::define(const std::string& right_hand_side, Format format, const Axes& axes, const Shape& shape) {
  TensorValue value{fresh(), format, axes, shape};
  line(fmt::format("{} = {}", value.ssa, right_hand_side));
  return value;
}

TensorValue FunctionText::constant(Format format, Bits bits, const Axes& axes, const Shape& shape) {
  std::string literal;
  if (format == Format::I1)
    literal = bits ? "true" : "false";
  else if (is_float(format))
    literal = fmt::format("0x{:0{}X}", bits, (info(format).bits + 3) / 4);
  else
    literal = to_text(Scalar{format, bits});
  return define(fmt::format("stablehlo.constant dense<{}> : {}", literal, tensor_type(shape, format)), format, axes, shape);
}

TensorValue FunctionText::constants(const Tensor& values, const Axes& axes) {
  std::string entries;
  if (values.format() == Format::I1) {  // has no bytes of its own in the text
    std::vector<std::string_view> words;
    for (std::int64_t i = 0; i < values.size(); ++i) words.push_back(values.get(i) != 0 ? "true" : "false");
    if (values.shape().size() != 1) refuse(Code::Internal, "constants of i1 along other than one axis");
    entries = list(words);
  } else {
    entries = "\"0x";
    entries.reserve(4 + 2 * values.byte_size());
    for (const std::byte byte : values.span()) fmt::format_to(std::back_inserter(entries), "{:02X}", static_cast<unsigned>(byte));
    entries += '"';
  }
  return define(fmt::format("stablehlo.constant dense<{}> : {}", entries, tensor_type(values.shape(), values.format())),
                values.format(), axes, values.shape());
}

TensorValue FunctionText::iota(Format format, const Axes& axes, const Shape& shape, size_t dimension) {
  return define(fmt::format("stablehlo.iota dim = {} : {}", dimension, tensor_type(shape, format)), format, axes, shape);
}

TensorValue FunctionText::elementwise(const std::string& op, const std::vector<TensorValue>& operands, Format format) {
  std::vector<std::string> names;
  for (const TensorValue& operand : operands) names.push_back(operand.ssa);
  return define(fmt::format("{} {} : {}", op, fmt::join(names, ", "), tensor_type(operands[0].shape, format)), format,
                operands[0].axes, operands[0].shape);
}

TensorValue FunctionText::convert(const TensorValue& x, Format format) {
  if (x.format == format) return x;
  return define(fmt::format("stablehlo.convert {} : ({}) -> {}", x.ssa, type_of(x), tensor_type(x.shape, format)), format, x.axes,
                x.shape);
}

TensorValue FunctionText::bitcast(const TensorValue& x, Format format) {
  return define(fmt::format("stablehlo.bitcast_convert {} : ({}) -> {}", x.ssa, type_of(x), tensor_type(x.shape, format)), format,
                x.axes, x.shape);
}

TensorValue FunctionText::compare(const std::string& direction, const TensorValue& a, const TensorValue& b) {
  return define(fmt::format("stablehlo.compare {}, {}, {} : ({}, {}) -> {}", direction, a.ssa, b.ssa, type_of(a), type_of(b),
                            tensor_type(a.shape, Format::I1)),
                Format::I1, a.axes, a.shape);
}

TensorValue FunctionText::select(const TensorValue& condition, const TensorValue& a, const TensorValue& b) {
  return define(fmt::format("stablehlo.select {}, {}, {} : {}, {}", condition.ssa, a.ssa, b.ssa, type_of(condition), type_of(a)),
                a.format, a.axes, a.shape);
}

TensorValue FunctionText::barrier(const TensorValue& x) {
  return define(fmt::format("stablehlo.optimization_barrier {} : {}", x.ssa, type_of(x)), x.format, x.axes, x.shape);
}

TensorValue FunctionText::transpose(const TensorValue& x, const Axes& axes) {
  if (axes == x.axes) return x;
  std::vector<size_t> permutation;
  Shape shape;
  for (const std::string& axis : axes) {
    permutation.push_back(position(x.axes, axis));
    shape.push_back(x.shape[permutation.back()]);
  }
  return define(fmt::format("stablehlo.transpose {}, dims = {} : ({}) -> {}", x.ssa, list(permutation), type_of(x),
                            tensor_type(shape, x.format)),
                x.format, axes, shape);
}

TensorValue FunctionText::broadcast(const TensorValue& x, const Axes& axes, const Shape& shape) {
  if (axes == x.axes) return x;
  std::vector<size_t> dims;
  for (const std::string& axis : x.axes) dims.push_back(position(axes, axis));
  return define(fmt::format("stablehlo.broadcast_in_dim {}, dims = {} : ({}) -> {}", x.ssa, list(dims), type_of(x),
                            tensor_type(shape, x.format)),
                x.format, axes, shape);
}

TensorValue FunctionText::reshape(const TensorValue& x, const Axes& axes, const Shape& shape) {
  return define(fmt::format("stablehlo.reshape {} : ({}) -> {}", x.ssa, type_of(x), tensor_type(shape, x.format)), x.format, axes,
                shape);
}

TensorValue FunctionText::slice(const TensorValue& x, const std::string& axis, std::int64_t from, std::int64_t to,
                                std::int64_t stride) {
  const size_t at = position(x.axes, axis);
  if (from == 0 && to == x.shape[at] && stride == 1) return x;
  std::vector<std::string> ranges;
  for (size_t d = 0; d < x.shape.size(); ++d) {
    if (d != at)
      ranges.push_back(fmt::format("0:{}", x.shape[d]));
    else
      ranges.push_back(stride == 1 ? fmt::format("{}:{}", from, to) : fmt::format("{}:{}:{}", from, to, stride));
  }
  Shape shape = x.shape;
  shape[at] = (to - from - 1) / stride + 1;
  return define(fmt::format("stablehlo.slice {} {} : ({}) -> {}", x.ssa, list(ranges), type_of(x), tensor_type(shape, x.format)),
                x.format, x.axes, shape);
}

TensorValue FunctionText::gather(const TensorValue& x, const std::string& axis, const std::vector<std::int64_t>& indices) {
  const size_t at = position(x.axes, axis);
  const auto count = static_cast<std::int64_t>(indices.size());
  const std::string type = fmt::format("tensor<{}xi32>", count);
  const TensorValue index =
      define(fmt::format("stablehlo.constant dense<{}> : {}", list(indices), type), Format::I32, {axis}, {count});
  std::vector<size_t> kept;
  Shape sizes = x.shape, shape = x.shape;
  sizes[at] = 1;
  shape[at] = count;
  for (size_t d = 0; d < x.shape.size(); ++d)
    if (d != at) kept.push_back(d);
  return define(
      fmt::format(
          "\"stablehlo.gather\"({}, {}) <{{dimension_numbers = #stablehlo.gather<offset_dims = {}, collapsed_slice_dims = "
          "[{}], start_index_map = [{}], index_vector_dim = 1>, slice_sizes = array<i64: {}>, indices_are_sorted = "
          "false}}> : ({}, {}) -> {}",
          x.ssa, index.ssa, list(kept), at, at, fmt::join(sizes, ", "), type_of(x), type, tensor_type(shape, x.format)),
      x.format, x.axes, shape);
}

TensorValue FunctionText::reverse(const TensorValue& x, const Axes& axes) {
  if (axes.empty()) return x;
  std::vector<size_t> dims;
  for (const std::string& axis : axes) dims.push_back(position(x.axes, axis));
  return define(fmt::format("stablehlo.reverse {}, dims = {} : {}", x.ssa, list(dims), type_of(x)), x.format, x.axes, x.shape);
}

TensorValue FunctionText::pad(const TensorValue& x, const std::vector<std::int64_t>& low, const std::vector<std::int64_t>& high,
                              const TensorValue& value) {
  Shape shape = x.shape;
  for (size_t d = 0; d < shape.size(); ++d) shape[d] += low[d] + high[d];
  if (shape == x.shape) return x;
  return define(
      fmt::format("stablehlo.pad {}, {}, low = {}, high = {}, interior = {} : ({}, {}) -> {}", x.ssa, value.ssa, list(low),
                  list(high), list(std::vector<int>(shape.size(), 0)), type_of(x), type_of(value), tensor_type(shape, x.format)),
      x.format, x.axes, shape);
}

TensorValue FunctionText::lookup(const TensorValue& vector, const TensorValue& indices) {
  const std::int64_t count = element_count(indices.shape);
  const TensorValue column = reshape(indices, {"element", "entry"}, {count, 1});
  const TensorValue flat = define(
      fmt::format(
          "\"stablehlo.gather\"({}, {}) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map "
          "= [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}}> : ({}, {}) -> {}",
          vector.ssa, column.ssa, type_of(vector), type_of(column), tensor_type({count}, vector.format)),
      vector.format, {"element"}, {count});
  return reshape(flat, indices.axes, indices.shape);
}

TensorValue FunctionText::concatenate(const std::vector<TensorValue>& parts, const std::string& axis) {
  if (parts.size() == 1) return parts[0];
  const size_t at = position(parts[0].axes, axis);
  Shape shape = parts[0].shape;
  shape[at] = 0;
  std::vector<std::string> names, types;
  for (const TensorValue& part : parts) {
    names.push_back(part.ssa);
    types.push_back(type_of(part));
    shape[at] += part.shape[at];
  }
  return define(fmt::format("stablehlo.concatenate {}, dim = {} : ({}) -> {}", fmt::join(names, ", "), at, fmt::join(types, ", "),
                            tensor_type(shape, parts[0].format)),
                parts[0].format, parts[0].axes, shape);
}

TensorValue FunctionText::updated_from(const TensorValue& x, const TensorValue& part, const std::vector<std::string>& starts) {
  std::vector<std::string> types{type_of(x), type_of(part)};
  types.insert(types.end(), starts.size(), "tensor<i32>");
  return define(fmt::format("stablehlo.dynamic_update_slice {}, {}, {} : ({}) -> {}", x.ssa, part.ssa, fmt::join(starts, ", "),
                            fmt::join(types, ", "), type_of(x)),
                x.format, x.axes, x.shape);
}

TensorValue FunctionText::updated(const TensorValue& x, const TensorValue& part, const std::vector<std::int64_t>& starts) {
  std::vector<std::string> names;
  for (const std::int64_t start : starts) names.push_back(constant(Format::I32, static_cast<Bits>(start), {}, {}).ssa);
  return updated_from(x, part, names);
}

TensorValue FunctionText::slice_at(const TensorValue& x, const std::string& axis, std::int64_t index) {
  const TensorValue one = slice(x, axis, index, index + 1);
  const TensorValue flat = without(one, position(x.axes, axis));
  return reshape(one, flat.axes, flat.shape);
}

TensorValue FunctionText::dynamic_slice_at(const TensorValue& x, const std::string& axis, const std::string& index) {
  const size_t at = position(x.axes, axis);
  const TensorValue zero = constant(Format::I32, 0, {}, {});
  std::vector<std::string> starts, types{type_of(x)};
  Shape one = x.shape;
  one[at] = 1;
  for (size_t d = 0; d < x.shape.size(); ++d) {
    starts.push_back(d == at ? index : zero.ssa);
    types.push_back("tensor<i32>");
  }
  const TensorValue slice =
      define(fmt::format("stablehlo.dynamic_slice {}, {}, sizes = {} : ({}) -> {}", x.ssa, fmt::join(starts, ", "), list(one),
                         fmt::join(types, ", "), tensor_type(one, x.format)),
             x.format, x.axes, one);
  const TensorValue flat = without(slice, at);
  return reshape(slice, flat.axes, flat.shape);
}

TensorValue FunctionText::updated_at(const TensorValue& x, const std::string& axis, const std::string& index,
                                     const TensorValue& part) {
  const size_t at = position(x.axes, axis);
  TensorValue one = x;
  one.shape[at] = 1;
  const TensorValue update = reshape(part, x.axes, one.shape);
  const TensorValue zero = constant(Format::I32, 0, {}, {});
  std::vector<std::string> starts(x.shape.size(), zero.ssa);
  starts[at] = index;
  return updated_from(x, update, starts);
}

}  // namespace bitpact
