#include "compare/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace bitpact {

namespace {
std::string bucket_words(int bucket) {
  if (bucket == UlpHistogram::kNan) return UlpHistogram::label(bucket);
  return UlpHistogram::label(bucket) + (bucket == 1 ? " ulp" : " ulps");
}

// In integers, and never "100%" or "0%" of what is not all or nothing: a reader takes those words literally.
std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (part == whole) return "100%";
  const bool fits = part <= UINT64_MAX / 10000;
  const std::uint64_t hundredths = fits ? part * 10000 / whole : part / (whole / 10000);
  if (hundredths == 0) return "<0.01%";
  const std::uint64_t shown = std::min<std::uint64_t>(hundredths, 9999);
  return fmt::format("{}.{:02}%", shown / 100, shown % 100);
}
}  // namespace

std::vector<std::string> histogram_lines(const UlpHistogram& histogram) {
  const auto& buckets = histogram.buckets;
  const std::uint64_t all = std::accumulate(buckets.begin(), buckets.end(), std::uint64_t{0});
  std::size_t wide = 0, digits = 0;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    if (buckets[b] == 0) continue;
    wide = std::max(wide, bucket_words(static_cast<int>(b)).size());
    digits = std::max(digits, fmt::format("{}", buckets[b]).size());
  }
  std::vector<std::string> lines;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    if (buckets[b] == 0) continue;
    lines.push_back(fmt::format("{:>{}}  {:>{}}  {:>6}", bucket_words(static_cast<int>(b)), wide, buckets[b], digits,
                                percent(buckets[b], all)));
  }
  return lines;
}

std::string count_text(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string index_text(const std::vector<std::int64_t>& index) { return fmt::format("[{}]", fmt::join(index, ", ")); }

}  // namespace bitpact
