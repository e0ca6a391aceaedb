// Contracts as JSON values; contract.h has the calls for bytes and files.
#pragma once

#include <nlohmann/json.hpp>

#include "contract/contract.h"

namespace bitpact {

inline constexpr std::string_view kContractSchema = "bitpact.contract/1";

nlohmann::json to_json(const Domain& domain);
/// Everything but the fingerprints.
nlohmann::json to_json(const Contract& contract);

}  // namespace bitpact
