// How long until the order of a sum is known: masks asked many a call, against the published method, one mask a call, on the same
// backend in the same run; and the whole probe with its replay.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "diagnostic/diagnostic.h"
#include "fprev.h"
#include "probe/sum_probe.h"

namespace bitpact {
namespace {

constexpr double kOnceIsEnough = 10;  // seconds

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// One mask a call: operand 0 repeats it in every row, operand 1 is ones; the first output is read.
double one_by_one(Backend& backend, const Resolved& problem, std::int64_t& calls) {
  std::vector<Tensor> operands;
  for (const OperandSpec& spec : problem.problem.operands) {
    Tensor t(spec.format, spec.shape);
    for (std::int64_t i = 0; i < t.size(); ++i) t.set(i, one(spec.format));
    operands.push_back(std::move(t));
  }
  const std::int64_t leaves = problem.problem.operands[0].shape.back();
  const auto begin = Clock::now();
  const bench::SummationTree tree = bench::reveal(
      [&](std::span<const float> row) {
        auto* to = reinterpret_cast<float*>(operands[0].mutable_bytes());
        for (std::int64_t r = 0; r < operands[0].size() / leaves; ++r) std::memcpy(to + r * leaves, row.data(), row.size_bytes());
        const Tensor result = backend.call_operator(problem.problem, {problem.result}, operands, {}).results[0];
        return static_cast<double>(*result.as<float>());
      },
      leaves, {.mask = 0x1p100F});
  calls = tree.calls;
  return since(begin);
}

void line(const std::string& text, const std::string& name) {
  const Resolved problem = resolve(text);
  const auto backend = open_backend(parse_backend(name));
  ProbeSettings only_tree;
  only_tree.other_lengths = false;
  only_tree.repeats = 1;
  only_tree.replay_outputs = only_tree.replay_leaves = 1;
  std::vector<double> ours, theirs;
  std::int64_t calls = 0, their_calls = 0;
  try {
    for (int round = 0; round < 3; ++round) {
      const ProbeReport report = probe_sum(text, *backend, only_tree);
      ours.push_back(report.counts.mask_seconds);
      calls = report.counts.mask_calls;
      // Where one asking takes so long, its spread is small beside the ratio.
      if (round == 0 || theirs.front() < kOnceIsEnough) theirs.push_back(one_by_one(*backend, problem, their_calls));
    }
    const ProbeReport whole = probe_sum(text, *backend, {});
    fmt::print("{:<36} {:<12} {:>9.3f} s ({} calls)  {:>9.3f} s ({} calls)  {:>7.1f}  {:>7.2f} s {}\n", text, name, median(ours),
               calls, median(theirs), their_calls, median(theirs) / median(ours), whole.counts.seconds,
               bitpact::name(whole.verdict));
  } catch (const std::exception& error) {
    fmt::print("{:<36} {:<12} {}\n", text, name, error.what());
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace bitpact

int main() {
  fmt::print(
      "problem, backend, time to the tree: many masks a call, one a call (FPRev), how many times as long; the whole probe\n");
  for (const char* problem : {"matmul 512x512xf32,512x512xf32", "matmul 256x4096xf32,4096x1xf32", "sum 16384xf32"})
    for (const char* backend : {"mlx", "xla", "numpy", "iree"}) bitpact::line(problem, backend);
}
