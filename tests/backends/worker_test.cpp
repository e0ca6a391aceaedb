// Worker processes: what they give, and what becomes of those that misbehave. All start from tests/backends/faulty_worker.py or
// the examples; the interpreter is the project's own environment.
#include <fcntl.h>
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
  EXPECT_REFUSED(Code::WorkerVersion, "speaks protocol 2", worker(faulty("other-protocol")));
  EXPECT_REFUSED(Code::WorkerFlood, "no request asked for", worker(faulty("talks-on")));
}

TEST(Worker, GetsTheDescriptorsOfTheProtocolAndNoOthers) {
  const int stray = open("/dev/null", O_RDONLY);  // not marked to be closed
  const auto backend = worker(std::string(BITPACT_BINARY_DIR) + "/bitpact-example-worker");
  std::vector<std::string> descriptors;
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", backend->pid()))) {
    descriptors.push_back(entry.path().filename());
  }
  std::sort(descriptors.begin(), descriptors.end());
  EXPECT_EQ(descriptors, (std::vector<std::string>{"0", "1", "2", "3", "4", "5"}));
  close(stray);
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
  EXPECT_REFUSED(Code::WorkerVersion, "another identity than the first had: target was `process", backend->ping());
}

}  // namespace
}  // namespace bitpact
