// The catalogue: every operator, one line each in catalogue.cpp.
#pragma once

#include "operators/operator.h"

namespace bitpact {

const std::vector<Operator>& catalogue();
/// By canonical name or alias; refuses `unknown-operator` with the nearest name.
const Operator& operator_named(const std::string& name);

/// Alias to canonical name, attributes to canonical spelling (defaults left out), clauses checked, axes named.
Resolved resolve(const Problem& problem);
/// parse_problem and resolve.
Resolved resolve(std::string_view line);

/// The result's axes along which outputs do not depend on each other's operands: those that no fold of the operator's canonical
/// program goes over.
Axes independent_axes(const Resolved& problem);

/// One region of the output.
struct CoveredPart {
  const Piece* piece = nullptr;
  BoundProgram program;
  std::vector<std::uint8_t> mask;  ///< one entry an output, row-major: nonzero in the region
};

/// The first piece of `contract` that covers the problem; or, where that is for a region, all pieces that cover the problem's
/// shapes: each output is in exactly one. Refuses `contract-not-for-problem`, saying what differs.
struct Covered {
  const Piece* piece = nullptr;    ///< the first
  BoundProgram program;            ///< of the first
  std::vector<CoveredPart> parts;  ///< none where the piece covers the whole output; else all, the first included
  bool verified = false;           ///< this very problem line stands in the contract's list; else the shape is predicted

  Domain domain() const;  ///< of all parts
  /// Of the program, or of all parts in order: "sha256:... sha256:...".
  std::string arithmetic() const;
};
Covered cover(const Contract& contract, const Resolved& problem);

/// A contract from choice points, for anyone who writes one by hand.
Contract contract_from_choices(const Resolved& problem, const Choices& choices, const Domain& domain);

}  // namespace bitpact
