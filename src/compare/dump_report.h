// What a comparison of two dumps found: for people, for programs, for a build server.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "compare/dump_comparison.h"

namespace bitpact {

/// Takes the text piece by piece: a report may be longer than should lie in memory at once.
using Sink = std::function<void(std::string_view)>;

/// The first tensor that is not equal, then a table of those that are not, at most `most_lines` of them (0: all).
std::string to_text(const DumpReport& report, std::size_t most_lines);

/// bitpact.dump-comparison/1. Lists the tensors that are not equal and those that no name has matched; the others are only
/// counted.
void write_json(const DumpReport& report, const Sink& sink);

/// JUnit XML: one test case a tensor, a failure where it is not equal. Characters that XML 1.0 does not have are written \xNN,
/// bytes that are no UTF-8 too.
void write_junit(const DumpReport& report, const Sink& sink);

// What the three share.
/// "A's name", "A's name = B's name", with the way of matching where it was no name.
std::string title(const DumpReport& report, const DumpPair& pair);
/// "0.1 (0x3dcccccd)".
std::string element_text(Format format, Bits bits);
/// "[0, 1]  A 1 (0x..)  B 2 (0x..)  3 ulps".
std::string divergence_text(const DumpEntry& entry, const ElementDivergence& divergence);
/// "only NaN payloads", "only zero signs", "only NaN payloads and zero signs"; empty where anything else differs.
std::string only_text(const RawComparison& difference);
/// Why a pair is not equal, on one line.
std::string reason_text(const DumpReport& report, const DumpPair& pair);
/// What is known of the step that wrote it, where the order declares what it reads; else empty.
std::string step_text(const DumpReport& report, const DumpPair& pair);
/// A figure with three digits; "-" where there is none.
std::string figure_text(const std::optional<double>& figure);
/// Control characters as \xNN: a name must not move a terminal's cursor.
std::string printable(std::string_view text);

}  // namespace bitpact
