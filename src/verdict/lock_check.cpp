#include "verdict/lock_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "interpret/covered.h"
#include "probe/elimination.h"

namespace bitpact {
namespace {

std::string arrow(const std::string& what, const std::string& a, const std::string& b) {
  return fmt::format("{}: {} -> {}", what, a, b);
}

/// What stands in long lists of features, flags and digests is said by the words that differ.
std::string listed_change(const std::string& what, const std::string& a, const std::string& b) {
  const auto words = [](const std::string& text) {
    std::vector<std::string> all;
    std::istringstream in(text);
    for (std::string word; in >> word;) all.push_back(word);
    return all;
  };
  const std::vector<std::string> x = words(a), y = words(b);
  const auto missing = [](const std::vector<std::string>& from, const std::vector<std::string>& in) {
    std::vector<std::string> all;
    for (const std::string& word : from)
      if (std::find(in.begin(), in.end(), word) == in.end()) all.push_back(word);
    return all;
  };
  const std::vector<std::string> gone = missing(x, y), come = missing(y, x);
  constexpr size_t kShort = 100;
  if (a.size() + b.size() < kShort || (gone.empty() && come.empty())) return arrow(what, a, b);
  std::string text = what + ":";
  if (!gone.empty()) text += fmt::format(" no longer {}", fmt::join(gone, " "));
  if (!come.empty()) text += fmt::format("{} now {}", gone.empty() ? "" : ";", fmt::join(come, " "));
  return text;
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
    if (a.*field != b.*field) all.push_back(listed_change(what, a.*field, b.*field));
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
  if (regions(a) != regions(b)) {
    all.push_back(arrow("regions with a program each", std::to_string(a.size()), std::to_string(b.size())));
    for (const auto& [when, parts] : {std::pair{"locked", &a}, {"now", &b}})
      for (const LockedPart& part : *parts)
        all.push_back(fmt::format("{}, {}: {}", when, part.region, to_text(Candidate{part.choices, part.flush, {}, {}})));
    return all;
  }
  for (size_t p = 0; p < a.size(); ++p) {
    const std::string at = a.size() == 1 ? "" : a[p].region + ": ";
    std::set<std::string> points;
    for (const Choices* choices : {&a[p].choices, &b[p].choices})
      for (const auto& [point, value] : *choices) points.insert(point);
    for (const std::string& point : points)
      if (const std::string x = chosen(a[p].choices, point), y = chosen(b[p].choices, point); x != y)
        all.push_back(arrow(at + point, shortened(x), shortened(y)));
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

/// Of the contract, what it says of this problem: at other shapes it may have other pieces.
Contract only_for(const Contract& contract, const Resolved& problem) {
  const Covered covered = cover(contract, problem);
  Contract only = contract;
  only.pieces.clear();
  if (covered.parts.empty()) only.pieces.push_back(*covered.piece);
  for (const CoveredPart& part : covered.parts) only.pieces.push_back(*part.piece);
  for (Piece& piece : only.pieces) piece.shapes.clear();
  return only;
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
    std::string whole;
    for (const AnsweredQuestion& q : line_.questions) {
      const QuestionAnswer answer = ask(backend, q.question);
      kernel_ = answer.kernel;
      outputs += q.outputs;
      if (const std::string table = whole_table(q); !table.empty()) whole = table;
      ++report_.questions;
      if (answer.digest == q.digest) continue;
      ++report_.different;
      if (!report_.first) report_.first = first_difference(q.question, answer.result);
    }
    report_.strength = fmt::format("sampled: {} outputs of {} question(s){}", outputs, report_.questions, whole);
    if (line_.contract)
      report_.strength +=
          fmt::format(", which part the locked contract from {} of {} other programs", line_.parted, line_.others);
    else
      report_.strength += "; no contract is locked";
  }

  static std::string whole_table(const AnsweredQuestion& q) {
    const Format format = resolve(q.question.problem).problem.operands[0].format;
    if (!q.question.recipe.enumerates() || q.outputs < std::int64_t{1} << info(format).bits) return {};
    return fmt::format(", all {} values of {} among them", std::int64_t{1} << info(format).bits, name(format));
  }

  /// The lock has digests only; what the locked contract gives is computed.
  std::optional<CheckFirst> first_difference(const Question& question, const Tensor& now) const {
    if (!line_.contract) return {};
    try {
      const Covered covered = cover(*line_.contract, resolve(question.problem));
      const std::vector<Tensor> operands = operands_of(question);
      const Interpreted locked = interpret(covered, operands, {.threads = 0, .watch = true});
      const std::vector<std::uint8_t> keep = inside(locked, covered.domain());
      const TensorComparison c = compare_tensors(locked.results[0], now, {}, &keep);
      if (!c.first) return {};
      const auto value = [&](Bits bits) {
        const Scalar x{now.format(), bits};
        return fmt::format("{} ({})", to_text(x), to_hex(x));
      };
      return CheckFirst{operands_text(question),   question.problem, c.first->index, value(c.first->reference),
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
    const Resolved problem = resolve(line_.problem);
    report_.words = arithmetic_differences(only_for(*line_.contract, problem), only_for(*found.contract, problem));
    if (!report_.words.empty()) report_.changes = choice_changes(line_.parts, locked_parts(found.parts));
    if (!report_.words.empty() && report_.changes.empty()) report_.changes.emplace_back("the contract, though no choice in it");
    if (report_.words.empty()) {
      report_.words = arithmetic_differences(*line_.contract, *found.contract);
      if (!report_.words.empty()) report_.changes.emplace_back("what the contract says of other shapes");
    }
    if (!report_.words.empty()) {
      report_.outcome = CheckOutcome::Changed;
    } else if (report_.different > 0) {
      report_.changes.emplace_back(
          "the bits, though the probe finds the locked contract: outputs outside its domain, or ones that it was not sampled on");
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
