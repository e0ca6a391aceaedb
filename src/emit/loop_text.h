// A counted loop in StableHLO.
#pragma once

#include <functional>
#include <vector>

#include "emit/module_text.h"

namespace bitpact {

/// stablehlo.while over 0 .. iterations-1 (a scalar i32). `body` is given the counter (a scalar i32) and what is carried, and
/// returns what is carried on, in the same types. The result is what the last iteration returned.
std::vector<TensorValue> counted_loop(
    FunctionText& f, const TensorValue& iterations, const std::vector<TensorValue>& carried,
    const std::function<std::vector<TensorValue>(const TensorValue&, const std::vector<TensorValue>&)>& body);

}  // namespace bitpact
