// bitpact compare: the same operands through two backends; compare_dumps.cpp has the mode that takes two dumps.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/compare_candidates.h"
#include "cli/compare_dumps.h"
#include "cli/verbs.h"
#include "diagnostic/diagnostic.h"
#include "verdict/batch.h"

namespace bitpact {
namespace {

// A line a comparison (with --json a bitpact.comparison/1 a line), progress and summary on stderr.
ExitCode compare_many(const std::string& path, const ComparisonRequest& request, bool as_json) {
  const std::vector<BatchLine> lines = parse_batch(read_text_file(path), path);
  BackendPool pool;
  const BatchSummary summary =
      run_batch(lines, request, pool, [&](const BatchLine& line, const ComparisonReport& report, bool as_expected) {
        if (as_json) {
          print_json(to_json(report), -1);
        } else {
          std::string text =
              fmt::format("{:<9} {}{}", name(report.verdict), report.problem, report.relation == "contract" ? " [contract]" : "");
          if (line.candidate) text += " on " + *line.candidate;
          text += fmt::format("  {} of {} differ", report.outputs.different, report.outputs.compared);
          if (report.outside_compared > 0)
            text += fmt::format(", outside the domain {} of {}", report.outside_different, report.outside_compared);
          print(text + "\n");
        }
        if (!as_expected) {
          const std::string why = report.diagnostic ? to_text(*report.diagnostic) : report.cause ? report.cause->summary : "";
          say(fmt::format("{}:{}: expected {}, got {}. {}\n  {}", path, line.number, line.expect.value_or("exact"),
                          name(report.verdict), why, report.reproduce));
        }
      });
  std::string counts;
  for (const auto& [verdict, n] : summary.verdicts) counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", n, verdict);
  say(fmt::format("{} comparison(s): {}; {} as expected", summary.ran, counts, summary.as_expected));
  return summary.exit;
}

// Two arguments are two dumps, one is a problem line: what belongs to the other mode is refused.
void check_mode(const CLI::App& verb, const CompareDumps& dumps, const std::string& what, const std::string& b) {
  std::vector<std::string> foreign;
  const std::vector<std::string> of_dumps = dumps.given();
  if (!b.empty()) {
    for (const CLI::Option* option : verb.get_options()) {
      const std::string name = option->get_name();
      const bool own = name == "--json" || std::find(of_dumps.begin(), of_dumps.end(), name) != of_dumps.end();
      if (option->count() > 0 && !option->get_positional() && !own) foreign.push_back(name);
    }
    if (!foreign.empty())
      refuse(Code::Usage,
             fmt::format("'{}' and '{}' are taken as two dumps, and {} belongs to a comparison of backends (its problem line is "
                         "one argument, in quotes)",
                         what, b, fmt::join(foreign, ", ")));
    return;
  }
  std::error_code none;
  if (!what.empty() && std::filesystem::exists(what, none))
    refuse(Code::Usage, fmt::format("'{}' is a file: give two dumps, or a problem line", what));
  if (!of_dumps.empty())
    refuse(Code::Usage, fmt::format("{} belongs to a comparison of two dumps: give both", fmt::join(of_dumps, ", ")));
  if (what.empty() && verb.count("--problems") == 0) refuse(Code::Usage, "give a problem line, two dumps, or --problems FILE");
  if (verb.count("--candidate") == 0)
    refuse(Code::Usage, "--candidate is required: the backend that is to give the reference's bits");
}

}  // namespace

void add_compare(Program program) {
  struct Options {
    ComparisonRequest request;
    std::string what, b;
    std::string problems, contract, recipe, emitted;
    std::vector<std::string> candidates;
    bool no_offers = false, no_cause = false, raw_nan = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb = program.app.add_subcommand(
      "compare", "the same operands through two backends, or two dumps tensor by tensor: verdict, first difference, cause, cost");
  verb->add_option("what", o->what,
                   "a problem line, e.g. \"matmul 64x64xf32,64x64xf32\"; or a dump: .safetensors, .npz, a folder of .npy");
  verb->add_option("b", o->b, "of two dumps the second");
  auto dumps = std::make_shared<CompareDumps>(*verb);
  verb->add_option("--problems", o->problems,
                   "a file of problem lines instead, each with \"; contract=PATH\", \"; candidate=BACKEND\" and \"; "
                   "expect=VERDICT\" where wanted");
  verb->add_option("--reference", o->request.reference, "backend whose bits count")->capture_default_str();
  verb->add_option("--candidate", o->candidates, "backend that is to give them, e.g. iree or iree[opt=O0]; again for more")
      ->allow_extra_args(false);
  verb->add_option("--contract", o->contract, "contract file: the candidate runs what it says, emitted or interpreted");
  verb->add_option("--operands", o->recipe, "operand recipe (docs/operands.md), e.g. \"bitpact-operands/2 seed=2\"");
  verb->add_option(
          "--operand-sets", o->request.operand_sets,
          "sets of operands, each of the next seed; unless given one for --operands, else until 1024 outputs were compared")
      ->check(CLI::Range(1, 100000));
  verb->add_option("--operand-files", o->request.operand_files,
                   "operands from files, in the problem line's order: FILE.npy, or DUMP:NAME (docs/files.md)")
      ->delimiter(',');
  verb->add_option("--repeat", o->request.repeat, "runs of each backend, which must agree with themselves")
      ->check(CLI::Range(1, 1000));
  verb->add_option("--time", o->request.timed, "timed runs for the costs")->check(CLI::Range(0, 1000));
  verb->add_option("--form", o->request.only_form,
                   "try this emitted form only: dot_general, reduce, while, batched-dot_general, batched-reduce, batched-while, "
                   "written-out, elementwise, moves");
  verb->add_option("--emitted", o->emitted, "write the module that ran to this file");
  add_worker_options(verb, o->request.settings);
  verb->add_option("--max-bytes", o->request.max_bytes, "operands and result together")->check(CLI::PositiveNumber);
  verb->add_flag("--raw-nan", o->raw_nan, "NaN payloads and signs count");
  verb->add_flag("--no-offers", o->no_offers, "do not also try the form compiled for the contract on its own");
  verb->add_flag("--no-cause", o->no_cause, "do not look for the cause of a difference");
  verb->add_flag("--json", program.json, "print bitpact.comparison/1, of two dumps bitpact.dump-comparison/1");
  verb->callback([o, dumps, verb, program] {
    program.run = [o, dumps, verb, program] {
      check_mode(*verb, *dumps, o->what, o->b);
      if (!o->b.empty()) return dumps->run(o->what, o->b, program.json);
      ComparisonRequest& request = o->request;
      request.problem = o->what;
      if (!o->contract.empty()) request.contract = o->contract;
      if (!o->recipe.empty()) {
        request.recipe = Recipe::parse(o->recipe);
        if (request.operand_sets == 0) request.operand_sets = 1;
      }
      request.offers = !o->no_offers;
      request.explain = !o->no_cause;
      request.policy.any_nan_equal = !o->raw_nan;
      if (request.problem.empty() == o->problems.empty()) refuse(Code::Usage, "give one problem line, or --problems FILE");
      if (o->candidates.size() > 1) {
        if (!o->problems.empty() || !o->emitted.empty())
          refuse(Code::Usage, "--problems and --emitted take one --candidate, not several");
        return compare_candidates(request, o->candidates, program.json);
      }
      request.candidate = o->candidates.front();
      if (!o->problems.empty()) return compare_many(o->problems, request, program.json);
      BackendPool pool;
      const ComparisonReport report = run_comparison(request, pool);
      if (program.json) {
        print_json(to_json(report));
      } else {
        print(to_text(report));
      }
      if (report.verdict == Verdict::Refused) say(to_text(*report.diagnostic));
      if (!o->emitted.empty() && !report.emitted.empty()) write_text_file(o->emitted, report.emitted);
      return exit_code(report);
    };
  });
}

}  // namespace bitpact
