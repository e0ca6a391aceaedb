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

std::string unknown(const std::string& who, const Replay& replay, const std::string& op, bool with_nearest) {
  std::string text =
      fmt::format("none of the {} numeric programs of {} that were tried gives the bits of {}", replay.tried, op, who);
  if (with_nearest && replay.nearest)
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

/// One side of a comparison, as far as it is understood.
struct Side {
  std::string who;
  Replay replay;
  std::optional<Nearest> nearest;

  bool fits() const { return !replay.fits.empty(); }
  /// Its value of a choice point: one or more among the fits, or the one that the nearest program tells from the others.
  std::vector<std::string> at(const std::string& point) const {
    if (fits()) return values(replay, point);
    if (nearest)
      for (const NearestValue& decided : nearest->decided)
        if (decided.point == point) return {decided.value};
    return {};
  }
  std::vector<std::string> flushes() const {
    std::vector<std::string> all;
    for (const Fit& fit : replay.fits)
      if (std::find(all.begin(), all.end(), fit.flush) == all.end()) all.push_back(fit.flush);
    return all;
  }
};

Side side_of(const std::string& who, const Resolved& problem, const std::vector<Tensor>& operands, const Tensor& outputs,
             const std::vector<std::int64_t>& index) {
  Side side{who, replay(problem, operands, outputs, index), {}};
  if (!side.fits()) side.nearest = find_nearest(problem, operands, outputs, index);
  return side;
}

std::string nearest_words(const Nearest& nearest) {
  std::string text = fmt::format("nearest: {}", to_text(nearest.program));
  for (const NearestValue& decided : nearest.decided)
    text += fmt::format("; {}: next is {}, typically {:.0f} ulps away and not {:.1f}", decided.point, decided.next_value,
                        decided.next.typical(), nearest.program.typical());
  return text;
}

std::string described(const Side& side, const std::string& op, std::int64_t outputs) {
  if (side.fits()) return replayed(side.who, side.replay, outputs);
  std::string text = unknown(side.who, side.replay, op, !side.nearest);  // by distance says more than by count
  if (side.nearest) text += "; " + nearest_words(*side.nearest);
  return text;
}

bool disjoint(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::none_of(a.begin(), a.end(),
                      [&b](const std::string& value) { return std::find(b.begin(), b.end(), value) != b.end(); });
}

// "iree has first-fused (a * b stays unrounded)"
std::string has(const Side& side, const ChoicePoint& point) {
  const std::vector<std::string> all = side.at(point.name);
  std::string text = fmt::format("{} {} {}", side.who, side.fits() ? "has" : "is nearest to", either(all));
  const auto meaning = point.meanings.find(all.front());
  if (all.size() == 1 && meaning != point.meanings.end()) text += fmt::format(" ({})", meaning->second);
  return text;
}

std::string flushing(const Side& side) {
  const std::vector<std::string> all = side.flushes();
  const auto may = [&](std::string_view what) { return std::find(all.begin(), all.end(), what) != all.end(); };
  // One is certain only where the other alone explains nothing.
  if (may("inputs") && may("results"))
    return fmt::format("{} flushes subnormal inputs, results or both to zero (not told apart here)", side.who);
  std::string text = fmt::format("{} flushes subnormal {} to zero", side.who, all.front());
  if (all.size() > 1 && all.front() != "inputs and results")
    text += fmt::format(" ({}: not told here)", all.front() == "inputs" ? "results" : "inputs");
  return text;
}

// Where partial results part, of two programs that were both replayed.
void add_parting(Cause& cause, const Side& ours, const Side& theirs, const Resolved& problem, const std::vector<Tensor>& operands,
                 const std::vector<std::int64_t>& index) {
  const auto parting =
      find_parting(ours.replay.fits.front().program, theirs.replay.fits.front().program, problem.binding, operands, index);
  if (!parting) return;
  std::vector<std::string> terms;
  for (const Scalar& s : parting->operands) terms.push_back(fmt::format("{} ({})", to_text(s), to_hex(s)));
  cause.details.push_back(fmt::format("at [{}] the partial results part after term {}, operands {}: {} {} ({}), {} {} ({})",
                                      fmt::join(index, ", "), parting->leaf, fmt::join(terms, " and "), ours.who,
                                      to_text(parting->reference), to_hex(parting->reference), theirs.who,
                                      to_text(parting->candidate), to_hex(parting->candidate)));
}

}  // namespace

