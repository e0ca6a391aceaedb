#include "probe/sum_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "interpret/covered.h"
#include "probe/node_questions.h"

namespace bitpact {
namespace {

std::int64_t folded_leaves(const BoundProgram& bound) {
  std::int64_t most = 1;
  for (const Node& node : bound.program.nodes) {
    const auto* fold = std::get_if<Fold>(&node);
    if (fold == nullptr) continue;
    std::int64_t leaves = 1;
    for (const std::string& axis : fold->over) leaves *= bound.extents.at(axis);
    most = std::max(most, leaves);
  }
  return most;
}

/// What a program gives for operands.
using Run = std::function<Tensor(const std::vector<Tensor>&)>;

class Smallest {
 public:
  Smallest(Asker& asker, const SumSite& site, Run run) : asker_(asker), site_(site), run_(std::move(run)) {
    for (const size_t operand : site.operands) carriers_.push_back(carrier_of(asker.problem(), site, operand));
  }

  std::optional<ProbeReproducer> of(std::vector<Tensor> operands, std::int64_t output) {
    output_ = output;
    operands_ = std::move(operands);
    std::vector<std::int64_t> kept(static_cast<size_t>(site_.leaves));
    std::iota(kept.begin(), kept.end(), 0);
    if (!differs(kept)) return {};
    constexpr int kMostCalls = 600;
    for (size_t pieces = 2; kept.size() > 1 && calls_ < kMostCalls;) {
      const size_t length = (kept.size() + pieces - 1) / pieces;
      bool smaller = false;
      for (size_t from = 0; from < kept.size() && calls_ < kMostCalls; from += length) {
        std::vector<std::int64_t> rest(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(from));
        rest.insert(rest.end(), kept.begin() + static_cast<std::ptrdiff_t>(std::min(kept.size(), from + length)), kept.end());
        if (rest.empty() || !differs(rest)) continue;
        kept = std::move(rest);
        pieces = std::max<size_t>(2, pieces - 1);
        smaller = true;
        break;
      }
      if (smaller) continue;
      if (length == 1) break;
      pieces = std::min(kept.size(), pieces * 2);
    }
    differs(kept);
    return written(kept);
  }

 private:
  bool differs(const std::vector<std::int64_t>& kept) {
    ++calls_;
    std::vector<Tensor> operands = operands_;
    std::vector<bool> keep(static_cast<size_t>(site_.leaves), false);
    for (const std::int64_t leaf : kept) keep[static_cast<size_t>(leaf)] = true;
    for (const Carrier& c : carriers_) {
      Tensor& t = operands[c.operand];
      const std::int64_t place = c.places[static_cast<size_t>(c.position_of[static_cast<size_t>(output_)])];
      for (std::int64_t l = 0; l < site_.leaves; ++l)
        if (!keep[static_cast<size_t>(l)]) t.set(place + c.leaf_offsets[static_cast<size_t>(l)], positive_zero(t.format()));
    }
    const Tensor expected = run_(operands);
    const Asked asked = asker_.ask(std::move(operands));
    const Format format = expected.format();
    seen_ = asked.result.get(output_);
    given_ = expected.get(output_);
    return !same_value(format, seen_, given_);
  }

  ProbeReproducer written(const std::vector<std::int64_t>& kept) const {
    constexpr size_t kMost = 24;
    const Resolved& problem = asker_.problem();
    ProbeReproducer r;
    r.output = coordinate(problem.result.shape, output_);
    for (const std::int64_t leaf : kept) {
      if (r.terms.size() == kMost) {
        r.terms.push_back(fmt::format("and {} more", kept.size() - kMost));
        break;
      }
      std::string text = fmt::format("leaf {}:", leaf);
      const char* separator = " ";
      for (const Carrier& c : carriers_) {
        const Tensor& t = operands_[c.operand];
        const std::int64_t place = c.places[static_cast<size_t>(c.position_of[static_cast<size_t>(output_)])];
        const Scalar x{t.format(), t.get(place + c.leaf_offsets[static_cast<size_t>(leaf)])};
        text += fmt::format("{}{}", separator, to_text(x));
        separator = " * ";
      }
      r.terms.push_back(text);
    }
    const Format format = problem.result.format;
    r.backend_gives = fmt::format("{} ({})", to_text(Scalar{format, seen_}), to_hex({format, seen_}));
    r.program_gives = fmt::format("{} ({})", to_text(Scalar{format, given_}), to_hex({format, given_}));
    return r;
  }

