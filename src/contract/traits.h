// Traits: what a compiler does to the forms an emitter can choose from. Plain data, found by asking (backends/traits). They rank
// forms and narrow domains; exactness comes only from the check on the compiled artifact.
#pragma once

#include <string>
#include <vector>

namespace bitpact {

/// What the emitter goes by. The defaults are what is assumed where nothing is known but that `dot_general` and `reduce` add in
/// order.
struct Traits {
  bool contracts_multiply_add = true;     ///< an elementwise multiply that feeds an add becomes one FMA
  bool barrier_stops_contraction = true;  ///< not where an optimization_barrier stands between the two
  bool dot_sequential =
      true;  ///< dot_general adds along the contracted axis in order, from +0, one accumulator of the result's format
  bool dot_fuses_products = true;  ///< ... and does not round the products
  bool reduce_sequential = true;   ///< reduce adds in order along the reduced axis, from the initial value
  bool flushes_subnormal_inputs = true;
  bool flushes_subnormal_results = true;
  bool keeps_f64 = false;           ///< f64 inside a module is computed in f64
  bool rewrites_divisions = false;  ///< 1 / sqrt(x) or x / (one value for all x) become a product with something approximate
  std::string source;               ///< where these come from, in words
  bool operator==(const Traits&) const = default;
};

/// The answer to one question.
struct TraitAnswer {
  std::string question;  ///< "multiply_add"
  std::string answer;    ///< a word of the question's list, or "unknown", or "refused"
  std::string seen;  ///< what was seen, where the word alone does not say it; never empty where the answer is unknown or refused
  bool operator==(const TraitAnswer&) const = default;
};
using TraitAnswers = std::vector<TraitAnswer>;

}  // namespace bitpact
