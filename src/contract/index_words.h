// An Index in words: where its operand is read.
#pragma once

#include <string>

#include "contract/program.h"

namespace bitpact {

/// "[*b, i * 2 + kh - 1, size(k) - 1 - k, c]": the position along each axis of the operand, in their order.
std::string coordinates_text(const Index& index, const Axes& operand);
/// "+0", "-inf", "3"; "nothing" where there is no such value.
std::string outside_text(const Index& index);
/// "x at [i * 2 + kh - 1, c], +0 outside", where `name` is the operand's.
std::string index_words(const Index& index, const Axes& operand, const std::string& name);

}  // namespace bitpact
