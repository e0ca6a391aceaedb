// One worker process: started, talked to, ended. Whatever it does, the caller gets an answer or a refusal in time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "backends/owned_fd.h"
#include "backends/protocol.h"
#include "backends/shared_arena.h"

namespace bitpact {

struct WorkerCommand {
  std::vector<std::string> argv;                   ///< argv[0] is looked up in PATH where it has no slash
  std::map<std::string, std::string> environment;  ///< added to the parent's
};

struct WorkerLimits {
  std::int64_t memory_bytes = 0;         ///< private memory, set in the worker before its program begins; 0: none
  std::int64_t output_bytes = 16 << 20;  ///< JSON of one answer; and what is written to stdout and stderr meanwhile
};

/// An answer's frame; `payload` points at its bytes (inline or in the arena) until the next exchange.
struct WorkerFrame {
  nlohmann::json json;
  const std::byte* payload = nullptr;
  std::size_t payload_bytes = 0;
};

class WorkerProcess {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  /// `keeper` is the path of bitpact-keeper. Refuses what spawn() refuses.
  WorkerProcess(const WorkerCommand& command, const std::string& keeper, const WorkerLimits& limits);
  /// Asks it to go, waits a moment, ends it and all that descends from it.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Room for a request's payload, to be filled before `exchange`: in the arena where it is large.
  std::byte* request_payload(std::size_t bytes);
  /// Room that the worker may need for the answer.
  void reserve_answer(std::size_t bytes) { answer_arena_.reserve(bytes); }

  /// Sends one request (with the payload last asked for) and waits for its answer. Refuses `worker-died`, `worker-out-of-memory`,
  /// `worker-timeout`, `worker-flood`, `worker-wrong-id`, `worker-version`, `worker-protocol`; the process is then of no further
  /// use. `late` is what a timeout says.
  WorkerFrame exchange(const nlohmann::json& request, Deadline deadline, const std::string& late);

  /// Ends it at once, with all that descends from it.
  void kill();

  /// False where it has ended.
  bool alive();
  pid_t pid() const { return pid_; }
  /// The end of what it wrote to stdout and stderr, on one line.
  std::string last_words();

 private:
  void send(std::span<const std::byte> bytes, Deadline deadline);
  void receive(std::span<std::byte> bytes, Deadline deadline);
  /// Waits until the socket is ready for `events`, draining what the worker writes to stderr meanwhile.
  void wait_for(short events, Deadline deadline);
  void drain_words();
  void refuse_stray_bytes();
  [[noreturn]] void died();
  bool reap(std::chrono::milliseconds patience);
  void take_records();
  std::string ended_words();

  WorkerLimits limits_;
  pid_t pid_ = -1, keeper_ = -1;
  bool gone_ = false;               ///< the keeper has ended, so nothing is left
  std::optional<int> wait_status_;  ///< of the worker, where the keeper told it
  std::int64_t kills_before_ = -1;  ///< the system's count of processes killed for want of memory, at the start
  OwnedFd socket_, words_, control_;
  SharedArena request_arena_ = SharedArena::create();
  SharedArena answer_arena_ = SharedArena::create();
  std::string said_;             ///< the end of it
  std::int64_t said_since_ = 0;  ///< bytes since the request was sent
  std::string late_;
  std::uint64_t next_id_ = 1;
  std::vector<std::byte> inline_request_, inline_answer_;
  std::size_t payload_bytes_ = 0;
  bool payload_in_arena_ = false;
  std::vector<std::byte> outgoing_;
  std::string incoming_;
};

}  // namespace bitpact
