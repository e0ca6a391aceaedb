// The rules of the normal form that rewrite one instruction (docs/normal-form.md: NF3, NF4, NF5, NF7), one function each.
#pragma once

#include <vector>

#include "contract/value_graph.h"

namespace bitpact {

/// Gives what the instruction is replaced by, or nothing where the rule does not apply.
using Rule = ValueRef (*)(ValueGraph& graph, const Instruction& code, const std::vector<ValueRef>& operands);

/// In the order in which they are tried; the first that applies wins.
const std::vector<Rule>& instruction_rules();

/// True for a sum that stands for an FMA, too, because the domain excludes the operand values for which its product is not exact.
bool rests_on_domain(const Domain& domain, const Value& value);

/// The exclusions without which that is not allowed.
const std::set<Exclusion>& exclusions_that_rules_use();

}  // namespace bitpact
