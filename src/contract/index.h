// What follows from an Index: its rules, its coordinates at a problem's extents, its axes.
#pragma once

#include <functional>

#include "contract/program.h"

namespace bitpact {

/// The rule that an Index of this operand breaks; empty where it is well formed. (Its own axes are checked as every node's.)
std::string broken_rule(const Index& index, const Node& operand);
/// In a multiple of these sizes JSON is exact, and a few of them fit in 64 bits.
constexpr std::int64_t kLargestFactor = std::int64_t{1} << 53;

/// Every axis that it names, its result's included, handed to `change`.
void for_each_axis(Index& index, const std::function<void(std::string&)>& change);

/// A term of numbers alone: times * ((p / divide) mod modulo), p the position along the result's dimension; modulo 0: none.
struct PlainTerm {
  size_t dimension = 0;
  std::int64_t times = 1, divide = 1, modulo = 0;
  bool operator==(const PlainTerm&) const = default;
};
/// Where along one axis of the operand an element is: start + the sum of the terms.
struct PlainCoordinate {
  std::int64_t extent = 0;  ///< of the operand's axis
  std::int64_t start = 0;
  std::vector<PlainTerm> terms;
  std::int64_t least = 0, greatest = -1;  ///< over all elements of the result; least > greatest where it has none

  bool inside() const { return least > greatest || (least >= 0 && greatest < extent); }
  /// What the terms of one dimension of the result give at each of its positions; empty where they give nothing.
  std::vector<std::int64_t> along(size_t dimension, std::int64_t positions) const;
};
/// One a dimension of the operand, in their order: axes taken as they are and reversed ones are spelled out. `node` is an Index.
/// Refuses `contract-program` where numbers do not fit, or where an element is outside and has no value.
std::vector<PlainCoordinate> plain_coordinates(const BoundProgram& bound, int node);

}  // namespace bitpact
