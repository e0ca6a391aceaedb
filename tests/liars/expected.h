// Reads expected.txt; asks a kernel as a worker would be asked.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "liars/kernel.h"
#include "operators/catalogue.h"

namespace bitpact::liars {

struct Expected {
  std::string kernel, problem;
  std::vector<std::string> verdicts;         ///< the best answer first
  std::string order;                         ///< an order's text, "tree ...", or "-"
  std::map<std::string, std::string> facts;  ///< name -> value
  std::string words;
};

/// All rows; throws std::runtime_error with the line where one is none.
std::vector<Expected> read_expected();

/// "tree 0..3 + (4..8/2 + 5) ..." as an explicit order. Throws std::runtime_error.
Order parse_tree(const std::string& text);

/// One result of the kernel.
Tensor ask(const Liar& liar, const Problem& problem, const std::vector<Tensor>& operands, const OperandSpec& result);

}  // namespace bitpact::liars
