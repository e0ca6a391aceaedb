#include <cstdlib>

#include "operators.h"

namespace bitpact::mlx_worker {

namespace {

int axis_of(const WorkerCall& call) {
  const auto axis = call.attributes.find("axis");
  return axis == call.attributes.end() ? -1 : std::atoi(axis->second.c_str());
}

}  // namespace

void add_reductions(Table& table) {
  using Operands = std::vector<mx::array>;
  table["sum"] = {"mlx.sum", 1, false, [](const WorkerCall& call, const Operands& x) { return mx::sum(x[0], axis_of(call)); }};
  table["max"] = {"mlx.max", 1, false, [](const WorkerCall& call, const Operands& x) { return mx::max(x[0], axis_of(call)); }};
  // MLX gives an index as uint32.
  table["argmax"] = {"mlx.argmax+mlx.astype", 1, false, [](const WorkerCall& call, const Operands& x) {
                       return mx::astype(mx::argmax(x[0], axis_of(call)), dtype_of(call.results.at(0).format));
                     }};
}

}  // namespace bitpact::mlx_worker
