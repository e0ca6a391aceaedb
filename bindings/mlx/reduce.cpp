#include <cstdlib>

#include "operators.h"

namespace bitpact::mlx_worker {

void add_reductions(Table& table) {
  table["sum"] = {"mlx.sum", 1, false, [](const WorkerCall& call, const std::vector<mx::array>& x) {
                    const auto axis = call.attributes.find("axis");
                    return mx::sum(x[0], axis == call.attributes.end() ? -1 : std::atoi(axis->second.c_str()),
                                   /*keepdims=*/false);
                  }};
}

}  // namespace bitpact::mlx_worker
