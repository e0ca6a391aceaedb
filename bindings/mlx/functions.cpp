#include <numbers>

#include "operators.h"

namespace bitpact::mlx_worker {

void add_functions(Table& table) {
  using Operands = std::vector<mx::array>;
  table["exp"] = {"mlx.exp", 1, true, [](const WorkerCall&, const Operands& x) { return mx::exp(x[0]); }};
  table["exp2"] = {"mlx.power", 1, true,
                   [](const WorkerCall&, const Operands& x) { return mx::power(mx::array(2, x[0].dtype()), x[0]); }};
  table["expm1"] = {"mlx.expm1", 1, true, [](const WorkerCall&, const Operands& x) { return mx::expm1(x[0]); }};
  table["log1p"] = {"mlx.log1p", 1, true, [](const WorkerCall&, const Operands& x) { return mx::log1p(x[0]); }};
  table["log"] = {"mlx.log", 1, true, [](const WorkerCall&, const Operands& x) { return mx::log(x[0]); }};
  table["sigmoid"] = {"mlx.sigmoid", 1, true, [](const WorkerCall&, const Operands& x) { return mx::sigmoid(x[0]); }};
  table["sin"] = {"mlx.sin", 1, true, [](const WorkerCall&, const Operands& x) { return mx::sin(x[0]); }};
  table["cos"] = {"mlx.cos", 1, true, [](const WorkerCall&, const Operands& x) { return mx::cos(x[0]); }};
  table["tanh"] = {"mlx.tanh", 1, true, [](const WorkerCall&, const Operands& x) { return mx::tanh(x[0]); }};
  table["erf"] = {"mlx.erf", 1, true, [](const WorkerCall&, const Operands& x) { return mx::erf(x[0]); }};
  table["ceil"] = {"mlx.ceil", 1, true, [](const WorkerCall&, const Operands& x) { return mx::ceil(x[0]); }};
  table["floor"] = {"mlx.floor", 1, true, [](const WorkerCall&, const Operands& x) { return mx::floor(x[0]); }};
  table["round_nearest_even"] = {"mlx.round", 1, true, [](const WorkerCall&, const Operands& x) { return mx::round(x[0]); }};
  // As mlx.nn.gelu writes it: x * (1 + erf(x / sqrt(2))) / 2, with scalars of the operand's format.
  table["gelu"] = {"mlx.nn.gelu", 1, true, [](const WorkerCall&, const Operands& x) {
                     const auto scalar = [&x](double value) { return mx::array(value, x[0].dtype()); };
                     const mx::array erf = mx::erf(mx::divide(x[0], scalar(std::numbers::sqrt2)));
                     return mx::divide(mx::multiply(x[0], mx::add(scalar(1), erf)), scalar(2));
                   }};
}

}  // namespace bitpact::mlx_worker
