#include "verdict/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "backends/contract_target.h"
#include "backends/traits/ask.h"
#include "emit/emit.h"
#include "interpret/covered.h"
#include "probe/asking.h"
#include "tensor/digest.h"
#include "tensor/tensor_argument.h"

namespace bitpact {
namespace {

// Where nobody says how many sets of operands: until so many outputs were compared, with at most so many sets and elements.
constexpr std::int64_t kEnoughOutputs = 1024, kMostSets = 128, kMostElements = std::int64_t{1} << 24;

/// Operands in hand, and what was made of them.
struct OperandSet {
  Recipe recipe;
  std::vector<Tensor> operands;
  Answer reference;
  Interpreted interpreted;  ///< where there is a contract
};

/// Everything one comparison gathers on its way.
class Run {
 public:
  Run(const ComparisonRequest& request, ComparisonReport& report, BackendPool& pool)
      : request_(request), report_(report), pool_(pool), set_{request.recipe, {}, {}, {}} {}

  void go() {
    problem_ = resolve(request_.problem);
    report_.problem = to_text(problem_.problem);
    report_.result_format = problem_.result.format;
    report_.reproduce = reproduce();
    check_size();
    if (request_.repeat < 1) refuse(Code::Usage, "--repeat is at least 1");
    options_.repeat = std::max(request_.repeat, std::max(1, request_.timed));
    options_.warmup = request_.timed > 0 ? 1 : 0;
    report_.repeats = request_.repeat;

    if (request_.contract) load_contract();
    reference_ = &open(request_.reference, report_.reference);
    candidate_ = &open(request_.candidate, report_.candidate);
    make_operands();

    set_.reference = ask_reference();
    note(report_.reference, set_.reference);
    if (contract_) {
      report_.relation = "contract";
      interpret_contract();
      run_contract();
    } else {
      again_ = [this] { return ask_plain(*candidate_); };
      const Answer answer = again_();
      note(report_.candidate, answer);
      judge(answer.results[0], {});
      ask_further_sets();
    }
    if (!report_.reference.repeats_agree || !report_.candidate.repeats_agree) {
      report_.verdict = Verdict::Nondeterministic;
      const SideReport& side = report_.reference.repeats_agree ? report_.candidate : report_.reference;
      report_.diagnostic =
          Diagnostic{Code::Nondeterministic, fmt::format("{} runs on the same operands did not agree", options_.repeat),
                     report_.problem, side.spec, side.identity ? side.identity->target : ""};
    }
    if (report_.verdict == Verdict::Differs && request_.explain) explain();
  }

 private:
  // A difference stays one, whether or not it can be explained.
  void explain() {
    try {
      report_.cause = find_cause(problem_, set_.operands, set_.reference.results[0], candidate_result_, report_.outputs, names());
    } catch (const Refused& refused) {
      report_.cause = Cause{};
      report_.cause->summary = fmt::format("not known: {}", refused.diagnostic().reason);
    }
  }

  void check_size() const {
    std::int64_t bytes = element_count(problem_.result.shape) * info(problem_.result.format).storage_bytes;
    for (const OperandSpec& operand : problem_.problem.operands) {
      if (bytes > request_.max_bytes) break;
      bytes += element_count(operand.shape) * info(operand.format).storage_bytes;
    }
    if (bytes > request_.max_bytes)
      refuse(Code::TooLarge, fmt::format("operands and result take more than {} bytes", request_.max_bytes), {report_.problem});
  }

  // As a shell takes it.
  static std::string quoted(const std::string& text) {
    return text.find_first_of(" []();*?&|<>$'") == std::string::npos ? text : fmt::format("\"{}\"", text);
  }

  std::string reproduce() const {
    std::string line = fmt::format("bitpact compare \"{}\" --reference {} --candidate {}", report_.problem,
                                   quoted(request_.reference), quoted(request_.candidate));
    if (request_.contract) line += fmt::format(" --contract {}", quoted(*request_.contract));
    if (!request_.only_form.empty()) line += fmt::format(" --form {}", request_.only_form);
    if (request_.operand_files.empty()) {
      if (set_.recipe.to_text() != Recipe{}.to_text()) line += fmt::format(" --operands \"{}\"", set_.recipe.to_text());
      if (request_.operand_sets > 0 && set_.recipe.to_text() == request_.recipe.to_text())
        line += fmt::format(" --operand-sets {}", request_.operand_sets);
    } else {
      line += fmt::format(" --operand-files {}", fmt::join(request_.operand_files, ","));
    }
    if (request_.repeat > 1) line += fmt::format(" --repeat {}", request_.repeat);
    return line;
  }

