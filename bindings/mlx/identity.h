// Who computes: MLX's version, the very libraries that are loaded, the machine.
#pragma once

#include <string>

#include "contract/contract.h"

namespace bitpact::mlx_worker {

/// `device` is "cpu" or "gpu". Reads the libraries from the process's own map, so it must be asked in the process that runs them.
Identity identity(const std::string& device);

}  // namespace bitpact::mlx_worker
