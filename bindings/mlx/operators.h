// The operators that the MLX worker carries, each exactly one expression of MLX's own API. mx::compile is never used.
#pragma once

#include <mlx/mlx.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/worker_host.h"

namespace bitpact::mlx_worker {

namespace mx = mlx::core;

/// Builds the (unevaluated) result.
using Build = std::function<mx::array(const WorkerCall& call, const std::vector<mx::array>& operands)>;

struct Entry {
  std::string tag;  ///< what really runs, e.g. "mlx.matmul"
  std::size_t operands = 0;
  bool float_only = true;
  Build build;
};

/// One line a family in main.cpp.
using Table = std::map<std::string, Entry>;
void add_matmul(Table& table);
void add_elementwise(Table& table);
void add_functions(Table& table);
void add_rearrangements(Table& table);
void add_reductions(Table& table);

/// Refuses `backend-lacks-format` where MLX has no such format.
mx::Dtype dtype_of(Format format);

}  // namespace bitpact::mlx_worker
