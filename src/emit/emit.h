// Emits a numeric program as StableHLO that computes the same bits, in several forms, the likely cheapest first.
#pragma once

#include <string>
#include <vector>

#include "contract/contract.h"
#include "contract/traits.h"
#include "operators/catalogue.h"

namespace bitpact {

/// One way to write a program. Every claim is made under the traits, and proved only by the check on the compiled artifact.
struct Emitted {
  std::string form;    ///< "dot_general", "reduce", "while", "batched-reduce" ... (fold_text.h), "elementwise", "moves", "table";
                       ///< of several regions what they have, joined by '+'
  std::string module;  ///< StableHLO text: the function asked for, then the private ones that it calls
  Domain carries;      ///< what the target or the form excludes from the program's domain
};

struct EmitOptions {
  std::string function = "main";
  bool in_module =
      false;  ///< a private function to be called from a user's module: behind barriers, so that nothing is fused across the call
  bool is_private = false;  ///< a private function to be called from emitted text
};

/// All forms that the traits allow. Refuses `emit-unsupported` with the reason of the last form where none is left,
/// `emit-too-large` where that is the module's size.
std::vector<Emitted> emit(const BoundProgram& program, const Traits& traits, const EmitOptions& options = {});
/// Of what covers a problem; where that is several programs, one a region of the output, a function that calls one for each box
/// and joins them. Refuses `emit-too-large` where the boxes are too many.
std::vector<Emitted> emit(const Covered& covered, const Traits& traits, const EmitOptions& options = {});

}  // namespace bitpact
