// Asks two backends the same question and judges the answers.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "compare/compare.h"
#include "contract/contract_json.h"
#include "contract/traits.h"
#include "diagnostic/diagnostic.h"
#include "explain/cause.h"
#include "operators/catalogue.h"
#include "operators/recipe.h"

namespace bitpact {

/// Backends by their text, each opened once: workers are started once and reused.
class BackendPool {
 public:
  /// Refuses what open_backend refuses. The settings of the first opening count.
  Backend& open(const std::string& text, const BackendSettings& settings);
  /// Of a backend that this pool opened: from the cache, or asked, once.
  const Traits& traits(Backend& backend);

 private:
  std::map<std::string, std::unique_ptr<Backend>> backends_;
  std::map<std::string, Traits> traits_;
};

struct ComparisonRequest {
  std::string problem;  ///< a problem line
  std::string reference = "mlx";
  std::string candidate;
  std::optional<std::string> contract;     ///< path: the candidate then runs what it says
  std::vector<std::string> operand_files;  ///< .npy, one an operand; empty: the recipe
  Recipe recipe;
  int operand_sets =
      0;  ///< sets of operands (the recipe's, then with the next seeds); 0: as many as a problem of few outputs needs
  ComparePolicy policy;
  int repeat = 1;      ///< each backend is also compared with itself over so many runs
  int timed = 0;       ///< timed runs for the costs; 0: one
  bool offers = true;  ///< also try the form compiled for the contract on its own
  bool explain = true;
  std::int64_t max_bytes = std::int64_t{4} << 30;  ///< operands and result together
  std::string only_form;                           ///< try this emitted form only
  BackendSettings settings;
};

enum class Verdict : std::uint8_t { Exact, Differs, Refused, Unknown, Nondeterministic };
std::string_view name(Verdict verdict);

/// What one side was.
struct SideReport {
  std::string spec;
  std::optional<Identity> identity;
  std::string kernel = "unobserved";
  std::string tag;  ///< what really ran
  bool repeats_agree = true;
  Cost cost;
};

/// One emitted form on one compiler.
struct FormReport {
  std::string how;        ///< "with flags untouched" | "compiled for the contract on its own"
  std::string candidate;  ///< backend with options
  std::string form;
  std::string outcome;  ///< "exact" | "differs" | "refused"
  std::string note;     ///< refusal, in words
  std::int64_t compared = 0, different = 0;
  double compile_ms = 0, run_ms = 0;
};

struct ContractReport {
  std::string path;
  int version = kContractVersion;
  std::string arithmetic, fingerprint;
  bool shape_verified = false;  ///< else predicted
  std::int64_t replay_compared = 0,
               replay_different = 0;  ///< the contract run by the interpreter, against the reference, on its domain
};

struct ComparisonReport {
  std::string problem;  ///< canonical line
  Verdict verdict = Verdict::Refused;
  std::string strength;  ///< in words: "sampled: ..." | "exhaustive: ..."
  std::string domain;    ///< in words
  std::int64_t outside_compared = 0, outside_different = 0;
  std::string relation = "operator";  ///< "operator" | "contract"
  std::optional<Diagnostic> diagnostic;
  SideReport reference, candidate;
  std::optional<ContractReport> contract;
  TensorComparison outputs;  ///< on the domain
  Format result_format = Format::F32;
  std::optional<Cause> cause;
  std::string operand_recipe, operand_sha256;  ///< of the first set, or of the one that differs
  int operand_sets = 1;
  int repeats = 1;
  std::vector<FormReport> forms;
  double plain_run_ms = 0;  ///< the candidate's own form, where timed beside an emitted one
  std::string reproduce;
  std::string emitted;  ///< the module that ran, where one was emitted
};

/// Never throws Refused: a refusal is a report with verdict `refused` and a diagnostic.
ComparisonReport run_comparison(const ComparisonRequest& request, BackendPool& pool);

int exit_code(const ComparisonReport& report);
/// docs/schemas/comparison.schema.json
nlohmann::json to_json(const ComparisonReport& report);
std::string to_text(const ComparisonReport& report);

}  // namespace bitpact
