#include "probe/function_sweep.h"

#include <fmt/format.h>

#include "probe/function_blocks.h"
#include "probe/function_progress.h"
#include "tensor/digest.h"

namespace bitpact {
namespace {

using nlohmann::json;

json about(FunctionAsker& asker, const std::vector<FunctionCandidate>& candidates) {
  json j = about_pass("table", asker);
  json programs = json::array();
  for (const FunctionCandidate& c : candidates) programs.push_back({arithmetic_fingerprint(c.program), c.different});
  j["programs"] = programs;
  return j;
}

json saved_candidates(const std::vector<FunctionCandidate>& candidates) {
  json list = json::array();
  for (const FunctionCandidate& c : candidates)
    list.push_back({{"compared", c.compared},
                    {"different", c.different},
                    {"first", c.first ? json(*c.first) : json(nullptr)},
                    {"seen", c.seen},
                    {"given", c.given}});
  return list;
}

void restore(std::vector<FunctionCandidate>& candidates, const json& list) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    FunctionCandidate& c = candidates[i];
    const json& j = list.at(i);
    c.compared = j.at("compared");
    c.different = j.at("different");
    c.first.reset();
    if (!j.at("first").is_null()) c.first = j.at("first").get<Bits>();
    c.seen = j.at("seen");
    c.given = j.at("given");
  }
}

}  // namespace

Sweep sweep_function(FunctionAsker& asker, std::vector<FunctionCandidate>& candidates, const std::string& progress_path,
                     const std::function<void(const std::string&)>& say) {
  const json what = about(asker, candidates);
  FunctionProgress progress(progress_path, what, say);
  Sweep sweep;
  // Compared from here on: every argument once.
  for (FunctionCandidate& c : candidates)
    if (c.fits()) c.compared = 0;
  if (!progress.state().is_null()) {
    sweep.blocks = progress.state().at("blocks").get<std::vector<std::string>>();
    restore(candidates, progress.state().at("candidates"));
    if (say) say(fmt::format("goes on after {} of {} blocks", sweep.blocks.size(), kBlocks));
  }
  ask_blocks(
      asker, static_cast<std::int64_t>(sweep.blocks.size()),
      [&](std::int64_t, const Tensor& x, const Tensor& y) {
        sweep.blocks.push_back(sha256(y.span()));
        compare_with(candidates, asker, x, y, true);
      },
      [&](std::int64_t) {
        progress.save({{"blocks", sweep.blocks}, {"candidates", saved_candidates(candidates)}});
      },
      say);
  progress.remove();
  return sweep;
}

}  // namespace bitpact
