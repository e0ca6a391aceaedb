// Operands made by a recipe: the same bits on every machine, for every backend, from one line of text.
// docs/operands.md states every value; tests/operators/recipe_reference.py is a second implementation of that page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contract/program.h"
#include "operators/problem.h"

namespace bitpact {

/// "bitpact-operands/2 seed=1 classes=normal,wide,cancellation,ties,subnormal,special", "bitpact-operands/2 enumerate", or
/// "bitpact-operands/2 bits=0x42b00001,0x3f800000".
struct Recipe {
  std::string version = "bitpact-operands/2";
  std::uint64_t seed = 1;
  std::vector<std::string> classes = all_classes();  ///< in the order of all_classes
  bool all_values = false;                           ///< "enumerate": element i of the one operand has the bits i mod 2^width
  std::vector<Bits> bits;  ///< "bits=...": element i of every operand has bits[i mod their number]; empty: not asked for

  static const std::vector<std::string>& all_classes();
  bool enumerates() const { return all_values; }
  /// In full; parse(to_text()) gives the same recipe.
  std::string to_text() const;
  /// What is left out of a seed and classes has its default. Refuses `usage`.
  static Recipe parse(std::string_view text);
  bool operator==(const Recipe&) const = default;
};

/// One operand a spec, whose axes are named by `operand_axes`. `result_axes` are the axes along which outputs do not depend on
/// each other's operands: an element's class is a function of its coordinates on those alone, so that one infinity decides the
/// outputs of one class and not all (an operator that reduces along an axis of its own result leaves that axis out).
/// An operand's values do not depend on the order in which its axes are stored: a transposed operand holds the same numbers.
/// Refuses `usage` where a recipe that enumerates is asked for anything but one operand of at most 16 bits, where bits are wider
/// than an operand's format, or where a recipe is not one (no class, an unknown class or version); `internal` where axes do not
/// fit shapes.
std::vector<Tensor> make_operands(const Recipe& recipe, const std::vector<OperandSpec>& specs,
                                  const std::vector<Axes>& operand_axes, const Axes& result_axes);

/// The classes that at least one element of one operand has, in the order of Recipe::all_classes; {"enumerate"} for all values,
/// {"bits"} for given ones.
std::vector<std::string> classes_present(const Recipe& recipe, const std::vector<OperandSpec>& specs,
                                         const std::vector<Axes>& operand_axes, const Axes& result_axes);

}  // namespace bitpact
