#include "probe/part_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "interpret/interpret.h"
#include "probe/constants.h"
#include "probe/started.h"

namespace bitpact {
namespace {

constexpr size_t kWhole = 48;           // candidates that are run on all outputs of a large problem
constexpr double kManySteps = 1 << 24;  // a problem with fewer leaves in all runs more of them
constexpr size_t kFew = 8;              // more are first asked about with a few more sets of operands
constexpr int kScreeningSeeds = 6;
constexpr int kDeepestSplit = 8;
constexpr int kSplitSeeds = 16;    // sets of operands that a split must hold on
constexpr int kPartingSeeds = 24;  // sets on which what is left is told apart, at most
constexpr std::uint64_t kTinySets = 3;
/// Sums in which small numbers meet a large one, each at its own distance; in as many sets as hold so many, three at least.
constexpr std::uint64_t kSwampedSums = 64;
constexpr std::int64_t kManyOutputs = 64, kFewLeaves = 1 << 15;
constexpr int kQuietSeeds = 8;  // it ends where so many in a row struck nothing out

const std::vector<std::string> kGentle{"normal", "wide", "cancellation", "ties"};

using Outputs = std::vector<std::int64_t>;

Outputs united(const Outputs& a, const Outputs& b) {
  Outputs both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

Outputs without(const Outputs& a, const Outputs& b) {
  Outputs rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  return rest;
}

class Search {
 public:
  Search(Asker& asker, std::uint64_t seed, const std::function<void(const std::string&)>& say)
      : asker_(asker), problem_(asker.problem()), seed_(seed), say_(say) {
    for (const auto& [axis, extent] : problem_.binding.extents) leaves_ *= static_cast<double>(std::max<std::int64_t>(extent, 1));
  }

  PartSearch run(const std::vector<OutputGroup>& groups) {
    for (const OutputGroup& group : groups) {
      tell(fmt::format("{} output(s): {}", group.outputs.size(),
                       group.orders.empty() ? "no order known, the listed ones are tried" : "order " + brief(group.orders)));
      std::vector<Candidate> all = candidates(problem_, group.orders);
      std::erase_if(all, [&](const Candidate& c) { return has_tail(c.program) != group.tails; });
      search(group.outputs, std::move(all), 0);
    }
    std::sort(found_.unexplained.begin(), found_.unexplained.end());
    return std::move(found_);
  }

 private:
  static bool has_tail(const NumericProgram& program) {
    return std::ranges::any_of(program.nodes, [](const Node& node) {
      const auto* fold = std::get_if<Fold>(&node);
      return fold != nullptr && fold->tail;
    });
  }
  static std::string brief(const std::vector<Order>& orders) {
    return shortened(spelled(orders.front())) +
           (orders.size() > 1 ? fmt::format(" and {} more spelling(s)", orders.size() - 1) : "");
  }
  void tell(const std::string& line) const {
    if (say_) say_(line);
  }

  /// Operands without subnormals, infinities and NaNs come first; then all classes.
  const Asked& gentle(int round) { return asked(gentle_, round, kGentle); }
  const Asked& full(int round) { return asked(full_, round, Recipe::all_classes()); }
  const Asked& asked(std::map<int, Asked>& known, int round, const std::vector<std::string>& classes) {
    const auto at = known.find(round);
    if (at != known.end()) return at->second;
    Recipe recipe;
    recipe.seed = seed_ + static_cast<std::uint64_t>(round);
    recipe.classes = classes_of_round(problem_, classes, static_cast<std::uint64_t>(round));
    return known.emplace(round, asker_.ask(recipe)).first->second;
  }

  void search(const Outputs& outputs, std::vector<Candidate> left, int depth) {
    found_.tried += static_cast<std::int64_t>(left.size());
    const size_t before = left.size();
    std::vector<Candidate> screened;
    for (const Candidate& c : left)
      if (fits_window(c, problem_, gentle(0), outputs, outputs.front())) screened.push_back(c);
    tell(fmt::format("  a window of outputs: {} of {} program(s) left", screened.size(), before));
    // A few outputs of 16 bits agree with many programs by chance: none is left out before more operands were tried.
    const size_t most = whole();
    const auto enough = [&](int round) { return screened.size() <= (round > kScreeningSeeds ? most : kFew); };
    for (int round = 1; !enough(round) && round < kPartingSeeds; ++round)
      std::erase_if(screened,
                    [&](const Candidate& c) { return !fits_window(c, problem_, gentle(round), outputs, outputs.front()); });
    if (screened.empty()) return search_elsewhere(outputs, left, depth);
    if (screened.size() > most) screened.resize(most);
    std::vector<Candidate> fits;
    std::optional<Candidate> best;
    Outputs best_different;
    for (const Candidate& c : screened) {
      const Outputs different = differing(c, problem_, gentle(0), outputs);
      if (different.empty()) fits.push_back(c);
      if (!best || different.size() < best_different.size()) {
        best = c;
        best_different = different;
      }
    }
    tell(fmt::format("  all outputs: {} of {} program(s) left", fits.size(), screened.size()));
    if (fits.empty()) return split(outputs, *best, left, depth);
    settle(outputs, fits);
  }

  size_t whole() const { return static_cast<size_t>(static_cast<double>(kWhole) * std::max(1.0, kManySteps / leaves_)); }

  /// No candidate gives a window: one may still give outputs elsewhere in the group.
  void search_elsewhere(const Outputs& outputs, const std::vector<Candidate>& left, int depth) {
    std::optional<Candidate> best;
    Outputs best_different;
    size_t tried = 0;
    for (const Candidate& c : left) {
      if (++tried > whole()) break;
      const Outputs different = differing(c, problem_, gentle(0), outputs);
      if (best && different.size() >= best_different.size()) continue;
      best = c;
      best_different = different;
    }
    if (best && best_different.size() < outputs.size() && depth < kDeepestSplit) return split(outputs, *best, left, depth);
    give_up(outputs, best, best_different.size());
  }

  /// The outputs that the candidate gave on every set of operands are a part of their own.
  void split(const Outputs& outputs, const Candidate& candidate, const std::vector<Candidate>& all, int depth) {
    Outputs different;
    for (int round = 0; round < kSplitSeeds; ++round)
      different = united(different, differing(candidate, problem_, gentle(round), without(outputs, different)));
    const Outputs same = without(outputs, different);
    // An output that agrees by chance, on all sets, would be taken for a part: they come in numbers, or not at all.
    if (same.empty() || depth >= kDeepestSplit) return give_up(outputs, candidate, different.size());
    tell(fmt::format("  {} output(s) follow {}, {} do not", same.size(), to_text(candidate), different.size()));
    settle(same, {candidate});
    search(different, all, depth + 1);
  }

  /// Special values, and what they leave to be told apart.
  void settle(const Outputs& outputs, const std::vector<Candidate>& fits) {
    std::vector<Candidate> kept;
    const int rounds = rounds_for_all(problem_, Recipe::all_classes());
    const auto fits_all = [&](const Candidate& c) {
      for (int round = 0; round < rounds; ++round)
        if (!fits_window(c, problem_, full(round), outputs, outputs.front()) ||
            !differing(c, problem_, full(round), outputs).empty())
          return false;
      return true;
    };
    // Which subnormals count is told apart below, and whether partial results are joined from +0; until then all variants stay.
    std::vector<Candidate> variants = fits;
    for (const Candidate& c : fits)
      for (Candidate& started : from_start(c, problem_)) variants.push_back(std::move(started));
    found_.tried += static_cast<std::int64_t>(variants.size() - fits.size());
    for (const Candidate& c : variants) {
      const auto keep = [&](Candidate one) {
        if (is_own_arithmetic(one, problem_) && fits_all(one)) kept.push_back(std::move(one));
      };
      keep(c);
      for (Candidate& flushed : flushing(c)) keep(std::move(flushed));
    }
    std::stable_sort(kept.begin(), kept.end(),
                     [](const Candidate& a, const Candidate& b) { return a.flush.empty() && !b.flush.empty(); });
    if (kept.empty()) kept = with_domain(outputs, fits);
    tell(fmt::format("  subnormals, infinities, NaNs, signed zeros: {} left", kept.size()));
    if (kept.empty()) return give_up(outputs, fits.front(), differing(fits.front(), problem_, full(0), outputs).size());
    part(kept, outputs);
    if (kept.empty()) return give_up(outputs, fits.front(), 1);
    found_.parts.push_back({outputs, std::move(kept)});
  }

  std::vector<Candidate> with_domain(const Outputs& outputs, const std::vector<Candidate>& fits) {
    using E = Exclusion;
    const std::vector<std::set<E>> domains{
        {E::SubnormalInput},
        {E::SubnormalResult},
        {E::SubnormalInput, E::SubnormalIntermediate, E::SubnormalResult},
        {E::OverflowIntermediate},
        {E::SubnormalInput, E::SubnormalIntermediate, E::SubnormalResult, E::OverflowIntermediate}};
    for (const auto& excluded : domains) {
      std::vector<Candidate> kept;
      for (const Candidate& c : fits) {
        Candidate narrowed = c;
        narrowed.domain.excludes = excluded;
        std::int64_t inside = 0;
        bool fits_all = true;
        const int rounds = 1 + rounds_for_all(problem_, Recipe::all_classes());
        for (int round = 0; round < rounds && fits_all; ++round) {
          std::int64_t counted = 0;
          fits_all = differing(narrowed, problem_, full(round), outputs, &counted).empty();
          inside += counted;
        }
        if (fits_all && inside > 0) kept.push_back(std::move(narrowed));
      }
      if (!kept.empty()) return kept;
    }
    return {};
  }

  /// All outputs of a small problem; of a large one a window, each time another: the replay looks at the rest.
  bool fails(const Candidate& c, const Asked& asked, const Outputs& outputs, std::uint64_t round) const {
    constexpr std::uint64_t kFar = 7919;
    if (leaves_ <= kManySteps || !c.domain.excludes.empty()) return !differing(c, problem_, asked, outputs).empty();
    return !fits_window(c, problem_, asked, outputs, outputs[round * kFar % outputs.size()]);
  }

  /// Asks again until one is left, or nothing tried parts the rest.
  void part(std::vector<Candidate>& left, const Outputs& outputs) {
    if (const std::vector<Bits> constants = negative_zeros(problem_); !constants.empty()) {
      if (!zeros_) zeros_ = asker_.ask(constant_operands(problem_, constants));
      std::erase_if(left, [&](const Candidate& c) { return fails(c, *zeros_, outputs, 0); });
      tell(fmt::format("  sums of negative zeros: {} left", left.size()));
    }
    part_by_chains(left, outputs);
    for (std::uint64_t round = 0; round < kTinySets; ++round) {
      if (tiny_.size() <= round) tiny_.push_back(asker_.ask_tiny(seed_ + round));
      std::erase_if(left, [&](const Candidate& c) { return fails(c, tiny_[round], outputs, round); });
    }
    tell(fmt::format("  sums of numbers around the smallest normal one: {} left", left.size()));
    const auto sums = static_cast<std::uint64_t>(std::max<std::int64_t>(element_count(problem_.result.shape), 1));
    for (std::uint64_t round = 0; round < std::max(kSwampedSums / sums, std::uint64_t{3}); ++round) {
      if (swamped_.size() <= round) swamped_.push_back(asker_.ask_swamped(seed_ + round));
      std::erase_if(left, [&](const Candidate& c) { return fails(c, swamped_[round], outputs, round); });
    }
    tell(fmt::format("  sums in which small numbers meet a large one: {} left", left.size()));
    // A set of few outputs tells little: a product that is fused at one leaf of many shows in few of them.
    const int more =
        leaves_ <= kFewLeaves
            ? static_cast<int>(std::clamp<std::int64_t>(kManyOutputs / static_cast<std::int64_t>(outputs.size()), 1, 8))
            : 1;
    int quiet = 0;
    for (int round = 1; round < more * kPartingSeeds && quiet < more * kQuietSeeds; ++round) {
      if (left.size() < 2 && round > rounds_for_all(problem_, Recipe::all_classes())) return;
      const size_t before = left.size();
      for (const bool gentle_set : {true, false})
        std::erase_if(left, [&](const Candidate& c) {
          return fails(c, gentle_set ? gentle(round) : full(round), outputs, static_cast<std::uint64_t>(round));
        });
      quiet = left.size() == before ? quiet + 1 : 0;
    }
  }

  /// Those that differ in where sums are flushed, or in what partial results are joined from.
  void part_by_chains(std::vector<Candidate>& left, const Outputs& outputs) {
    std::set<std::string> orders;
    std::vector<Asked> sets;
    for (const Candidate& c : left) {
      const auto order = c.choices.find("order");
      if (order == c.choices.end() || !orders.insert(order->second).second) continue;
      if (orders.size() > 2) break;  // spellings of one tree ask much the same
      for (std::vector<Tensor>& operands : minus_zero_chains(c, problem_)) sets.push_back(asker_.ask(std::move(operands)));
    }
    if (sets.empty()) return;
    for (const Asked& set : sets) std::erase_if(left, [&](const Candidate& c) { return fails(c, set, outputs, 0); });
    tell(fmt::format("  chains that leave negative zeros: {} left", left.size()));
  }

  void give_up(const Outputs& outputs, const std::optional<Candidate>& nearest, size_t different) {
    tell(fmt::format("  none gives these {} output(s)", outputs.size()));
    if (!found_.nearest && nearest) {
      found_.nearest = nearest;
      found_.nearest_different = static_cast<std::int64_t>(different);
    }
    found_.unexplained.insert(found_.unexplained.end(), outputs.begin(), outputs.end());
  }

  Asker& asker_;
  const Resolved& problem_;
  std::uint64_t seed_;
  double leaves_ = 1;  ///< of all outputs together
  const std::function<void(const std::string&)>& say_;
  std::map<int, Asked> gentle_, full_;
  std::optional<Asked> zeros_;
  std::vector<Asked> tiny_, swamped_;
  PartSearch found_;
};

}  // namespace

PartSearch search_parts(Asker& asker, const std::vector<OutputGroup>& groups, std::uint64_t seed,
                        const std::function<void(const std::string&)>& say) {
  return Search(asker, seed, say).run(groups);
}

}  // namespace bitpact
