// Leaf numbers in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/order.h"

namespace bitpact {

/// "5", "5, 9", "0 .. 7", "0, 8, 16", "0, 8, .. 56", "7 .. 0".
std::string progression(std::int64_t first, std::int64_t stride, std::int64_t count);
/// "leaf 5", "leaves 0, 8, .. 56".
std::string leaves_text(std::int64_t first, std::int64_t stride, std::int64_t count);
struct LeafRun {
  std::int64_t first = 0, stride = 1, count = 0;
};
/// Ascending leaf numbers as progressions, each as long as it can be.
std::vector<LeafRun> runs_of(const std::vector<std::int64_t>& leaves);
/// Of ascending leaf numbers: "leaf 5", "leaves 0 .. 3 and 8, 12, .. 60"; of more than three progressions the first two and how
/// many leaves there are.
std::string leaves_text(const std::vector<std::int64_t>& leaves);
/// "1 leaf", "64 leaves".
std::string leaf_count(std::int64_t leaves);
/// to_text, cut where it is long. An order of a kind that has no words is drawn all the same, so this refuses nothing.
std::string order_words(const Order& order);

}  // namespace bitpact
