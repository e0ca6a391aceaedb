#include "verdict/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "backends/contract_target.h"
#include "backends/traits/ask.h"
#include "emit/emit.h"
#include "interpret/covered.h"
#include "tensor/digest.h"
#include "tensor/tensor_argument.h"

namespace bitpact {
namespace {

/// Everything one comparison gathers on its way.
class Run {
 public:
  Run(const ComparisonRequest& request, ComparisonReport& report, BackendPool& pool)
      : request_(request), report_(report), pool_(pool) {}

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

    reference_answer_ = ask_reference();
    note(report_.reference, reference_answer_);
    if (contract_) {
      report_.relation = "contract";
      interpret_contract();
      run_contract();
    } else {
      const Answer answer = ask_plain(*candidate_);
      note(report_.candidate, answer);
      judge(answer.results[0], {});
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
      report_.cause = find_cause(problem_, operands_, reference_answer_.results[0], candidate_result_, report_.outputs, names());
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
      if (request_.recipe.to_text() != Recipe{}.to_text()) line += fmt::format(" --operands \"{}\"", request_.recipe.to_text());
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
        operands_.push_back(std::move(t));
      }
      report_.operand_recipe = fmt::format("files: {}", fmt::join(request_.operand_files, ", "));
    } else {
      operands_ = bitpact::make_operands(request_.recipe, specs, problem_.binding.operands, independent_axes(problem_));
      report_.operand_recipe = request_.recipe.to_text();
    }
    report_.operand_sha256 = sha256(std::span<const Tensor>(operands_));
    const std::int64_t outputs = element_count(problem_.result.shape);
    if (request_.operand_files.empty() && request_.recipe.enumerates() && specs.size() == 1 &&
        outputs >= (std::int64_t{1} << info(specs[0].format).bits) && problem_.binding.operands[0] == problem_.binding.result &&
        independent_axes(problem_) == problem_.binding.result)
      report_.strength =
          fmt::format("exhaustive: all {} inputs of {}", std::int64_t{1} << info(specs[0].format).bits, name(specs[0].format));
    else if (request_.operand_files.empty())
      report_.strength = fmt::format(
          "sampled: {} outputs; operand classes {}", outputs,
          fmt::join(classes_present(request_.recipe, specs, problem_.binding.operands, independent_axes(problem_)), ", "));
    else
      report_.strength = fmt::format("sampled: {} outputs of the given operands", outputs);
  }

  BoundProgram canonical() const {
    const Operator& op = operator_named(problem_.problem.op);
    return bind(op.build(problem_.formats(), canonical_choices(op, problem_.formats())), problem_.binding);
  }

  Answer ask_plain(Backend& backend) {
    const Ways ways = backend.ways();
    try {
      if (ways.operator_call || ways.stablehlo)
        return backend.call_operator(problem_.problem, {problem_.result}, operands_, options_);
      return backend.run_program(canonical(), operands_, options_);
    } catch (const Refused& refused) {
      throw refused.at({report_.problem, bitpact::to_text(backend.spec()), backend.identity().target});
    }
  }

  Answer ask_reference() { return ask_plain(*reference_); }

  void interpret_contract() {
    interpreted_ = interpret(covered_, operands_, {.threads = 0, .watch = true});
    const std::vector<std::uint8_t> keep = inside(covered_.domain());
    const TensorComparison replay =
        compare_tensors(reference_answer_.results[0], interpreted_.results[0], request_.policy, &keep);
    report_.contract->replay_compared = replay.compared;
    report_.contract->replay_different = replay.different;
  }

  std::vector<std::uint8_t> inside(const Domain& domain) const {
    const std::uint8_t excluded = excluded_bits(domain);
    std::vector<std::uint8_t> keep;
    keep.reserve(interpreted_.occurrences[0].size());
    for (const std::uint8_t seen : interpreted_.occurrences[0]) keep.push_back((seen & excluded) == 0 ? 1 : 0);
    return keep;
  }

  // Compares inside and outside of the domain.
  void judge(const Tensor& candidate, const Domain& domain) {
    candidate_result_ = candidate;
    report_.domain = bitpact::to_text(domain);
    const Tensor& reference = reference_answer_.results[0];
    report_.outside_compared = report_.outside_different = 0;
    if (domain.excludes.empty()) {
      report_.outputs = compare_tensors(reference, candidate, request_.policy);
    } else {
      std::vector<std::uint8_t> keep = inside(domain);
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

  void run_contract() {
    if (candidate_->ways().stablehlo) {
      run_emitted();
    } else if (candidate_->ways().numeric_program) {
      Answer answer = candidate_->run_program(covered_.program, operands_, options_);
      for (size_t p = 1; p < covered_.parts.size(); ++p) {
        const CoveredPart& part = covered_.parts[p];
        const Answer other = candidate_->run_program(part.program, operands_, options_);
        copy_where(part.mask, other.results[0], answer.results[0]);
        answer.cost.run_ms += other.cost.run_ms;
      }
      note(report_.candidate, answer);
      judge(answer.results[0], covered_.domain());
    } else {
      refuse(Code::BackendLacksForm, "a contract is run by a backend that takes StableHLO or numeric programs",
             {report_.problem, report_.candidate.spec, candidate_->identity().target});
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
    try {
      const Answer answer = backend.run_stablehlo(form.module, {problem_.result}, operands_, options_);
      tried.compile_ms = answer.cost.compile_ms;
      tried.run_ms = answer.cost.run_ms;
      note(report_.candidate, answer);
      judge(answer.results[0], covered_.domain() | form.carries);
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
      throw refused.at({report_.problem, report_.candidate.spec, candidate_->identity().target});
    }
    bool exact = false;
    bool judged = false;
    std::optional<ComparisonReport> nearest;
    Tensor nearest_result;
    for (const Emitted& form : forms) {
      FormReport tried;
      tried.how = "with flags untouched";
      exact = try_form(*candidate_, form, tried);
      if (tried.outcome != "refused") {
        judged = true;
        report_.emitted = form.module;
        if (!nearest || report_.outputs.different < nearest->outputs.different) {
          nearest = report_;
          nearest_result = candidate_result_;
        }
      }
      tries_.push_back(tried);
      if (exact) break;
    }
    if (!judged) throw refusal_->at({report_.problem, report_.candidate.spec, candidate_->identity().target});
    if (!exact) {
      report_ = *nearest;
      candidate_result_ = nearest_result;
    }
    if (request_.timed > 0) report_.plain_run_ms = ask_plain(*candidate_).cost.run_ms;
    if (exact && request_.offers && request_.only_form.empty()) offer_own_target();
    report_.forms = std::move(tries_);
  }

  void offer_own_target() {
    const std::optional<BackendSpec> spec = contract_target(*candidate_);
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
  std::vector<Tensor> operands_;
  RunOptions options_;
  Answer reference_answer_;
  Tensor candidate_result_;
  Interpreted interpreted_;
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
