// What was found, against operands that it was not found with; and where it fails, the smallest operands that show it.
#pragma once

#include <set>

#include "probe/part_search.h"
#include "probe/sum_probe.h"
#include "probe/sum_site.h"
#include "probe/sum_tree.h"

namespace bitpact {

class SumReplay {
 public:
  /// Refuses `contract-not-for-problem` where the contract does not cover the asker's problem.
  SumReplay(Asker& asker, const Contract& contract, const ProbeSettings& settings);
  /// Operands of all classes, until a limit of the settings is reached. False where an output on the domain differs.
  bool recipes();
  /// Sums of two leaves at the inner nodes of the trees.
  bool nodes(const SumSite& site, const std::vector<SumTree>& trees);

  std::int64_t outputs() const { return outputs_; }
  std::int64_t leaves() const { return outputs_ * leaves_each_; }
  std::int64_t node_questions() const { return node_questions_; }
  const std::vector<std::int64_t>& different() const { return different_; }  ///< outputs, where it failed
  const Asked& failed() const { return failed_; }
  std::vector<std::string> classes() const;  ///< of operands, that were replayed

 private:
  bool agrees(Asked asked);

  Asker& asker_;
  Covered covered_;
  const ProbeSettings& settings_;
  std::int64_t outputs_ = 0, leaves_each_ = 1, node_questions_ = 0;
  std::vector<std::int64_t> different_;
  Asked failed_;
  std::set<std::string> classes_;
};

/// Leaves are set to zero as long as one of the outputs still differs (Zeller & Hildebrandt's ddmin, 2002). Empty where the
/// difference does not show again.
std::optional<ProbeReproducer> smallest_difference(Asker& asker, const std::optional<SumSite>& site, const Contract& contract,
                                                   const Asked& failed, const std::vector<std::int64_t>& different);
std::optional<ProbeReproducer> smallest_difference(Asker& asker, const std::optional<SumSite>& site, const Candidate& candidate,
                                                   const std::vector<std::int64_t>& outputs, std::uint64_t seed);

}  // namespace bitpact
