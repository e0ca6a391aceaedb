// Elements along one axis of a tensor, picked by a list of indices that is known when the module is written.
#pragma once

#include "emit/module_text.h"

namespace bitpact {

/// A list of indices as counted loops, the outermost first: base + sum of digit * stride, the last digit fastest.
struct IndexPattern {
  struct Level {
    std::int64_t count = 1, stride = 1;
    bool operator==(const Level&) const = default;
  };
  std::int64_t base = 0;
  std::vector<Level> levels;  ///< none: one index
  std::int64_t size() const;
  bool operator==(const IndexPattern&) const = default;
};

/// The list as patterns that follow one another, nested as deep as it goes.
std::vector<IndexPattern> index_patterns(const std::vector<std::int64_t>& indices);

/// x at `indices` along `axis`, in that order: slices and transpositions where they are regular, else a gather.
TensorValue take(FunctionText& f, const TensorValue& x, const std::string& axis, const std::vector<std::int64_t>& indices);

}  // namespace bitpact
