// Writes StableHLO text: one SSA value a line, types checked by construction.
#pragma once

#include <string>
#include <vector>

#include "contract/program.h"

namespace bitpact {

/// An SSA value of tensor type. Its dimensions carry axis names, so that operands can be lined up.
struct TensorValue {
  std::string ssa;  ///< "%3"
  Format format = Format::F32;
  Axes axes;
  Shape shape;
};

/// "tensor<4x8xf32>"
std::string tensor_type(const Shape& shape, Format format);

/// The signed integers of at least so many bits: what a value's bits are moved or looked up as.
Format integer_of(int bits);

/// The body of one function, line by line.
class FunctionText {
 public:
  /// A fresh value defined by `right_hand_side` (everything after "="), of that type.
  TensorValue define(const std::string& right_hand_side, Format format, const Axes& axes, const Shape& shape);
  /// Several fresh SSA names for one operation with several results, "%4:2" -> "%4#0", "%4#1".
  std::string fresh();
  void line(const std::string& text);
  void indent(int by) { depth_ += by; }

  TensorValue constant(Format format, Bits bits, const Axes& axes, const Shape& shape);
  /// These values, in the order of `axes`.
  TensorValue constants(const Tensor& values, const Axes& axes);
  /// The position along `dimension`, everywhere in a tensor of integers.
  TensorValue iota(Format format, const Axes& axes, const Shape& shape, size_t dimension);
  /// op(operands) with all of one type; the result has format `format`.
  TensorValue elementwise(const std::string& op, const std::vector<TensorValue>& operands, Format format);
  TensorValue convert(const TensorValue& x, Format format);
  TensorValue bitcast(const TensorValue& x, Format format);
  TensorValue compare(const std::string& direction, const TensorValue& a, const TensorValue& b);
  TensorValue select(const TensorValue& condition, const TensorValue& a, const TensorValue& b);
  TensorValue barrier(const TensorValue& x);
  /// Permutes dimensions so that they come in the order of `axes` (a permutation of x's); x itself where nothing moves.
  TensorValue transpose(const TensorValue& x, const Axes& axes);
  /// Broadcasts into `axes` (a superset of x's, in any order of its own that keeps x's order).
  TensorValue broadcast(const TensorValue& x, const Axes& axes, const Shape& shape);
  TensorValue reshape(const TensorValue& x, const Axes& axes, const Shape& shape);
  /// One index along `axis`, which disappears.
  TensorValue slice_at(const TensorValue& x, const std::string& axis, std::int64_t index);
  /// The same with a run-time index (a scalar i32 SSA name).
  TensorValue dynamic_slice_at(const TensorValue& x, const std::string& axis, const std::string& index);
  /// Indices from, from + stride, ... below `to` along `axis`; x itself where that is all of them.
  TensorValue slice(const TensorValue& x, const std::string& axis, std::int64_t from, std::int64_t to, std::int64_t stride = 1);
  /// The given indices along `axis`, in that order, however they lie.
  TensorValue gather(const TensorValue& x, const std::string& axis, const std::vector<std::int64_t>& indices);
  /// From the last to the first along these axes.
  TensorValue reverse(const TensorValue& x, const Axes& axes);
  /// So many more elements before and behind along each dimension, all of them `value`, a scalar.
  TensorValue pad(const TensorValue& x, const std::vector<std::int64_t>& low, const std::vector<std::int64_t>& high,
                  const TensorValue& value);
  /// The elements of a vector at the flat `indices`, an integer tensor.
  TensorValue lookup(const TensorValue& vector, const TensorValue& indices);
  /// One after the other along `axis`; the one value itself where there is one.
  TensorValue concatenate(const std::vector<TensorValue>& parts, const std::string& axis);
  /// `x` with `part` of the same axes put at the static index `starts`, one a dimension.
  TensorValue updated(const TensorValue& x, const TensorValue& part, const std::vector<std::int64_t>& starts);
  /// `x` with `part`, which lacks `axis`, at one run-time index along it.
  TensorValue updated_at(const TensorValue& x, const std::string& axis, const std::string& index, const TensorValue& part);

  const std::string& text() const { return text_; }

 private:
  /// `starts`: SSA names of scalar i32, one a dimension.
  TensorValue updated_from(const TensorValue& x, const TensorValue& part, const std::vector<std::string>& starts);

  std::string text_;
  int next_ = 0;
  int depth_ = 1;
};

}  // namespace bitpact
