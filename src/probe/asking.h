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

/// An output's operands are all of one class. Where there are too few outputs for all classes, each round has its own.
constexpr std::int64_t kOutputsForAllClasses = 64;
/// Of the recipe with these classes, those of one round.
std::vector<std::string> classes_of_round(const Resolved& problem, const std::vector<std::string>& classes, std::uint64_t round);
/// So many rounds until every class was there.
int rounds_for_all(const Resolved& problem, const std::vector<std::string>& classes);

class Asker {
 public:
  /// Refuses `probe-unsupported` for a backend that runs only programs that it is given: it has none of its own.
  Asker(Backend& backend, const Resolved& problem);
  Asked ask(std::vector<Tensor> operands);
  Asked ask(const Recipe& recipe);
  /// The recipe's operands with most elements of each set to zero, which ones decided by the seed: a sum that leaves zeros out
  /// shows.
  Asked ask_sparse(const Recipe& recipe);
  /// The first operand around the smallest normal number, on both sides, the others 1, or (seeds that are even) so large that no
  /// product is subnormal: whether subnormals count shows in every sum.
  Asked ask_tiny(std::uint64_t seed);
  /// In every sum one large number, later its negative, and numbers between 0 and 60 binades smaller, row by row at another
  /// distance: what an accumulator keeps of them beside the large one shows its precision. Other operands are 1.
  Asked ask_swamped(std::uint64_t seed);
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
