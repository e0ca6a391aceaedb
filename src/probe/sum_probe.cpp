#include "probe/sum_probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "contract/region.h"
#include "interpret/covered.h"
#include "probe/node_questions.h"
#include "probe/other_extent.h"
#include "probe/part_search.h"
#include "probe/sum_masks.h"
#include "probe/sum_replay.h"

namespace bitpact {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Trees of one problem's outputs.
struct Trees {
  bool asked = false;
  std::vector<std::vector<std::int64_t>> outputs;
  std::vector<SumTree> trees;
  std::string contradiction;  ///< of the first outputs that have no tree
  std::vector<std::vector<std::int64_t>> without;
  std::string how;
  MaskCounts counts;
};

Trees find_trees(Backend& backend, const Resolved& problem, const SumSite& site) {
  Trees found;
  const auto values = mask_values(problem.problem.operands[site.operands[0]].format, problem.result.format);
  if (!values || site.leaves < 2) return found;
  MaskQuestions questions(backend, problem, site, *values);
  const bool countable = questions.calibrate();
  found.counts = questions.counts();
  if (!countable) return found;
  found.asked = true;
  // All classes go on together; what one of them needs is asked of all.
  std::vector<TreeSearch> searches;
  while (true) {
    std::set<LeafPair> open;
    searches.clear();
    for (size_t c = 0; c < questions.classes().size(); ++c) {
      searches.push_back(search_tree(site.leaves, [&](const LeafPair& pair) { return questions.size(c, pair); }));
      if (searches.back().contradiction.empty()) open.insert(searches.back().open.begin(), searches.back().open.end());
    }
    if (open.empty()) break;
    questions.ask({open.begin(), open.end()});
  }
  for (size_t c = 0; c < searches.size(); ++c) {
    const std::vector<std::int64_t>& outputs = questions.classes()[c].outputs;
    if (searches[c].tree) {
      found.outputs.push_back(outputs);
      found.trees.push_back(*searches[c].tree);
    } else {
      found.without.push_back(outputs);
      if (found.contradiction.empty()) found.contradiction = searches[c].contradiction;
    }
  }
  found.counts = questions.counts();
  found.how = questions.how();
  return found;
}

class Probe {
 public:
  Probe(const Resolved& problem, Backend& backend, const ProbeSettings& settings, ProbeReport& report)
      : problem_(problem), backend_(backend), settings_(settings), report_(report), asker_(backend, problem) {}

  void go() {
    const auto begin = Clock::now();
    if (!asker_.is_deterministic(settings_.repeats, settings_.seed)) {
      fail(ProbeVerdict::Nondeterministic, Code::Nondeterministic,
           fmt::format("{} runs on the same operands did not agree", settings_.repeats + 1));
      return;
    }
    site_ = find_sum(problem_);
    const std::vector<OutputGroup> groups = output_groups();
    report_.counts.tree_seconds = since(begin);
    if (!explained(groups)) explain_by_tails(groups);
    count(begin);
  }

 private:
  /// Looks for programs and replays them; false where there is no contract.
  bool explained(const std::vector<OutputGroup>& groups) {
    PartSearch found = search_parts(asker_, groups, settings_.seed, settings_.say);
    report_.counts.hypotheses += found.tried;
    if (!found.unexplained.empty()) {
      unexplained(found);
    } else {
      certify(std::move(found));
    }
    return report_.verdict == ProbeVerdict::Contract;
  }

  /// Where no program gives the outputs and their trees end with a chain behind a head, the chain may be computed otherwise.
  void explain_by_tails(std::vector<OutputGroup> groups) {
    if (!trees_.without.empty() || trees_.trees.empty()) return;
    general_ = true;
    for (size_t t = 0; t < trees_.trees.size(); ++t) {
      std::vector<FittedOrder> fitted = fit_tails(trees_.trees[t]);
      if (fitted.empty()) return;
      if (settings_.other_lengths) fitted = fitting_elsewhere(std::move(fitted));
      general_ = general_ && fitted.front().general;
      groups[t].orders.clear();
      groups[t].tails = true;
      for (const FittedOrder& f : fitted) groups[t].orders.push_back(f.order);
    }
    tell("none of them; tails that are added up otherwise are tried");
    const ProbeReport failed = report_;
    report_.verdict = ProbeVerdict::Unknown;
    report_.diagnostic.reset();
    report_.reproducer.reset();
    report_.parts.clear();
    report_.nearest.clear();
    report_.nearest_different = report_.nearest_compared = 0;
    if (explained(groups)) return;
    const ProbeCounts counts = report_.counts;
    report_ = failed;
    report_.counts = counts;
  }

  void tell(const std::string& line) const {
    if (settings_.say) settings_.say(line);
  }

