#include "probe/constants.h"

#include "number/arithmetic.h"
#include "number/layout.h"

namespace bitpact {

std::vector<Bits> negative_zeros(const Resolved& problem) {
  constexpr Bits kOne = 0x3ff0000000000000;  // in f64
  std::vector<Bits> constants;
  for (const OperandSpec& operand : problem.problem.operands) {
    if (!is_float(operand.format)) return {};
    const Bits minus = layout(operand.format).sign;
    const bool zero = minus != 0 && classify(operand.format, minus) == Class::Zero;
    if (constants.empty() && !zero) return {};
    constants.push_back(constants.empty() ? minus : convert({Format::F64, kOne}, operand.format));
  }
  return constants;
}

std::vector<Tensor> constant_operands(const Resolved& problem, const std::vector<Bits>& constants) {
  std::vector<Tensor> operands;
  for (size_t o = 0; o < constants.size(); ++o) {
    const OperandSpec& spec = problem.problem.operands[o];
    operands.emplace_back(spec.format, spec.shape);
    for (std::int64_t i = 0; i < operands.back().size(); ++i) operands.back().set(i, constants[o]);
  }
  return operands;
}

}  // namespace bitpact
