// Worker processes: what they give, and what becomes of those that misbehave. All start from tests/backends/faulty_worker.py or
// the examples; the interpreter is the project's own environment.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "backends/worker_host.h"
#include "support.h"

namespace bitpact {
namespace {

using testing::numbers;
using testing::refusal;
using testing::same_bits;
using testing::spec_of;

Problem add_problem(const Tensor& a) { return {"add", {spec_of(a), spec_of(a)}, {}}; }

std::unique_ptr<WorkerBackend> worker(const std::string& command, double timeout = 30) {
  BackendSettings settings;
  settings.timeout_seconds = timeout;
  auto backend = open_backend(BackendSpec{"worker", command, {}}, settings);
  return std::unique_ptr<WorkerBackend>(dynamic_cast<WorkerBackend*>(backend.release()));
}

class Example : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string command() {
    if (std::string(GetParam()) == "cpp") return std::string(BITPACT_BINARY_DIR) + "/bitpact-example-worker";
    return locate_python() + " " + BITPACT_SOURCE_DIR + "/examples/worker.py";
  }
};

TEST_P(Example, AddsSmallAndLargeTensors) {
  const auto backend = worker(command());
  EXPECT_EQ(backend->worker_name(), "adder");
  EXPECT_EQ(backend->identity().backend, "adder");
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{5}, Shape{300, 200}}) {
    const Tensor a = numbers(shape, 1), b = numbers(shape, 2);
    const Answer answer = backend->call_operator(add_problem(a), {spec_of(a)}, std::vector{a, b}, {.repeat = 3, .warmup = 1});
    ASSERT_EQ(answer.results.size(), 1u);
    EXPECT_EQ(answer.tag, "adder.add");
    EXPECT_TRUE(answer.repeats_agree);
    EXPECT_GT(answer.cost.peak_rss_bytes, 1 << 20);
    EXPECT_EQ(answer.cost.transfer_bytes, 3 * static_cast<std::int64_t>(a.byte_size()));
    for (std::int64_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(answer.results[0].as<float>()[i], a.as<float>()[i] + b.as<float>()[i]) << i;
    }
  }
}

TEST_P(Example, RefusesInItsOwnWords) {
  const auto backend = worker(command());
  const Tensor a = numbers({4});
  Problem problem = add_problem(a);
  problem.op = "multiply";
  const pid_t pid = backend->pid();
  EXPECT_REFUSED(Code::BackendLacksOperator, "not multiply",
                 backend->call_operator(problem, {spec_of(a)}, std::vector{a, a}, {}));
  EXPECT_REFUSED(Code::BackendLacksForm, "no StableHLO", backend->run_stablehlo("", {spec_of(a)}, {}, {}));
  backend->release();
  EXPECT_EQ(backend->pid(), pid);  // a refusal does not end the process
}

TEST_P(Example, EchoesAndGoesWithTheBackend) {
  auto backend = worker(command());
  const pid_t pid = backend->pid();
  for (const std::int64_t size :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{16384}, std::int64_t{16385}, std::int64_t{1} << 24}) {
    const Tensor there = numbers({size});
    EXPECT_TRUE(same_bits(backend->echo(there), there)) << size;
  }
  backend->ping();
  EXPECT_TRUE(testing::process_exists(pid));
  backend.reset();
  EXPECT_FALSE(testing::process_exists(pid));
}

// The system ends a worker with the thread that started it; so it must not be the caller's.
TEST_P(Example, OutlivesTheThreadThatOpenedIt) {
  std::unique_ptr<WorkerBackend> backend;
  std::thread([&] { backend = worker(command()); }).join();
  const pid_t pid = backend->pid();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  backend->ping();
  EXPECT_EQ(backend->pid(), pid);
}

INSTANTIATE_TEST_SUITE_P(Languages, Example, ::testing::Values("cpp", "python"));

struct Fault {
  const char* name;
  Code code;
  const char* part;
};

class Faulty : public ::testing::TestWithParam<Fault> {
 protected:
  void SetUp() override {
    mark_ = std::filesystem::temp_directory_path() / fmt::format("bitpact-fault-{}-{}", getpid(), GetParam().name);
    std::filesystem::remove(mark_);
  }
  void TearDown() override { std::filesystem::remove(mark_); }
  std::string command() const {
    return fmt::format("{} {}/faulty_worker.py {} {}", locate_python(), testing::tests_folder(), GetParam().name, mark_.string());
  }
  std::filesystem::path mark_;
};

