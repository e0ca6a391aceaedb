// Programs in words, from their nodes alone: no operator's name is looked at.
#pragma once

#include <string>
#include <vector>

#include "contract/program.h"

namespace bitpact {

/// Every rounding of the program's normal form, in the order in which a value passes them: "product -> f32", "partial sum ->
/// f32", "result f32 -> bf16". Roundings that never change a value (an f16 product in f32) are not among them.
std::vector<std::string> rounding_boundaries(const NumericProgram& program);

/// A value of a body as an expression over the names of its arguments: "f32(lhs) * f32(rhs)", "fma(a, b, s) {toward-zero}".
/// Cut short beyond a few hundred operations, or a few thousand characters of names.
std::string expression(const ScalarBody& body, int value, const std::vector<std::string>& arguments);

/// What one node of a normal form leaves to choose, and what was chosen: {"accumulator", "f32"}, {"product", "rounded to f32"},
/// ...
struct Choice {
  std::string what, how;
  bool operator==(const Choice&) const = default;
};
std::vector<Choice> choices(const NumericProgram& normal_form, int node);

/// A result of a normal form: "bf16 [*b, m, n]: the sum over k, rounded to bf16".
std::string result_words(const NumericProgram& normal_form, int result);

/// "lhs", "the sum over k", "node 3".
std::string node_name(const NumericProgram& program, int node);

}  // namespace bitpact
