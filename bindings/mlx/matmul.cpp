#include "operators.h"

namespace bitpact::mlx_worker {

namespace {

// A transposed operand is given to MLX as the view that its users write, not copied into order first.
mx::array seen(const WorkerCall& call, const std::string& attribute, const mx::array& operand) {
  const auto given = call.attributes.find(attribute);
  const bool transposed = given != call.attributes.end() && given->second == "true";
  return transposed ? mx::swapaxes(operand, -1, -2) : operand;
}

}  // namespace

void add_matmul(Table& table) {
  table["matmul"] = {"mlx.matmul", 2, true, [](const WorkerCall& call, const std::vector<mx::array>& x) {
                       return mx::matmul(seen(call, "transpose_a", x[0]), seen(call, "transpose_b", x[1]));
                     }};
  table["dot"] = {"mlx.matmul", 2, true,
                  [](const WorkerCall&, const std::vector<mx::array>& x) { return mx::matmul(x[0], x[1]); }};
}

}  // namespace bitpact::mlx_worker
