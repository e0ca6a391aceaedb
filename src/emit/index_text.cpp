#include "emit/index_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "emit/take.h"

namespace bitpact {
namespace {

constexpr std::int64_t kMostListed = 1 << 16;  // indices along one axis that are written into the module

class IndexText {
 public:
  IndexText(FunctionText& f, ScalarText& scalar, const Index& index, const std::vector<PlainCoordinate>& from, const Shape& shape)
      : f_(f), scalar_(scalar), index_(index), from_(from), shape_(shape) {}

  TensorValue run(const TensorValue& x) {
    if (is_reshape(x)) return f_.reshape(x, index_.axes, shape_);
    const TensorValue raw = is_float(x.format) ? f_.bitcast(x, integer_of(8 * info(x.format).storage_bytes)) : x;
    const TensorValue moved = each_apart() ? by_axis(raw) : looked_up(raw);
    if (!is_float(x.format)) return moved;
    const bool chooses = !std::ranges::all_of(from_, &PlainCoordinate::inside);
    return f_.bitcast(chooses && info(x.format).bits == 16 ? scalar_.unknown(moved) : moved, x.format);
  }

 private:
  // ---- what it is

  /// The elements in their row-major order.
  bool is_reshape(const TensorValue& x) const {
    if (element_count(x.shape) != element_count(shape_)) return false;
    if (!std::ranges::all_of(from_, &PlainCoordinate::inside)) return false;
    const std::vector<std::int64_t> own = row_major_strides(x.shape), rows = row_major_strides(shape_);
    std::int64_t start = 0;
    for (size_t c = 0; c < from_.size(); ++c) start += own[c] * from_[c].start;
    if (start != 0) return false;
    for (size_t d = 0; d < shape_.size(); ++d) {
      const std::vector<std::int64_t> flat = flat_along(own, d);
      for (std::int64_t p = 0; p < shape_[d]; ++p)
        if ((flat.empty() ? 0 : flat[static_cast<size_t>(p)]) != p * rows[d]) return false;
    }
    return true;
  }

  /// What a position along a dimension of the result adds to the flat index; empty: nothing.
  std::vector<std::int64_t> flat_along(const std::vector<std::int64_t>& strides, size_t dimension) const {
    std::vector<std::int64_t> flat;
    for (size_t c = 0; c < from_.size(); ++c) {
      const std::vector<std::int64_t> own = from_[c].along(dimension, shape_[dimension]);
      if (flat.empty()) flat.resize(own.size(), 0);
      for (size_t p = 0; p < own.size(); ++p) flat[p] += strides[c] * own[p];
    }
    return flat;
  }

  static std::vector<size_t> dimensions_of(const PlainCoordinate& coordinate) {
    std::vector<size_t> dimensions;
    for (const PlainTerm& term : coordinate.terms)
      if (std::ranges::find(dimensions, term.dimension) == dimensions.end()) dimensions.push_back(term.dimension);
    std::ranges::sort(dimensions);
    return dimensions;
  }

  bool each_apart() const {
    std::vector<int> uses(shape_.size(), 0);
    for (const PlainCoordinate& coordinate : from_) {
      std::int64_t positions = 1;
      for (const size_t d : dimensions_of(coordinate)) {
        if (uses[d]++ > 0) return false;
        positions *= shape_[d];
      }
      if (!is_straight(coordinate) && positions > kMostListed) return false;
      if (is_straight(coordinate) && !is_padded(coordinate) && !coordinate.inside()) return false;
    }
    return true;
  }

  /// start + times * p: slices and reversals do.
  static bool is_straight(const PlainCoordinate& coordinate) {
    return coordinate.terms.empty() ||
           (coordinate.terms.size() == 1 && coordinate.terms[0].divide == 1 && coordinate.terms[0].modulo == 0);
  }

  /// Padding no longer than what is there and what comes out.
  bool is_padded(const PlainCoordinate& coordinate) const {
    const std::int64_t most = coordinate.extent + (coordinate.terms.empty() ? 1 : shape_[coordinate.terms[0].dimension]);
    return coordinate.least >= -most && coordinate.greatest < coordinate.extent + most;
  }

  // ---- an axis at a time

