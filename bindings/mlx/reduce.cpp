#include <cstdlib>

#include "operators.h"

namespace bitpact::mlx_worker {

namespace {

int axis_of(const WorkerCall& call) {
  const auto axis = call.attributes.find("axis");
  return axis == call.attributes.end() ? -1 : std::atoi(axis->second.c_str());
}

bool given(const WorkerCall& call, const std::string& attribute) {
  const auto found = call.attributes.find(attribute);
  return found != call.attributes.end() && found->second == "true";
}

}  // namespace

void add_reductions(Table& table) {
  using Operands = std::vector<mx::array>;
  table["sum"] = {"mlx.sum", 1, false, [](const WorkerCall& call, const Operands& x) { return mx::sum(x[0], axis_of(call)); }};
  table["max"] = {"mlx.max", 1, false, [](const WorkerCall& call, const Operands& x) { return mx::max(x[0], axis_of(call)); }};
  table["mean"] = {"mlx.mean", 1, true, [](const WorkerCall& call, const Operands& x) { return mx::mean(x[0], axis_of(call)); }};
  table["cumsum"] = {"mlx.cumsum", 1, false, [](const WorkerCall& call, const Operands& x) {
                       return mx::cumsum(x[0], axis_of(call), given(call, "reverse"), !given(call, "exclusive"));
                     }};
  // MLX gives an index as uint32.
  table["argmax"] = {"mlx.argmax+mlx.astype", 1, false, [](const WorkerCall& call, const Operands& x) {
                       return mx::astype(mx::argmax(x[0], axis_of(call)), dtype_of(call.results.at(0).format));
                     }};
}

}  // namespace bitpact::mlx_worker