  std::pair<std::string, std::string> names() const {
    return {report_.reference.spec,
            report_.candidate.spec == report_.reference.spec ? report_.candidate.spec + " (candidate)" : report_.candidate.spec};
  }

  Backend& open(const std::string& text, SideReport& side) {
    side.spec = text;
    Backend& backend = pool_.open(text, request_.settings);
    side.spec = bitpact::to_text(backend.spec());
    side.identity = backend.identity();
    return backend;
  }

  static void note(SideReport& side, const Answer& answer) {
    side.kernel = answer.kernel;
    side.tag = answer.tag;
    side.cost = answer.cost;
    side.repeats_agree = answer.repeats_agree;
  }

  void load_contract() {
    contract_ = read_contract_file(*request_.contract);
    covered_ = cover(*contract_, problem_);
    ContractReport c;
    c.path = *request_.contract;
    c.arithmetic = covered_.arithmetic();
    c.fingerprint = contract_fingerprint(*contract_);
    c.shape_verified = covered_.verified;
    report_.contract = c;
  }

  void make_operands() {
    const auto& specs = problem_.problem.operands;
    if (!request_.operand_files.empty()) {
      if (request_.operand_files.size() != specs.size())
        refuse(Code::OperandMismatch, fmt::format("{} file(s) for {} operand(s)", request_.operand_files.size(), specs.size()),
               {report_.problem});
      for (size_t i = 0; i < specs.size(); ++i) {
        Tensor t = read_tensor_argument(request_.operand_files[i], specs[i].format);
        if (t.format() != specs[i].format || t.shape() != specs[i].shape)
          refuse(Code::OperandMismatch,
                 fmt::format("{} holds {}, the problem line says {}", request_.operand_files[i],
                             bitpact::to_text(t.shape(), t.format()), bitpact::to_text(specs[i].shape, specs[i].format)),
                 {report_.problem});
        set_.operands.push_back(std::move(t));
      }
      report_.operand_recipe = fmt::format("files: {}", fmt::join(request_.operand_files, ", "));
    } else {
      make_operands(set_.recipe);
    }
    report_.operand_sha256 = sha256(std::span<const Tensor>(set_.operands));
    const std::int64_t outputs = element_count(problem_.result.shape);
    if (request_.operand_files.empty() && request_.recipe.enumerates() && specs.size() == 1 &&
        outputs >= (std::int64_t{1} << info(specs[0].format).bits) && problem_.binding.operands[0] == problem_.binding.result &&
        independent_axes(problem_) == problem_.binding.result)
      report_.strength =
          fmt::format("exhaustive: all {} inputs of {}", std::int64_t{1} << info(specs[0].format).bits, name(specs[0].format));
    else if (request_.operand_files.empty())
      sampled(outputs, 1, present(set_.recipe));
    else
      report_.strength = fmt::format("sampled: {} outputs of the given operands", outputs);
  }

  void make_operands(const Recipe& recipe) {
    set_.operands =
        bitpact::make_operands(recipe, problem_.problem.operands, problem_.binding.operands, independent_axes(problem_));
    report_.operand_recipe = recipe.to_text();
  }

  std::set<std::string> present(const Recipe& recipe) const {
    const auto all = classes_present(recipe, problem_.problem.operands, problem_.binding.operands, independent_axes(problem_));
    return {all.begin(), all.end()};
  }

  void sampled(std::int64_t outputs, int sets, const std::set<std::string>& classes) {
    std::vector<std::string> named(classes.begin(), classes.end());
    const auto& order = Recipe::all_classes();
    std::sort(named.begin(), named.end(), [&](const std::string& a, const std::string& b) {
      return std::find(order.begin(), order.end(), a) < std::find(order.begin(), order.end(), b);
    });
    report_.operand_sets = sets;
    report_.strength = fmt::format("sampled: {} outputs{}; operand classes {}", outputs,
                                   sets > 1 ? fmt::format(" of {} operand sets", sets) : "", fmt::join(named, ", "));
  }

  int wanted_sets() const {
    if (!request_.operand_files.empty() || set_.recipe.all_values || !set_.recipe.bits.empty()) return 1;
    if (request_.operand_sets > 0) return request_.operand_sets;
    std::int64_t elements = 1;
    for (const Tensor& operand : set_.operands) elements += operand.size();
    const std::int64_t outputs = std::max<std::int64_t>(1, element_count(problem_.result.shape));
    const std::int64_t sets = std::min({(kEnoughOutputs + outputs - 1) / outputs, kMostElements / elements, kMostSets});
    return static_cast<int>(std::max<std::int64_t>(1, sets));
  }

