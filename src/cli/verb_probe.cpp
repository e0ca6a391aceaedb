// bitpact probe: what a backend computes, as a contract, or UNKNOWN.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "cli/verbs.h"
#include "diagnostic/diagnostic.h"
#include "probe/function_blocks.h"
#include "probe/function_errors.h"
#include "probe/function_probe.h"
#include "probe/function_progress.h"
#include "probe/sum_report.h"
#include "probe/switch_points.h"
#include "probe/vary.h"
#include "probe/verify_also.h"

namespace bitpact {
namespace {

struct ProbeOptions {
  std::string problem, backend, output, switches;
  std::vector<std::string> also, varied;
  bool exhaustive = false, errors = false, explain = false, one_length = false;
  ProbeSettings sum;
  BackendSettings settings;
};

/// Beside the output where there is one: a second machine, or another run, goes on from there.
std::string progress_path(const ProbeOptions& o, Backend& backend, const Resolved& problem, const std::string& pass) {
  if (!o.exhaustive) return {};
  if (!o.output.empty()) return fmt::format("{}.{}-progress", o.output, pass);
  FunctionAsker asker(backend, problem);
  return default_progress_path(about_pass(pass, asker));
}

/// Nothing is written where one of the other problems is not the contract's.
void write_verified(Contract contract, Backend& backend, const ProbeOptions& o) {
  for (const std::string& line : o.also) {
    const std::int64_t outputs = verify_also(contract, line, backend, o.sum);
    say(fmt::format("also {}: {} outputs as the contract says", contract.verified.back(), outputs));
  }
  if (!o.output.empty()) write_contract_file(contract, o.output);
}

ExitCode report_function(const FunctionReport& report, Backend& backend, const ProbeOptions& o, bool json) {
  if (json)
    print_json(to_json(report));
  else
    print(to_text(report));
  if (report.contract) write_verified(*report.contract, backend, o);
  if (report.contract) return 0;
  say(to_text(*report.diagnostic));
  return info(report.diagnostic->code).exit;
}

ExitCode report_errors(Backend& backend, const Resolved& problem, const ProbeOptions& o, bool json) {
  const ErrorReport report = measure_errors(
      backend, problem, {.exhaustive = o.exhaustive, .progress = progress_path(o, backend, problem, "errors"), .say = say});
  if (json)
    print_json(to_json(report));
  else
    print(to_text(report));
  return 0;
}

ProbeSettings sum_settings(const ProbeOptions& o) {
  ProbeSettings settings = o.sum;
  settings.other_lengths = !o.one_length;
  if (o.explain) settings.say = say;
  return settings;
}

/// Of several probes in one: printed, its contract written, and said what of it has none.
template <class Report>
ExitCode handed_out(const Report& report, Backend& backend, const ProbeOptions& o, bool json) {
  if (json)
    print_json(to_json(report));
  else
    print(to_text(report));
  if (report.contract) write_verified(*report.contract, backend, o);
  const std::optional<Diagnostic> diagnostic = diagnostic_of(report);
  if (!diagnostic) return 0;
  say(to_text(*diagnostic));
  return info(diagnostic->code).exit;
}

// AXIS=FROM..TO
ExitCode report_switches(const Resolved& problem, Backend& backend, const ProbeOptions& o, bool json) {
  const std::string& text = o.switches;
  SwitchSettings settings;
  const size_t equals = text.find('='), dots = text.find("..");
  const auto number = [](std::string_view digits, std::int64_t& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  if (equals == std::string::npos || dots == std::string::npos || dots < equals ||
      !number(std::string_view(text).substr(equals + 1, dots - equals - 1), settings.from) ||
      !number(std::string_view(text).substr(dots + 2), settings.to))
    refuse(Code::Usage, fmt::format("--switches {}: AXIS=FROM..TO is taken, e.g. k=1..2048", text), {to_text(problem.problem)});
  settings.probe = sum_settings(o);
  const SwitchReport report = find_switches(to_text(problem.problem), backend, text.substr(0, equals), settings);
  return handed_out(report, backend, o, json);
}

ExitCode report_varied(const Resolved& problem, Backend& backend, const ProbeOptions& o, bool json) {
  const OpenBackend open = [&o](const BackendSpec& spec) { return open_backend(spec, o.settings); };
  const VaryReport report = vary(to_text(problem.problem), backend, o.varied, open, sum_settings(o));
  return handed_out(report, backend, o, json);
}

ExitCode report_sum(const Resolved& problem, Backend& backend, const ProbeOptions& o, bool json) {
  if (o.errors || o.exhaustive)
    refuse(Code::Usage, "--errors and --exhaustive are for functions of one operand", {to_text(problem.problem)});
  const ProbeReport report = probe_sum(to_text(problem.problem), backend, sum_settings(o));
  if (json)
    print_json(to_json(report));
  else
    print(to_text(report));
  if (report.contract) write_verified(*report.contract, backend, o);
  if (report.diagnostic) say(to_text(*report.diagnostic));
  return exit_code(report);
}

}  // namespace

void add_probe(Program program) {
  auto o = std::make_shared<ProbeOptions>();
  CLI::App* verb = program.app.add_subcommand("probe", "what a backend computes: a contract checked by replay, or UNKNOWN");
  verb->add_option("problem", o->problem, "a problem line")->required();
  verb->add_option("--backend", o->backend, "who is asked, e.g. mlx")->required();
  verb->add_option("-o,--output", o->output, "file for the contract; none is written where it is UNKNOWN");
  verb->add_option("--verify", o->also, "another problem that must follow the same contract, which then says so; again for more")
      ->allow_extra_args(false);
  verb->add_option("--switches", o->switches,
                   "AXIS=FROM..TO: along that axis (k, n, ...: as the contract names it), where another program takes over");
  verb->add_option("--vary", o->varied,
                   "NAME=V1,V2,...: the same under other values of an attribute (align=4,16) or an option of the backend "
                   "(threads=1,2); again for more")
      ->allow_extra_args(false);
  verb->add_flag("--exhaustive", o->exhaustive, "functions of f32: all 2^32 arguments; goes on where it was ended");
  verb->add_flag("--errors", o->errors,
                 "functions: errors against the correctly rounded value instead, monotonicity, where the range ends");
  verb->add_flag("--explain", o->explain, "sums: what is asked and struck out, on stderr");
  verb->add_flag("--one-length", o->one_length, "sums: ask at no other lengths than the problem's");
  add_replay_options(verb, o->sum);
  verb->add_flag(
      "--json", program.json,
      "print bitpact.probe/1, of functions bitpact.function/1, with --errors bitpact.function-errors/1, with --switches "
      "bitpact.switches/1, with --vary bitpact.vary/1");
  add_worker_options(verb, o->settings);
  verb->callback([o, program] {
    program.run = [o, program] {
      const Resolved problem = resolve(o->problem);
      const auto backend = open_backend(parse_backend(o->backend), o->settings);
      if (!o->varied.empty()) {
        if (o->errors || o->exhaustive || !o->switches.empty())
          refuse(Code::Usage, "--vary goes with none of --switches, --errors and --exhaustive", {to_text(problem.problem)});
        return report_varied(problem, *backend, *o, program.json);
      }
      if (!o->switches.empty()) {
        if (is_function(problem) || o->errors || o->exhaustive)
          refuse(Code::Usage, "--switches is for sums: a function is asked element by element", {to_text(problem.problem)});
        return report_switches(problem, *backend, *o, program.json);
      }
      if (!is_function(problem)) return report_sum(problem, *backend, *o, program.json);
      if (o->errors && !(o->output.empty() && o->also.empty()))
        refuse(Code::Usage, "--errors finds no contract: -o and --verify do not go with it");
      if (o->errors) return report_errors(*backend, problem, *o, program.json);
      const FunctionReport report =
          probe_function(*backend, problem,
                         {.exhaustive = o->exhaustive, .progress = progress_path(*o, *backend, problem, "table"), .say = say});
      return report_function(report, *backend, *o, program.json);
    };
  });
}

}  // namespace bitpact
