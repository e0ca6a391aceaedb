// Base64 as RFC 4648 section 4 has it: padded, no line breaks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bitpact {

std::string base64(std::span<const std::byte> bytes);
/// Empty where the text is not exactly what base64() writes of some bytes.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace bitpact
