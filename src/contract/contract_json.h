// Contracts as JSON values; contract.h has the calls for bytes and files.
#pragma once

#include <nlohmann/json.hpp>

#include "contract/contract.h"
#include "contract/json_view.h"

namespace bitpact {

inline constexpr std::string_view kContractSchema = "bitpact.contract/1";

nlohmann::json to_json(const Domain& domain);
nlohmann::json to_json(const Identity& identity);
/// Strict: every field, each a line of text.
Identity read_identity(const JsonView& json);
/// "sha256:" and 64 lower-case hexadecimal digits; refuses `contract-value`.
std::string read_fingerprint(const JsonView& json);
/// Everything but the fingerprints.
nlohmann::json to_json(const Contract& contract);
/// As write_contract writes it.
nlohmann::json to_json_with_fingerprints(const Contract& contract);
/// As read_contract reads it; paths in refusals begin with the view's.
Contract read_contract(const JsonView& json);

}  // namespace bitpact
