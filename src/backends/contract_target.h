// A better target for a module that is compiled for a contract alone.
#pragma once

#include <optional>

#include "backends/backend.h"

namespace bitpact {

/// The same backend with compiler flags under which more forms are exact, for a module compiled for the contract on its own.
/// Empty where `spec` already chooses a target, or nothing better is known.
std::optional<BackendSpec> contract_target(const Backend& backend);

}  // namespace bitpact
