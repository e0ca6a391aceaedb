// What a contract must keep to beyond the types of its fields.
#pragma once

#include "contract/contract.h"

namespace bitpact {

/// Refuses `contract-value` with the field's path where parts of a contract contradict each other: formats that are not the
/// program's, a bound on an axis that the program lacks, ...
void check_contract(const Contract& contract);

}  // namespace bitpact
