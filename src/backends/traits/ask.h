// Asks a backend that takes StableHLO for its traits, and remembers the answers by the backend's identity.
#pragma once

#include <functional>
#include <string>

#include "backends/backend.h"
#include "contract/traits.h"

namespace bitpact {

struct TraitReport {
  TraitAnswers answers;  ///< in the order of the questions
  int asked = 0;         ///< of these, now; the others come from the cache
  int modules = 0;       ///< compiled for it
  double seconds = 0;
  /// "asked of this identity", "from the cache", "12 asked of this identity, 40 from the cache"
  std::string source() const;
};

struct AskOptions {
  bool emission_only = false;     ///< only what the emitter goes by
  std::vector<std::string> only;  ///< only these questions; empty: all
  bool fresh = false;             ///< ask again, whatever the cache has
  std::string cache;              ///< a folder; empty: trait_cache_folder()
  /// What a person may want to know: a cache entry that was refused. stderr where none is given.
  std::function<void(const std::string&)> say;
};

/// Refuses `backend-lacks-form` where the backend takes no StableHLO. A module that the backend refuses is an answer ("refused");
/// one that its worker dies of or hangs in is one too, and is not remembered.
TraitReport ask_traits(Backend& backend, const AskOptions& options = {});

/// What the emitter goes by, for these answers. Where an answer is not known, the careful assumption: products are contracted,
/// nothing adds in order, subnormals are flushed.
Traits emission_traits(const TraitAnswers& answers);

/// ask_traits for emission alone, as Traits.
Traits traits_of(Backend& backend, const AskOptions& options = {});

/// $XDG_CACHE_HOME/bitpact/traits, or under ~/.cache. Empty where neither is an absolute path: nothing is remembered then.
std::string trait_cache_folder();

/// How an answer is printed.
struct TraitWords {
  std::string topic, title, sentence;
};
TraitWords words_of(const TraitAnswer& answer);

}  // namespace bitpact
