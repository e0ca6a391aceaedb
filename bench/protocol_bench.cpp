// What a worker costs: an empty call, and 64 MiB there and back. Ours must stay under 100 us a call and above 2 GB/s.
#include <benchmark/benchmark.h>

#include <string>

#include "backends/locate.h"
#include "backends/worker_backend.h"
#include "diagnostic/diagnostic.h"

namespace {

using namespace bitpact;

std::unique_ptr<WorkerBackend> worker(const std::string& spec) {
  std::unique_ptr<Backend> backend = open_backend(parse_backend(spec));
  return std::unique_ptr<WorkerBackend>(dynamic_cast<WorkerBackend*>(backend.release()));
}

void empty_call(benchmark::State& state, const std::string& spec) {
  try {
    const auto backend = worker(spec);
    for (auto _ : state) backend->ping();
  } catch (const Refused& refused) {
    state.SkipWithError(refused.what());
  }
}

// The bytes that are counted go one way; each is moved there and back.
void echo_64_mib(benchmark::State& state, const std::string& spec) {
  try {
    const auto backend = worker(spec);
    const Tensor tensor(Format::F32, {16, 1 << 20});
    for (auto _ : state) benchmark::DoNotOptimize(backend->echo(tensor));
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * tensor.byte_size()));
  } catch (const Refused& refused) {
    state.SkipWithError(refused.what());
  }
}

}  // namespace

BENCHMARK_CAPTURE(empty_call, cpp_mlx, "mlx")->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(empty_call, python_iree, "iree")->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(echo_64_mib, cpp_mlx, "mlx")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(echo_64_mib, python_iree, "iree")->Unit(benchmark::kMillisecond)->UseRealTime();

BENCHMARK_MAIN();
