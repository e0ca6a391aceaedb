// The mode of `bitpact compare` that takes two dumps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/verbs.h"

namespace bitpact {

class CompareDumps {
 public:
  /// Adds the mode's options to the verb, in a group of their own.
  explicit CompareDumps(CLI::App& verb);
  /// Names of the mode's options that were given, e.g. "--order".
  std::vector<std::string> given() const;
  ExitCode run(const std::string& a, const std::string& b, bool json) const;

 private:
  CLI::App& verb_;
  std::vector<CLI::Option*> options_;
  std::vector<std::string> maps_;
  std::string order_, match_ = "content", junit_;
  bool all_ = false, void_is_bf16_ = false;
};

}  // namespace bitpact
