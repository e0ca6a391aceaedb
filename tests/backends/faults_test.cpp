// Every fault that a worker can have, injected: each has its own diagnostic, in time; nothing stays behind; the next request
// works.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "support.h"

namespace bitpact {
namespace {

using testing::numbers;
using testing::refusal;
using testing::same_bits;
using testing::spec_of;
using testing::Traces;

struct Fault {
  const char* name;
  Code code;
  const char* part;  ///< of the reason
  double timeout = 30;
  std::int64_t memory = 0;  ///< limit
  bool stays = false;       ///< it was an answer: the process goes on
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class Faulty : public ::testing::TestWithParam<Fault> {
 protected:
  void SetUp() override {
    mark_ = std::filesystem::temp_directory_path() / fmt::format("bitpact-fault-{}-{}", getpid(), GetParam().name);
    std::filesystem::remove(mark_);
  }
  void TearDown() override { std::filesystem::remove(mark_); }
  std::unique_ptr<Backend> open() const {
    const std::string command =
        fmt::format("{} {}/faulty_worker.py {} {}", locate_python(), testing::tests_folder(), GetParam().name, mark_.string());
    BackendSettings settings;
    settings.timeout_seconds = GetParam().timeout;
    settings.worker_memory_bytes = GetParam().memory;
    settings.worker_output_bytes = 4 << 20;
    return open_backend(BackendSpec{"worker", command, {}}, settings);
  }
  std::filesystem::path mark_;
};

TEST_P(Faulty, IsNamedLeavesNothingAndTheNextRequestWorks) {
  const Traces before = testing::traces(mark_);
  std::unique_ptr<Backend> backend = open();
  const Traces opened = testing::traces(mark_);
  EXPECT_EQ(opened.children, before.children + 1);  // its keeper
  EXPECT_EQ(opened.marked, before.marked + 2);      // keeper and worker
  const Tensor a = numbers({8});
  const auto ask = [&] {
    return backend->call_operator({"add", {spec_of(a), spec_of(a)}, {}}, {spec_of(a)}, std::vector{a, a}, {});
  };
  const auto begin = std::chrono::steady_clock::now();
  const Diagnostic seen = refusal([&] { ask(); });
  EXPECT_EQ(testing::code_name(seen.code), testing::code_name(GetParam().code)) << seen.reason;
  EXPECT_NE(seen.reason.find(GetParam().part), std::string::npos) << seen.reason;
  EXPECT_LT(seen.reason.size(), 5000u);
  EXPECT_NE(seen.op.find("add"), std::string::npos);
  EXPECT_NE(seen.backend.find("worker:"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  const Traces after = testing::traces(mark_);
  EXPECT_EQ(after.marked, GetParam().stays ? 2u : 0u);
  EXPECT_EQ(after.children, before.children + (GetParam().stays ? 1 : 0));
  EXPECT_EQ(after.in_memory, before.in_memory);
  EXPECT_TRUE(same_bits(ask().results[0], a));
  EXPECT_EQ(testing::traces(mark_), opened);
  backend.reset();
  EXPECT_EQ(testing::traces(mark_), before);
}

constexpr std::int64_t kMiB = 1 << 20;

INSTANTIATE_TEST_SUITE_P(
    All, Faulty,
    ::testing::Values(
        // It crashes.
        Fault{"dies", Code::WorkerDied, "status 7; its last words: goodbye, cruel world"},
        Fault{"aborts", Code::WorkerDied, "signal 6"}, Fault{"crashes", Code::WorkerDied, "signal 11"},
        Fault{"is-killed", Code::WorkerDied, "signal 9"}, Fault{"leaves", Code::WorkerDied, "status 0"},
        Fault{"hangs-up", Code::WorkerDied, "closed its connection"}, Fault{"truncated", Code::WorkerDied, "status 0"},
        Fault{"dies-with-children", Code::WorkerDied, "status 7"},
        // It hangs.
        Fault{"hangs", Code::WorkerTimeout, "a request may take 2 s (--timeout)", 2},
        Fault{"stops", Code::WorkerTimeout, "no answer in time", 2}, Fault{"drips", Code::WorkerTimeout, "no answer in time", 2},
        // It floods.
        Fault{"floods", Code::WorkerDied, "printed to stdout"},
        Fault{"floods-stderr", Code::WorkerFlood, "more than 4194304 bytes"},
        Fault{"floods-stdout", Code::WorkerFlood, "more than 4194304 bytes"},
        Fault{"floods-socket", Code::WorkerProtocol, "begins with"}, Fault{"long-json", Code::WorkerFlood, "bytes of JSON"},
        Fault{"answers-twice", Code::WorkerFlood, "no request asked for"},
        // It answers something else.
        Fault{"wrong-id", Code::WorkerWrongId, "has id"}, Fault{"no-id", Code::WorkerWrongId, "has id 0"},
        Fault{"wrong-shape", Code::WorkerWrongResult, "3xf32 instead of 8xf32"},
        Fault{"wrong-rank", Code::WorkerWrongResult, "2x4xf32 instead of 8xf32"},
        Fault{"wrong-format", Code::WorkerWrongResult, "8xi32 instead of 8xf32"},
        Fault{"no-results", Code::WorkerWrongResult, "no result instead of"},
        Fault{"more-results", Code::WorkerWrongResult, "8xf32,8xf32 instead of"},
        Fault{"short-payload", Code::WorkerWrongResult, "28 bytes instead of 32"},
        Fault{"long-payload", Code::WorkerWrongResult, "36 bytes instead of 32"},
        // It has another version.
        Fault{"wrong-version", Code::WorkerVersion, "version 99"},
        // It runs out of memory.
        Fault{"says-it-lacks-memory", Code::WorkerOutOfMemory, "an allocation failed", 30, 0, true},
        Fault{"allocates", Code::WorkerOutOfMemory, "an allocation failed", 30, 512 * kMiB, true},
        Fault{"ends-without-memory", Code::WorkerOutOfMemory, "signal 6 (Aborted) after it said `bad_alloc`"},
        // It does not follow the protocol.
        Fault{"wrong-magic", Code::WorkerProtocol, "begins with"}, Fault{"garbage", Code::WorkerProtocol, "begins with"},
        Fault{"not-json", Code::WorkerProtocol, "not well-formed JSON"},
        Fault{"not-utf8", Code::WorkerProtocol, "not well-formed JSON"},
        Fault{"not-an-object", Code::WorkerProtocol, "not an object"},
        Fault{"duplicate-key", Code::WorkerProtocol, "given twice"}, Fault{"huge-json", Code::WorkerProtocol, "bytes of JSON"},
        Fault{"deep-json", Code::WorkerProtocol, "nested deeper"}, Fault{"bad-arena", Code::WorkerProtocol, "its arena has"},
        Fault{"two-payloads", Code::WorkerProtocol, "both an inline payload"},
        Fault{"long-inline", Code::WorkerProtocol, "must lie in the arena"},
        Fault{"extra-field", Code::WorkerProtocol, "unknown field `note`"},
        Fault{"missing-field", Code::WorkerProtocol, "lacks the field `tag`"},
        Fault{"wrong-times", Code::WorkerProtocol, "times 0 runs"}, Fault{"negative-time", Code::WorkerProtocol, "`run_ms`"},
        Fault{"unknown-code", Code::WorkerProtocol, "`internal`"},
        // It meddles with the memory that it shares with its parent.
        Fault{"shrinks-the-arena", Code::WorkerRefused, "PermissionError", 30, 0, true}),
    [](const auto& info) {
      std::string name = info.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

// What a worker makes of the shared memory's size is not what the parent believes.
TEST(Meddling, WithTheSizeOfTheArenaChangesNothing) {
  const std::string mark = ::testing::TempDir() + "/bitpact-grown-" + std::to_string(getpid());
  const auto backend = open_backend(BackendSpec{
      "worker", fmt::format("{} {}/faulty_worker.py grows-the-arena {}", locate_python(), testing::tests_folder(), mark), {}});
  for (const std::int64_t size : {8, 1 << 20}) {
    const Tensor a = numbers({size});
    const Answer answer = backend->call_operator({"add", {spec_of(a), spec_of(a)}, {}}, {spec_of(a)}, std::vector{a, a}, {});
    EXPECT_TRUE(same_bits(answer.results[0], a));
  }
  std::filesystem::remove(mark);
}

// ---- Workers that do not start, or from programs of their own

class InAFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("bitpact-in-a-folder-{}", getpid());
    std::filesystem::create_directory(folder_);
    before_ = testing::traces(folder_);
  }
  void TearDown() override {
    EXPECT_EQ(testing::traces(folder_), before_);
    std::filesystem::remove_all(folder_);
  }
  std::string file(const std::string& name, const std::string& text, bool executable) const {
    const auto path = folder_ / name;
    std::ofstream(path) << text;
    using std::filesystem::perms;
    std::filesystem::permissions(path, executable ? perms::owner_all : perms::owner_read | perms::owner_write);
    return path.string();
  }
  static std::unique_ptr<Backend> start(const std::string& command, BackendSettings settings = {}) {
    return open_backend(BackendSpec{"worker", command, {}}, settings);
  }
  std::filesystem::path folder_;
  Traces before_;
};

TEST_F(InAFolder, IsMissing) {
  EXPECT_REFUSED(Code::WorkerMissing, "No such file", start("/no/such/program"));
  EXPECT_REFUSED(Code::WorkerMissing, "No such file", start("./no-such-program"));
  EXPECT_REFUSED(Code::WorkerMissing, "in no folder of PATH", start("no-such-program-anywhere"));
  EXPECT_REFUSED(Code::WorkerMissing, "the interpreter or loader", start(file("a", "#!/no/such/interpreter\n", true)));
  EXPECT_REFUSED(Code::WorkerMissing, "No such file", start(file("b", "", true) + "/below-a-file"));
}

TEST_F(InAFolder, IsNotExecutable) {
  EXPECT_REFUSED(Code::WorkerNotExecutable, "Permission denied", start(file("a", "#!/bin/sh\n", false)));
  EXPECT_REFUSED(Code::WorkerNotExecutable, "Is a directory", start(folder_.string()));
  // No shell tries what is no program.
  EXPECT_REFUSED(Code::WorkerNotExecutable, "neither a program", start(file("b", "echo hello\n", true)));
  EXPECT_REFUSED(Code::WorkerNotExecutable, "neither a program", start(file("c", "", true)));
}

TEST_F(InAFolder, HangsAtItsStart) {
  BackendSettings settings;
  settings.start_timeout_seconds = 0.3;
  EXPECT_REFUSED(Code::WorkerTimeout, "a start may take 0.3 s (--start-timeout)", start("sleep 1000", settings));
}

// A start and a request have limits of their own.
TEST_F(InAFolder, HangsWhenStartedAgain) {
  BackendSettings settings;
  settings.timeout_seconds = 1000;
  settings.start_timeout_seconds = 5;
  std::ofstream(folder_ / "mark");
  const std::string script = testing::tests_folder() + "/faulty_worker.py hangs-at-start " + (folder_ / "mark").string();
  const auto backend = start(locate_python() + " " + script, settings);
  auto& worker = dynamic_cast<WorkerBackend&>(*backend);
  std::filesystem::remove(folder_ / "mark");
  kill(worker.pid(), SIGKILL);
  ASSERT_TRUE(testing::group_ends(worker.pid()));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const Diagnostic seen = refusal([&] { worker.ping(); });
  EXPECT_EQ(testing::code_name(seen.code), "worker-timeout");
  EXPECT_NE(seen.reason.find("--start-timeout"), std::string::npos) << seen.reason;
  worker.ping();
}

// How an interpreter dies that cannot even start is not ours to say: where its last words do not tell why, neither does the
// refusal.
TEST_F(InAFolder, HasNoMemoryToStart) {
  BackendSettings settings;
  settings.worker_memory_bytes = 3 * kMiB;
  const Diagnostic seen =
      refusal([&] { start(locate_python() + " -P " + locate_bindings() + "/python/host.py iree", settings); });
  if (seen.code == Code::WorkerDied) {
    EXPECT_NE(seen.reason.find("whether its limit of 3145728 bytes of memory ended it cannot be told"), std::string::npos)
        << seen.reason;
    return;
  }
  EXPECT_EQ(testing::code_name(seen.code), "worker-out-of-memory") << seen.reason;
}

// The system's own killer, let loose on a control group of 128 MiB. Only root may make one, and not everywhere.
TEST_F(InAFolder, IsKilledForWantOfMemory) {
  namespace fs = std::filesystem;
  const fs::path root = "/sys/fs/cgroup";
  const bool first_version = fs::exists(root / "memory" / "memory.limit_in_bytes");
  const fs::path group = (first_version ? root / "memory" : root) / fmt::format("bitpact-test-{}", getpid());
  std::error_code error;
  fs::create_directory(group, error);
  std::ofstream limit(group / (first_version ? "memory.limit_in_bytes" : "memory.max"));
  limit << (128 << 20) << std::flush;
  if (error || !limit) {
    fs::remove(group, error);
    GTEST_SKIP() << "no control group for memory can be made here";
  }
  const std::string inside =
      file("inside", fmt::format("#!/bin/sh\necho $$ > {}/cgroup.procs\nexec \"$@\"\n", group.string()), true);
  auto backend = start(fmt::format("{} {} {}/faulty_worker.py fills-memory {}/mark", inside, locate_python(),
                                   testing::tests_folder(), folder_.string()));
  const Tensor a = numbers({8});
  const auto ask = [&] {
    return backend->call_operator({"add", {spec_of(a), spec_of(a)}, {}}, {spec_of(a)}, std::vector{a, a}, {});
  };
  const Diagnostic seen = refusal([&] { ask(); });
  EXPECT_EQ(testing::code_name(seen.code), "worker-out-of-memory") << seen.reason;
  EXPECT_NE(seen.reason.find("signal 9 (Killed), and since it was started the system has killed"), std::string::npos)
      << seen.reason;
  EXPECT_TRUE(same_bits(ask().results[0], a));
  backend.reset();
  fs::remove(group, error);
  EXPECT_FALSE(error) << error.message();
}

TEST_F(InAFolder, HasAnotherVersionThanPinned) {
  const std::string worker = std::string(BITPACT_BINARY_DIR) + "/bitpact-example-worker";
  const auto pinned = [&](const std::string& version) {
    return open_backend(BackendSpec{"worker", worker, {{"version", version}}});
  };
  const std::string here = pinned("1")->identity().version;
  EXPECT_EQ(pinned(here)->identity().version, here);
  EXPECT_REFUSED(Code::WorkerVersion, "version=1.2 is asked for", pinned("1.2"));
  EXPECT_REFUSED(Code::BackendOption, "version=", pinned(""));
  EXPECT_REFUSED(Code::WorkerVersion, "version=0.31 is asked for", open_backend(parse_backend("mlx[version=0.31]")));
  EXPECT_REFUSED(Code::WorkerVersion, "version=0.3 is asked for", open_backend(parse_backend("mlx[version=0.3]")));
  EXPECT_EQ(open_backend(parse_backend("mlx[version=0.32]"))->identity().backend, "mlx");
}

}  // namespace
}  // namespace bitpact
