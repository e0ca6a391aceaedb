// All 2^32 arguments of f32, block by block; killed and started again, it goes on where it was.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "probe/function_match.h"

namespace bitpact {

struct Sweep {
  std::vector<std::string> blocks;  ///< SHA-256 of each block of the table
};

/// Asks for every argument. `candidates` that fit so far are compared with every value (the others are left as they are; a first
/// difference ends the comparison at its block). `progress` is the file that it begins from, where there is one of the same
/// problem, backend and candidates, and that is written after each block; empty: none. It is removed at the end.
Sweep sweep_function(FunctionAsker& asker, std::vector<FunctionCandidate>& candidates, const std::string& progress,
                     const std::function<void(const std::string&)>& say);

}  // namespace bitpact
