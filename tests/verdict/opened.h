// Backends that the tests of emitted modules share: each is opened once.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backends/backend.h"

namespace bitpact {

inline Backend& backend(const std::string& spec) {
  static std::map<std::string, std::unique_ptr<Backend>> open;
  std::unique_ptr<Backend>& one = open[spec];
  if (!one) one = open_backend(parse_backend(spec));
  return *one;
}

}  // namespace bitpact
