// A problem with another extent of one of its axes.
#pragma once

#include <optional>

#include "operators/catalogue.h"

namespace bitpact {

/// Empty where the operator refuses such an extent.
std::optional<Resolved> with_extent(const Resolved& problem, const std::string& axis, std::int64_t extent);

}  // namespace bitpact
