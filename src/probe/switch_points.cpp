#include "probe/switch_points.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "probe/other_extent.h"
#include "probe/sum_replay.h"

namespace bitpact {
namespace {

/// Whether a contract holds at an extent is asked with so many outputs, or leaves, or seconds.
ProbeSettings quick(ProbeSettings settings) {
  settings.replay_outputs = std::min<std::int64_t>(settings.replay_outputs, 1 << 14);
  settings.replay_leaves = std::min<std::int64_t>(settings.replay_leaves, 1 << 22);
  settings.replay_seconds = std::min(settings.replay_seconds, 0.3);
  return settings;
}

std::vector<std::int64_t> first_extents(std::int64_t from, std::int64_t to, std::int64_t own) {
  std::set<std::int64_t> all{from, to, own};
  // 3 * 2^k, and an odd number near 5/4 of each power: where blocks are neither full nor missing one.
  for (std::int64_t power = 1; power <= to; power *= 2)
    for (const std::int64_t extent : {power - 1, power, power + 1, power + power / 2, power + power / 4 + 3}) all.insert(extent);
  constexpr std::int64_t kEven = 8;
  for (std::int64_t i = 1; i < kEven; ++i) all.insert((from + (to - from) * i / kEven) | 1);
  std::erase_if(all, [&](std::int64_t extent) { return extent < from || extent > to; });
  return {all.begin(), all.end()};
}

class Switches {
 public:
  Switches(const Resolved& problem, Backend& backend, const SwitchSettings& settings, SwitchReport& report)
      : problem_(problem), backend_(backend), settings_(settings), quick_(quick(settings.probe)), report_(report) {}

  void go() {
    const std::int64_t own = problem_.binding.extents.at(report_.axis);
    for (const std::int64_t extent : first_extents(report_.from, report_.to, own))
      if (!visit(extent)) break;
    std::vector<std::pair<std::int64_t, std::int64_t>> open;
    for (auto at = class_of_.begin(); at != class_of_.end() && std::next(at) != class_of_.end(); ++at)
      open.emplace_back(at->first, std::next(at)->first);
    while (!open.empty() && report_.complete) {
      const auto [low, high] = open.back();
      open.pop_back();
      if (high - low < 2 || class_of_.at(low) == class_of_.at(high)) continue;
      const std::int64_t middle = low + (high - low) / 2;
      if (!visit(middle)) break;
      open.emplace_back(low, middle);
      open.emplace_back(middle, high);
    }
    merge();
    ranges();
    contract();
  }

 private:
  void tell(const std::string& line) const {
    if (settings_.probe.say) settings_.probe.say(line);
  }

  /// False where the search ends.
  bool visit(std::int64_t extent) {
    if (class_of_.contains(extent)) return true;
    const auto changed = with_extent(problem_, report_.axis, extent);
    if (!changed) refuse(Code::BadAttribute, fmt::format("{} cannot be {} here", report_.axis, extent));
    std::optional<size_t> found = known(*changed, extent);
    if (!found) {
      if (report_.classes.size() == settings_.most_classes) {
        report_.complete = false;
        return false;
      }
      found = probed(*changed, extent);
    }
    class_of_[extent] = *found;
    tell(fmt::format("{}={}: program {}", report_.axis, extent, *found + 1));
    return true;
  }

  /// The class whose contract holds here; those of the nearest visited extents first.
  std::optional<size_t> known(const Resolved& problem, std::int64_t extent) {
    std::vector<size_t> order;
    const auto add = [&](size_t c) {
      if (std::find(order.begin(), order.end(), c) == order.end()) order.push_back(c);
    };
    const auto above = class_of_.upper_bound(extent);
    const bool between = above != class_of_.begin() && above != class_of_.end();
    if (above != class_of_.begin()) add(std::prev(above)->second);
    if (above != class_of_.end()) add(above->second);
    for (size_t c = 0; c < report_.classes.size(); ++c) add(c);
    for (const size_t c : order)
      if (report_.classes[c].probe.contract && holds(anywhere(*report_.classes[c].probe.contract), problem)) {
        report_.classes[c].verified.push_back(extent);
        return c;
      }
    // Beside one for which nothing is known: what is known ends here, and more is not asked.
    if (between)
      for (const size_t c : {std::prev(above)->second, above->second})
        if (!report_.classes[c].probe.contract) return c;
    return {};
  }

  bool holds(const Contract& contract, const Resolved& problem) {
    try {
      Asker asker(backend_, problem);
      SumReplay replay(asker, contract, quick_);
      const bool agree = replay.recipes();
      report_.calls += asker.calls();
      return agree;
    } catch (const Refused& refused) {
      const Code code = refused.diagnostic().code;
      if (code != Code::ContractNotForProblem && code != Code::ContractProgram && code != Code::ContractValue) throw;
      return false;  // a tree of another length, a region of another shape
    }
  }

  size_t probed(const Resolved& problem, std::int64_t extent) {
    SwitchClass found{extent, probe_sum(to_text(problem.problem), backend_, settings_.probe), {}};
    if (found.probe.verdict == ProbeVerdict::Refused) throw Refused(*found.probe.diagnostic);
    report_.calls += found.probe.counts.calls;
    if (found.probe.contract) found.verified.push_back(extent);
    for (size_t c = 0; c < report_.classes.size() && !found.probe.contract; ++c)
      if (!report_.classes[c].probe.contract && report_.classes[c].probe.verdict == found.probe.verdict) return c;
    report_.classes.push_back(std::move(found));
    return report_.classes.size() - 1;
  }

