// The normal form with what is known about it. The rules are listed, each with its reason, in docs/normal-form.md.
//   NF1 axis names            here, program level       NF6 orders           normal_order.cpp
//   NF2 nodes                 here                      NF7 starts, leaves   here (folds), normal_rules.cpp (-0)
//   NF3 bodies                value_graph.cpp           NF8 maps             here
//   NF4 conversions           normal_rules.cpp          NF9 identity maps    here
//   NF5 exact products        normal_rules.cpp          NF10 tails           here
#pragma once

#include <map>
#include <string>

#include "contract/contract.h"

namespace bitpact {

struct NormalForm {
  NumericProgram program;
  /// A product in it is taken to be exact because the domain excludes the rest. It then has the bits of the program only where
  /// none of exclusions_that_rules_use() occurs in a run of this normal form (which spells every product out).
  bool rests_on_domain = false;
  std::map<std::string, std::string> axis_names;  ///< the program's name of an axis -> the one here
};

NormalForm normalise(const NumericProgram& program, const Domain& domain = {});

/// The normal form in the program's own axis names: for people.
NumericProgram normal_form_in_own_names(const NumericProgram& program, const Domain& domain = {});

/// NF6. `leaves`: the order's items are leaves, else they are partial results.
Order normal_order(const Order& order, bool leaves = true);

}  // namespace bitpact
