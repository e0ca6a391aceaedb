#include "emit/take.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

using Level = IndexPattern::Level;

// One nesting more: runs of equal patterns whose bases are evenly spaced become one pattern each.
std::vector<IndexPattern> nested(const std::vector<IndexPattern>& patterns) {
  std::vector<IndexPattern> result;
  for (size_t i = 0; i < patterns.size();) {
    size_t end = i + 1;
    std::int64_t stride = 0;
    while (end < patterns.size() && patterns[end].levels == patterns[i].levels) {
      const std::int64_t step = patterns[end].base - patterns[end - 1].base;
      if (end == i + 1) stride = step;
      if (step != stride) break;
      ++end;
    }
    IndexPattern made = patterns[i];
    const auto count = static_cast<std::int64_t>(end - i);
    if (count > 1) made.levels.insert(made.levels.begin(), {count, stride});
    result.push_back(std::move(made));
    i = end;
  }
  return result;
}

size_t dimension_of(const TensorValue& x, const std::string& axis) {
  return static_cast<size_t>(std::find(x.axes.begin(), x.axes.end(), axis) - x.axes.begin());
}

std::string level_axis(const std::string& axis, size_t level) { return fmt::format("{}#{}", axis, level); }

/// The window of `extent` elements that holds a pattern whose outermost stride is the largest, cut into rows of that stride.
struct Window {
  std::int64_t start = 0, offset = 0;
};
std::optional<Window> window(std::int64_t extent, std::int64_t base, const std::vector<Level>& sorted, size_t from) {
  const Level& top = sorted[from];
  std::int64_t reach = 1;
  for (size_t l = from + 1; l < sorted.size(); ++l) reach += (sorted[l].count - 1) * sorted[l].stride;
  const std::int64_t start = std::min(base, extent - top.count * top.stride);
  if (start < 0 || base - start + reach > top.stride) return {};
  return Window{start, base - start};
}

/// Slices and reshapes, one a level, then the levels in the order of the pattern. Empty where the pattern does not lie so.
std::optional<TensorValue> take_regular(FunctionText& f, const TensorValue& x, const std::string& axis,
                                        const IndexPattern& pattern) {
  std::vector<size_t> order(pattern.levels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return pattern.levels[a].stride > pattern.levels[b].stride; });
  std::vector<Level> sorted;
  for (const size_t l : order) sorted.push_back(pattern.levels[l]);
  for (const Level& level : sorted)
    if (level.stride < 1) return {};
  if (sorted.size() <= 1) {
    const Level only = sorted.empty() ? Level{} : sorted[0];
    return f.slice(x, axis, pattern.base, pattern.base + (only.count - 1) * only.stride + 1, only.stride);
  }
  std::vector<std::int64_t> starts;
  std::int64_t base = pattern.base, extent = x.shape[dimension_of(x, axis)];
  for (size_t l = 0; l + 1 < sorted.size(); ++l) {
    const std::optional<Window> w = window(extent, base, sorted, l);
    if (!w) return {};
    starts.push_back(w->start);
    base = w->offset;
    extent = sorted[l].stride;
  }

  TensorValue value = x;
  for (size_t l = 0; l + 1 < sorted.size(); ++l) {
    const auto [count, stride] = sorted[l];
    const TensorValue rows = f.slice(value, axis, starts[l], starts[l] + count * stride);
    const size_t at = dimension_of(rows, axis);
    Axes axes = rows.axes;
    Shape shape = rows.shape;
    axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(at), level_axis(axis, order[l]));
    shape[at] = stride;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), count);
    value = f.reshape(rows, axes, shape);
  }
  const Level& last = sorted.back();
  value = f.slice(value, axis, base, base + (last.count - 1) * last.stride + 1, last.stride);
  const size_t at = dimension_of(value, axis), first = at - (sorted.size() - 1);
  value.axes[at] = level_axis(axis, order.back());
  Axes wanted = value.axes;
  for (size_t l = 0; l < sorted.size(); ++l) wanted[first + l] = level_axis(axis, l);
  value = f.transpose(value, wanted);
  Shape shape = x.shape;
  shape[dimension_of(x, axis)] = pattern.size();
  return f.reshape(value, x.axes, shape);
}

}  // namespace

std::int64_t IndexPattern::size() const {
  std::int64_t n = 1;
  for (const Level& level : levels) n *= level.count;
  return n;
}

std::vector<IndexPattern> index_patterns(const std::vector<std::int64_t>& indices) {
  std::vector<IndexPattern> patterns;
  patterns.reserve(indices.size());
  for (const std::int64_t index : indices) patterns.push_back({index, {}});
  for (size_t before = patterns.size() + 1; patterns.size() < before;) {
    before = patterns.size();
    patterns = nested(patterns);
  }
  return patterns;
}

TensorValue take(FunctionText& f, const TensorValue& x, const std::string& axis, const std::vector<std::int64_t>& indices) {
  constexpr size_t kMostParts = 12;
  constexpr size_t kMostListed = 1 << 16;
  const std::vector<IndexPattern> patterns = index_patterns(indices);
  const auto listed = [&] {
    if (indices.size() > kMostListed)
      refuse(Code::EmitTooLarge,
             fmt::format("{} irregular indices, at most {} are written into a module", indices.size(), kMostListed));
    return f.gather(x, axis, indices);
  };
  if (patterns.size() > kMostParts) return listed();
  std::vector<TensorValue> parts;
  for (const IndexPattern& pattern : patterns) {
    const std::optional<TensorValue> part = take_regular(f, x, axis, pattern);
    if (!part) return listed();
    parts.push_back(*part);
  }
  return f.concatenate(parts, axis);
}

}  // namespace bitpact