  // Few outputs of few operand classes say little. What ran is asked again with other operands; the first set that parts the two
  // becomes the report's own.
  void ask_further_sets() {
    const int sets = wanted_sets();
    if (sets == 1 || report_.verdict == Verdict::Differs) return;
    struct Timed {  // further sets are not timed
      RunOptions& options;
      RunOptions kept;
      ~Timed() { options = kept; }
    } timed{options_, options_};
    options_.repeat = request_.repeat;
    options_.warmup = 0;
    judge_further_sets(sets);
  }

  void judge_further_sets(int sets) {
    const ComparisonReport first = report_;
    std::set<std::string> classes = present(set_.recipe);
    std::int64_t compared = first.outputs.compared, outside = first.outside_compared, outside_different = first.outside_different;
    bool reference_agrees = first.reference.repeats_agree, candidate_agrees = first.candidate.repeats_agree;
    for (int set = 1; set < sets; ++set) {
      set_.recipe = request_.recipe;
      set_.recipe.seed += static_cast<std::uint64_t>(set);
      set_.recipe.classes = classes_of_round(problem_, request_.recipe.classes, static_cast<std::uint64_t>(set));
      make_operands(set_.recipe);
      set_.reference = ask_reference();
      if (contract_) interpret_contract();
      const Answer answer = again_();
      reference_agrees = reference_agrees && set_.reference.repeats_agree;
      candidate_agrees = candidate_agrees && answer.repeats_agree;
      judge(answer.results[0], judged_domain_);
      if (report_.verdict == Verdict::Differs) {
        report_.operand_sha256 = sha256(std::span<const Tensor>(set_.operands));
        report_.reproduce = reproduce();
        sampled(element_count(problem_.result.shape), 1, present(set_.recipe));
        report_.strength += fmt::format("; on {} operand set(s) before this one nothing differed", set);
        report_.reference.repeats_agree = reference_agrees;
        report_.candidate.repeats_agree = candidate_agrees;
        return;
      }
      compared += report_.outputs.compared;
      outside += report_.outside_compared;
      outside_different += report_.outside_different;
      classes.merge(present(set_.recipe));
    }
    const std::optional<ContractReport> replay = report_.contract;
    report_ = first;
    report_.contract = replay;
    report_.outputs.compared = compared;
    report_.outside_compared = outside;
    report_.outside_different = outside_different;
    report_.reference.repeats_agree = reference_agrees;
    report_.candidate.repeats_agree = candidate_agrees;
    if (compared > 0 && report_.verdict == Verdict::Unknown) {  // the first set was outside of the domain, others were not
      report_.verdict = Verdict::Exact;
      report_.diagnostic.reset();
    }
    sampled(element_count(problem_.result.shape) * sets, sets, classes);
  }

  BoundProgram canonical() const {
    const Operator& op = operator_named(problem_.problem.op);
    return bind(op.build(problem_.formats(), canonical_choices(op, problem_.formats())), problem_.binding);
  }

  Answer ask_plain(Backend& backend) {
    const Ways ways = backend.ways();
    try {
      if (ways.operator_call || ways.stablehlo)
        return backend.call_operator(problem_.problem, {problem_.result}, set_.operands, options_);
      return backend.run_program(canonical(), set_.operands, options_);
    } catch (const Refused& refused) {
      throw refused.at({report_.problem, bitpact::to_text(backend.spec()), backend.identity().machine()});
    }
  }

  Answer ask_reference() { return ask_plain(*reference_); }

  void interpret_contract() {
    set_.interpreted = interpret(covered_, set_.operands, {.threads = 0, .watch = true});
    const std::vector<std::uint8_t> keep = inside(set_.interpreted, covered_.domain());
    const TensorComparison replay =
        compare_tensors(set_.reference.results[0], set_.interpreted.results[0], request_.policy, &keep);
    report_.contract->replay_compared += replay.compared;
    report_.contract->replay_different += replay.different;
  }

