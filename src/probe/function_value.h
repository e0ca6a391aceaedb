// One value of a function's table, for people and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "number/arithmetic.h"

namespace bitpact {

/// "1.5 (0x3fc0)"
std::string value_text(Format format, Bits bits);
/// {"bits": "0x3fc0", "value": "1.5"}
nlohmann::json value_json(Format format, Bits bits);

}  // namespace bitpact
