// Is it UTF-8? Names of files and of entries may be anything; what is printed and written as JSON may not.
#pragma once

#include <string>
#include <string_view>

namespace bitpact {

/// By the table of well-formed byte sequences of Unicode (3-7): no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text);

/// A name as messages show it: quoted, escaped to ASCII, cut where it is long.
std::string shown_name(const std::string& name);

}  // namespace bitpact