std::string_view name(CauseStrength strength) {
  constexpr std::string_view kNames[] = {"replayed", "window", "nearest", "none"};
  return kNames[static_cast<int>(strength)];
}

Cause find_cause(const Resolved& problem, const std::vector<Tensor>& operands, const Tensor& reference, const Tensor& candidate,
                 const TensorComparison& comparison, const std::pair<std::string, std::string>& names) {
  Cause cause;
  if (!comparison.first) return cause;
  const std::vector<std::int64_t>& index = comparison.first->index;
  const Side ours = side_of(names.first, problem, operands, reference, index);
  const Side theirs = side_of(names.second, problem, operands, candidate, index);
  const std::string& op = problem.problem.op;
  for (const Side* side : {&ours, &theirs}) {
    cause.details.push_back(described(*side, op, reference.size()));
    if (side->nearest) cause.nearest[side->who] = *side->nearest;
  }
  const bool both_fit = ours.fits() && theirs.fits();

  std::vector<std::string> parts, meanings;
  for (const ChoicePoint& point : operator_named(op).choice_points(problem.formats())) {
    const std::vector<std::string> a = ours.at(point.name), b = theirs.at(point.name);
    if (a.empty() || b.empty() || !disjoint(a, b)) continue;
    parts.push_back(fmt::format("{}: {}, {}", point.name, has(ours, point), has(theirs, point)));
    meanings.push_back(fmt::format("where {} says: {}", point.name, point.summary));
    for (const auto& all : {a, b})
      for (const std::string& value : all)
        if (const auto meaning = point.meanings.find(value); meaning != point.meanings.end() && all.size() > 1)
          meanings.push_back(fmt::format("  {}: {}", value, meaning->second));
  }
  if (both_fit && disjoint(ours.flushes(), theirs.flushes()))
    for (const Side* side : {&ours, &theirs})
      if (!side->flushes().front().empty()) parts.push_back(flushing(*side));

  if (!both_fit) {
    const std::string& first_unknown = cause.details[ours.fits() ? 1 : 0];
    cause.strength = cause.nearest.empty() ? CauseStrength::None : CauseStrength::Nearest;
    cause.summary = parts.empty() ? "not known: " + first_unknown
                                  : fmt::format(
                                        "{}; no listed program gives the bits of {}, so this is what is nearest, not "
                                        "what is known",
                                        fmt::join(parts, "; "),
                                        ours.fits() || theirs.fits() ? (ours.fits() ? theirs.who : ours.who) : "either");
    cause.details.insert(cause.details.end(), meanings.begin(), meanings.end());
    return cause;
  }
  cause.known = ours.replay.whole && theirs.replay.whole && !parts.empty();
  cause.strength = cause.known ? CauseStrength::Replayed : CauseStrength::Window;
  if (parts.empty()) {
    parts.push_back("the two programs differ in several choice points that these outputs do not tell apart one by one");
    const std::string changes = single_changes(ours.replay, theirs.replay);
    if (!changes.empty()) parts.push_back("any one of these changes alone gives the bits: " + changes);
  }
  cause.summary = fmt::format("{}", fmt::join(parts, "; "));
  add_parting(cause, ours, theirs, problem, operands, index);
  cause.details.insert(cause.details.end(), meanings.begin(), meanings.end());
  return cause;
}

}  // namespace bitpact
