// JSON as bytes that are the same for everyone: RFC 8785 (JSON Canonicalization Scheme), and a reader that takes nothing twice.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace bitpact {

/// RFC 8785 bytes: no white space, members sorted by UTF-16 code units, numbers as ECMAScript prints them, strings in UTF-8.
/// Refuses `contract-value` for what I-JSON (RFC 7493) cannot hold: an integer beyond 2^53, a number that is not finite, a string
/// that is not UTF-8.
std::string canonical_json(const nlohmann::json& value);

/// Number::toString of ECMA-262 for a finite double: the shortest decimal that reads back ("1e+21", "1e-7", "333333333.3333333").
std::string ecmascript_number(double value);

struct JsonLimits {
  std::size_t bytes = std::size_t{16} << 20;
  int depth = 64;
};

/// Strict: refuses `json-malformed`, with the byte where it can, for anything but one JSON value, a name that occurs twice in an
/// object, and text beyond the limits.
nlohmann::json parse_json(std::string_view text, const JsonLimits& limits = {});

}  // namespace bitpact
