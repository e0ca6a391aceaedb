// bitpact.lock: what a project's operators compute on its backends, so that an upgrade that changes a bit of it is named.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "probe/separating.h"
#include "verdict/comparison.h"

namespace bitpact {

inline constexpr std::string_view kLockSchema = "bitpact.lock/1";

/// A program of the contract by its choice points, for words.
struct LockedPart {
  std::string region;
  Choices choices;
  std::string flush;  ///< "" | "inputs" | "results" | "inputs and results"
  bool operator==(const LockedPart&) const = default;
};

/// Why a line has no contract.
struct LockedUnknown {
  std::string code;  ///< of the diagnostic that the probe ended with: "probe-unknown"
  std::string reason;
};

struct LockedLine {
  std::string problem;  ///< canonical
  std::string backend;  ///< canonical
  Identity identity;
  std::optional<Contract> contract;
  std::vector<LockedPart> parts;         ///< of the contract
  std::optional<LockedUnknown> unknown;  ///< where there is no contract
  std::int64_t others = 0, parted = 0;   ///< as in Separation
  std::vector<AnsweredQuestion> questions;
};

struct Lock {
  bool one_length = false;  ///< the probes asked at no other lengths
  std::vector<LockedLine> lines;
};

struct LockRequest {
  ProbeSettings probe;
  bool allow_unknown = false;
  BackendSettings settings;
  std::function<void(const LockedLine&)> each;            ///< sees every line as it is made; may be empty
  std::function<void(const std::string&)> say = nullptr;  ///< what is being done; may be empty
};

/// One line of a list: "PROBLEM ; backend=BACKEND".
struct LockListLine {
  std::int64_t number = 0;  ///< in the file, from 1
  std::string problem, backend;
};
/// Refuses `problem-syntax`, naming the line: also for a line without a backend, one that is there twice, and a list without any.
std::vector<LockListLine> parse_lock_list(std::string_view text, const std::string& where);

/// Probes every line. Refuses what a backend refuses, `nondeterministic`, and `lock-unknown` (naming all such lines) where a line
/// has no contract and that is not allowed.
Lock make_lock(const std::vector<LockListLine>& list, const LockRequest& request, BackendPool& pool);

std::vector<LockedPart> locked_parts(const std::vector<ProbedPart>& parts);

// ---- docs/schemas/lock.schema.json (lock_json.cpp)

nlohmann::json to_json(const Lock& lock);
/// RFC 8785 bytes and a newline.
std::string write_lock(const Lock& lock);
/// Strict. Refuses `json-malformed`, `lock-version`, `lock-malformed`; `where` begins the message.
Lock read_lock(std::string_view text, const std::string& where);

}  // namespace bitpact
