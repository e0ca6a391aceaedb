// Whether a function's value depends on where its argument stands: in the body of a vector loop or in the tail behind it, in one
// lane or another, in one length or another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probe/function_asker.h"

namespace bitpact {

/// Arguments and the values that a backend gave for them, in the order of the arguments' bits.
struct FunctionValues {
  std::vector<Bits> x;
  Tensor y;  ///< one value an argument
};

/// One argument asked at two places.
struct PositionDifference {
  struct Place {
    std::int64_t index = 0, length = 0;
    Bits value = 0;
  };
  Bits x = 0;
  Place here, there;
};

struct PositionClass {
  std::string words;           ///< "other places modulo 64", "the last 3 of 67", "the problem's own shape"
  std::int64_t arguments = 0;  ///< asked there
  std::int64_t different = 0;  ///< of these, arguments with another value than in the table
  std::optional<PositionDifference> first;
  std::string pattern;  ///< where in the shape an argument that shows a difference has which value, where that can be said
};

struct Positions {
  std::vector<PositionClass> classes;
  FunctionValues tail;  ///< every argument that was asked in a tail
  bool same() const;
};

/// `table` was asked in one call of one row, argument i at index i. Asks its arguments again: all of them at four other shifts
/// (other places modulo 64, in an odd length), `tails` of them (evenly chosen, all where there are no more) among the last
/// elements of an odd length behind one body of 64, and as many as the problem's own shape holds there.
Positions ask_positions(FunctionAsker& asker, const FunctionValues& table, std::int64_t tails);

/// The arguments as one row.
Tensor as_row(Format format, std::span<const Bits> x);

}  // namespace bitpact
