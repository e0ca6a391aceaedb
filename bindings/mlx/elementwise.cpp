#include "operators.h"

namespace bitpact::mlx_worker {

void add_elementwise(Table& table) {
  using Operands = std::vector<mx::array>;
  table["add"] = {"mlx.add", 2, false, [](const WorkerCall&, const Operands& x) { return mx::add(x[0], x[1]); }};
  table["residual_add"] = {"mlx.add", 2, false, [](const WorkerCall&, const Operands& x) { return mx::add(x[0], x[1]); }};
  table["multiply"] = {"mlx.multiply", 2, false, [](const WorkerCall&, const Operands& x) { return mx::multiply(x[0], x[1]); }};
  table["multiply_add"] = {"mlx.multiply+mlx.add", 3, false,
                           [](const WorkerCall&, const Operands& x) { return mx::add(mx::multiply(x[0], x[1]), x[2]); }};
  table["divide"] = {"mlx.divide", 2, true, [](const WorkerCall&, const Operands& x) { return mx::divide(x[0], x[1]); }};
  table["reciprocal"] = {"mlx.reciprocal", 1, true, [](const WorkerCall&, const Operands& x) { return mx::reciprocal(x[0]); }};
  table["sqrt"] = {"mlx.sqrt", 1, true, [](const WorkerCall&, const Operands& x) { return mx::sqrt(x[0]); }};
  table["rsqrt"] = {"mlx.rsqrt", 1, true, [](const WorkerCall&, const Operands& x) { return mx::rsqrt(x[0]); }};
  table["multiply_subtract"] = {"mlx.multiply+mlx.subtract", 4, false, [](const WorkerCall&, const Operands& x) {
                                  return mx::subtract(mx::multiply(x[0], x[1]), mx::multiply(x[2], x[3]));
                                }};
  table["convert"] = {"mlx.astype", 1, false, [](const WorkerCall& call, const Operands& x) {
                        const auto via = call.attributes.find("via");
                        const mx::array between =
                            via == call.attributes.end() ? x[0] : mx::astype(x[0], dtype_of(parse_format(via->second)));
                        return mx::astype(between, dtype_of(call.results.at(0).format));
                      }};
}

}  // namespace bitpact::mlx_worker