  TensorValue by_axis(TensorValue x) {
    for (size_t c = 0; c < from_.size(); ++c) x.axes[c] = fmt::format("from#{}", c);
    x = reversed_and_padded(x);
    Axes axes;
    Shape shape;
    for (size_t c = 0; c < from_.size(); ++c) {
      const std::string axis = x.axes[c];
      x = is_straight(from_[c]) ? straight(x, axis, from_[c]) : listed(x, axis, from_[c]);
      for (const size_t d : dimensions_of(from_[c])) {
        axes.push_back(index_.axes[d]);
        shape.push_back(shape_[d]);
      }
    }
    if (shape != x.shape) x = f_.reshape(x, axes, shape);
    x.axes = axes;
    Axes kept;
    for (const std::string& axis : index_.axes)
      if (std::ranges::find(axes, axis) != axes.end()) kept.push_back(axis);
    return f_.broadcast(f_.transpose(x, kept), index_.axes, shape_);
  }

  TensorValue reversed_and_padded(TensorValue x) {
    Axes reversed;
    for (size_t c = 0; c < from_.size(); ++c)
      if (is_straight(from_[c]) && runs_back(from_[c])) reversed.push_back(x.axes[c]);
    x = f_.reverse(x, reversed);
    std::vector<std::int64_t> low(from_.size(), 0), high(from_.size(), 0);
    for (size_t c = 0; c < from_.size(); ++c) {
      if (from_[c].inside()) continue;
      if (is_straight(from_[c])) {
        const auto [least, greatest] = ends(from_[c]);
        low[c] = std::max<std::int64_t>(0, -least);
        high[c] = std::max<std::int64_t>(0, greatest - (from_[c].extent - 1));
      } else {
        high[c] = 1;  // the one element that all that is outside reads
      }
    }
    if (std::ranges::all_of(from_, &PlainCoordinate::inside)) return x;
    return f_.pad(x, low, high, outside(x.format, {}, {}));
  }

  static bool runs_back(const PlainCoordinate& coordinate) { return !coordinate.terms.empty() && coordinate.terms[0].times < 0; }

  /// The first and the last index, in the reversed operand where it runs back.
  static std::pair<std::int64_t, std::int64_t> ends(const PlainCoordinate& coordinate) {
    if (!runs_back(coordinate)) return {coordinate.least, coordinate.greatest};
    return {coordinate.extent - 1 - coordinate.greatest, coordinate.extent - 1 - coordinate.least};
  }

  TensorValue straight(const TensorValue& x, const std::string& axis, const PlainCoordinate& coordinate) {
    const auto [first, last] = ends(coordinate);
    const std::int64_t low = coordinate.inside() ? 0 : std::max<std::int64_t>(0, -first);
    const std::int64_t stride = coordinate.terms.empty() ? 1 : std::abs(coordinate.terms[0].times);
    const TensorValue sliced = f_.slice(x, axis, first + low, last + low + 1, stride);
    // IREE does not always compile what it fuses a slice of every so many-th element into.
    return stride == 1 || sliced.ssa == x.ssa ? sliced : f_.barrier(sliced);
  }

  TensorValue listed(const TensorValue& x, const std::string& axis, const PlainCoordinate& coordinate) {
    std::vector<std::int64_t> indices{coordinate.start};
    for (const size_t d : dimensions_of(coordinate)) {
      const std::vector<std::int64_t> own = coordinate.along(d, shape_[d]);
      std::vector<std::int64_t> more;
      more.reserve(indices.size() * own.size());
      for (const std::int64_t before : indices)
        for (const std::int64_t here : own) more.push_back(before + here);
      indices = std::move(more);
    }
    for (std::int64_t& at : indices)
      if (at < 0 || at >= coordinate.extent) at = coordinate.extent;
    return take(f_, x, axis, indices);
  }

  // ---- one lookup among all elements

