// One worker process: started, talked to, ended. Whatever it does, the caller gets an answer or a refusal in time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backends/protocol.h"
#include "backends/shared_arena.h"

namespace bitpact {

/// A file descriptor that closes itself.
class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(other.release()) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OwnedFd() { reset(); }
  int get() const { return fd_; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

struct WorkerCommand {
  std::vector<std::string> argv;                   ///< argv[0] is looked up in PATH where it has no slash
  std::map<std::string, std::string> environment;  ///< added to the parent's
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

  /// Refuses `backend-absent` where the command cannot be executed.
  explicit WorkerProcess(const WorkerCommand& command);
  /// Asks it to go, waits a moment, ends its whole process group.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Room for a request's payload, to be filled before `exchange`: in the arena where it is large.
  std::byte* request_payload(std::size_t bytes);
  /// Room that the worker may need for the answer.
  void reserve_answer(std::size_t bytes) { answer_arena_.reserve(bytes); }

  /// Sends one request (with the payload last asked for) and waits for its answer. Refuses `worker-died`, `worker-timeout`,
  /// `worker-protocol`; the process is then of no further use.
  WorkerFrame exchange(const nlohmann::json& request, Deadline deadline);

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
  [[noreturn]] void died();
  void kill_group();
  bool reap(std::chrono::milliseconds patience);

  pid_t pid_ = -1;
  bool reaped_ = false;
  int wait_status_ = 0;
  OwnedFd socket_, words_;
  SharedArena request_arena_ = SharedArena::create();
  SharedArena answer_arena_ = SharedArena::create();
  std::string said_;
  std::uint64_t next_id_ = 1;
  std::vector<std::byte> inline_request_, inline_answer_;
  std::size_t payload_bytes_ = 0;
  bool payload_in_arena_ = false;
  std::vector<std::byte> outgoing_;
  std::string incoming_;
};

}  // namespace bitpact
