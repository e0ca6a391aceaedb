#include "tensor/utf8.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace bitpact {

bool is_utf8(std::string_view text) {
  auto byte = [&text](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned first = byte(i);
    const std::size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length == 0 || length > text.size() - i) return false;
    // The second byte's range tells overlong forms, surrogates and what is too large; the others have one range.
    const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    for (std::size_t k = 1; k < length; ++k)
      if (byte(i + k) < (k == 1 ? least : 0x80) || byte(i + k) > (k == 1 ? most : 0xbf)) return false;
    i += length;
  }
  return true;
}

std::string shown_name(const std::string& name) {
  constexpr std::size_t kMost = 100;
  // Escaped to ASCII: a name may hold anything, also what moves a terminal's cursor.
  const nlohmann::json text = name.size() <= kMost ? name : fmt::format("{}...", std::string_view(name).substr(0, kMost));
  return text.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace bitpact