  void count(Clock::time_point begin) {
    report_.counts.calls += asker_.calls() + report_.counts.mask_calls;
    report_.counts.seconds = since(begin);
  }

  void fail(ProbeVerdict verdict, Code code, const std::string& why) {
    report_.verdict = verdict;
    report_.diagnostic = Diagnostic{code, why, report_.problem, report_.backend, backend_.identity().machine()};
    report_.contract.reset();
  }

  // ---- trees and orders

  std::vector<OutputGroup> output_groups() {
    std::vector<std::int64_t> all(static_cast<size_t>(element_count(problem_.result.shape)));
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
    if (!site_) return {{all, {}}};
    const auto begin = Clock::now();
    trees_ = find_trees(backend_, problem_, *site_);
    report_.counts.mask_seconds = since(begin);
    report_.counts.mask_calls = trees_.counts.calls;
    report_.counts.mask_questions = trees_.counts.questions;
    report_.masks = trees_.how;
    if (!trees_.asked) return {{all, {}}};
    tell(fmt::format("masks: {} question(s) in {} call(s), {}; {} tree(s){}", trees_.counts.questions, trees_.counts.calls,
                     trees_.how, trees_.trees.size(), trees_.contradiction.empty() ? "" : "; " + trees_.contradiction));
    std::vector<OutputGroup> groups;
    for (size_t t = 0; t < trees_.trees.size(); ++t) {
      std::vector<FittedOrder> fitted = fit_orders(trees_.trees[t]);
      if (settings_.other_lengths) fitted = fitting_elsewhere(std::move(fitted));
      general_ = general_ && fitted.front().general;
      OutputGroup group{trees_.outputs[t], {}};
      for (const FittedOrder& f : fitted) group.orders.push_back(f.order);
      groups.push_back(std::move(group));
    }
    for (const auto& outputs : trees_.without) groups.push_back({outputs, {}});
    return groups;
  }

  /// Generators that one length does not tell apart, others may.
  std::vector<FittedOrder> fitting_elsewhere(std::vector<FittedOrder> fitted) {
    const std::int64_t n = site_->leaves;
    constexpr std::int64_t kFar = 1729;
    for (const std::int64_t length : {n + 1, n + n / 2 + 3, n / 2 + 5}) {
      std::set<TreeKey> ahead;
      for (const FittedOrder& f : fitted)
        if (f.general) ahead.insert(key_of(f.order, kFar));
      if (ahead.size() < 2 || site_->over.size() != 1) return fitted;
      const TreeKey* key = tree_at(length);
      if (key == nullptr) continue;
      std::vector<FittedOrder> kept;
      for (const FittedOrder& f : fitted)
        if (f.general && key_of(f.order, length) == *key) kept.push_back(f);
      if (!kept.empty()) fitted = std::move(kept);
    }
    return fitted;
  }

  /// The one tree at another length; null where there are several, or none.
  const TreeKey* tree_at(std::int64_t length) {
    const auto known = elsewhere_.find(length);
    if (known != elsewhere_.end()) return known->second ? &*known->second : nullptr;
    std::optional<TreeKey>& key = elsewhere_[length];
    const auto changed = length < 2 ? std::nullopt : with_extent(problem_, site_->over[0], length);
    if (!changed) return nullptr;
    const auto site = find_sum(*changed);
    if (!site) return nullptr;
    const Trees trees = find_trees(backend_, *changed, *site);
    report_.counts.mask_calls += trees.counts.calls;
    report_.counts.mask_questions += trees.counts.questions;
    if (trees.trees.size() == 1 && trees.without.empty()) key = key_of(trees.trees[0]);
    return key ? &*key : nullptr;
  }

  // ---- verdicts

  void unexplained(const PartSearch& found) {
    const bool no_tree = !trees_.contradiction.empty();
    if (found.nearest) {
      report_.nearest = found.nearest->choices;
      report_.nearest_different = found.nearest_different;
      report_.nearest_compared = static_cast<std::int64_t>(found.unexplained.size());
      report_.reproducer = smallest_difference(asker_, site_, *found.nearest, found.unexplained, settings_.seed);
    }
    const auto outputs = element_count(problem_.result.shape);
    if (no_tree)
      fail(ProbeVerdict::NotATree, Code::NotATree, trees_.contradiction);
    else
      fail(ProbeVerdict::Unknown, Code::ProbeUnknown,
           fmt::format("{} of {} output(s) follow none of {} program(s) tried{}", found.unexplained.size(), outputs,
                       report_.counts.hypotheses, found.nearest ? "; nearest: " + to_text(*found.nearest) : ""));
  }

