// bitpact compare: the same operands through two backends.
#include <fmt/format.h>

#include <memory>

#include "cli/compare_candidates.h"
#include "cli/verbs.h"
#include "verdict/batch.h"

namespace bitpact {
namespace {

std::string json_text(const nlohmann::json& j, int indent) {
  return j.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// A line a comparison (with --json a bitpact.comparison/1 a line), progress and summary on stderr.
ExitCode compare_many(const std::string& path, const ComparisonRequest& request, bool as_json) {
  const std::vector<BatchLine> lines = parse_batch(read_text_file(path), path);
  BackendPool pool;
  const BatchSummary summary =
      run_batch(lines, request, pool, [&](const BatchLine& line, const ComparisonReport& report, bool as_expected) {
        if (as_json) {
          print(json_text(to_json(report), -1));
        } else {
          std::string text =
              fmt::format("{:<9} {}{}", name(report.verdict), report.problem, report.relation == "contract" ? " [contract]" : "");
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

}  // namespace

void add_compare(Program program) {
  struct Options {
    ComparisonRequest request;
    std::string problems, contract, recipe, emitted;
    std::vector<std::string> candidates;
    bool no_offers = false, no_cause = false, raw_nan = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb =
      program.app.add_subcommand("compare", "the same operands through two backends: verdict, first difference, cause, cost");
  verb->add_option("problem", o->request.problem, "a problem line, e.g. \"matmul 64x64xf32,64x64xf32\"");
  verb->add_option("--problems", o->problems,
                   "a file of problem lines instead, each with \"; contract=PATH\" and \"; expect=VERDICT\" where wanted");
  verb->add_option("--reference", o->request.reference, "backend whose bits count")->capture_default_str();
  verb->add_option("--candidate", o->candidates, "backend that is to give them, e.g. iree or iree[opt=O0]; again for more")
      ->required()
      ->allow_extra_args(false);
  verb->add_option("--contract", o->contract, "contract file: the candidate runs what it says, emitted or interpreted");
  verb->add_option("--operands", o->recipe, "operand recipe (docs/operands.md), e.g. \"bitpact-operands/1 seed=2\"");
  verb->add_option("--operand-files", o->request.operand_files,
                   "operands from files, in the problem line's order: FILE.npy, or DUMP:NAME (docs/files.md)")
      ->delimiter(',');
  verb->add_option("--repeat", o->request.repeat, "runs of each backend, which must agree with themselves")
      ->check(CLI::Range(1, 1000));
  verb->add_option("--time", o->request.timed, "timed runs for the costs")->check(CLI::Range(0, 1000));
  verb->add_option("--form", o->request.only_form,
                   "try this emitted form only: dot_general, reduce, while, written-out, elementwise");
  verb->add_option("--emitted", o->emitted, "write the module that ran to this file");
  add_worker_options(verb, o->request.settings);
  verb->add_option("--max-bytes", o->request.max_bytes, "operands and result together")->check(CLI::PositiveNumber);
  verb->add_flag("--raw-nan", o->raw_nan, "NaN payloads and signs count");
  verb->add_flag("--no-offers", o->no_offers, "do not also try the form compiled for the contract on its own");
  verb->add_flag("--no-cause", o->no_cause, "do not look for the cause of a difference");
  verb->add_flag("--json", program.json, "print bitpact.comparison/1");
  verb->callback([o, program] {
    program.run = [o, program] {
      ComparisonRequest& request = o->request;
      if (!o->contract.empty()) request.contract = o->contract;
      if (!o->recipe.empty()) request.recipe = Recipe::parse(o->recipe);
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
        print(json_text(to_json(report), 2));
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
