// One problem asked of one backend, with operands of the asker's choice.
#pragma once

#include <vector>

#include "backends/backend.h"
#include "operators/catalogue.h"
#include "operators/recipe.h"

namespace bitpact {

/// Operands, and what the backend gave for them.
struct Asked {
  std::vector<Tensor> operands;
  Tensor result;
};

/// One value an operand, by its bits: -0, then ones, so that a sum of the operands, or of their products, has no leaf but -0.
/// That alone tells a start from zero from a start with the first leaf. Empty where an operand is no float that has these.
std::vector<Bits> negative_zeros(const Resolved& problem);
/// Operands that hold one value each.
std::vector<Tensor> constant_operands(const Resolved& problem, const std::vector<Bits>& constants);

class Asker {
 public:
  /// Refuses `probe-unsupported` for a backend that runs only programs that it is given: it has none of its own.
  Asker(Backend& backend, const Resolved& problem);
  Asked ask(std::vector<Tensor> operands);
  Asked ask(const Recipe& recipe);
  /// Whether `repeats` runs of one call, and a second call after another one, give the same bits.
  bool is_deterministic(int repeats, std::uint64_t seed);

  const Resolved& problem() const { return problem_; }
  Backend& backend() const { return backend_; }
  std::int64_t calls() const { return calls_; }
  const std::string& kernel() const { return kernel_; }

 private:
  Backend& backend_;
  const Resolved& problem_;
  std::int64_t calls_ = 0;
  std::string kernel_ = "unobserved";
};

}  // namespace bitpact
