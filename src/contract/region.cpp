#include "contract/region.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

[[noreturn]] void fail(std::string_view text, std::string_view why) {
  refuse(Code::ContractValue, fmt::format("region '{}': {}", text.substr(0, 200), why));
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

std::int64_t number(std::string_view whole, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) fail(whole, "expected a number");
  return value;
}

// axis[from,to) or axis[from,to) step s
AxisRange read_range(std::string_view whole, std::string_view text) {
  const size_t open = text.find('['), comma = text.find(',', open), close = text.find(')', comma);
  if (open == 0 || close == std::string_view::npos) fail(whole, "expected axis[from,to)");
  AxisRange range{std::string(text.substr(0, open)), number(whole, text.substr(open + 1, comma - open - 1)),
                  number(whole, text.substr(comma + 1, close - comma - 1)), 1};
  std::string_view rest = text.substr(close + 1);
  if (!rest.empty()) {
    constexpr std::string_view kStep = " step ";
    if (!rest.starts_with(kStep)) fail(whole, "expected ' step N' behind a range");
    range.step = number(whole, rest.substr(kStep.size()));
  }
  if (range.to <= range.from || range.step < 1) fail(whole, "an empty range");
  return range;
}

using Indices = std::vector<std::int64_t>;

// A sorted set as evenly spaced ranges, the longest first found from the left.
std::vector<AxisRange> ranges_of(const std::string& axis, const Indices& set) {
  std::vector<AxisRange> ranges;
  for (size_t i = 0; i < set.size();) {
    const std::int64_t step = i + 1 < set.size() ? set[i + 1] - set[i] : 1;
    size_t end = i + 1;
    while (end < set.size() && set[end] - set[end - 1] == step) ++end;
    // Two elements far apart are rather two ranges than one with a step.
    if (step > 1 && end - i == 2 && end < set.size()) end = i + 1;
    const bool alone = end - i == 1;
    ranges.push_back({axis, set[i], set[end - 1] + 1, alone ? 1 : step});
    i = end;
  }
  return ranges;
}

using Boxes = std::vector<RegionBox>;

// Along the first axis, equal slices are one set of indices; each set of slices is a product.
Boxes boxes_of(const std::uint8_t* mask, const Axes& axes, const Shape& shape, size_t axis) {
  if (axis == shape.size()) return *mask ? Boxes{RegionBox{}} : Boxes{};
  std::int64_t inner = 1;
  for (size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  std::map<std::vector<std::uint8_t>, Indices> slices;
  std::vector<std::vector<std::uint8_t>> in_order;
  for (std::int64_t i = 0; i < shape[axis]; ++i) {
    std::vector<std::uint8_t> slice(mask + i * inner, mask + (i + 1) * inner);
    if (std::none_of(slice.begin(), slice.end(), [](std::uint8_t m) { return m != 0; })) continue;
    Indices& at = slices[slice];
    if (at.empty()) in_order.push_back(slice);
    at.push_back(i);
  }
  Boxes boxes;
  for (const std::vector<std::uint8_t>& slice : in_order) {
    const Boxes below = boxes_of(slice.data(), axes, shape, axis + 1);
    for (const AxisRange& range : ranges_of(axes[axis], slices[slice])) {
      const bool whole = range.from == 0 && range.to == shape[axis] && range.step == 1;
      for (const RegionBox& box : below) {
        RegionBox made;
        if (!whole) made.push_back(range);
        made.insert(made.end(), box.begin(), box.end());
        boxes.push_back(std::move(made));
      }
    }
  }
  return boxes;
}

}  // namespace

Region parse_region(std::string_view text) {
  Region region;
  if (text == "all") return region;
  for (const std::string_view box : split(text, "; ")) {
    region.boxes.emplace_back();
    // Commas stand inside of ranges, too: a range ends where ", " follows.
    for (const std::string_view range : split(box, ", ")) {
      AxisRange read = read_range(text, range);
      for (const AxisRange& other : region.boxes.back())
        if (other.axis == read.axis) fail(text, "an axis twice in one box");
      region.boxes.back().push_back(std::move(read));
    }
  }
  if (to_text(region) != text) fail(text, "is not in its one spelling");
  return region;
}

std::string to_text(const Region& region) {
  if (region.all()) return "all";
  std::string text;
  for (const RegionBox& box : region.boxes) {
    if (!text.empty()) text += "; ";
    const char* separator = "";
    for (const AxisRange& range : box) {
      text += fmt::format("{}{}[{},{})", separator, range.axis, range.from, range.to);
      if (range.step != 1) text += fmt::format(" step {}", range.step);
      separator = ", ";
    }
  }
  return text;
}

std::vector<std::uint8_t> region_mask(const Region& region, const Axes& axes, const Shape& shape) {
  const std::int64_t count = element_count(shape);
  if (region.all()) return std::vector<std::uint8_t>(static_cast<size_t>(count), 1);
  std::vector<std::uint8_t> mask(static_cast<size_t>(count), 0);
  for (const RegionBox& box : region.boxes) {
    std::vector<const AxisRange*> by_dimension(axes.size(), nullptr);
    for (const AxisRange& range : box) {
      const auto at = std::find(axes.begin(), axes.end(), range.axis);
      if (at == axes.end()) fail(to_text(region), fmt::format("the output has no axis '{}'", range.axis));
      by_dimension[static_cast<size_t>(at - axes.begin())] = &range;
    }
    for (std::int64_t flat = 0; flat < count; ++flat) {
      std::int64_t rest = flat;
      bool inside = true;
      for (size_t d = axes.size(); d-- > 0 && inside;) {
        const std::int64_t at = rest % shape[d];
        rest /= shape[d];
        const AxisRange* r = by_dimension[d];
        inside = r == nullptr || (at >= r->from && at < r->to && (at - r->from) % r->step == 0);
      }
      if (inside) mask[static_cast<size_t>(flat)] = 1;
    }
  }
  return mask;
}

Region region_of(const std::vector<std::uint8_t>& mask, const Axes& axes, const Shape& shape) {
  Region region{boxes_of(mask.data(), axes, shape, 0)};
  if (region.boxes.size() == 1 && region.boxes[0].empty()) region.boxes.clear();
  return region;
}

}  // namespace bitpact
