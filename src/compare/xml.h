// Text in XML files, whatever it holds.
#pragma once

#include <string>
#include <string_view>

namespace bitpact {

/// For an attribute in double quotes, and for text. Bytes that XML 1.0 cannot hold, or that are not UTF-8, become "\x1b".
std::string xml_escaped(std::string_view text);

}  // namespace bitpact
