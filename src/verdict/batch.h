// Many comparisons from a file, as benchdnn does: a problem a line, the workers started once.
//   line = problem , { " ; " , ( "contract=" path | "expect=" verdict ) } ;      "#" starts a comment; empty lines are skipped
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "verdict/comparison.h"

namespace bitpact {

struct BatchLine {
  std::int64_t number = 0;  ///< in the file, from 1
  std::string problem;
  std::optional<std::string> contract;
  std::optional<std::string> candidate;  ///< a backend instead of the request's
  std::optional<std::string> expect;     ///< "exact" | "differs" | "refused" | "unknown" | "nondeterministic"
};

/// Refuses `problem-syntax`, naming the line. Contract paths are taken relative to the working directory.
std::vector<BatchLine> parse_batch(std::string_view text, const std::string& where);

struct BatchSummary {
  std::int64_t ran = 0;
  std::int64_t as_expected = 0;  ///< of the lines that expect something; a line without expects exact
  std::map<std::string, std::int64_t> verdicts;
  int exit = 0;  ///< 0 where every line is as expected, else the exit code of the first that is not (1 where that would be 0)
};

/// `each` sees every report as it is made.
BatchSummary run_batch(const std::vector<BatchLine>& lines, const ComparisonRequest& settings, BackendPool& pool,
                       const std::function<void(const BatchLine&, const ComparisonReport&, bool as_expected)>& each);

}  // namespace bitpact
