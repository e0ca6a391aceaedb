#include "probe/vary.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "diagnostic/diagnostic.h"
#include "probe/function_probe.h"
#include "probe/sum_replay.h"
#include "probe/sum_report.h"

namespace bitpact {
namespace {

VaryProgram function_found(Backend& backend, const Resolved& problem, const ProbeSettings& settings) {
  const FunctionReport report = probe_function(backend, problem, {.exhaustive = false, .progress = {}, .say = settings.say});
  VaryProgram found{0, report.contract, report.diagnostic, {}, to_json(report)};
  found.words = report.diagnostic ? report.diagnostic->reason : "";
  if (!report.contract || report.tables.empty()) return found;
  const auto& candidates = report.tables[0].candidates;
  const auto fit = std::ranges::find_if(candidates, [](const FunctionCandidate& c) { return c.fits(); });
  found.words = fit == candidates.end() ? "a program of its own" : to_text(*fit);
  return found;
}

/// What a contract says of the arithmetic alone: not where it was verified, nor how, nor at which lengths.
Contract bare(Contract contract) {
  contract.verified.clear();
  contract.established = {};
  contract.identity = {};
  std::vector<Piece> different;
  for (Piece& piece : contract.pieces) {
    piece.shapes.clear();
    if (std::ranges::find(different, piece) == different.end()) different.push_back(std::move(piece));
  }
  contract.pieces = std::move(different);
  return contract;
}

std::vector<std::string> identity_differences(const Identity& a, const Identity& b, const Contract& any) {
  Contract x = bare(any), y = x;
  x.identity = a;
  y.identity = b;
  x.identity.kernel = y.identity.kernel = "";  // of a run, where it is seen
  return differences(x, y);
}

class Varying {
 public:
  Varying(Backend& backend, const OpenBackend& open, const ProbeSettings& settings, VaryReport& report)
      : given_(backend), open_(open), settings_(settings), report_(report) {}

  void go(std::vector<VaryCondition> conditions) {
    check(conditions);
    std::unique_ptr<Backend> opened;
    for (VaryCondition& condition : conditions) {
      const bool own = condition.backend == given_.spec();
      if (own) opened.reset();
      if (!own && (!opened || !(opened->spec() == condition.backend))) {
        opened.reset();
        opened = open_(condition.backend);
      }
      answer(std::move(condition), own ? given_ : *opened);
    }
    judge_unasked();
    write_contract();
  }

 private:
  /// What is refused under a condition is refused before much is asked.
  void check(const std::vector<VaryCondition>& conditions) {
    for (const VaryCondition& condition : conditions) {
      if (!(condition.backend == given_.spec())) continue;
      Asker asker(given_, condition.problem);
      try {
        asker.ask(Recipe{});
      } catch (const Refused& refused) {
        throw refused.at({to_text(condition.problem.problem), report_.backend, given_.identity().machine()});
      }
      report_.calls += asker.calls();
    }
  }

  void tell(const std::string& line) const {
    if (settings_.say) settings_.say(line);
  }

  void answer(VaryCondition condition, Backend& backend) {
    const Resolved& problem = condition.problem;
    VaryAnswer answer;
    answer.identity = backend.identity();
    std::optional<size_t> of;
    for (size_t p = 0; p < report_.programs.size() && !of; ++p)
      if (const std::int64_t outputs = replayed(report_.programs[p], problem, backend); outputs > 0) {
        of = p;
        answer.outputs = outputs;
      }
    if (!of) {
      of = report_.programs.size();
      report_.programs.push_back(probed(problem, backend, answer.outputs));
      report_.programs.back().found_at = report_.answers.size();
    }
    answer.of = *of;
    tell(fmt::format("{} on {}: program {}", to_text(problem.problem), to_text(condition.backend), *of + 1));
    const std::optional<Contract>&first = report_.programs.front().contract, &own = report_.programs[*of].contract;
    if (*of != 0 && first && own) answer.differences = differences(bare(*first), bare(*own));
    if (!report_.answers.empty() && (first || own))
      answer.identity_differences =
          identity_differences(report_.answers.front().identity, answer.identity, first ? *first : *own);
    if (!report_.answers.empty() && !(first && own)) compare_with_first(answer, problem, backend);
    answer.condition = std::move(condition);
    report_.answers.push_back(std::move(answer));
  }

  /// How many outputs were as the program's contract says; 0 where one was not, or the contract does not cover the problem.
  std::int64_t replayed(const VaryProgram& program, const Resolved& problem, Backend& backend) {
    if (!program.contract) return 0;
    try {
      Asker asker(backend, problem);
      SumReplay replay(asker, *program.contract, settings_);
      const bool agree = replay.recipes();
      report_.calls += asker.calls();
      return agree ? replay.outputs() : 0;
    } catch (const Refused& refused) {
      const Code code = refused.diagnostic().code;
      if (code != Code::ContractNotForProblem && code != Code::ContractProgram && code != Code::ContractValue) throw;
      return 0;  // pieces of another shape: axis=0 instead of 1
    }
  }