  /// The contract with no bound on the axis.
  Contract anywhere(Contract contract) const {
    const bool by_length =
        contract.pieces.size() > 1 && std::ranges::all_of(contract.pieces, [](const Piece& p) { return p.region == "all"; });
    if (by_length) contract.pieces.resize(1);
    for (Piece& piece : contract.pieces)
      std::erase_if(piece.shapes, [&](const AxisBound& bound) { return bound.axis == report_.axis; });
    return contract;
  }

  /// A program that was found at few leaves may be another one cut short, which was found later: the one that gives more stays.
  void merge() {
    std::vector<size_t> order(report_.classes.size());
    for (size_t c = 0; c < order.size(); ++c) order[c] = c;
    const auto many = [&](size_t c) { return report_.classes[c].verified.size(); };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return many(a) < many(b); });
    for (const size_t c : order)
      for (auto other = order.rbegin(); other != order.rend(); ++other)
        if (*other != c && many(c) > 0 && many(*other) > 0 && covers(*other, c)) break;
    std::vector<size_t> number(report_.classes.size());
    std::vector<SwitchClass> kept;
    for (size_t c = 0; c < report_.classes.size(); ++c) {
      number[c] = kept.size();
      if (!report_.classes[c].probe.contract || many(c) > 0) kept.push_back(std::move(report_.classes[c]));
    }
    report_.classes = std::move(kept);
    for (auto& [extent, of] : class_of_) of = number[of];
  }

  /// Hands c's extents to `by`, where its contract holds at all of them.
  bool covers(size_t by, size_t c) {
    const Contract contract = anywhere(*report_.classes[by].probe.contract);
    std::vector<std::int64_t>& extents = report_.classes[c].verified;
    for (const std::int64_t extent : extents)
      if (!holds(contract, *with_extent(problem_, report_.axis, extent))) return false;
    for (const std::int64_t extent : extents) class_of_[extent] = by;
    std::vector<std::int64_t>& all = report_.classes[by].verified;
    all.insert(all.end(), extents.begin(), extents.end());
    extents.clear();
    tell(fmt::format("program {} is program {} cut short", c + 1, by + 1));
    return true;
  }

  void ranges() {
    for (SwitchClass& c : report_.classes) std::sort(c.verified.begin(), c.verified.end());
    for (const auto& [extent, of] : class_of_) {
      report_.visited.push_back(extent);
      if (report_.ranges.empty() || report_.ranges.back().of != of)
        report_.ranges.push_back({extent, extent, of});
      else
        report_.ranges.back().to = extent;
    }
  }

  void contract() {
    for (const SwitchRange& range : report_.ranges) {
      const SwitchClass& c = report_.classes[range.of];
      if (!c.probe.contract) continue;
      const Contract own = anywhere(*c.probe.contract);
      if (!report_.contract) {
        report_.contract = own;
        report_.contract->pieces.clear();
        report_.contract->verified.clear();
      }
      for (Piece piece : own.pieces) {
        piece.shapes.push_back({report_.axis, range.from, range.to, 1});
        std::sort(piece.shapes.begin(), piece.shapes.end(),
                  [](const AxisBound& a, const AxisBound& b) { return a.axis < b.axis; });
        report_.contract->pieces.push_back(std::move(piece));
      }
    }
    if (!report_.contract) return;
    size_t extents = 0;
    for (const SwitchClass& c : report_.classes)
      for (const std::int64_t extent : c.verified) {
        report_.contract->verified.push_back(to_text(with_extent(problem_, report_.axis, extent)->problem));
        ++extents;
      }
    report_.contract->established = {
        "probed", "sampled",
        fmt::format("switches along {} from {} to {}: {} extents replayed, those between them predicted", report_.axis,
                    report_.from, report_.to, extents)};
  }

  const Resolved& problem_;
  Backend& backend_;
  const SwitchSettings& settings_;
  const ProbeSettings quick_;
  SwitchReport& report_;
  std::map<std::int64_t, size_t> class_of_;
};

}  // namespace

SwitchReport find_switches(const std::string& line, Backend& backend, const std::string& axis, const SwitchSettings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  const Resolved problem = resolve(line);
  SwitchReport report;
  report.problem = to_text(problem.problem);
  report.backend = to_text(backend.spec());
  report.axis = axis;
  report.from = settings.from;
  report.to = settings.to;
  if (!problem.binding.extents.contains(axis)) {
    std::vector<std::string> axes;
    for (const auto& [name, extent] : problem.binding.extents) axes.push_back(fmt::format("{}={}", name, extent));
    refuse(Code::BadAttribute, fmt::format("the problem has no axis '{}'; its axes: {}", axis, fmt::join(axes, ", ")),
           {report.problem, report.backend, ""});
  }
  if (settings.from < 1 || settings.to < settings.from)
    refuse(Code::BadAttribute,
           fmt::format("{} from {} to {}: extents are from 1 on, the smaller one first", axis, settings.from, settings.to),
           {report.problem, report.backend, ""});
  Switches(problem, backend, settings, report).go();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace bitpact
