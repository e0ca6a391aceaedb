// One file a verb; main.cpp lists them, a line each.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace bitpact {

/// What a verb's run ends with.
using ExitCode = int;

/// Adds the verb to the program; `run` is set where it was called.
struct Program {
  CLI::App& app;
  std::function<ExitCode()>& run;
  bool& json;  ///< --json of the verb that was called
};

void add_backends(Program program);
/// Not a verb: --build-info.
void add_build_info(Program program);
void add_check(Program program);
void add_compare(Program program);
void add_completion(Program program);
void add_contract(Program program);
void add_diagnostics(Program program);
void add_diff(Program program);
void add_emit(Program program);
void add_lock(Program program);
void add_operators(Program program);
void add_probe(Program program);
void add_run(Program program);
void add_show(Program program);

struct BackendSettings;
/// --timeout, --start-timeout, --worker-memory, --worker-output; for every verb that opens a backend.
void add_worker_options(CLI::App* verb, BackendSettings& settings);

struct ProbeSettings;
/// --replay-outputs, --replay-seconds, --repeat; for every verb that probes.
void add_replay_options(CLI::App* verb, ProbeSettings& settings);

/// stdout is data.
void print(const std::string& text);
/// Indented by `indent`, on one line where that is -1. A backend's words may not be UTF-8: what is not is replaced.
void print_json(const nlohmann::json& json, int indent = 2);
/// stderr is talk.
void say(const std::string& text);

/// The whole file; refuses `file-unreadable`.
std::string read_text_file(const std::string& path);
/// Written beside it and renamed; refuses `file-unwritable`, leaving nothing.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace bitpact
