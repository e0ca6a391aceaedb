// A comparison's figures as lines for people.
#pragma once

#include <string>
#include <vector>

#include "compare/compare.h"

namespace bitpact {

/// One line a bucket that is not empty, nearest first: "    3-4 ulps      12   0.29%". Empty where nothing was compared.
std::vector<std::string> histogram_lines(const UlpHistogram& histogram);

/// "1,048,576".
std::string count_text(std::uint64_t n);

/// "[0, 1]"; "[]" for a scalar.
std::string index_text(const std::vector<std::int64_t>& index);

}  // namespace bitpact