  // Compares inside and outside of the domain.
  void judge(const Tensor& candidate, const Domain& domain) {
    candidate_result_ = candidate;
    judged_domain_ = domain;
    report_.domain = bitpact::to_text(domain);
    const Tensor& reference = set_.reference.results[0];
    report_.outside_compared = report_.outside_different = 0;
    if (domain.excludes.empty()) {
      report_.outputs = compare_tensors(reference, candidate, request_.policy);
    } else {
      std::vector<std::uint8_t> keep = inside(set_.interpreted, domain);
      report_.outputs = compare_tensors(reference, candidate, request_.policy, &keep);
      for (std::uint8_t& k : keep) k = k ? 0 : 1;
      const TensorComparison outside = compare_tensors(reference, candidate, request_.policy, &keep);
      report_.outside_compared = outside.compared;
      report_.outside_different = outside.different;
    }
    report_.verdict = report_.outputs.different > 0  ? Verdict::Differs
                      : report_.outputs.compared > 0 ? Verdict::Exact
                                                     : Verdict::Unknown;
    report_.diagnostic.reset();
    if (report_.verdict == Verdict::Unknown)
      report_.diagnostic = Diagnostic{Code::ContractDomain,
                                      fmt::format("all {} outputs are outside: {}", report_.outside_compared, report_.domain),
                                      report_.problem, report_.candidate.spec, ""};
  }

  Answer run_programs() {
    Answer answer = candidate_->run_program(covered_.program, set_.operands, options_);
    for (size_t p = 1; p < covered_.parts.size(); ++p) {
      const CoveredPart& part = covered_.parts[p];
      const Answer other = candidate_->run_program(part.program, set_.operands, options_);
      copy_where(part.mask, other.results[0], answer.results[0]);
      answer.cost.run_ms += other.cost.run_ms;
    }
    return answer;
  }

  void run_contract() {
    if (candidate_->ways().stablehlo) {
      run_emitted();
    } else if (candidate_->ways().numeric_program) {
      again_ = [this] { return run_programs(); };
      const Answer answer = again_();
      note(report_.candidate, answer);
      judge(answer.results[0], covered_.domain());
      ask_further_sets();
    } else {
      refuse(Code::BackendLacksForm, "a contract is run by a backend that takes StableHLO or numeric programs",
             {report_.problem, report_.candidate.spec, candidate_->identity().machine()});
    }
  }

  std::vector<Emitted> forms_for(Backend& backend) {
    std::vector<Emitted> forms;
    for (Emitted& form : emit(covered_, pool_.traits(backend)))
      if (request_.only_form.empty() || form.form == request_.only_form) forms.push_back(std::move(form));
    if (forms.empty())
      refuse(Code::EmitUnsupported, fmt::format("no form '{}' for this program on this target", request_.only_form));
    return forms;
  }

  // Tries one form; the report's verdict is then about it.
  bool try_form(Backend& backend, const Emitted& form, FormReport& tried) {
    tried.form = form.form;
    tried.candidate = bitpact::to_text(backend.spec());
    if (first_set_) {
      set_ = *first_set_;
      report_.contract = first_replay_;
    }
    try {
      const Answer answer = backend.run_stablehlo(form.module, {problem_.result}, set_.operands, options_);
      tried.compile_ms = answer.cost.compile_ms;
      tried.run_ms = answer.cost.run_ms;
      note(report_.candidate, answer);
      judge(answer.results[0], covered_.domain() | form.carries);
      again_ = [&] { return backend.run_stablehlo(form.module, {problem_.result}, set_.operands, options_); };
      ask_further_sets();
      tried.compared = report_.outputs.compared;
      tried.different = report_.outputs.different;
      tried.outcome = report_.verdict == Verdict::Exact ? "exact" : report_.verdict == Verdict::Unknown ? "unknown" : "differs";
      return report_.verdict == Verdict::Exact;
    } catch (const Refused& refused) {
      tried.outcome = "refused";
      tried.note = refused.what();
      refusal_ = refused;
      return false;
    }
  }

  void run_emitted() {
    std::vector<Emitted> forms;
    try {
      forms = forms_for(*candidate_);
    } catch (const Refused& refused) {
      refuse_with_offer(refused);
    }
    if (wanted_sets() > 1) {
      first_set_ = set_;
      first_replay_ = report_.contract;
    }
    bool exact = false;
    struct Judged {
      ComparisonReport report;
      OperandSet set;
      Tensor result;
    };
    std::optional<Judged> nearest;
    for (const Emitted& form : forms) {
      FormReport tried;
      tried.how = "with flags untouched";
      exact = try_form(*candidate_, form, tried);
      tries_.push_back(tried);
      if (tried.outcome == "refused") continue;
      report_.emitted = form.module;
      if (exact) break;
      if (!nearest || report_.outputs.different < nearest->report.outputs.different)
        nearest = Judged{report_, set_, candidate_result_};
    }
    if (!exact && !nearest) throw refusal_->at({report_.problem, report_.candidate.spec, candidate_->identity().machine()});
    if (!exact) {
      report_ = nearest->report;
      set_ = nearest->set;
      candidate_result_ = nearest->result;
    }
    if (request_.timed > 0) report_.plain_run_ms = ask_plain(*candidate_).cost.run_ms;
    if (exact && request_.offers && request_.only_form.empty()) offer_own_target();
    report_.forms = std::move(tries_);
  }

