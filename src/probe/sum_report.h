// A probe's report, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "probe/sum_probe.h"

namespace bitpact {

/// docs/schemas/probe.schema.json
nlohmann::json to_json(const ProbeReport& report);
std::string to_text(const ProbeReport& report);
/// A part's program but for its order: "accumulator=f32, ..., subnormal results flushed to zero".
std::string choices_text(const ProbedPart& part);
/// On one line: every part's order and choices, or why there is no program.
std::string program_text(const ProbeReport& report);

}  // namespace bitpact
