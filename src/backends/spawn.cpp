#include "backends/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>

#include <cerrno>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "backends/protocol.h"

namespace bitpact {

namespace {

// The system's "kill me when my parent goes" is about the parent's *thread*: a worker started from a short-lived thread would be
// killed early. So one thread that lives as long as the process starts them all. It is never joined: the system ends it.
class SpawnThread {
 public:
  static SpawnThread& instance() {
    static auto* thread = new SpawnThread;
    return *thread;
  }
  Spawned run(std::function<Spawned()> work) {
    std::packaged_task<Spawned()> task(std::move(work));
    std::future<Spawned> result = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
    }
    wake_.notify_one();
    Spawned spawned = result.get();
    const std::lock_guard lock(mutex_);  // `task` may go only after the thread has let go of it
    return spawned;
  }
  std::mutex serial;  ///< one request at a time

 private:
  SpawnThread() {
    std::thread([this] {
      std::unique_lock lock(mutex_);
      for (;;) {
        wake_.wait(lock, [this] { return task_ != nullptr; });
        (*std::exchange(task_, nullptr))();
      }
    }).detach();
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::packaged_task<Spawned()>* task_ = nullptr;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// Between fork and exec only async-signal-safe calls are made: the parent may have other threads.
[[noreturn]] void become_worker(const SpawnRequest& request, char* const* argv, char* const* environment, int report,
                                pid_t parent) {
  const auto fail = [report] {
    const int error = errno;
    [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
    _exit(127);
  };
  setpgid(0, 0);
#ifdef __linux__
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail();
  if (getppid() != parent) _exit(127);
#else
  (void)parent;
#endif
  // First above the protocol's descriptors, so that no dup2 closes one that is still needed.
  constexpr int kAbove = 16;
  const int wanted[] = {request.words, request.words, request.socket, request.request_arena, request.answer_arena};
  const int targets[] = {1, 2, protocol::kSocketFd, protocol::kRequestArenaFd, protocol::kAnswerArenaFd};
  int moved[5];
  for (int i = 0; i < 5; ++i) {
    if ((moved[i] = fcntl(wanted[i], F_DUPFD_CLOEXEC, kAbove)) < 0) fail();
  }
  const int moved_report = fcntl(report, F_DUPFD_CLOEXEC, kAbove);
  if (moved_report < 0) fail();
  report = moved_report;
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || (nothing != 0 && dup2(nothing, 0) < 0)) fail();
  for (int i = 0; i < 5; ++i) {
    if (dup2(moved[i], targets[i]) < 0) fail();
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  environ = const_cast<char**>(environment);
  execvp(argv[0], argv);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(127);
}

Spawned fork_and_exec(const SpawnRequest& request) {
  int report[2];
#ifdef __linux__
  if (pipe2(report, O_CLOEXEC) != 0) return {-1, errno};
#else
  if (pipe(report) != 0) return {-1, errno};
  fcntl(report[0], F_SETFD, FD_CLOEXEC);
  fcntl(report[1], F_SETFD, FD_CLOEXEC);
#endif
  const std::vector<char*> argv = pointers(request.argv), environment = pointers(request.environment);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become_worker(request, argv.data(), environment.data(), report[1], parent);
  const int fork_error = errno;
  close(report[1]);
  Spawned spawned{pid, pid < 0 ? fork_error : 0};
  if (pid > 0) {
    setpgid(pid, pid);  // as the child does: whoever comes first
    int error = 0;
    ssize_t got = 0;
    while ((got = read(report[0], &error, sizeof error)) < 0 && errno == EINTR) {
    }
    if (got == sizeof error) {
      while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
      spawned = {-1, error};
    }
  }
  close(report[0]);
  return spawned;
}

}  // namespace

Spawned spawn(const SpawnRequest& request) {
  SpawnThread& thread = SpawnThread::instance();
  const std::lock_guard one_at_a_time(thread.serial);
  return thread.run([&request] { return fork_and_exec(request); });
}

}  // namespace bitpact
