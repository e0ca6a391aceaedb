#include "probe/restrict.h"

#include <algorithm>

namespace bitpact {

Tensor cut(const Tensor& tensor, const Axes& axes, const Window& window) {
  Shape shape = tensor.shape();
  std::vector<std::int64_t> first(shape.size(), 0);
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto range = window.find(axes[d]);
    if (range == window.end()) continue;
    first[d] = range->second.first;
    shape[d] = range->second.second - range->second.first;
  }
  Tensor part(tensor.format(), shape);
  for (std::int64_t i = 0; i < part.size(); ++i) {
    std::vector<std::int64_t> at = coordinate(shape, i);
    for (size_t d = 0; d < at.size(); ++d) at[d] += first[d];
    part.set(i, tensor.get(flat_index(tensor.shape(), at)));
  }
  return part;
}

Part cut(const Binding& binding, const std::vector<Tensor>& operands, const Window& window) {
  Part part{binding, {}};
  for (const auto& [axis, range] : window) part.binding.extents[axis] = range.second - range.first;
  for (size_t i = 0; i < operands.size(); ++i) part.operands.push_back(cut(operands[i], binding.operands[i], window));
  return part;
}

Window window_around(const Resolved& problem, const std::vector<std::int64_t>& index, std::int64_t most) {
  const Binding& binding = problem.binding;
  const Axes independent = independent_axes(problem);
  Window window;
  std::int64_t outputs = 1;
  for (size_t d = binding.result.size(); d-- > 0;) {
    if (std::find(independent.begin(), independent.end(), binding.result[d]) == independent.end()) continue;
    const std::int64_t extent = binding.extents.at(binding.result[d]);
    const std::int64_t length = std::clamp<std::int64_t>(most / outputs, 1, extent);
    const std::int64_t first = std::clamp<std::int64_t>(index[d] - length / 2, 0, extent - length);
    window[binding.result[d]] = {first, first + length};
    outputs *= length;
  }
  return window;
}

}  // namespace bitpact
