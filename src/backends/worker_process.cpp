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
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include "backends/keeper/protocol.h"
#include "backends/spawn.h"
#include "diagnostic/diagnostic.h"

extern char** environ;

namespace bitpact {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kLastWords = 4096;
constexpr milliseconds kShutdownPatience{1000};

// From the start where the system can: another thread may be starting a process.
#ifdef __linux__
constexpr int kCloseOnExec = SOCK_CLOEXEC;
int pipe_close_on_exec(int* ends) { return pipe2(ends, O_CLOEXEC); }
#else
constexpr int kCloseOnExec = 0;
int pipe_close_on_exec(int* ends) { return pipe(ends); }
#endif

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

// How many processes the system has killed for want of memory since it started; -1 where it does not say.
std::int64_t kills_for_memory() {
#ifdef __linux__
  std::ifstream counters("/proc/vmstat");
  for (std::string name, value; counters >> name >> value;) {
    if (name == "oom_kill") return std::strtoll(value.c_str(), nullptr, 10);
  }
#endif
  return -1;
}

// What a program says that ends because an allocation failed: C++, Python, glibc's loader, LLVM, XLA.
std::string_view says_no_memory(std::string_view words) {
  for (const std::string_view phrase : {"bad_alloc", "MemoryError", "out of memory", "Out of memory", "Out Of Memory",
                                        "Cannot allocate memory", "cannot allocate memory", "Unable to allocate"}) {
    if (words.find(phrase) != std::string_view::npos) return phrase;
  }
  return {};
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerCommand& command, const std::string& keeper, const WorkerLimits& limits)
    : limits_(limits) {
  const std::string program = resolve_program(command.argv.front());
  int ends[2], words[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | kCloseOnExec, 0, ends) != 0) {
    refuse(Code::BackendAbsent, fmt::format("no socket for a worker: {}", std::strerror(errno)));
  }
  socket_ = OwnedFd(ends[0]);
  OwnedFd other_end(ends[1]);
  if (pipe_close_on_exec(words) != 0) {
    refuse(Code::BackendAbsent, fmt::format("no pipe for a worker: {}", std::strerror(errno)));
  }
  words_ = OwnedFd(words[0]);
  OwnedFd words_in(words[1]);
  set_flags(socket_.get(), true);
  set_flags(other_end.get(), false);
  set_flags(words_.get(), true);
  set_flags(words_in.get(), false);
#ifdef SO_NOSIGPIPE
  const int yes = 1;
  setsockopt(socket_.get(), SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
  kills_before_ = kills_for_memory();
  const Spawned spawned = spawn({keeper, program, command.argv, merged_environment(command.environment), other_end.get(),
                                 request_arena_.fd(), answer_arena_.fd(), words_in.get(), limits.memory_bytes});
  pid_ = spawned.worker;
  keeper_ = spawned.keeper;
  control_ = OwnedFd(spawned.control);
  set_flags(control_.get(), true);
}

WorkerProcess::~WorkerProcess() {
  try {
    if (alive()) {
      payload_bytes_ = 0;
      exchange({{"request", "shutdown"}}, steady_clock::now() + kShutdownPatience, "");
      reap(kShutdownPatience);
    }
  } catch (...) {  // it is ended below, whatever it said
  }
  kill();
}

void WorkerProcess::kill() {
  if (pid_ < 0 || gone_) return;
  shutdown(control_.get(), SHUT_WR);  // not closed: the keeper still says how the worker ended
  reap(milliseconds(-1));
}

void WorkerProcess::take_records() {
  if (gone_) return;
  keeper::Record record{};
  ssize_t got = 0;
  while ((got = recv(control_.get(), &record, sizeof record, 0)) < 0 && errno == EINTR) {
  }
  if (got < 0) return;
  if (got == sizeof record && record.kind == keeper::Kind::Ended) wait_status_ = record.value;
  // The record is the keeper's last word; without it the connection has ended, because somebody killed the keeper.
  while (waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
  }
  gone_ = true;
}

// The worker may be a moment from being reported; what is asked of it then ends as `worker-died`.
bool WorkerProcess::alive() {
  if (pid_ < 0) return false;
  take_records();
  return !gone_;
}

// Waits until nothing of the worker is left, without limit where patience is negative.
bool WorkerProcess::reap(milliseconds patience) {
  const auto until = steady_clock::now() + patience;
  while (alive()) {
    pollfd watched{control_.get(), POLLIN, 0};
    const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now()).count();
    if (patience >= milliseconds(0) && left <= 0) return false;
    poll(&watched, 1, patience < milliseconds(0) ? -1 : static_cast<int>(left));
  }
  return true;
}

