// Numeric programs as JSON. docs/contract.md shows the shapes; docs/schemas/contract.schema.json is the grammar.
// One spelling only: fields at their defaults (nearest-even, ieee, no flush, ...) are left out, and refused where they are
// written.
#pragma once

#include <nlohmann/json.hpp>

#include "contract/json_view.h"
#include "contract/program.h"

namespace bitpact {

nlohmann::json to_json(const Order& order);
nlohmann::json to_json(const ScalarBody& body);
nlohmann::json to_json(const NumericProgram& program);

/// x == read(to_json(x)) for every well-formed x. Refuse `contract-field` and `contract-value` with the path; read_program also
/// `contract-program`, prefixed with the path.
Order read_order(const JsonView& json);
ScalarBody read_body(const JsonView& json);
NumericProgram read_program(const JsonView& json);

Format read_format(const JsonView& json);
std::vector<std::string> read_strings(const JsonView& json);

std::string_view name(Rounding rounding);      ///< "nearest-even" ...
std::string_view name(Comparison comparison);  ///< "EQ" ...

/// "0x3f800000": the format's full width.
std::string bits_text(Format format, Bits bits);
/// Exactly what bits_text writes.
Bits read_bits(const JsonView& json, Format format);

}  // namespace bitpact
