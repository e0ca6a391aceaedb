#include "backends/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "backends/spawn.h"
#include "diagnostic/diagnostic.h"

extern char** environ;

namespace bitpact {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kLastWords = 4096;
constexpr milliseconds kShutdownPatience{1000};

void set_flags(int fd, bool nonblocking) {
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (nonblocking) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> whole;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!added.contains(std::string(text.substr(0, text.find('='))))) whole.emplace_back(text);
  }
  for (const auto& [name, value] : added) whole.push_back(name + "=" + value);
  return whole;
}

std::string end_in_words(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

}  // namespace

int OwnedFd::release() { return std::exchange(fd_, -1); }
void OwnedFd::reset() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

WorkerProcess::WorkerProcess(const WorkerCommand& command) {
  int ends[2], words[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    refuse(Code::BackendAbsent, fmt::format("no socket for a worker: {}", std::strerror(errno)));
  }
  socket_ = OwnedFd(ends[0]);
  OwnedFd other_end(ends[1]);
  if (pipe(words) != 0) refuse(Code::BackendAbsent, fmt::format("no pipe for a worker: {}", std::strerror(errno)));
  words_ = OwnedFd(words[0]);
  OwnedFd words_in(words[1]);
  set_flags(socket_.get(), true);
  set_flags(other_end.get(), false);
  set_flags(words_.get(), true);
  set_flags(words_in.get(), false);
  const Spawned spawned = spawn({command.argv, merged_environment(command.environment), other_end.get(), request_arena_.fd(),
                                 answer_arena_.fd(), words_in.get()});
  if (spawned.pid < 0) {
    refuse(Code::BackendAbsent,
           fmt::format("the worker `{}` cannot be started: {}", command.argv.front(), std::strerror(spawned.error)));
  }
  pid_ = spawned.pid;
}

WorkerProcess::~WorkerProcess() {
  try {
    if (alive()) {
      payload_bytes_ = 0;
      exchange({{"request", "shutdown"}}, steady_clock::now() + kShutdownPatience);
      reap(kShutdownPatience);
    }
  } catch (const Refused&) {  // it is ended below, whatever it said
  }
  kill_group();
}

void WorkerProcess::kill_group() {
  if (pid_ < 0 || reaped_) return;  // once the leader is reaped its number may belong to another group
  kill(-pid_, SIGKILL);
  reap(milliseconds(-1));
}

// Only looks; the process is reaped by reap() so that its group can still be named.
bool WorkerProcess::alive() {
  if (pid_ < 0) return false;
  siginfo_t ended{};
  return waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
}

