// bitpact compare with --candidate several times: a report each, then a table.
#pragma once

#include <string>
#include <vector>

#include "cli/verbs.h"
#include "verdict/comparison.h"

namespace bitpact {

/// Asks `request` of each candidate in turn. Prints every report and a table of verdict, differing outputs and cause, or with
/// `as_json` one bitpact.comparisons/1 that holds a bitpact.comparison/1 each. The exit code is the worst: bad input before
/// refused before no verdict before differs before equal.
ExitCode compare_candidates(ComparisonRequest request, const std::vector<std::string>& candidates, bool as_json);

}  // namespace bitpact
