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
