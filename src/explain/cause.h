// Why two results differ, in words.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "explain/nearness.h"

namespace bitpact {

/// What a cause rests on, the strongest first.
enum class CauseStrength : std::uint8_t {
  Replayed,  ///< programs of the operator give every bit of both sides
  Window,    ///< they give the bits around the first difference, but not all
  Nearest,   ///< no program gives a side's bits; the nearest one tells a choice point from its other values by far
  None,
};
std::string_view name(CauseStrength strength);  ///< "replayed" ...

struct Cause {
  bool known = false;  ///< both sides were replayed by programs of the operator
  CauseStrength strength = CauseStrength::None;
  std::string summary;  ///< one sentence
  std::vector<std::string> details;
  std::map<std::string, Nearest> nearest;  ///< by side; only where no program gives its bits, and one comes near
};

/// `reference` and `candidate` are the results on `operands`; `names` what the two sides are called in print.
Cause find_cause(const Resolved& problem, const std::vector<Tensor>& operands, const Tensor& reference, const Tensor& candidate,
                 const TensorComparison& comparison, const std::pair<std::string, std::string>& names);

/// Where the partial results of two programs part at one output: the first leaf after which they differ.
struct Parting {
  std::int64_t leaf = 0;            ///< position along the folded axis
  std::vector<Scalar> operands;     ///< the elements that this leaf reads
  Scalar reference{}, candidate{};  ///< partial results after it
};
/// Empty where the programs have no sequential fold to follow, or their partial results never part.
std::optional<Parting> find_parting(const NumericProgram& reference, const NumericProgram& candidate, const Binding& binding,
                                    const std::vector<Tensor>& operands, const std::vector<std::int64_t>& index);

}  // namespace bitpact