  void write_contract(const PartSearch& found) {
    const Operator& op = operator_named(problem_.problem.op);
    Contract contract = contract_from_choices(problem_, canonical_choices(op, problem_.formats()), {});
    contract.pieces.clear();
    // Parts with one program are one region.
    std::map<std::string, size_t> known;
    std::vector<FoundPart> parts;
    for (const FoundPart& part : found.parts) {
      const std::string key = arithmetic_fingerprint(part.fits[0].program, part.fits[0].domain) + to_text(part.fits[0]);
      const auto [at, fresh] = known.try_emplace(key, parts.size());
      if (fresh) {
        parts.push_back(part);
      } else {
        std::vector<std::int64_t>& outputs = parts[at->second].outputs;
        outputs.insert(outputs.end(), part.outputs.begin(), part.outputs.end());
        std::sort(outputs.begin(), outputs.end());
      }
    }
    for (const FoundPart& part : parts) {
      const Candidate& fit = part.fits[0];
      std::vector<std::uint8_t> mask(static_cast<size_t>(element_count(problem_.result.shape)), 0);
      for (const std::int64_t o : part.outputs) mask[static_cast<size_t>(o)] = 1;
      Piece piece;
      piece.region = to_text(region_of(mask, problem_.binding.result, problem_.result.shape));
      piece.operands = fit.domain;
      piece.program = fit.program;
      contract.pieces.push_back(piece);
      const auto order = fit.choices.find("order");
      report_.parts.push_back({piece.region, static_cast<std::int64_t>(part.outputs.size()), fit.choices,
                               order == fit.choices.end() ? "" : order->second, fit.flush, not_parted(part)});
    }
    if (contract.pieces.size() > 1 || !general_) pin(contract);
    contract.identity = backend_.identity();
    contract.identity.kernel = asker_.kernel();
    contract.verified = {report_.problem};
    report_.contract = std::move(contract);
  }

  /// Programs that differ from the first in more than the spelling of one and the same tree.
  static std::vector<std::string> not_parted(const FoundPart& part) {
    const auto words = [](const Candidate& fit) {
      Choices choices = fit.choices;
      const auto order = choices.find("order");
      const bool started = order != choices.end() && enters(parse_order(order->second));
      choices["order"] = started ? "joined from the start value" : "";
      choices["subnormals flushed"] = fit.flush.empty() ? "none" : fit.flush;
      return choices;
    };
    const Choices first = words(part.fits[0]);
    std::vector<std::string> others;
    for (const Candidate& fit : part.fits) {
      std::string text;
      for (const auto& [point, value] : words(fit))
        if (first.at(point) != value)
          text += fmt::format("{}{}={}", text.empty() ? "" : ", ", point, point == "order" ? fit.choices.at("order") : value);
      const auto own = part.fits[0].choices.find("order"), order = fit.choices.find("order");
      if (!text.empty() && order != fit.choices.end() && order->second != own->second && text.find("order=") == std::string::npos)
        text += fmt::format(" with order={}", order->second);
      if (!text.empty() && std::ranges::find(others, text) == others.end()) others.push_back(text);
    }
    return others;
  }

  // For this very shape only.
  void pin(Contract& contract) const {
    for (Piece& piece : contract.pieces) {
      piece.shapes.clear();
      for (const auto& [axis, extent] : problem_.binding.extents) {
        const bool packed = std::any_of(
            problem_.binding.packs.begin(), problem_.binding.packs.end(),
            [&a = axis](const auto& pack) { return std::find(pack.second.begin(), pack.second.end(), a) != pack.second.end(); });
        if (!packed || contract.pieces.size() > 1) piece.shapes.push_back({axis, extent, extent, 1});
      }
    }
  }

  // ---- replay

  void certify(PartSearch found) {
    constexpr int kMostAttempts = 16;
    for (int attempt = 1;; ++attempt) {
      report_.parts.clear();
      write_contract(found);
      SumReplay replay(asker_, *report_.contract, settings_);
      bool holds = replay.recipes();
      if (holds && site_ && trees_.asked && !trees_.trees.empty()) holds = replay.nodes(*site_, trees_.trees);
      // What fails the replay strikes out a program; where another one was left, it is its turn.
      if (holds || attempt == kMostAttempts || !strike_out(found, replay.failed())) return judge(replay, holds);
      tell(fmt::format("the replay failed after {} output(s); the next program that was left is tried", replay.outputs()));
    }
  }

  /// False where a part then has no program.
  bool strike_out(PartSearch& found, const Asked& failed) const {
    for (FoundPart& part : found.parts) {
      std::erase_if(part.fits, [&](const Candidate& c) { return !differing(c, problem_, failed, part.outputs).empty(); });
      if (part.fits.empty()) return false;
    }
    return true;
  }

