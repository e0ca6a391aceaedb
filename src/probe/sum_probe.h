// Finds out how a backend computes a sum, and checks what was found against operands that it was not found with.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "contract/contract.h"
#include "diagnostic/diagnostic.h"
#include "operators/catalogue.h"

namespace bitpact {

enum class ProbeVerdict : std::uint8_t { Contract, Unknown, NotATree, Nondeterministic, Refused };
std::string_view name(ProbeVerdict verdict);  ///< "contract", "unknown", "not-a-tree", "nondeterministic", "refused"

struct ProbeSettings {
  /// The replay ends after so many outputs, or leaves, or seconds, whichever comes first.
  std::int64_t replay_outputs = std::int64_t{1} << 20;
  std::int64_t replay_leaves = std::int64_t{1} << 28;
  double replay_seconds = 10;
  int repeats = 10;           ///< runs on the same operands, which must agree
  std::uint64_t seed = 1;     ///< of the recipe's operands
  bool other_lengths = true;  ///< also ask at a few other lengths, so that generators are told apart
  /// One line of what is asked and struck out, for --explain; may be empty.
  std::function<void(const std::string&)> say;
};

/// One program of the contract, and the outputs that it is for.
struct ProbedPart {
  std::string region = "all";
  std::int64_t outputs = 0;
  Choices choices;
  std::string order;  ///< its text; empty where the sum's order is fixed by the operator
  std::string flush;  ///< "" | "inputs" | "results" | "inputs and results"
  /// Other programs that no operand tried told from this one: what each has otherwise, "product=rounded".
  std::vector<std::string> not_parted;
};

/// Operands on which the backend and the nearest program differ, made as small as it goes.
struct ProbeReproducer {
  std::vector<std::int64_t> output;
  std::vector<std::string> terms;  ///< "leaf 3: 1.5 * -2"; all other elements are 0
  std::string backend_gives, program_gives;
};

/// What was done, in numbers.
struct ProbeCounts {
  std::int64_t calls = 0;  ///< of the backend, in all
  std::int64_t mask_calls = 0, mask_questions = 0;
  std::int64_t hypotheses = 0;  ///< programs tried
  std::int64_t replayed = 0;    ///< outputs compared in the replay
  std::int64_t replayed_leaves = 0;
  std::int64_t node_questions = 0;  ///< sums of two leaves, at inner nodes
  double mask_seconds = 0;          ///< asking masks until the trees are known
  double tree_seconds = 0, seconds = 0;
};

struct ProbeReport {
  std::string problem;  ///< canonical line
  std::string backend;
  ProbeVerdict verdict = ProbeVerdict::Unknown;
  std::optional<Diagnostic> diagnostic;  ///< where there is no contract
  std::optional<Contract> contract;
  std::vector<ProbedPart> parts;
  std::string masks;  ///< how the tree was asked for, in words; empty where it was not
  std::string strength;
  std::vector<std::string> other_shapes;  ///< "sum 1001xf32: holds", "sum 77xf32: another program"
  std::optional<ProbeReproducer> reproducer;
  Choices nearest;  ///< where there is no contract: the program that came nearest
  std::int64_t nearest_different = 0, nearest_compared = 0;
  ProbeCounts counts;
};

/// For problems whose program is a sum or a scan over operands (any fold), or any operator whose hypotheses are to be told apart
/// by operands. Never throws Refused: a refusal is a report.
ProbeReport probe_sum(const std::string& problem, Backend& backend, const ProbeSettings& settings = {});

int exit_code(const ProbeReport& report);

}  // namespace bitpact
