// Programs that an operator may be, struck out one by one by what a backend gave.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "probe/asking.h"
#include "probe/order_fit.h"

namespace bitpact {

/// A program that may be the backend's.
struct Candidate {
  Choices choices;
  std::string flush;  ///< "" | "inputs" | "results" | "inputs and results": subnormals counted as zeros
  NumericProgram program;
  Domain domain;  ///< what had to be excluded for it to fit
};
/// Equal bits, or two NaNs.
bool same_value(Format format, Bits a, Bits b);

/// "accumulator=f32, order=sequential, ..., subnormal inputs flushed to zero".
std::string to_text(const Candidate& candidate);

/// Every combination of the operator's choice points that gives a program of its own at the problem's extents, canonical first;
/// `orders`, where not empty, in the place of the listed values of the choice point `order`.
std::vector<Candidate> candidates(const Resolved& problem, const std::vector<Order>& orders);
/// The three variants that count subnormals as zeros.
std::vector<Candidate> flushing(const Candidate& candidate);

/// Outputs of a tensor (row-major, ascending) on which the candidate and the backend differ, of those listed; with a domain, of
/// those inside. `inside` counts them.
std::vector<std::int64_t> differing(const Candidate& candidate, const Resolved& problem, const Asked& asked,
                                    const std::vector<std::int64_t>& outputs, std::int64_t* inside = nullptr);
/// Whether the candidate gives the outputs listed that lie in a small window around one of them: a cheap test.
bool fits_window(const Candidate& candidate, const Resolved& problem, const Asked& asked,
                 const std::vector<std::int64_t>& outputs, std::int64_t around);

}  // namespace bitpact
