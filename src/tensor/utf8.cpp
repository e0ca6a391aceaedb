#include "tensor/utf8.h"

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

}  // namespace bitpact
