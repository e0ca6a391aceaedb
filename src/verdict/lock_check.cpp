#include "verdict/lock_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "interpret/covered.h"

namespace bitpact {
namespace {

std::string arrow(const std::string& what, const std::string& a, const std::string& b) {
  return fmt::format("{}: {} -> {}", what, a, b);
}

std::vector<std::string> identity_changes(const Identity& a, const Identity& b) {
  std::vector<std::string> all;
  for (const auto& [what, field] : {std::pair{"backend", &Identity::backend},
                                    {"version", &Identity::version},
                                    {"build", &Identity::build},
                                    {"device", &Identity::device},
                                    {"target", &Identity::target},
                                    {"flags", &Identity::flags},
                                    {"threads", &Identity::threads},
                                    {"kernel", &Identity::kernel}})
    if (a.*field != b.*field) all.push_back(arrow(what, a.*field, b.*field));
  return all;
}

std::string chosen(const Choices& choices, const std::string& point) {
  const auto at = choices.find(point);
  return at == choices.end() ? "none" : at->second;
}

/// Choice by choice, where the same regions have a program each.
std::vector<std::string> choice_changes(const std::vector<LockedPart>& a, const std::vector<LockedPart>& b) {
  const auto regions = [](const std::vector<LockedPart>& parts) {
    std::vector<std::string> all;
    for (const LockedPart& part : parts) all.push_back(part.region);
    return all;
  };
  std::vector<std::string> all;
  if (regions(a) != regions(b)) return {arrow("regions with a program each", std::to_string(a.size()), std::to_string(b.size()))};
  for (size_t p = 0; p < a.size(); ++p) {
    const std::string at = a.size() == 1 ? "" : a[p].region + ": ";
    std::set<std::string> points;
    for (const Choices* choices : {&a[p].choices, &b[p].choices})
      for (const auto& [point, value] : *choices) points.insert(point);
    for (const std::string& point : points)
      if (const std::string x = chosen(a[p].choices, point), y = chosen(b[p].choices, point); x != y)
        all.push_back(arrow(at + point, x, y));
    const auto flushed = [](const std::string& flush) { return flush.empty() ? std::string("none") : flush; };
    if (a[p].flush != b[p].flush)
      all.push_back(arrow(at + "subnormals flushed to zero", flushed(a[p].flush), flushed(b[p].flush)));
  }
  return all;
}

/// Who computes it, and how it is known, is no change of what is computed.
std::vector<std::string> arithmetic_differences(const Contract& locked, Contract now) {
  now.identity = locked.identity;
  now.established = locked.established;
  now.verified = locked.verified;
  return differences(locked, now);
}

class LineCheck {
 public:
  LineCheck(const LockedLine& line, const Lock& lock, const CheckRequest& request, CheckedLine& report)
      : line_(line), lock_(lock), request_(request), report_(report) {}

  void go(BackendPool& pool) {
    Backend& backend = pool.open(report_.asked, request_.settings);
    ask_questions(backend);
    Identity now = backend.identity();
    now.kernel = kernel_;
    report_.identity = identity_changes(line_.identity, now);
    if (report_.different > 0) report_.outcome = CheckOutcome::Changed;
    if (report_.different > 0 || request_.full) probe_again(backend);
    if (report_.different > 0 || report_.outcome == CheckOutcome::Changed) return;
    if (report_.probed && !report_.diagnostic) {
      report_.outcome = CheckOutcome::Unchanged;
      report_.strength += line_.contract ? "; probed again: the same contract" : "; probed again: still none";
    } else if (!report_.probed) {
      report_.outcome = CheckOutcome::Unchanged;
    }
  }

 private:
  void ask_questions(Backend& backend) {
    std::int64_t outputs = 0;
    for (const AnsweredQuestion& q : line_.questions) {
      const QuestionAnswer answer = ask(backend, q.question);
      kernel_ = answer.kernel;
      outputs += q.outputs;
      ++report_.questions;
      if (answer.digest == q.digest) continue;
      ++report_.different;
      if (!report_.first) report_.first = first_difference(q.question, answer.result);
    }
    report_.strength = fmt::format("sampled: {} outputs of {} question(s)", outputs, report_.questions);
    if (line_.contract)
      report_.strength +=
          fmt::format(", which part the locked contract from {} of {} other programs", line_.parted, line_.others);
    else
      report_.strength += "; no contract is locked";
  }