  /// What no program tells can still be told apart by its bits.
  void compare_with_first(VaryAnswer& answer, const Resolved& problem, Backend& backend) {
    const Resolved& first = report_.answers.front().condition.problem;
    if (first.problem.operands != problem.problem.operands || first.result.shape != problem.result.shape) return;
    Asker there(given_, first), here(backend, problem);
    constexpr std::uint64_t kRounds = 16;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      Recipe recipe;
      recipe.seed = settings_.seed + round;
      recipe.classes = {"normal", "wide", "cancellation", "ties"};  // a NaN in every output tells nothing
      recipe.classes = classes_of_round(problem, recipe.classes, round);
      const Asked a = there.ask(recipe), b = here.ask(a.operands);
      for (std::int64_t o = 0; o < a.result.size(); ++o)
        if (!same_value(a.result.format(), a.result.get(o), b.result.get(o))) ++answer.different;
      answer.compared += a.result.size();
    }
    report_.calls += there.calls() + here.calls();
  }

  VaryProgram probed(const Resolved& problem, Backend& backend, std::int64_t& outputs) {
    if (is_function(problem)) return function_found(backend, problem, settings_);
    const ProbeReport report = probe_sum(to_text(problem.problem), backend, settings_);
    if (report.verdict == ProbeVerdict::Refused) throw Refused(*report.diagnostic);
    report_.calls += report.counts.calls;
    if (report.contract) outputs = report.counts.replayed;
    return {0, report.contract, report.diagnostic, program_text(report), to_json(report)};
  }

  // ---- the contract

  /// Conditions of the backend as it was given: the contract's identity.
  bool own(const VaryAnswer& answer) const { return answer.condition.backend == given_.spec(); }

  /// Whether two conditions that differ in this attribute alone have different programs.
  bool matters(const std::string& attribute) const {
    std::map<std::map<std::string, std::string>, size_t> others;
    for (const VaryAnswer& answer : report_.answers) {
      if (!own(answer)) continue;
      std::map<std::string, std::string> rest = answer.condition.attributes;
      rest.erase(attribute);
      if (others.try_emplace(rest, answer.of).first->second != answer.of) return true;
    }
    return false;
  }

  void judge_unasked() {
    for (const VariedName& v : report_.varied) {
      if (v.option)
        report_.unasked.push_back(Unasked::Others);
      else if (lists_all_values(v, report_.answers.front().condition.problem))
        report_.unasked.push_back(Unasked::None);
      else
        report_.unasked.push_back(matters(v.name) ? Unasked::NotCovered : Unasked::Predicted);
    }
  }

  void write_contract() {
    std::set<std::map<std::string, std::string>> written;
    std::int64_t outputs = 0;
    size_t conditions = 0;
    for (size_t a = 0; a < report_.answers.size(); ++a) {
      const VaryAnswer& answer = report_.answers[a];
      const VaryProgram& program = report_.programs[answer.of];
      if (!own(answer) || !program.contract) continue;
      if (!report_.contract) {
        report_.contract = *program.contract;
        report_.contract->pieces.clear();
        report_.contract->verified.clear();
        report_.contract->identity = given_.identity();
        report_.contract->identity.kernel = program.contract->identity.kernel;
      }
      verified(answer, program, program.found_at == a);
      outputs += answer.outputs;
      ++conditions;
      std::map<std::string, std::string> when = answer.condition.attributes;
      std::erase_if(when, [&](const auto& condition) { return !matters(condition.first); });
      if (!written.insert(when).second) continue;
      for (Piece piece : program.contract->pieces) {
        piece.when = when;
        report_.contract->pieces.push_back(std::move(piece));
      }
    }
    if (conditions > 1)
      report_.contract->established = {
          "probed", "sampled",
          fmt::format("{}; {} conditions, {} outputs replayed in all", report_.contract->established.note, conditions, outputs)};
  }

  /// Where a program was found it was also asked at other shapes.
  void verified(const VaryAnswer& answer, const VaryProgram& program, bool found_here) {
    std::vector<std::string>& all = report_.contract->verified;
    const auto add = [&](const std::string& line) {
      if (std::ranges::find(all, line) == all.end()) all.push_back(line);
    };
    add(to_text(answer.condition.problem.problem));
    if (!found_here) return;
    for (const std::string& line : program.contract->verified) add(line);
  }

  Backend& given_;
  const OpenBackend& open_;
  const ProbeSettings& settings_;
  VaryReport& report_;
};

}  // namespace

std::string_view name(Unasked unasked) {
  constexpr std::string_view kNames[] = {"none", "predicted", "not-covered", "other-identities"};
  return kNames[static_cast<int>(unasked)];
}

VaryReport vary(const std::string& line, Backend& backend, const std::vector<std::string>& varied, const OpenBackend& open,
                const ProbeSettings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  const Resolved problem = resolve(line);
  VaryReport report;
  report.problem = to_text(problem.problem);
  report.backend = to_text(backend.spec());
  for (const std::string& text : varied) report.varied.push_back(parse_varied(text, problem, backend.spec()));
  Varying(backend, open, settings, report).go(conditions_of(report.varied, problem, backend.spec()));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace bitpact
