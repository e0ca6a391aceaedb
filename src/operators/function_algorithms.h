// Functions as libraries compute them in f32: not correctly rounded, but spelled out, step by step.
#pragma once

#include <string>
#include <vector>

#include "operators/functions.h"

namespace bitpact {

/// A way to a function's value. `body` appends it for x of f32 and gives a value of f32; `format` is the operand's own, for steps
/// that are rounded to it.
struct Algorithm {
  std::string name;     ///< a value of the choice point `algorithm`
  std::string meaning;  ///< in words
  int (*body)(BodyBuilder& builder, int x, Format format) = nullptr;
};

/// Those known of the function, beside the correctly rounded one.
const std::vector<Algorithm>& algorithms(Function function);

}  // namespace bitpact
