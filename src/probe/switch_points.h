// Along one axis of a problem: where another program takes over. Kernels are chosen by extents, so a contract that was found at
// one extent says nothing of the next before that was asked.
#pragma once

#include <nlohmann/json.hpp>

#include "probe/sum_probe.h"

namespace bitpact {

/// What one program, or none that is known, gives.
struct SwitchClass {
  std::int64_t found_at = 0;
  ProbeReport probe;                   ///< at the extent where it was found; without a contract: UNKNOWN, NOT_A_TREE, ...
  std::vector<std::int64_t> verified;  ///< extents where its contract was replayed, ascending; none without a contract
};

/// Neighbouring extents of one class. Those that were not visited are predicted.
struct SwitchRange {
  std::int64_t from = 0, to = 0;
  size_t of = 0;  ///< which class
};

struct SwitchSettings {
  ProbeSettings probe;
  std::int64_t from = 1, to = 1;  ///< extents of the axis, both included
  size_t most_classes = 8;        ///< where more are found, the search ends
};

struct SwitchReport {
  std::string problem;  ///< canonical line
  std::string backend, axis;
  std::int64_t from = 0, to = 0;
  std::vector<SwitchClass> classes;
  std::vector<SwitchRange> ranges;    ///< ascending; without gaps where the search is complete
  std::vector<std::int64_t> visited;  ///< ascending
  bool complete = true;               ///< false: the search ended at most_classes; between visited extents switches are left
  std::optional<Contract> contract;   ///< pieces by range; none where no class has a contract
  std::int64_t calls = 0;
  double seconds = 0;
};

/// Visits extents of all sizes (both ends, powers of two and their neighbours, multiples of them, odd ones between) and, where
/// two neighbours differ, halves what lies between until the switch is found: one switch between two visited extents is assumed,
/// and what comes and goes between them is not seen. Refuses `bad-attribute` where the problem has no such axis, or the axis
/// cannot have such an extent.
SwitchReport find_switches(const std::string& problem, Backend& backend, const std::string& axis, const SwitchSettings& settings);

/// Why a range of the axis has no program, or may have another than the one that is listed; none where all is well.
std::optional<Diagnostic> diagnostic_of(const SwitchReport& report);

/// docs/schemas/switches.schema.json
nlohmann::json to_json(const SwitchReport& report);
std::string to_text(const SwitchReport& report);

}  // namespace bitpact
