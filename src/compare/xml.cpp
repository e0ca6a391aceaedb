#include "compare/xml.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/utf8.h"

namespace bitpact {
namespace {

/// How many bytes the character takes that begins here, if XML 1.0 has it (its production 2); else 0.
std::size_t xml_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return lead >= 0x20 || lead == '\t' || lead == '\n' || lead == '\r' ? 1 : 0;
  for (std::size_t length = 2; length <= std::min<std::size_t>(4, text.size()); ++length) {
    const std::string_view character = text.substr(0, length);
    if (is_utf8(character)) return character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf" ? 0 : length;
  }
  return 0;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = xml_character(text);
    const char c = text[0];
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else if (length > 1) {
      out += text.substr(0, length);
    } else if (c == '&' || c == '<' || c == '>' || c == '"' || c < 0x20) {
      out += fmt::format("&#{};", static_cast<int>(c));  // also tab and line ends, which an attribute would lose
    } else {
      out += c;
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace bitpact
