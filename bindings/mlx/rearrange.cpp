#include <limits>

#include "diagnostic/diagnostic.h"
#include "operators.h"
#include "operators/operator.h"

namespace bitpact::mlx_worker {

namespace {

std::string text_of(const WorkerCall& call, const std::string& attribute, const std::string& usual) {
  const auto given = call.attributes.find(attribute);
  return given == call.attributes.end() ? usual : given->second;
}

/// One number a dimension of the operand; where the attribute is not given, `usual`.
mx::Shape numbers(const WorkerCall& call, const std::string& attribute, int usual) {
  const std::string text = text_of(call, attribute, "");
  if (text.empty()) return mx::Shape(call.operands.at(0).shape.size(), usual);
  mx::Shape all;
  for (const std::int64_t number : integers_of(text)) all.push_back(static_cast<mx::ShapeElem>(number));
  return all;
}

mx::array reversed(const WorkerCall& call, const mx::array& x) {
  const int given = std::atoi(text_of(call, "axis", "-1").c_str());
  const auto axis = static_cast<std::size_t>(given < 0 ? given + static_cast<int>(x.ndim()) : given);
  mx::Shape start(x.ndim(), 0), stop = x.shape(), strides(x.ndim(), 1);
  start[axis] = stop[axis] - 1;
  stop[axis] = -stop[axis] - 1;
  strides[axis] = -1;
  return mx::slice(x, start, stop, strides);
}

mx::array padded(const WorkerCall& call, const mx::array& x) {
  const mx::Shape low = numbers(call, "low", 0), high = numbers(call, "high", 0);
  for (const mx::ShapeElem between : numbers(call, "interior", 0))
    if (between != 0) refuse(Code::BackendLacksForm, "mlx.pad puts nothing between elements");
  std::vector<int> axes;
  for (std::size_t d = 0; d < low.size(); ++d) {
    if (low[d] < 0 || high[d] < 0) refuse(Code::BackendLacksForm, "mlx.pad cuts nothing off");
    axes.push_back(static_cast<int>(d));
  }
  const std::string value = text_of(call, "value", "0");
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float scalar = value == "-0"     ? -0.0F
                       : value == "1"    ? 1.0F
                       : value == "inf"  ? kInfinity
                       : value == "-inf" ? -kInfinity
                       : value == "nan"  ? std::numeric_limits<float>::quiet_NaN()
                                         : 0.0F;
  return mx::pad(x, axes, low, high, mx::array(scalar, x.dtype()));
}

mx::array transposed(const WorkerCall& call, const mx::array& x) {
  const std::string permutation = text_of(call, "permutation", "");
  if (permutation.empty()) return mx::transpose(x);
  const mx::Shape axes = numbers(call, "permutation", 0);
  return mx::transpose(x, std::vector<int>(axes.begin(), axes.end()));
}

}  // namespace

void add_rearrangements(Table& table) {
  using Operands = std::vector<mx::array>;
  table["reverse"] = {"mlx.slice", 1, false, [](const WorkerCall& call, const Operands& x) { return reversed(call, x[0]); }};
  table["slice"] = {"mlx.slice", 1, false, [](const WorkerCall& call, const Operands& x) {
                      return mx::slice(x[0], numbers(call, "start", 0), numbers(call, "limit", 0), numbers(call, "stride", 1));
                    }};
  table["pad"] = {"mlx.pad", 1, false, [](const WorkerCall& call, const Operands& x) { return padded(call, x[0]); }};
  table["transpose"] = {"mlx.transpose", 1, false,
                        [](const WorkerCall& call, const Operands& x) { return transposed(call, x[0]); }};
  table["reshape"] = {"mlx.reshape", 1, false,
                      [](const WorkerCall& call, const Operands& x) { return mx::reshape(x[0], numbers(call, "shape", 0)); }};
}

}  // namespace bitpact::mlx_worker
