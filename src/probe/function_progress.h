// A file that a long pass over blocks goes on from.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace bitpact {

/// `about` says all that the pass depends on; a file about anything else is not taken.
class FunctionProgress {
 public:
  /// `path` empty: nothing is read or kept. `say` hears why a file that is there was not taken.
  FunctionProgress(std::string path, const nlohmann::json& about, std::function<void(const std::string&)> say);
  /// What was saved last, or null.
  const nlohmann::json& state() const { return state_; }
  /// Written beside and renamed. A file that cannot be written ends the pass: refuses `file-unwritable`.
  void save(const nlohmann::json& state);
  void remove();

 private:
  std::string path_, about_;
  nlohmann::json state_;
};

/// Where progress is kept unless somebody says so: $XDG_CACHE_HOME/bitpact/functions/<digest of `about`>.json, or below
/// ~/.cache. Empty where neither is known.
std::string default_progress_path(const nlohmann::json& about);

}  // namespace bitpact