  void judge(const SumReplay& replay, bool holds) {
    const Contract& contract = *report_.contract;
    report_.counts.replayed = replay.outputs();
    report_.counts.replayed_leaves = replay.leaves();
    report_.counts.node_questions = replay.node_questions();
    if (!holds) {
      report_.nearest = report_.parts[0].choices;
      report_.nearest_different = static_cast<std::int64_t>(replay.different().size());
      report_.nearest_compared = element_count(problem_.result.shape);
      report_.reproducer = smallest_difference(asker_, site_, contract, replay.failed(), replay.different());
      fail(ProbeVerdict::Unknown, Code::ProbeUnknown,
           fmt::format("the program that was found fails its replay: {} output(s) differ after {} were equal",
                       replay.different().size(), replay.outputs()));
      return;
    }
    report_.verdict = ProbeVerdict::Contract;
    if (settings_.other_lengths && site_) other_shapes();
    report_.strength = fmt::format("sampled: {} outputs replayed ({} leaves), operand classes {}{}", report_.counts.replayed,
                                   report_.counts.replayed_leaves, fmt::join(replay.classes(), ", "),
                                   report_.counts.node_questions > 0
                                       ? fmt::format("; {} sums of two leaves at inner nodes", report_.counts.node_questions)
                                       : "");
    if (replay.outputs() < settings_.replay_outputs && replay.leaves() < settings_.replay_leaves)
      report_.strength += fmt::format("; the replay ended at its time limit of {} s, before {} outputs", settings_.replay_seconds,
                                      settings_.replay_outputs);
    report_.contract->established = {"probed", "sampled", report_.strength};
  }

  /// Shapes that nothing was found with: what the contract says of them is replayed.
  void other_shapes() {
    if (site_->over.size() != 1 || report_.contract->pieces.size() > 1 || !general_) return;
    const std::int64_t n = site_->leaves;
    std::set<std::int64_t> lengths{n / 2, n - 1, n + 1, n + n / 3 + 2};
    bool all = true;
    for (const std::int64_t length : lengths) {
      if (length < 1 || length == n) continue;
      const auto changed = with_extent(problem_, site_->over[0], length);
      if (!changed) continue;
      const std::string line = to_text(changed->problem);
      Asker asker(backend_, *changed);
      bool holds = true;
      try {
        ProbeSettings few = settings_;
        few.replay_outputs = 1 << 14;
        few.replay_leaves = 1 << 22;
        few.replay_seconds = 0.3;
        SumReplay replay(asker, *report_.contract, few);
        holds = replay.recipes();
      } catch (const Refused& refused) {
        report_.other_shapes.push_back(fmt::format("{}: not asked: {}", line, refused.diagnostic().reason));
        continue;
      }
      report_.counts.calls += asker.calls();
      report_.other_shapes.push_back(line + (holds ? ": the same program" : ": another program"));
      if (holds) report_.contract->verified.push_back(line);
      all = all && holds;
    }
    if (all) return;
    // Between lengths that differ nothing is known: each one that holds is on its own.
    const std::string axis = site_->over[0];
    const Piece piece = report_.contract->pieces[0];
    report_.contract->pieces.clear();
    std::set<std::int64_t> held{n};
    for (const std::string& line : report_.contract->verified) held.insert(resolve(line).binding.extents.at(axis));
    for (const std::int64_t length : held) {
      Piece one = piece;
      one.shapes = {{axis, length, length, 1}};
      report_.contract->pieces.push_back(std::move(one));
    }
  }

  const Resolved& problem_;
  Backend& backend_;
  const ProbeSettings& settings_;
  ProbeReport& report_;
  Asker asker_;
  std::optional<SumSite> site_;
  Trees trees_;
  std::map<std::int64_t, std::optional<TreeKey>> elsewhere_;
  bool general_ = true;
};

}  // namespace

std::string_view name(ProbeVerdict verdict) {
  constexpr std::string_view kNames[] = {"contract", "unknown", "not-a-tree", "nondeterministic", "refused"};
  return kNames[static_cast<int>(verdict)];
}

ProbeReport probe_sum(const std::string& line, Backend& backend, const ProbeSettings& settings) {
  ProbeReport report;
  report.problem = line;
  report.backend = to_text(backend.spec());
  try {
    const Resolved problem = resolve(line);
    report.problem = to_text(problem.problem);
    Probe(problem, backend, settings, report).go();
  } catch (const Refused& refused) {
    report.verdict = ProbeVerdict::Refused;
    report.contract.reset();
    report.diagnostic = refused.at({report.problem, report.backend, backend.identity().machine()}).diagnostic();
  }
  return report;
}

int exit_code(const ProbeReport& report) {
  return report.verdict == ProbeVerdict::Contract ? 0 : info(report.diagnostic->code).exit;
}

}  // namespace bitpact