// Waits for the end (without limit where patience is negative), ends what is left of the group, and takes the exit status.
bool WorkerProcess::reap(milliseconds patience) {
  if (reaped_) return true;
  const auto until = steady_clock::now() + patience;
  auto pause = std::chrono::microseconds(50);
  while (alive()) {
    if (patience >= milliseconds(0) && steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(10000));
  }
  kill(-pid_, SIGKILL);
  while (waitpid(pid_, &wait_status_, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  return true;
}

void WorkerProcess::died() {
  if (!reap(milliseconds(500))) {
    kill(-pid_, SIGKILL);
    reap(milliseconds(-1));
    const std::string words = last_words();
    refuse(Code::WorkerDied, "the worker closed its connection" + (words.empty() ? "" : "; its last words: " + words));
  }
  const std::string words = last_words();
  refuse(Code::WorkerDied, fmt::format("the worker {}{}", end_in_words(wait_status_),
                                       words.empty() ? std::string() : "; its last words: " + words));
}

void WorkerProcess::drain_words() {
  std::array<char, 4096> chunk;
  // Bounded, so that a worker that writes without end cannot hold the parent here.
  for (int round = 0; round < 64; ++round) {
    const ssize_t got = read(words_.get(), chunk.data(), chunk.size());
    if (got == 0) words_.reset();  // nobody can write any more
    if (got <= 0) return;
    said_.append(chunk.data(), static_cast<std::size_t>(got));
    if (said_.size() > 2 * kLastWords) said_.erase(0, said_.size() - kLastWords);
  }
}

std::string WorkerProcess::last_words() {
  if (words_.get() >= 0) drain_words();
  std::string line;
  const std::size_t from = said_.size() > kLastWords ? said_.size() - kLastWords : 0;
  for (const char c : said_.substr(from)) {
    if (c == '\n') {
      if (!line.empty() && !line.ends_with(" | ")) line += " | ";
    } else {
      line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  if (line.ends_with(" | ")) line.resize(line.size() - 3);
  return line;
}

void WorkerProcess::wait_for(short events, Deadline deadline) {
  for (;;) {
    std::array<pollfd, 2> watched{pollfd{socket_.get(), events, 0}, pollfd{words_.get(), POLLIN, 0}};
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
    if (left <= 0) {
      kill(-pid_, SIGKILL);
      reap(milliseconds(-1));
      const std::string words = last_words();
      refuse(Code::WorkerTimeout, "no answer in time" + (words.empty() ? "" : "; its last words: " + words));
    }
    const int ready = poll(watched.data(), words_.get() >= 0 ? 2 : 1, static_cast<int>(std::min<std::int64_t>(left, 1 << 30)));
    if (ready < 0 && errno != EINTR) refuse(Code::Internal, fmt::format("poll: {}", std::strerror(errno)));
    if (ready <= 0) continue;
    if (watched[1].revents != 0) drain_words();
    if (watched[0].revents != 0) return;
  }
}

void WorkerProcess::send(std::span<const std::byte> bytes, Deadline deadline) {
#ifdef MSG_NOSIGNAL
  constexpr int kFlags = MSG_NOSIGNAL;
#else
  constexpr int kFlags = 0;
#endif
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), kFlags);
    if (sent > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (sent < 0 && errno == EAGAIN) {
      wait_for(POLLOUT, deadline);
    } else if (sent < 0 && errno != EINTR) {
      died();
    }
  }
}

void WorkerProcess::receive(std::span<std::byte> bytes, Deadline deadline) {
  while (!bytes.empty()) {
    // Straight to poll: at this point the worker has hardly ever answered yet.
    wait_for(POLLIN, deadline);
    const ssize_t got = recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (got > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      died();
    }
  }
}

std::byte* WorkerProcess::request_payload(std::size_t bytes) {
  payload_bytes_ = bytes;
  payload_in_arena_ = bytes > protocol::kInlineLimit;
  if (payload_in_arena_) {
    request_arena_.reserve(bytes);
    return request_arena_.data();
  }
  inline_request_.resize(bytes);
  return inline_request_.data();
}

WorkerFrame WorkerProcess::exchange(const nlohmann::json& request, Deadline deadline) {
  const std::string text = request.dump();
  if (text.size() > protocol::kJsonLimit) refuse(Code::TooLarge, fmt::format("a request of {} bytes of JSON", text.size()));
  protocol::Header header;
  header.id = next_id_++;
  header.json_bytes = static_cast<std::uint32_t>(text.size());
  (payload_in_arena_ ? header.arena_bytes : header.inline_bytes) = payload_bytes_;

  outgoing_.resize(protocol::kHeaderBytes + text.size() + header.inline_bytes);
  protocol::encode(header, std::span<std::byte, protocol::kHeaderBytes>(outgoing_.data(), protocol::kHeaderBytes));
  std::memcpy(outgoing_.data() + protocol::kHeaderBytes, text.data(), text.size());
  if (header.inline_bytes != 0) {
    std::memcpy(outgoing_.data() + protocol::kHeaderBytes + text.size(), inline_request_.data(), header.inline_bytes);
  }
  payload_bytes_ = 0;
  payload_in_arena_ = false;
  send(outgoing_, deadline);

  std::array<std::byte, protocol::kHeaderBytes> raw;
  receive(raw, deadline);
  const protocol::Header answer = protocol::decode(raw);
  if (answer.id != header.id) {
    refuse(Code::WorkerProtocol, fmt::format("the answer has id {}; the request had {}", answer.id, header.id));
  }
  incoming_.resize(answer.json_bytes);
  receive(std::as_writable_bytes(std::span(incoming_)), deadline);
  inline_answer_.resize(answer.inline_bytes);
  receive(inline_answer_, deadline);
  WorkerFrame frame;
  frame.json = protocol::parse_object(incoming_);
  frame.payload_bytes = answer.inline_bytes + answer.arena_bytes;
  frame.payload = inline_answer_.data();
  if (answer.arena_bytes > 0) {
    if (answer.arena_bytes > answer_arena_.size()) {
      refuse(Code::WorkerProtocol,
             fmt::format("the answer's payload has {} bytes; its arena has {}", answer.arena_bytes, answer_arena_.size()));
    }
    frame.payload = answer_arena_.data();
  }
  return frame;
}

}  // namespace bitpact
