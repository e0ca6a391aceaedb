// Random well-formed numeric programs and operands that tell programs apart. Everything follows from one seed.
#pragma once

#include <rapidcheck.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "contract/contract.h"

namespace bitpact::generate {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  /// 0 .. n - 1. The modulo's bias does not matter here, and is the same with every standard library.
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from.at(static_cast<size_t>(below(static_cast<int>(from.size()))));
  }
  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[static_cast<size_t>(below(static_cast<int>(i)))]);
  }

 private:
  std::mt19937_64 engine_;
};

/// A program and extents that it runs with; its trees are for them.
struct Case {
  NumericProgram program;
  std::map<std::string, std::int64_t> extents;
  bool operator==(const Case&) const = default;
};

struct Options {
  bool packs = false;  ///< a pack among the axes; such a program has to be bound before it runs
  int most_nodes = 4;  ///< beyond the inputs
  int most_instructions = 4;
};

Policy policy(Random& random);
/// Random code from these formats to those.
ScalarBody body(Random& random, const std::vector<Format>& arguments, const std::vector<Format>& results, int most_instructions);
/// `joins`: of partial results, which may be joined from the start value.
Order order(Random& random, std::int64_t leaves, int depth = 0, bool joins = false);
Case program(Random& random, const Options& options = {});
Contract contract(Random& random);

/// One value: zeros, ones, ties, neighbours, subnormals, infinities, NaNs, small integers, any bits.
Bits value(Random& random, Format format);
/// Row-major values for the inputs, in their order.
std::vector<std::vector<Bits>> operands(Random& random, const Case& c);

/// For RapidCheck: a source of randomness; a failing case is reported by its seed.
inline rc::Gen<std::uint64_t> seed() { return rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>()); }

}  // namespace bitpact::generate

#include "contract/generate.inl"