  /// The lock has digests only; what the locked contract gives is computed.
  std::optional<CheckFirst> first_difference(const Question& question, const Tensor& now) const {
    if (!line_.contract) return {};
    try {
      const Covered covered = cover(*line_.contract, resolve(question.problem));
      const std::vector<Tensor> operands = operands_of(question);
      const Interpreted locked = interpret(covered, operands, {.threads = 0, .watch = true});
      std::uint8_t excluded = 0;
      for (const Exclusion e : covered.domain().excludes) excluded |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(e));
      std::vector<std::uint8_t> keep;
      for (const std::uint8_t seen : locked.occurrences[0]) keep.push_back((seen & excluded) == 0 ? 1 : 0);
      const TensorComparison c = compare_tensors(locked.results[0], now, {}, &keep);
      if (!c.first) return {};
      const auto value = [&](Bits bits) {
        const Scalar x{now.format(), bits};
        return fmt::format("{} ({})", to_text(x), to_hex(x));
      };
      return CheckFirst{question.recipe.to_text(), question.problem, c.first->index, value(c.first->reference),
                        value(c.first->candidate), c.compared,       c.different};
    } catch (const Refused&) {
      return {};  // the change stands; only its first output is not shown
    }
  }

  void probe_again(Backend& backend) {
    if (request_.say) request_.say(fmt::format("probing {} on {}", report_.problem, report_.asked));
    ProbeSettings settings = request_.probe;
    settings.other_lengths = !lock_.one_length;
    const Probed found = probe(resolve(line_.problem), backend, settings);
    report_.probed = true;
    if (found.contract && line_.contract) return compare(found);
    if (found.contract) {
      report_.changes.emplace_back("no contract was locked, the probe finds one now: lock it again");
      return;
    }
    const std::string code(info(found.diagnostic->code).name);
    if (!line_.contract && code == line_.unknown->code) {
      if (report_.different > 0)
        report_.changes.push_back(fmt::format("the bits, in a way that no contract says: [{}], as before", code));
      return;
    }
    report_.diagnostic = found.diagnostic;
    if (report_.different > 0) {
      report_.changes.push_back(fmt::format("{} -> [{}] {}",
                                            line_.contract ? "a contract" : fmt::format("[{}]", line_.unknown->code), code,
                                            found.diagnostic->reason));
    } else {
      report_.outcome = info(found.diagnostic->code).exit == 4 ? CheckOutcome::Unknown : CheckOutcome::Refused;
    }
  }

  void compare(const Probed& found) {
    report_.words = arithmetic_differences(*line_.contract, *found.contract);
    report_.changes = choice_changes(line_.parts, locked_parts(found.parts));
    if (!report_.words.empty()) {
      report_.outcome = CheckOutcome::Changed;
      if (report_.changes.empty()) report_.changes.emplace_back("the contract, though no choice in it");
    } else if (report_.different > 0) {
      report_.changes.emplace_back(
          "the bits, though the probe finds the locked contract: outputs outside its domain, or ones that it was not sampled on");
    } else {
      report_.changes.clear();  // spellings of one program
    }
  }

  const LockedLine& line_;
  const Lock& lock_;
  const CheckRequest& request_;
  CheckedLine& report_;
  std::string kernel_ = "unobserved";
};

int exit_code(const CheckedLine& line) {
  switch (line.outcome) {
    case CheckOutcome::Unchanged:
      return 0;
    case CheckOutcome::Changed:
      return 1;
    default:
      return info(line.diagnostic->code).exit;
  }
}

}  // namespace

std::string_view name(CheckOutcome outcome) {
  constexpr std::string_view kNames[] = {"unchanged", "changed", "unknown", "refused"};
  return kNames[static_cast<int>(outcome)];
}

std::int64_t CheckReport::count(CheckOutcome outcome) const {
  return std::count_if(lines.begin(), lines.end(), [&](const CheckedLine& line) { return line.outcome == outcome; });
}

CheckReport check_lock(const Lock& lock, const CheckRequest& request, BackendPool& pool) {
  CheckReport report;
  for (const LockedLine& line : lock.lines) {
    const auto mapped = request.backends.find(line.backend);
    CheckedLine checked;
    checked.problem = line.problem;
    checked.backend = line.backend;
    checked.asked = mapped == request.backends.end() ? line.backend : mapped->second;
    if (request.say) request.say(fmt::format("asking {} of {}", checked.problem, checked.asked));
    try {
      LineCheck(line, lock, request, checked).go(pool);
    } catch (const Refused& refused) {
      checked.outcome = refused.diagnostic().code == Code::Nondeterministic ? CheckOutcome::Unknown : CheckOutcome::Refused;
      checked.diagnostic = refused.at({checked.problem, checked.asked, ""}).diagnostic();
    }
    report.lines.push_back(std::move(checked));
  }
  return report;
}

int exit_code(const CheckReport& report) {
  constexpr std::array<int, 5> kSeverity{0, 1, 4, 3, 2};  // from best to worst
  const auto rank = [&](int code) { return std::find(kSeverity.begin(), kSeverity.end(), code); };
  int exit = 0;
  for (const CheckedLine& line : report.lines)
    if (rank(exit_code(line)) > rank(exit)) exit = exit_code(line);
  return exit;
}

}  // namespace bitpact
