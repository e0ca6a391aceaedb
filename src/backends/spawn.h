// Starts a process with the descriptors of the worker protocol.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace bitpact {

struct SpawnRequest {
  std::vector<std::string> argv;
  std::vector<std::string> environment;                    ///< whole, "NAME=value"
  int socket = -1, request_arena = -1, answer_arena = -1;  ///< become descriptors 3, 4, 5
  int words = -1;                                          ///< becomes 1 and 2
};

struct Spawned {
  pid_t pid = -1;
  int error = 0;  ///< errno of a failed fork or exec; then there is no process
};

/// The child leads a process group of its own and is killed by the system when this process ends.
Spawned spawn(const SpawnRequest& request);

}  // namespace bitpact
