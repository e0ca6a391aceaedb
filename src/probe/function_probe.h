// What a backend computes for a function: its value table, whether it is the same everywhere, and the program that gives it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "diagnostic/diagnostic.h"
#include "probe/function_match.h"

namespace bitpact {

struct FunctionProbeOptions {
  bool exhaustive = false;  ///< f32: all 2^32 arguments
  std::string progress;     ///< path of the file that an exhaustive probe goes on from; empty: none
  std::function<void(const std::string&)> say;
};

/// Values of one class of positions, and what was made of them.
struct FunctionTable {
  std::string where;           ///< "everywhere", "vector body", "tail"
  std::int64_t arguments = 0;  ///< that it holds
  bool whole = false;          ///< every bit pattern of the format
  std::string sha256;          ///< of a whole table (docs/functions.md)
  std::vector<FunctionCandidate> candidates;
};

struct FunctionReport {
  std::string problem;  ///< canonical line
  std::string backend;
  Identity identity;
  Format argument = Format::F32, result = Format::F32;
  std::vector<FunctionTable> tables;
  std::vector<PositionClass> positions;
  std::string strength;              ///< "exhaustive" | "sampled"
  std::string strength_words;        ///< what it rests on
  std::optional<Contract> contract;  ///< where one program gives every value
  std::optional<Diagnostic> diagnostic;
  std::string reproduce;       ///< a command that shows the first difference from the nearest program
  std::int64_t calls = 0;      ///< requests to the backend
  double seconds = 0;          ///< in all
  double backend_seconds = 0;  ///< of these, what the backend says that it computed for
};

/// `problem` is_function. Refuses what the backend refuses, `nondeterministic`, `probe-unsupported`.
FunctionReport probe_function(Backend& backend, const Resolved& problem, const FunctionProbeOptions& options);

/// docs/schemas/function.schema.json
nlohmann::json to_json(const FunctionReport& report);
std::string to_text(const FunctionReport& report);

/// "sha256:..." of a table: of the values of all arguments in the order of their bits, each in the format's storage bytes,
/// little-endian, every NaN the quiet one.
std::string table_digest(const Tensor& values);
/// Of a table that is too large for one piece: of the lines of its blocks' digests.
std::string table_digest(const std::vector<std::string>& blocks);

}  // namespace bitpact
