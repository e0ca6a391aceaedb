// The floating-point unit's modes: bits may not depend on what a host program has set for its threads.
#pragma once

namespace bitpact {

/// For its lifetime, on this thread: round to nearest even, subnormals kept, no traps. Restores what was set before.
class DefaultFloatModes {
 public:
  DefaultFloatModes();
  ~DefaultFloatModes();
  DefaultFloatModes(const DefaultFloatModes&) = delete;
  DefaultFloatModes& operator=(const DefaultFloatModes&) = delete;

 private:
  unsigned long long saved_;
};

}  // namespace bitpact
