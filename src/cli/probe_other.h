// What `bitpact probe` does with problems that are no functions of each element.
#pragma once

#include "backends/backend.h"
#include "operators/catalogue.h"

namespace bitpact {

/// Refuses `probe-unsupported`.
[[noreturn]] void probe_other(Backend& backend, const Resolved& problem);

}  // namespace bitpact
