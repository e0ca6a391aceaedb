// The order in which the steps of a model ran, and what each reads.
#pragma once

#include <string_view>

#include "compare/dump_comparison.h"

namespace bitpact {

/// One step a line: `name`, or `name: input, input` where what it reads is known (`name:` reads nothing). A # at the beginning of
/// a line or after a space begins a comment. The colon that divides is followed by a space or ends the line, so that `relu:0` is
/// a name; a name with spaces, commas or # is written as a JSON string. Refuses `order-malformed` with the file and the line.
std::vector<OrderStep> parse_order_file(std::string_view text, const std::string& path);

/// Puts the pairs in the order's order (those that it does not name follow as they were) and says of each step that declares its
/// inputs what is known of them, once outcomes are known. Names are A's, or B's.
void put_in_order(DumpReport& report);
void judge_steps(DumpReport& report);

}  // namespace bitpact