  Asker& asker_;
  const SumSite& site_;
  Run run_;
  std::vector<Carrier> carriers_;
  std::vector<Tensor> operands_;
  std::int64_t output_ = 0;
  int calls_ = 0;
  Bits seen_ = 0, given_ = 0;
};

}  // namespace

SumReplay::SumReplay(Asker& asker, const Contract& contract, const ProbeSettings& settings)
    : asker_(asker),
      covered_(cover(contract, asker.problem())),
      settings_(settings),
      leaves_each_(folded_leaves(covered_.program)) {}

bool SumReplay::agrees(Asked asked) {
  const std::uint8_t excluded = excluded_bits(covered_.domain());
  const Interpreted got = interpret(covered_, asked.operands, {.threads = 0, .watch = excluded != 0});
  const Tensor& result = got.results[0];
  std::int64_t counted = 0;
  std::vector<std::int64_t> different;
  for (std::int64_t o = 0; o < result.size(); ++o) {
    if (excluded != 0 && (got.occurrences[0][static_cast<size_t>(o)] & excluded) != 0) continue;
    ++counted;
    if (!same_value(result.format(), result.get(o), asked.result.get(o))) different.push_back(o);
  }
  if (different.empty()) {
    outputs_ += counted;
    return true;
  }
  different_ = std::move(different);
  failed_ = std::move(asked);
  return false;
}

bool SumReplay::recipes() {
  const auto begin = std::chrono::steady_clock::now();
  // Seeds of the search end long before these.
  constexpr std::uint64_t kFirst = 1000;
  for (std::uint64_t round = 0;; ++round) {
    Recipe recipe;
    recipe.seed = settings_.seed + kFirst + round;
    // Every third set without what is infinite or subnormal: a NaN in every output tells nothing.
    const Resolved& problem = asker_.problem();
    if (round % 3 == 2 && rounds_for_all(problem, recipe.classes) == 1)
      recipe.classes = {"normal", "wide", "cancellation", "ties"};
    recipe.classes = classes_of_round(problem, recipe.classes, round);
    for (const std::string& c :
         classes_present(recipe, problem.problem.operands, problem.binding.operands, independent_axes(problem)))
      classes_.insert(c);
    const bool sparse = round % 4 == 1;
    if (round % 8 == 3 && !agrees(asker_.ask_tiny(recipe.seed))) return false;
    if (round % 8 == 5 && !agrees(asker_.ask_swamped(recipe.seed))) return false;
    if (!agrees(sparse ? asker_.ask_sparse(recipe) : asker_.ask(recipe))) return false;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (outputs_ >= settings_.replay_outputs || leaves() >= settings_.replay_leaves || seconds > settings_.replay_seconds)
      return true;
  }
}

std::vector<std::string> SumReplay::classes() const {
  std::vector<std::string> seen;
  for (const std::string& c : Recipe::all_classes())
    if (classes_.contains(c)) seen.push_back(c);
  return seen;
}

bool SumReplay::nodes(const SumSite& site, const std::vector<SumTree>& trees) {
  const auto begin = std::chrono::steady_clock::now();
  constexpr std::int64_t kMostSets = 4096;
  bool holds = true;
  for (const SumTree& tree : trees) {
    node_questions_ += for_node_questions(asker_.problem(), site, tree, kMostSets, [&](std::vector<Tensor> operands) {
      const std::int64_t before = outputs_;
      holds = agrees(asker_.ask(std::move(operands)));
      outputs_ = before;  // counted apart
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      return holds && seconds < settings_.replay_seconds;
    });
    if (!holds) return false;
  }
  return true;
}

std::optional<ProbeReproducer> smallest_difference(Asker& asker, const std::optional<SumSite>& site, const Contract& contract,
                                                   const Asked& failed, const std::vector<std::int64_t>& different) {
  if (!site || different.empty()) return {};
  const Covered covered = cover(contract, asker.problem());
  return Smallest(asker, *site, [&](const std::vector<Tensor>& operands) { return interpret(covered, operands).results[0]; })
      .of(failed.operands, different.front());
}

std::optional<ProbeReproducer> smallest_difference(Asker& asker, const std::optional<SumSite>& site, const Candidate& candidate,
                                                   const std::vector<std::int64_t>& outputs, std::uint64_t seed) {
  if (!site) return {};
  Recipe recipe;
  recipe.classes = {"normal", "wide", "cancellation", "ties"};
  for (const bool full : {false, true}) {
    if (full) recipe.classes = Recipe::all_classes();
    for (std::uint64_t round = 0; round < 8; ++round) {
      recipe.seed = seed + round;
      const Asked asked = asker.ask(recipe);
      const std::vector<std::int64_t> different = differing(candidate, asker.problem(), asked, outputs);
      if (different.empty()) continue;
      const BoundProgram bound = bind(candidate.program, asker.problem().binding);
      return Smallest(asker, *site, [&](const std::vector<Tensor>& operands) { return interpret(bound, operands).results[0]; })
          .of(asked.operands, different.front());
    }
  }
  return {};
}

}  // namespace bitpact
