// Puts an emitted function into a user's module. Nothing else in the module changes: text is added, and one operation becomes a
// call.
#pragma once

#include <string>
#include <vector>

#include "operators/problem.h"

namespace bitpact {

/// "bitpact_matmul_8b1f0c2a_64x64_64x64": operator, first digits of the arithmetic fingerprint, operand shapes.
std::string function_name(const std::string& op, const std::string& fingerprint, const Problem& problem);

/// `module` with `function` (a whole func.func @name) added and the one-line operation that defines `value` ("%3") replaced by a
/// call of it with the operation's own first operands and result. Refuses `emit-unsupported` where the value is not defined
/// exactly once on one line, where its operands or types are not the function's, or where the module already has that function
/// with another text. Every other byte stays.
std::string insert_call(const std::string& module, const std::string& function, const std::string& name,
                        const std::string& value);

}  // namespace bitpact
