#include "backends/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "backends/keeper/protocol.h"
#include "backends/owned_fd.h"
#include "backends/protocol.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {

namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

bool is_folder(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// What keeps `path` from being executed: an errno, 0 where nothing is seen.
int obstacle(const std::string& path) {
  if (is_folder(path)) return EISDIR;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

[[noreturn]] void refuse_program(const std::string& program, int error) {
  const auto is = [&](Code code, std::string_view why) { refuse(code, fmt::format("the worker `{}` {}", program, why)); };
  if (error == ENOENT && access(program.c_str(), F_OK) == 0) {
    is(Code::WorkerMissing, "is there, but the interpreter or loader that it names is not");
  }
  if (error == ENOENT || error == ENOTDIR) is(Code::WorkerMissing, "is not there: No such file or directory");
  if (error == ENOEXEC) is(Code::WorkerNotExecutable, "is neither a program for this machine nor a script that begins with #!");
  if (error == ENOMEM) is(Code::WorkerOutOfMemory, "cannot be started: Cannot allocate memory");
  is(Code::WorkerNotExecutable, fmt::format("cannot be executed: {}", std::strerror(error)));
  std::abort();  // not reached
}

// Above every number that is about to be given away, so that no dup2 closes one that is still needed.
OwnedFd above(int fd) {
  constexpr int kAbove = 16;
  return OwnedFd(fcntl(fd, F_DUPFD_CLOEXEC, kAbove));
}

[[noreturn]] void no_keeper(int error) {
  refuse(Code::BackendAbsent, fmt::format("the process that keeps a worker cannot be started: {}", std::strerror(error)));
}

pid_t start_keeper(const SpawnRequest& request, int control) {
  const std::array<OwnedFd, 5> held{above(request.words), above(request.socket), above(request.request_arena),
                                    above(request.answer_arena), above(control)};
  const std::array<std::pair<int, int>, 6> given{{{0, 1},
                                                  {0, 2},
                                                  {1, protocol::kSocketFd},
                                                  {2, protocol::kRequestArenaFd},
                                                  {3, protocol::kAnswerArenaFd},
                                                  {4, keeper::kControlFd}}};
  for (const OwnedFd& fd : held) {
    if (fd.get() < 0) no_keeper(errno);
  }
  std::vector<std::string> words{request.keeper, std::to_string(request.memory_bytes), request.program};
  words.insert(words.end(), request.argv.begin(), request.argv.end());
  const std::vector<char*> argv = pointers(words), environment = pointers(request.environment);

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  for (const auto& [from, to] : given) posix_spawn_file_actions_adddup2(&files, held[static_cast<std::size_t>(from)].get(), to);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);  // a terminal's interrupt is for this process, not for the keeper
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, request.keeper.c_str(), &files, &attributes, argv.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) no_keeper(error);
  return pid;
}

}  // namespace

std::string resolve_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (const int error = obstacle(name); error != 0) refuse_program(name, error);
    return name;
  }
  const char* given = std::getenv("PATH");
  std::string_view path = given != nullptr ? given : "/usr/local/bin:/usr/bin:/bin";
  int seen = ENOENT;
  for (bool more = true; more;) {
    const std::size_t end = path.find(':');
    const std::string folder(path.substr(0, end));
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    const int error = obstacle(candidate);
    if (error == 0) return candidate;
    if (error == EACCES) seen = EACCES;
    more = end != std::string_view::npos;
    if (more) path.remove_prefix(end + 1);
  }
  if (seen == EACCES) refuse_program(name, EACCES);
  refuse(Code::WorkerMissing, fmt::format("the worker `{}` is in no folder of PATH: No such file or directory", name));
}

Spawned spawn(const SpawnRequest& request) {
  int ends[2];
#ifdef __linux__
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) no_keeper(errno);
#else
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) no_keeper(errno);
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
#endif
  OwnedFd control(ends[0]);
  Spawned spawned;
  {
    const OwnedFd other_end(ends[1]);
    spawned.keeper = start_keeper(request, other_end.get());
  }
  keeper::Record record{};
  ssize_t got = 0;
  while ((got = recv(control.get(), &record, sizeof record, MSG_WAITALL)) < 0 && errno == EINTR) {
  }
  if (got == sizeof record && record.kind == keeper::Kind::Started) {
    spawned.worker = record.value;
    spawned.control = control.release();
    return spawned;
  }
  const int error = got == sizeof record ? record.value : ECHILD;
  while (waitpid(spawned.keeper, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (got != sizeof record) no_keeper(error);
  refuse_program(request.program, error);
}

}  // namespace bitpact
