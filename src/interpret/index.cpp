#include <algorithm>

#include "interpret/nodes.h"
#include "interpret/watch.h"

// Which element an index reads is a sum of what each dimension of the result adds, so that each dimension's part is a table: a
// row along the last dimension is one place in the operand and the table of that dimension.

namespace bitpact {
namespace {

/// What the dimensions of the result add to a number.
struct Parts {
  std::int64_t start = 0;
  std::vector<std::vector<std::int64_t>> along;  ///< one a dimension; empty: nothing

  std::int64_t add(size_t dimension, std::int64_t position) const {
    return along[dimension].empty() ? 0 : along[dimension][static_cast<size_t>(position)];
  }
};

Parts parts_of(const PlainCoordinate& coordinate, const Shape& shape) {
  Parts parts{coordinate.start, {}};
  for (size_t d = 0; d < shape.size(); ++d) parts.along.push_back(coordinate.along(d, shape[d]));
  return parts;
}

/// Where in the operand, flat, all coordinates together point.
Parts flat_parts(const std::vector<Parts>& coordinates, const Shape& operand, const Shape& shape) {
  const std::vector<std::int64_t> strides = row_major_strides(operand);
  Parts flat;
  flat.along.resize(shape.size());
  for (size_t c = 0; c < coordinates.size(); ++c) {
    flat.start += strides[c] * coordinates[c].start;
    for (size_t d = 0; d < shape.size(); ++d) {
      const std::vector<std::int64_t>& own = coordinates[c].along[d];
      if (own.empty()) continue;
      flat.along[d].resize(own.size(), 0);
      for (size_t p = 0; p < own.size(); ++p) flat.along[d][p] += strides[c] * own[p];
    }
  }
  return flat;
}

/// For each element of the result the flat index of the operand's; -1: outside.
std::vector<std::int64_t> elements_read(const Shape& shape, const std::vector<PlainCoordinate>& from, const Shape& operand) {
  std::vector<Parts> coordinates;
  for (const PlainCoordinate& coordinate : from) coordinates.push_back(parts_of(coordinate, shape));
  const Parts flat = flat_parts(coordinates, operand, shape);
  std::vector<size_t> doubtful;  // the coordinates that may be outside
  for (size_t c = 0; c < from.size(); ++c)
    if (!from[c].inside()) doubtful.push_back(c);

  std::vector<std::int64_t> read(static_cast<size_t>(element_count(shape)));
  if (shape.empty()) {
    const bool inside = std::ranges::all_of(from, &PlainCoordinate::inside);
    read[0] = inside ? flat.start : -1;
    return read;
  }
  const size_t last = shape.size() - 1;
  const std::int64_t row = shape[last];
  for (size_t begin = 0; begin < read.size(); begin += static_cast<size_t>(row)) {
    const std::vector<std::int64_t> at = coordinate(shape, static_cast<std::int64_t>(begin));
    const auto before = [&](const Parts& parts) {
      std::int64_t sum = parts.start;
      for (size_t d = 0; d < last; ++d) sum += parts.add(d, at[d]);
      return sum;
    };
    const std::int64_t first = before(flat);
    for (std::int64_t p = 0; p < row; ++p) read[begin + static_cast<size_t>(p)] = first + flat.add(last, p);
    for (const size_t c : doubtful) {
      const std::int64_t own = before(coordinates[c]);
      for (std::int64_t p = 0; p < row; ++p) {
        const std::int64_t position = own + coordinates[c].add(last, p);
        if (position < 0 || position >= from[c].extent) read[begin + static_cast<size_t>(p)] = -1;
      }
    }
  }
  return read;
}

template <class Word>
void move_words(const std::vector<std::int64_t>& read, const std::byte* from, Bits outside, std::byte* to) {
  const auto* source = reinterpret_cast<const Word*>(from);
  auto* target = reinterpret_cast<Word*>(to);
  for (size_t i = 0; i < read.size(); ++i) target[i] = read[i] < 0 ? static_cast<Word>(outside) : source[read[i]];
}

void move(const std::vector<std::int64_t>& read, const Tensor& from, Bits outside, Tensor& to) {
  switch (info(from.format()).storage_bytes) {
    case 1:
      return move_words<std::uint8_t>(read, from.bytes(), outside, to.mutable_bytes());
    case 2:
      return move_words<std::uint16_t>(read, from.bytes(), outside, to.mutable_bytes());
    case 4:
      return move_words<std::uint32_t>(read, from.bytes(), outside, to.mutable_bytes());
    default:
      return move_words<std::uint64_t>(read, from.bytes(), outside, to.mutable_bytes());
  }
}

}  // namespace

NodeValue run_index(const Index& node, Shape shape, const std::vector<PlainCoordinate>& from, const NodeValue& operand,
                    const NodeSettings& settings) {
  const Format format = operand.value.format();
  const std::vector<std::int64_t> read = elements_read(shape, from, operand.value.shape());
  NodeValue made{node.axes, Tensor(format, shape), {}, {}, false};
  const Bits outside = node.outside.value_or(0);
  move(read, operand.value, outside, made.value);
  if (const Kernel canonicalise = settings.kernels->canonicalise(format)) {
    KernelCall call;
    call.out = made.value.mutable_bytes();
    call.in[0] = call.out;
    call.lanes = made.value.size();
    canonicalise(call);
  }
  if (!settings.watch) return made;
  made.carried = made.final = Tensor(Format::UI8, shape);
  const auto* inherited = operand.carried.as<std::uint8_t>();
  for (size_t i = 0; i < read.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const bool is_outside = read[i] < 0;
    const Bits value = made.value.get(at);
    const OutputFlags flags = output_flags(is_outside ? std::uint8_t{0} : inherited[read[i]],
                                           is_outside && is_tiny(format, value) ? 1 : 0, is_outside, format, value);
    made.carried.set(at, flags.carried);
    made.final.set(at, flags.result);
  }
  return made;
}

}  // namespace bitpact