std::string WorkerProcess::ended_words() {
  const std::string words = last_words();
  return words.empty() ? std::string() : "; its last words: " + words;
}

void WorkerProcess::died() {
  const bool by_itself = reap(milliseconds(500));
  if (!by_itself) kill();
  const std::string words = ended_words();
  if (!by_itself || !wait_status_) {
    refuse(Code::WorkerDied,
           (by_itself ? "the process that keeps the worker was ended" : "the worker closed its connection") + words);
  }
  const std::string end = end_in_words(*wait_status_);
  const bool killed = WIFSIGNALED(*wait_status_) && WTERMSIG(*wait_status_) == SIGKILL;
  const bool clean = WIFEXITED(*wait_status_) && WEXITSTATUS(*wait_status_) == 0;
  // Only of what it said since this request.
  const std::string since =
      said_.substr(said_.size() - std::min<std::size_t>(said_.size(), static_cast<std::size_t>(said_since_)));
  if (const std::string_view phrase = says_no_memory(since); !phrase.empty() && !clean) {
    refuse(Code::WorkerOutOfMemory, fmt::format("the worker {} after it said `{}`{}", end, phrase, words));
  }
  if (killed && kills_before_ >= 0 && kills_for_memory() > kills_before_) {
    refuse(Code::WorkerOutOfMemory,
           fmt::format("the worker {}, and since it was started the system has killed for want of memory{}", end, words));
  }
  std::string doubt;
  if (killed) {
    doubt = kills_before_ >= 0 ? ", by somebody: the system has killed nothing for want of memory"
                               : ", by somebody or for want of memory: this system does not say which";
  } else if (limits_.memory_bytes > 0 && !clean) {
    doubt = fmt::format("; whether its limit of {} bytes of memory ended it cannot be told", limits_.memory_bytes);
  }
  refuse(Code::WorkerDied, fmt::format("the worker {}{}{}", end, doubt, words));
}

void WorkerProcess::drain_words() {
  std::array<char, 4096> chunk;
  // Bounded, so that a worker that writes without end cannot hold the parent here.
  for (int round = 0; round < 64; ++round) {
    const ssize_t got = read(words_.get(), chunk.data(), chunk.size());
    if (got == 0) words_.reset();  // nobody can write any more
    if (got <= 0) return;
    said_.append(chunk.data(), static_cast<std::size_t>(got));
    said_since_ += got;
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
      kill();
      refuse(Code::WorkerTimeout, late_ + ended_words());
    }
    const int ready = poll(watched.data(), words_.get() >= 0 ? 2 : 1, static_cast<int>(std::min<std::int64_t>(left, 1 << 30)));
    if (ready < 0 && errno != EINTR) refuse(Code::Internal, fmt::format("poll: {}", std::strerror(errno)));
    if (ready <= 0) continue;
    if (watched[1].revents != 0) drain_words();
    if (said_since_ > limits_.output_bytes) {
      kill();
      refuse(Code::WorkerFlood, fmt::format("it wrote more than {} bytes to stdout and stderr during one request{}",
                                            limits_.output_bytes, ended_words()));
    }
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

// Nothing may come that no request asked for. (An end of the connection is noticed when the answer is waited for.)
void WorkerProcess::refuse_stray_bytes() {
  std::byte stray;
  if (recv(socket_.get(), &stray, 1, MSG_PEEK) > 0) refuse(Code::WorkerFlood, "it sent bytes that no request asked for");
}

WorkerFrame WorkerProcess::exchange(const nlohmann::json& request, Deadline deadline, const std::string& late) {
  late_ = late;
  said_since_ = 0;
  refuse_stray_bytes();
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
    refuse(Code::WorkerWrongId, fmt::format("the answer has id {}; the request had {}", answer.id, header.id));
  }
  if (answer.json_bytes > static_cast<std::uint64_t>(limits_.output_bytes)) {
    refuse(Code::WorkerFlood,
           fmt::format("the answer has {} bytes of JSON; at most {} are taken", answer.json_bytes, limits_.output_bytes));
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
  refuse_stray_bytes();
  return frame;
}

}  // namespace bitpact
