// The same problem under other conditions: where the program that was found holds there, too, and what is computed where it does
// not. Kernels are chosen by layout, alignment and threads as they are by extents.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "probe/sum_probe.h"
#include "probe/vary_conditions.h"

namespace bitpact {

/// What one program, or none that is known, gives.
struct VaryProgram {
  size_t found_at = 0;  ///< number of the condition
  std::optional<Contract> contract;
  std::optional<Diagnostic> diagnostic;  ///< where there is no contract
  std::string words;                     ///< the program, or why there is none
  nlohmann::json probe;  ///< of the condition where it was found: probe.schema.json, of a function function.schema.json
};

struct VaryAnswer {
  VaryCondition condition;
  size_t of = 0;  ///< number of the program
  /// Outputs of the replay at this very condition, by the program that holds here; 0 where there is none, and of a function that
  /// was found here, whose probe compares values of its own choice.
  std::int64_t outputs = 0;
  Identity identity;                     ///< of the backend that was asked
  std::vector<std::string> differences;  ///< from the first condition's contract, its own being the second; none where it holds
  std::vector<std::string> identity_differences;  ///< likewise of what ran
  /// Where the first condition's program is unknown, or this one's: how many outputs were asked for under both with the same
  /// operands, and how many of them differ in their bits. 0 and 0 else, and where the shapes are not the same.
  std::int64_t compared = 0, different = 0;
};

/// What the contract says of the values that were not asked.
enum class Unasked : std::uint8_t {
  None,        ///< every value was asked
  Predicted,   ///< no value that was asked makes a difference: the contract holds for the others too, unverified
  NotCovered,  ///< they make a difference: the contract says nothing of the others
  Others       ///< of an option: another identity, which this contract is not for
};
std::string_view name(Unasked unasked);  ///< "none", "predicted", "not-covered", "other-identities"

struct VaryReport {
  std::string problem, backend;
  std::vector<VariedName> varied;
  std::vector<Unasked> unasked;  ///< one each of `varied`
  std::vector<VaryProgram> programs;
  std::vector<VaryAnswer> answers;  ///< one a condition; the first is the problem and the backend as they were given
  /// Of the backend as it was given, with a piece for each condition on attributes that make a difference; none where no program
  /// is known under any of them.
  std::optional<Contract> contract;
  std::int64_t calls = 0;
  double seconds = 0;
};

using OpenBackend = std::function<std::unique_ptr<Backend>(const BackendSpec&)>;

/// Probes the problem as it is given. Under every other condition the programs that are known are replayed, with the settings'
/// limits; where none holds it is probed again. `backend` is what was given; others are opened, one at a time. Refuses what
/// conditions_of and a probe refuse, and what the backend refuses under any of the conditions on attributes, before it asks more.
VaryReport vary(const std::string& problem, Backend& backend, const std::vector<std::string>& varied, const OpenBackend& open,
                const ProbeSettings& settings);

/// Why there is no program under one of the conditions; none where all is well.
std::optional<Diagnostic> diagnostic_of(const VaryReport& report);

/// docs/schemas/vary.schema.json
nlohmann::json to_json(const VaryReport& report);
std::string to_text(const VaryReport& report);

}  // namespace bitpact
