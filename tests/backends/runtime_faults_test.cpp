// The same faults in the real runtimes' workers, in the middle of real requests.
#include <gtest/gtest.h>

#include <thread>

#include "backends/plain_stablehlo.h"
#include "support.h"

namespace bitpact {
namespace {

using testing::numbers;
using testing::refusal;
using testing::same_bits;
using testing::spec_of;

/// What counts for the limit, now.
std::int64_t private_memory(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmData:")) return std::strtoll(line.c_str() + 7, nullptr, 10) * 1024;
  }
  return 0;
}

class RealWorker : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<WorkerBackend> open(BackendSettings settings = {}) const {
    auto backend = open_backend(parse_backend(GetParam()), settings);
    return std::unique_ptr<WorkerBackend>(dynamic_cast<WorkerBackend*>(backend.release()));
  }
  static Tensor add(WorkerBackend& backend, const Tensor& a, int repeat = 1) {
    return backend.call_operator({"add", {spec_of(a), spec_of(a)}, {}}, {spec_of(a)}, std::vector{a, a}, {.repeat = repeat})
        .results[0];
  }
  /// Sends `signal` to the worker while it computes; what the request then ends with.
  static Diagnostic interrupted(WorkerBackend& backend, int signal) {
    const Tensor large = numbers({1 << 20});
    add(backend, large);  // compiled, and mapped
    const pid_t pid = backend.pid();
    std::thread other([pid, signal] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      kill(pid, signal);
    });
    const Diagnostic seen = refusal([&] { add(backend, large, 1'000'000); });
    other.join();
    EXPECT_TRUE(testing::group_ends(pid));
    return seen;
  }
  static void works(WorkerBackend& backend, Identity identity) {
    const Tensor small = numbers({8});
    const Tensor sum = add(backend, small);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(sum.as<float>()[i], small.as<float>()[i] * 2);
    EXPECT_EQ(backend.identity(), identity);
  }
};

TEST_P(RealWorker, IsKilledInTheMiddle) {
  const auto before = testing::traces("");
  auto backend = open();
  const Identity identity = backend->identity();
  const Diagnostic seen = interrupted(*backend, SIGKILL);
  EXPECT_EQ(testing::code_name(seen.code), "worker-died") << seen.reason;
  EXPECT_NE(seen.reason.find("signal 9"), std::string::npos) << seen.reason;
  works(*backend, identity);
  backend.reset();
  EXPECT_EQ(testing::traces(""), before);
}

TEST_P(RealWorker, IsStoppedInTheMiddle) {
  BackendSettings settings;
  settings.timeout_seconds = 4;
  const auto backend = open(settings);
  const Identity identity = backend->identity();
  const Diagnostic seen = interrupted(*backend, SIGSTOP);
  EXPECT_EQ(testing::code_name(seen.code), "worker-timeout") << seen.reason;
  works(*backend, identity);
}

TEST_P(RealWorker, HasNotTheMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "an instrumented worker reserves more than any limit";
#endif
  BackendSettings settings;
  {
    const auto free = open();
    works(*free, free->identity());
    settings.worker_memory_bytes = private_memory(free->pid()) * 5 / 4 + (32 << 20);
  }
  const auto backend = open(settings);
  const Identity identity = backend->identity();
  works(*backend, identity);
  const Tensor large(Format::F32, {settings.worker_memory_bytes / 4});  // a copy of it is the limit
  const Diagnostic seen = refusal([&] { add(*backend, large); });
  EXPECT_EQ(testing::code_name(seen.code), "worker-out-of-memory") << seen.reason;
  works(*backend, identity);
}

INSTANTIATE_TEST_SUITE_P(Runtimes, RealWorker, ::testing::Values("mlx", "iree"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace bitpact
