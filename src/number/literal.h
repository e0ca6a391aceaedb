// Exact reading of literals: a literal is an integer times a power of ten or two; rounding happens once, in round_pack.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "number/engine.h"

namespace bitpact {

/// A finite literal: +-digits * 10^exponent, or +-digits * 2^exponent where hexadecimal. digits: no leading zero; empty is zero.
struct Literal {
  bool negative = false;
  bool hexadecimal = false;
  bool has_exponent = false;  ///< an `e` or `p` was there
  std::string digits;         ///< values 0-9, or 0-15, one a char
  std::int64_t exponent = 0;
};

/// Sign, digits with at most one point, exponent. Empty if malformed.
std::optional<Literal> read_literal(std::string_view text);

/// The literal's value rounded into a float layout.
Bits round_literal(const Literal& literal, const Layout& l, const Policy& policy);

/// The literal's value if it is an integer of at most 128 bits, of the magnitude alone.
std::optional<Wide> integer_magnitude(const Literal& literal);

}  // namespace bitpact