  TensorValue looked_up(const TensorValue& x) {
    const std::int64_t count = element_count(x.shape);
    const Format format = count < (std::int64_t{1} << 31) ? Format::I32 : Format::I64;
    const std::vector<std::int64_t> strides = row_major_strides(x.shape);
    std::int64_t start = 0;
    for (size_t c = 0; c < from_.size(); ++c) start += strides[c] * from_[c].start;
    std::vector<std::vector<std::int64_t>> along;
    for (size_t d = 0; d < shape_.size(); ++d) along.push_back(flat_along(strides, d));
    TensorValue at = sum(format, start, along);
    const TensorValue inside = all_inside(format);
    if (!inside.ssa.empty()) at = f_.select(inside, at, f_.constant(format, 0, index_.axes, shape_));
    const TensorValue found = f_.lookup(f_.reshape(x, {"element"}, {count}), at);
    return inside.ssa.empty() ? found : f_.select(inside, found, outside(x.format, index_.axes, shape_));
  }

  /// Where every coordinate is inside; no value where that is everywhere.
  TensorValue all_inside(Format format) {
    TensorValue all;
    for (const PlainCoordinate& coordinate : from_) {
      if (coordinate.inside()) continue;
      std::vector<std::vector<std::int64_t>> along;
      for (size_t d = 0; d < shape_.size(); ++d) along.push_back(coordinate.along(d, shape_[d]));
      const TensorValue at = sum(format, coordinate.start, along);
      const auto and_if = [&](const std::string& direction, std::int64_t bound) {
        const TensorValue one = f_.compare(direction, at, f_.constant(format, as_bits(format, bound), index_.axes, shape_));
        all = all.ssa.empty() ? one : f_.elementwise("stablehlo.and", {all, one}, Format::I1);
      };
      if (coordinate.least < 0) and_if("GE", 0);
      if (coordinate.greatest >= coordinate.extent) and_if("LT", coordinate.extent);
    }
    return all;
  }

  /// start + what each dimension adds, everywhere in the result.
  TensorValue sum(Format format, std::int64_t start, const std::vector<std::vector<std::int64_t>>& along) {
    TensorValue total;
    const auto add = [&](const TensorValue& part) {
      total = total.ssa.empty() ? part : f_.elementwise("stablehlo.add", {total, part}, format);
    };
    for (size_t d = 0; d < along.size(); ++d) {
      if (std::ranges::all_of(along[d], [](std::int64_t value) { return value == 0; })) continue;
      add(is_even(along[d]) ? counted(format, d, along[d][1]) : written(format, d, along[d]));
    }
    if (start != 0 || total.ssa.empty()) add(f_.constant(format, as_bits(format, start), index_.axes, shape_));
    return total;
  }

  static bool is_even(const std::vector<std::int64_t>& values) {
    for (size_t p = 0; p < values.size(); ++p)
      if (values[p] != static_cast<std::int64_t>(p) * values[1]) return false;
    return true;
  }

  TensorValue counted(Format format, size_t dimension, std::int64_t step) {
    const TensorValue position = f_.iota(format, index_.axes, shape_, dimension);
    if (step == 1) return position;
    return f_.elementwise("stablehlo.multiply", {position, f_.constant(format, as_bits(format, step), index_.axes, shape_)},
                          format);
  }

  TensorValue written(Format format, size_t dimension, const std::vector<std::int64_t>& values) {
    Tensor all(format, {static_cast<std::int64_t>(values.size())});
    for (size_t p = 0; p < values.size(); ++p) all.set(static_cast<std::int64_t>(p), as_bits(format, values[p]));
    return f_.broadcast(f_.constants(all, {index_.axes[dimension]}), index_.axes, shape_);
  }

  static Bits as_bits(Format format, std::int64_t value) {
    return format == Format::I64 ? static_cast<Bits>(value) : static_cast<Bits>(value) & 0xffffffffU;
  }

  TensorValue outside(Format format, const Axes& axes, const Shape& shape) {
    return f_.constant(format, index_.outside.value_or(0), axes, shape);
  }

  FunctionText& f_;
  ScalarText& scalar_;
  const Index& index_;
  const std::vector<PlainCoordinate>& from_;
  const Shape& shape_;
};

}  // namespace

TensorValue emit_index(FunctionText& function, ScalarText& scalar, const Index& index, const std::vector<PlainCoordinate>& from,
                       const TensorValue& operand, const Shape& shape) {
  return IndexText(function, scalar, index, from, shape).run(operand);
}

}  // namespace bitpact
