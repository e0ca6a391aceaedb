// What is recorded of the compilers behind StableHLO backends, by options.
#pragma once

#include <optional>

#include "backends/backend.h"
#include "contract/traits.h"

namespace bitpact {

/// Recorded, not asked: measured once with the pinned versions (docs/iree-forms.md). Refuses `backend-lacks-form` where the
/// backend takes no StableHLO.
Traits recorded_traits(const Backend& backend);

/// The same backend with compiler flags under which more forms are exact, for a module compiled for the contract on its own.
/// Empty where `spec` already chooses a target, or nothing better is known.
std::optional<BackendSpec> contract_target(const Backend& backend);

}  // namespace bitpact