TEST_P(Faulty, IsNamedAndTheNextRequestWorks) {
  const auto backend = worker(command(), std::string(GetParam().name) == "hangs" ? 2.0 : 30.0);
  const pid_t first = backend->pid();
  const Tensor a = numbers({8});
  const auto ask = [&] { return backend->call_operator(add_problem(a), {spec_of(a)}, std::vector{a, a}, {}); };
  const auto begin = std::chrono::steady_clock::now();
  const Diagnostic seen = refusal([&] { ask(); });
  EXPECT_EQ(testing::code_name(seen.code), testing::code_name(GetParam().code)) << seen.reason;
  EXPECT_NE(seen.reason.find(GetParam().part), std::string::npos) << seen.reason;
  EXPECT_LT(seen.reason.size(), 5000u);
  EXPECT_NE(seen.op.find("add"), std::string::npos);
  EXPECT_NE(seen.backend.find("worker:"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
  EXPECT_FALSE(testing::process_exists(first));
  EXPECT_TRUE(testing::group_ends(first));
  EXPECT_TRUE(same_bits(ask().results[0], a));
}

INSTANTIATE_TEST_SUITE_P(
    All, Faulty,
    ::testing::Values(
        Fault{"dies", Code::WorkerDied, "status 7; its last words: goodbye, cruel world"},
        Fault{"aborts", Code::WorkerDied, "signal 6"}, Fault{"hangs", Code::WorkerTimeout, "no answer in time"},
        Fault{"floods", Code::WorkerDied, "printed to stdout"}, Fault{"wrong-id", Code::WorkerProtocol, "has id"},
        Fault{"wrong-magic", Code::WorkerProtocol, "begins with"}, Fault{"wrong-version", Code::WorkerProtocol, "version 99"},
        Fault{"garbage", Code::WorkerProtocol, "begins with"}, Fault{"not-json", Code::WorkerProtocol, "not well-formed JSON"},
        Fault{"not-an-object", Code::WorkerProtocol, "not an object"},
        Fault{"duplicate-key", Code::WorkerProtocol, "given twice"}, Fault{"huge-json", Code::WorkerProtocol, "bytes of JSON"},
        Fault{"bad-arena", Code::WorkerProtocol, "its arena has"}, Fault{"truncated", Code::WorkerDied, "status 0"},
        Fault{"wrong-shape", Code::WorkerProtocol, "3xf32 instead of 8xf32"},
        Fault{"wrong-format", Code::WorkerProtocol, "8xi32 instead of 8xf32"},
        Fault{"no-results", Code::WorkerProtocol, "no result instead of"},
        Fault{"extra-field", Code::WorkerProtocol, "unknown field `note`"},
        Fault{"missing-field", Code::WorkerProtocol, "lacks the field `tag`"},
        Fault{"wrong-times", Code::WorkerProtocol, "times 0 runs"}, Fault{"negative-time", Code::WorkerProtocol, "`run_ms`"},
        Fault{"short-payload", Code::WorkerProtocol, "28 bytes instead of 32"},
        Fault{"unknown-code", Code::WorkerProtocol, "`internal`"}),
    [](const auto& info) {
      std::string name = info.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

std::string faulty(const std::string& fault) {
  return fmt::format("{} {}/faulty_worker.py {} /nowhere/mark", locate_python(), testing::tests_folder(), fault);
}

TEST(Worker, RefusesStayRefusalsAndTheProcessStays) {
  const Tensor a = numbers({8});
  const std::string python = locate_python(), script = testing::tests_folder() + "/faulty_worker.py ";
  const auto refuses = worker(python + " " + script + "refuses /");  // "/" exists: it behaves, but for this
  EXPECT_REFUSED(Code::BackendLacksOperator, "not this one",
                 refuses->call_operator(add_problem(a), {spec_of(a)}, std::vector{a, a}, {}));
  const auto raises = worker(python + " " + script + "raises /");
  EXPECT_REFUSED(Code::WorkerRefused, "out of luck", raises->call_operator(add_problem(a), {spec_of(a)}, std::vector{a, a}, {}));
}

TEST(Worker, TellsRepeatsThatDisagree) {
  const Tensor a = numbers({8});
  const auto backend = worker(faulty("changes"));
  EXPECT_FALSE(backend->call_operator(add_problem(a), {spec_of(a)}, std::vector{a, a}, {.repeat = 3}).repeats_agree);
  EXPECT_TRUE(backend->call_operator(add_problem(a), {spec_of(a)}, std::vector{a, a}, {.repeat = 1}).repeats_agree);

  std::byte result[4] = {};
  WorkerCall call;
  call.results = {{Format::I8, {4}}};
  call.result_data = {result};
  call.repeat = 3;
  call.warmup = 2;
  int runs = 0;
  const auto report = [&](int last_to_change) {
    runs = 0;
    return timed_runs(
        call, [&] { ++runs; }, [&](auto out) { out[0][3] = static_cast<std::byte>(std::min(runs, last_to_change)); });
  };
  EXPECT_TRUE(report(0).repeats_agree);
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(report(0).run_ms.size(), 3u);
  EXPECT_FALSE(report(5).repeats_agree);  // the last run alone differs from the first
}

TEST(Worker, WritesWithoutEndAndStillAnswers) {
  const std::string mark = ::testing::TempDir() + "/bitpact-flood-mark";
  std::filesystem::remove(mark);
  const auto backend = worker(locate_python() + " " + testing::tests_folder() + "/faulty_worker.py floods-and-answers " + mark);
  const Tensor a = numbers({8});
  EXPECT_TRUE(same_bits(backend->call_operator(add_problem(a), {spec_of(a)}, std::vector{a, a}, {}).results[0], a));
  std::filesystem::remove(mark);
}

TEST(Worker, BadIntroductionsAreRefused) {
  EXPECT_REFUSED(Code::WorkerProtocol, "lacks the field `identity`", worker(faulty("bad-hello")));
  EXPECT_REFUSED(Code::WorkerProtocol, "names no machine", worker(faulty("says-host")));
  EXPECT_REFUSED(Code::WorkerDied, "exited with status 3", worker(locate_python() + " -c exit(3)"));
  EXPECT_REFUSED(Code::WorkerTimeout, "no answer", worker("sleep 1000", 0.3));
}

TEST(Worker, ThatEndedBetweenRequestsIsStartedAnew) {
  const auto backend = worker(std::string(BITPACT_BINARY_DIR) + "/bitpact-example-worker");
  const pid_t first = backend->pid();
  kill(first, SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  backend->ping();
  EXPECT_NE(backend->pid(), first);
  EXPECT_FALSE(testing::process_exists(first));
}

TEST(Worker, OfAnotherIdentityIsRefusedWhenStartedAnew) {
  const auto backend = worker(locate_python() + " " + testing::tests_folder() + "/faulty_worker.py other-identity /");
  kill(backend->pid(), SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_REFUSED(Code::WorkerProtocol, "another identity", backend->ping());
}

}  // namespace
}  // namespace bitpact
