// A contract that was found at one problem, asked about at another.
#pragma once

#include "probe/sum_probe.h"

namespace bitpact {

/// Replays the contract at `line` with operands of all classes, within the settings' limits, and adds the problem to those that
/// it was verified on. Returns the number of outputs that were compared. Refuses `probe-unknown` where an output on the domain
/// differs, `contract-not-for-problem` where the contract does not cover it.
std::int64_t verify_also(Contract& contract, const std::string& line, Backend& backend, const ProbeSettings& settings);

}  // namespace bitpact
