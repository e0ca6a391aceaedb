#include "backends/native.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "backends/cpu.h"
#include "backends/worker_host.h"
#include "diagnostic/diagnostic.h"
#include "interpret/interpret.h"

namespace bitpact {

namespace {

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Tensor& x, const Tensor& y) {
    return x.format() == y.format() && x.shape() == y.shape() && std::memcmp(x.bytes(), y.bytes(), x.byte_size()) == 0;
  });
}

}  // namespace

NativeBackend::NativeBackend(BackendSpec spec)
    : spec_(std::move(spec)),
      identity_{"native",     BITPACT_VERSION, "none", "cpu", resolved_cpu(), "none", "any: its bits do not depend on them",
                "interpreter"} {}

Answer NativeBackend::run_program(const BoundProgram& program, std::span<const Tensor> operands, const RunOptions& options) {
  if (options.repeat < 1 || options.warmup < 0) refuse(Code::Internal, "a run is repeated at least once", {"", "native", ""});
  using clock = std::chrono::steady_clock;
  for (int i = 0; i < options.warmup; ++i) interpret(program, operands);
  Answer answer;
  std::vector<Tensor> first;
  std::vector<double> times;
  for (int i = 0; i < options.repeat; ++i) {
    const auto begin = clock::now();
    answer.results = interpret(program, operands).results;
    times.push_back(std::chrono::duration<double, std::milli>(clock::now() - begin).count());
    if (i == 0) first = answer.results;
    answer.repeats_agree = answer.repeats_agree && same_bits(first, answer.results);
  }
  answer.cost.run_ms = median(times);
  answer.cost.peak_rss_bytes = peak_rss_bytes();
  answer.tag = "native.interpret";
  answer.kernel = identity_.kernel;
  return answer;
}

}  // namespace bitpact
