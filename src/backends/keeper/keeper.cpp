// bitpact-keeper: starts one worker and leaves nothing of it (protocol.h). Bitpact starts it; it has one thread and no libraries.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/keeper/protocol.h"
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

namespace {

using bitpact::keeper::kControlFd;
using bitpact::keeper::Kind;
using bitpact::keeper::Record;

int child_ended[2];  // a byte for each SIGCHLD, so that poll() sees it

void note_child(int) {
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(child_ended[1], "", 1);
  errno = error;
}

void tell(Kind kind, int value) {
  const Record record{kind, value};
  // SIGPIPE is ignored: where the parent is gone, nobody is left to tell.
  while (write(kControlFd, &record, sizeof record) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void become_worker(long long memory, char** program_and_argv, int report, pid_t keeper) {
  setpgid(0, 0);
#ifdef __linux__
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != keeper) _exit(127);  // should the keeper itself be killed
#else
  (void)keeper;
#endif
  bool ready = true;
  if (memory > 0) {
    const rlimit limit{static_cast<rlim_t>(memory), static_cast<rlim_t>(memory)};
#ifdef __linux__
    ready = setrlimit(RLIMIT_DATA, &limit) == 0;  // heap and every private writable mapping; not code, not the shared arenas
#else
    ready = setrlimit(RLIMIT_AS, &limit) == 0;
#endif
  }
  signal(SIGPIPE, SIG_DFL);
  signal(SIGCHLD, SIG_DFL);
  if (ready) execv(program_and_argv[0], program_and_argv + 1);  // never a shell instead, as execvp would
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(127);
}

// Sends SIGKILL to each child. (The file /proc/.../children is not on every kernel.)
void kill_children() {
#ifdef __linux__
  DIR* processes = opendir("/proc");
  if (processes == nullptr) return;
  const long self = getpid();
  while (const dirent* entry = readdir(processes)) {
    const long pid = std::strtol(entry->d_name, nullptr, 10);
    if (pid <= 0) continue;
    char path[64], stat[512];
    std::snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    const ssize_t size = read(file, stat, sizeof stat - 1);
    close(file);
    if (size <= 0) continue;
    stat[size] = '\0';
    const char* after_name = std::strrchr(stat, ')');  // the name may hold anything
    long parent = 0;
    if (after_name != nullptr && std::sscanf(after_name + 1, " %*c %ld", &parent) == 1 && parent == self) {
      kill(static_cast<pid_t>(pid), SIGKILL);
    }
  }
  closedir(processes);
#endif
}

// Until there is nobody. Each that dies leaves its children to this process, so the last round proves that no descendant is left.
void end_children() {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended < 0 && errno == ECHILD) return;
    if (ended != 0) continue;
    kill_children();
    const timespec moment{0, 200000};
    nanosleep(&moment, nullptr);
  }
}

// Returns when the worker has ended (it is not reaped: its group can still be named), or the parent has gone.
void wait_for_an_end(pid_t worker) {
  for (;;) {
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(worker), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == worker) return;
    pollfd watched[2] = {{kControlFd, POLLIN, 0}, {child_ended[0], POLLIN, 0}};
    if (poll(watched, 2, -1) < 0) continue;
    if (watched[0].revents != 0) return;  // the parent sends nothing, so this is its end
    char bytes[64];
    while (read(child_ended[0], bytes, sizeof bytes) > 0) {
    }
    // Orphans that end by themselves meanwhile are taken, the worker is not.
    for (;;) {
      siginfo_t any{};
      if (waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) != 0 || any.si_pid == 0 || any.si_pid == worker) break;
      waitpid(any.si_pid, nullptr, WNOHANG);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4 || fcntl(kControlFd, F_SETFD, FD_CLOEXEC) != 0) {
    std::fputs("bitpact-keeper: Bitpact starts it, to keep one of its workers\n", stderr);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  close_range(kControlFd + 1, ~0U, 0);  // what the parent has open without saying that it is for itself
#endif
#ifdef __linux__
  prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
  int report[2];
  if (pipe(report) != 0 || pipe(child_ended) != 0) {
    tell(Kind::NotStarted, errno);
    return 1;
  }
  for (const int fd : {report[0], report[1], child_ended[0], child_ended[1]}) fcntl(fd, F_SETFD, FD_CLOEXEC);
  for (const int fd : child_ended) fcntl(fd, F_SETFL, O_NONBLOCK);
  struct sigaction action {};
  action.sa_handler = note_child;
  action.sa_flags = SA_NOCLDSTOP;
  sigaction(SIGCHLD, &action, nullptr);
  const long long memory = std::atoll(argv[1]);
  const pid_t keeper = getpid();
  const pid_t worker = fork();
  if (worker == 0) become_worker(memory, argv + 2, report[1], keeper);
  int error = errno;
  close(report[1]);
  if (worker < 0) {
    tell(Kind::NotStarted, error);
    return 1;
  }
  setpgid(worker, worker);  // as the worker does: whoever comes first
  ssize_t got = 0;
  while ((got = read(report[0], &error, sizeof error)) < 0 && errno == EINTR) {
  }
  close(report[0]);
  if (got == sizeof error) {
    tell(Kind::NotStarted, error);
    waitpid(worker, nullptr, 0);
    return 1;
  }
  // The worker's alone: while the keeper held them, the parent would not see that the worker closed its ends.
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {0, 1, 2}) dup2(nothing, fd);
  for (const int fd : {3, 4, 5}) close(fd);
  tell(Kind::Started, worker);
  wait_for_an_end(worker);
  kill(-worker, SIGKILL);
  int status = 0;
  while (waitpid(worker, &status, 0) < 0 && errno == EINTR) {
  }
  end_children();
  tell(Kind::Ended, status);
  return 0;
}
