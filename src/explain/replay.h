// Which of an operator's numeric programs gives the bits that were seen?
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "operators/catalogue.h"

namespace bitpact {

/// A program that was run against outputs.
struct Fit {
  Choices choices;
  NumericProgram program;
  std::string flush;  ///< "" | "inputs" | "results" | "inputs and results": subnormals counted as zeros in the program
  std::int64_t compared = 0;
  std::int64_t different = 0;  ///< 0 for a fit
};

struct Replay {
  std::vector<Fit> fits;       ///< in the order of the hypotheses; all give the same bits on the part that was tried
  std::optional<Fit> nearest;  ///< where none fits
  std::int64_t tried = 0;      ///< programs
  std::int64_t part = 0;       ///< outputs that the fits were tried on
  bool whole = false;          ///< the first fit was then run on every output, and gave every bit
};

/// Tries every hypothesis on a window of outputs around `index`, then the first fit on all outputs.
Replay replay(const Resolved& problem, const std::vector<Tensor>& operands, const Tensor& outputs,
              const std::vector<std::int64_t>& index);

}  // namespace bitpact
