#include "picture/words.h"

#include <fmt/format.h>

#include "diagnostic/diagnostic.h"

namespace bitpact {

std::string progression(std::int64_t first, std::int64_t stride, std::int64_t count) {
  if (count == 1) return fmt::format("{}", first);
  const std::int64_t last = first + stride * (count - 1);
  if (count == 2) return fmt::format("{}, {}", first, last);
  if (stride == 1 || stride == -1) return fmt::format("{} .. {}", first, last);
  if (count == 3) return fmt::format("{}, {}, {}", first, first + stride, last);
  return fmt::format("{}, {}, .. {}", first, first + stride, last);
}

std::string leaves_text(std::int64_t first, std::int64_t stride, std::int64_t count) {
  return (count == 1 ? "leaf " : "leaves ") + progression(first, stride, count);
}

std::vector<LeafRun> runs_of(const std::vector<std::int64_t>& leaves) {
  std::vector<LeafRun> runs;
  for (size_t at = 0; at < leaves.size();) {
    const std::int64_t stride = at + 1 < leaves.size() ? leaves[at + 1] - leaves[at] : 1;
    size_t end = at + 1;
    while (end < leaves.size() && leaves[end] - leaves[end - 1] == stride) ++end;
    const auto count = static_cast<std::int64_t>(end - at);
    runs.push_back({leaves[at], count == 1 ? 1 : stride, count});
    at = end;
  }
  return runs;
}

std::string leaves_text(const std::vector<std::int64_t>& leaves) {
  const std::vector<LeafRun> runs = runs_of(leaves);
  const auto text_of = [](const LeafRun& run) { return progression(run.first, run.stride, run.count); };
  std::string text = leaves.size() == 1 ? "leaf " : "leaves ";
  if (runs.size() > 3)
    return fmt::format("{}{}; {} and others, {} in all", text, text_of(runs[0]), text_of(runs[1]), leaves.size());
  for (size_t r = 0; r < runs.size(); ++r) text += (r == 0 ? "" : r + 1 == runs.size() ? " and " : "; ") + text_of(runs[r]);
  return text;
}

std::string leaf_count(std::int64_t leaves) { return leaves == 1 ? "1 leaf" : fmt::format("{} leaves", leaves); }

std::string order_words(const Order& order) {
  constexpr size_t most = 100;
  try {
    std::string text = to_text(order);
    return text.size() <= most ? text : text.substr(0, most) + " ...";
  } catch (const Refused&) {
    return "an order that has no words";
  }
}

}  // namespace bitpact
