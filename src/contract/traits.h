// Traits: what a compiler does to the forms an emitter can choose from. Plain data. They rank forms and narrow domains; exactness
// comes only from the check on the compiled artifact.
#pragma once

#include <string>

namespace bitpact {

struct Traits {
  bool contracts_multiply_add = true;  ///< an elementwise multiply that feeds an add becomes one FMA
  bool dot_sequential =
      true;  ///< dot_general adds along the contracted axis in order, from +0, one accumulator of the result's format
  bool dot_fuses_products = true;  ///< ... and does not round the products
  bool reduce_sequential = true;   ///< reduce adds in order along the reduced axis, from the initial value
  bool flushes_subnormal_inputs = true;
  bool flushes_subnormal_results = true;
  std::string source;  ///< where these come from, in words; "recorded" ones were not asked of the backend
  bool operator==(const Traits&) const = default;
};

}  // namespace bitpact
