// Starts a worker with the descriptors of the worker protocol, under a keeper (keeper/protocol.h) that leaves nothing of it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bitpact {

/// Path of the program that `name` means: a path where it has a slash, else looked up in PATH. Refuses `worker-missing`,
/// `worker-not-executable`.
std::string resolve_program(const std::string& name);

struct SpawnRequest {
  std::string keeper;                                      ///< path of bitpact-keeper
  std::string program;                                     ///< path
  std::vector<std::string> argv;                           ///< argv[0] is what the worker sees as its name
  std::vector<std::string> environment;                    ///< whole, "NAME=value"
  int socket = -1, request_arena = -1, answer_arena = -1;  ///< become descriptors 3, 4, 5
  int words = -1;                                          ///< becomes 1 and 2
  std::int64_t memory_bytes = 0;                           ///< limit; 0: none
};

struct Spawned {
  pid_t keeper = -1;  ///< this process's child
  pid_t worker = -1;  ///< the keeper's child, leader of a process group of its own
  int control = -1;   ///< the keeper's records come here; closing it ends worker and keeper
};

/// Refuses `worker-missing` (also where a script's interpreter is), `worker-not-executable`, `worker-out-of-memory`,
/// `backend-absent` (the keeper cannot be started: too many processes, say).
Spawned spawn(const SpawnRequest& request);

}  // namespace bitpact
