#include "explain/cause.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace bitpact {
namespace {

// The values that a choice point has among the fits, in their order: more than one where the outputs do not part them.
std::vector<std::string> values(const Replay& replay, const std::string& point) {
  std::vector<std::string> all;
  for (const Fit& fit : replay.fits) {
    const std::string& value = fit.choices.at(point);
    if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
  }
  return all;
}

std::string either(const std::vector<std::string>& all) {
  return all.size() == 1 ? all.front() : fmt::format("{} (not told apart here)", fmt::join(all, " or "));
}

std::string how(const Fit& fit) {
  std::vector<std::string> parts;
  for (const auto& [point, value] : fit.choices) parts.push_back(fmt::format("{}={}", point, value));
  if (!fit.flush.empty()) parts.push_back(fmt::format("subnormal {} flushed to zero", fit.flush));
  return parts.empty() ? "the operator's one program" : fmt::format("{}", fmt::join(parts, ", "));
}

// Where the outputs leave several explanations: those in which one choice point alone differs, by the first values that do.
std::string single_changes(const Replay& ours, const Replay& theirs) {
  std::map<std::string, std::pair<std::string, std::vector<std::string>>> changes;  // point -> our value, theirs
  const Choices& from = ours.fits.front().choices;
  for (const Fit& fit : theirs.fits) {
    std::vector<std::string> differing;
    for (const auto& [point, value] : fit.choices)
      if (from.at(point) != value) differing.push_back(point);
    if (differing.size() != 1) continue;
    auto& [ours_value, theirs_values] = changes[differing[0]];
    ours_value = from.at(differing[0]);
    theirs_values.push_back(fit.choices.at(differing[0]));
  }
  std::vector<std::string> texts;
  for (const auto& [point, change] : changes)
    texts.push_back(fmt::format("{} from {} to {}", point, change.first, fmt::join(change.second, " or ")));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string unknown(const std::string& who, const Replay& replay, const std::string& op) {
  std::string text =
      fmt::format("none of the {} numeric programs of {} that were tried gives the bits of {}", replay.tried, op, who);
  if (replay.nearest)
    text += fmt::format("; the nearest ({}) differs in {} of {} outputs", how(*replay.nearest), replay.nearest->different,
                        replay.nearest->compared);
  return text;
}

std::string replayed(const std::string& who, const Replay& replay, std::int64_t outputs) {
  const Fit& fit = replay.fits.front();
  std::string text = fmt::format("{}: {}", who, how(fit));
  text += replay.whole
              ? fmt::format(" (replayed: {} of {} outputs equal)", outputs, outputs)
              : fmt::format(
                    " (replayed: {} of {} outputs equal around the first difference, but {} of {} differ in all: more than one "
                    "program is at work)",
                    replay.part, replay.part, fit.different, fit.compared);
  if (replay.fits.size() > 1) text += fmt::format("; {} other program(s) give the same bits here", replay.fits.size() - 1);
  return text;
}

}  // namespace

Cause find_cause(const Resolved& problem, const std::vector<Tensor>& operands, const Tensor& reference, const Tensor& candidate,
                 const TensorComparison& comparison, const std::pair<std::string, std::string>& names) {
  Cause cause;
  if (!comparison.first) return cause;
  const std::vector<std::int64_t>& index = comparison.first->index;
  const Replay ours = replay(problem, operands, reference, index);
  const Replay theirs = replay(problem, operands, candidate, index);
  const std::string& op = problem.problem.op;
  for (const auto& [who, side] : {std::pair{names.first, &ours}, std::pair{names.second, &theirs}})
    cause.details.push_back(side->fits.empty() ? unknown(who, *side, op) : replayed(who, *side, reference.size()));
  if (ours.fits.empty() || theirs.fits.empty()) {
    cause.summary = "not known: " + cause.details[ours.fits.empty() ? 0 : 1];
    return cause;
  }
  cause.known = ours.whole && theirs.whole;

  std::vector<std::string> parts, meanings;
  const Operator& definition = operator_named(op);
  for (const ChoicePoint& point : definition.choice_points(problem.formats())) {
    const std::vector<std::string> a = values(ours, point.name), b = values(theirs, point.name);
    if (std::none_of(a.begin(), a.end(),
                     [&b](const std::string& value) { return std::find(b.begin(), b.end(), value) != b.end(); })) {
      parts.push_back(fmt::format("{}: {} has {}, {} has {}", point.name, names.first, either(a), names.second, either(b)));
      meanings.push_back(fmt::format("where {} says: {}", point.name, point.summary));
    }
  }
  const std::string &flush_a = ours.fits.front().flush, &flush_b = theirs.fits.front().flush;
  if (flush_a != flush_b) {
    for (const auto& [who, flush] : {std::pair{names.first, flush_a}, std::pair{names.second, flush_b}})
      if (!flush.empty()) parts.push_back(fmt::format("{} flushes subnormal {} to zero", who, flush));
  }
  if (parts.empty()) {
    parts.push_back("the two programs differ in several choice points that these outputs do not tell apart one by one");
    const std::string changes = single_changes(ours, theirs);
    if (!changes.empty()) parts.push_back("any one of these changes alone gives the bits: " + changes);
    cause.known = false;
  }
  cause.summary = fmt::format("{}", fmt::join(parts, "; "));

  const auto parting = find_parting(ours.fits.front().program, theirs.fits.front().program, problem.binding, operands, index);
  if (parting) {
    std::vector<std::string> terms;
    for (const Scalar& s : parting->operands) terms.push_back(fmt::format("{} ({})", to_text(s), to_hex(s)));
    cause.details.push_back(fmt::format("at [{}] the partial sums part after term {}, operands {}: {} {} ({}), {} {} ({})",
                                        fmt::join(index, ", "), parting->leaf, fmt::join(terms, " and "), names.first,
                                        to_text(parting->reference), to_hex(parting->reference), names.second,
                                        to_text(parting->candidate), to_hex(parting->candidate)));
  }
  cause.details.insert(cause.details.end(), meanings.begin(), meanings.end());
  return cause;
}

}  // namespace bitpact
