// Where the leaves of a sum come from: which elements of which operand reach which output, as which leaf.
#pragma once

#include <optional>
#include <vector>

#include "operators/catalogue.h"

namespace bitpact {

/// The one sum of an operator whose leaves are made of elements of its operands.
struct SumSite {
  int fold = 0;                  ///< node of the canonical program
  std::vector<size_t> operands;  ///< of the problem, that its leaves read
  Axes over;
  std::int64_t leaves = 1;
};

/// Found in the graph of the operator's canonical program: a fold (last value only) over Inputs that all have the axes it goes
/// over. Empty where there is none, or more than one.
std::optional<SumSite> find_sum(const Resolved& problem);

/// How elements of one operand (the carrier of what is asked) reach outputs. An element is at place[position] + leaf offset.
struct Carrier {
  size_t operand = 0;
  std::vector<std::int64_t> places;        ///< flat index of leaf 0, one a position
  std::vector<std::int64_t> leaf_offsets;  ///< one a leaf
  std::vector<std::int64_t> position_of;   ///< of each output, row-major: which position its leaves are at
  std::vector<std::int64_t> class_of;      ///< of each output: its coordinates on the axes that the carrier lacks, flat
  std::int64_t classes = 1;                ///< how many such coordinates there are
};
Carrier carrier_of(const Resolved& problem, const SumSite& site, size_t operand);

}  // namespace bitpact
