// Forms of a fold in StableHLO.
#pragma once

#include "contract/contract.h"
#include "emit/scalar_text.h"

namespace bitpact {

enum class FoldForm : std::uint8_t {
  DotGeneral,         ///< one dot_general, where the target's dot is the fold
  Reduce,             ///< leaves spread over [over, result axes], reduced along the first dimension
  While,              ///< a counted loop over the leaves
  BatchedDotGeneral,  ///< all chains of the order at once, a dot_general for each length; merges level by level
  BatchedReduce,      ///< the same with reduce
  WrittenOut,         ///< every step of the order's schedule, one after the other
  BatchedWhile,       ///< as the other batched ones, a counted loop for all chains
};
std::string_view name(FoldForm form);

struct FoldContext {
  FunctionText& function;
  ScalarText& scalar;
  const Traits& traits;
  Domain& carries;  ///< what the form excludes is added
};

/// The fold's result. Refuses `emit-unsupported` or `emit-too-large` where the fold has no such form on this target.
TensorValue emit_fold(const FoldContext& context, FoldForm form, const Fold& fold, const std::vector<TensorValue>& operands,
                      const Shape& result_shape, std::int64_t leaves);

}  // namespace bitpact
