// What an upgrade changed of what bitpact.lock says.
#pragma once

#include "verdict/lock.h"

namespace bitpact {

enum class CheckOutcome : std::uint8_t { Unchanged, Changed, Unknown, Refused };
std::string_view name(CheckOutcome outcome);  ///< "unchanged" ...

struct CheckRequest {
  bool full = false;  ///< probe again even where every question is answered alike
  ProbeSettings probe;
  BackendSettings settings;
  std::map<std::string, std::string> backends;       ///< who is asked in the place of a lock's backend, both by canonical text
  std::function<void(const std::string&)> say = {};  ///< what is being done; may be empty
};

/// The first output on which the locked contract and the backend part.
struct CheckFirst {
  std::string operands;  ///< the question's recipe
  std::string problem;
  std::vector<std::int64_t> index;
  std::string locked, now;  ///< "1.5 (0x3fc00000)"
  std::int64_t compared = 0, different = 0;
};

struct CheckedLine {
  std::string problem;
  std::string backend;  ///< as locked
  std::string asked;    ///< who was asked
  CheckOutcome outcome = CheckOutcome::Refused;
  std::string strength;  ///< what "unchanged" rests on
  std::int64_t questions = 0, different = 0;
  std::vector<std::string> identity;  ///< what differs in what runs the operator: "version: 0.32.4 -> 0.33.0"
  std::vector<std::string> changes;   ///< "product: rounded -> fused"
  std::vector<std::string> words;     ///< differences() of the two contracts' arithmetic: the first is the locked one
  std::optional<CheckFirst> first;
  bool probed = false;                   ///< again
  std::optional<Diagnostic> diagnostic;  ///< where it was refused, or probed again without a contract
};

struct CheckReport {
  std::string path;
  std::vector<CheckedLine> lines;
  std::int64_t count(CheckOutcome outcome) const;
};

/// Asks every line's questions; where an answer differs (or all, with `full`) probes again and compares the contracts. Never
/// throws Refused: what a line ends with is in its report.
CheckReport check_lock(const Lock& lock, const CheckRequest& request, BackendPool& pool);

/// Of the worst line: bad input before refused before no verdict before changed before unchanged.
int exit_code(const CheckReport& report);

/// docs/schemas/check.schema.json
nlohmann::json to_json(const CheckReport& report);
std::string to_text(const CheckedLine& line);
/// The line below all others.
std::string summary(const CheckReport& report);
/// One test case a line: changed is a failure, refused and without a verdict an error.
std::string to_junit(const CheckReport& report);

}  // namespace bitpact
