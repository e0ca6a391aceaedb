// A better target for a module that is compiled for a contract alone.
#pragma once

#include <optional>

#include "backends/backend.h"

namespace bitpact {

/// The same backend with compiler flags under which more forms of `program` are exact, for a module compiled for the contract on
/// its own: f64 is kept where the program computes in it, and nothing is fused elsewhere. Empty where the backend's options say
/// so already or choose a target, or nothing better is known.
std::optional<BackendSpec> contract_target(const Backend& backend, const NumericProgram& program);

}  // namespace bitpact