  // Where the flags that were asked for carry no form, others may: named, never taken in their place.
  [[noreturn]] void refuse_with_offer(const Refused& refused) {
    const Where where{report_.problem, report_.candidate.spec, candidate_->identity().machine()};
    if (request_.offers && request_.only_form.empty()) offer_own_target();
    report_.forms = tries_;
    for (const FormReport& tried : tries_) {
      if (tried.outcome != "exact") continue;
      const Diagnostic& diagnostic = refused.diagnostic();
      throw Refused({diagnostic.code, fmt::format("{}; it is exact as --candidate \"{}\"", diagnostic.reason, tried.candidate),
                     diagnostic.op, diagnostic.backend, diagnostic.target})
          .at(where);
    }
    throw refused.at(where);
  }

  void offer_own_target() {
    const std::optional<BackendSpec> spec = contract_target(*candidate_, covered_.program.program);
    if (!spec) return;
    const ComparisonReport main = report_;
    const Tensor result = candidate_result_;
    FormReport tried;
    tried.how = "compiled for the contract on its own";
    try {
      Backend& own = pool_.open(bitpact::to_text(*spec), request_.settings);
      for (const Emitted& form : emit(covered_, pool_.traits(own))) {
        if (try_form(own, form, tried)) break;
      }
    } catch (const Refused& refused) {
      tried.outcome = "refused";
      tried.note = refused.what();
      tried.candidate = bitpact::to_text(*spec);
    }
    report_ = main;
    candidate_result_ = result;
    tries_.push_back(tried);
  }

  const ComparisonRequest& request_;
  ComparisonReport& report_;
  BackendPool& pool_;
  Resolved problem_;
  std::optional<Contract> contract_;
  Covered covered_;
  Backend *reference_ = nullptr, *candidate_ = nullptr;
  OperandSet set_;
  std::optional<OperandSet> first_set_;  ///< where each form is asked several sets: what each begins with
  std::optional<ContractReport> first_replay_;
  RunOptions options_;
  Tensor candidate_result_;
  Domain judged_domain_;
  std::function<Answer()> again_;  ///< what gave the candidate's result, on the operands in hand
  std::vector<FormReport> tries_;
  std::optional<Refused> refusal_;
};

}  // namespace

std::string_view name(Verdict verdict) {
  constexpr std::string_view kNames[] = {"exact", "differs", "refused", "unknown", "nondeterministic"};
  return kNames[static_cast<int>(verdict)];
}

Backend& BackendPool::open(const std::string& text, const BackendSettings& settings) {
  const BackendSpec spec = parse_backend(text);
  std::unique_ptr<Backend>& backend = backends_[to_text(spec)];
  if (!backend) backend = open_backend(spec, settings);
  return *backend;
}

const Traits& BackendPool::traits(Backend& backend) {
  const std::string key = to_text(backend.spec());
  const auto known = traits_.find(key);
  return known != traits_.end() ? known->second : traits_.emplace(key, traits_of(backend)).first->second;
}

ComparisonReport run_comparison(const ComparisonRequest& request, BackendPool& pool) {
  ComparisonReport report;
  report.problem = request.problem;
  report.reference.spec = request.reference;
  report.candidate.spec = request.candidate;
  if (request.contract) report.relation = "contract";
  try {
    Run(request, report, pool).go();
  } catch (const Refused& refused) {
    report.verdict = Verdict::Refused;
    report.diagnostic = refused.diagnostic();
    if (report.diagnostic->op.empty()) report.diagnostic->op = report.problem;
  }
  return report;
}

int exit_code(const ComparisonReport& report) {
  switch (report.verdict) {
    case Verdict::Exact:
      return 0;
    case Verdict::Differs:
      return 1;
    default:
      return report.diagnostic ? info(report.diagnostic->code).exit : 4;
  }
}

}  // namespace bitpact
