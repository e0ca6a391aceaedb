// The interpreter against a plain loop that computes the same bits: f32 matmul, k in order, unfused and fused.
// Last on stdout: the ratio of the two (medians), which must stay below 10.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>

#include "interpret/interpret.h"

#if defined(__x86_64__)
#define BITPACT_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define BITPACT_CLONES __attribute__((optimize("O3")))
#endif

namespace {

using namespace bitpact;

BITPACT_CLONES void plain_loop(const float* a, const float* b, float* c, int m, int k, int n) {
  for (int i = 0; i < m; ++i) {
    float* __restrict row = c + static_cast<long>(i) * n;
    for (int j = 0; j < n; ++j) row[j] = 0;
    for (int l = 0; l < k; ++l) {
      const float factor = a[static_cast<long>(i) * k + l];
      const float* __restrict other = b + static_cast<long>(l) * n;
      for (int j = 0; j < n; ++j) row[j] = row[j] + factor * other[j];
    }
  }
}

BITPACT_CLONES void plain_fused_loop(const float* a, const float* b, float* c, int m, int k, int n) {
  for (int i = 0; i < m; ++i) {
    float* __restrict row = c + static_cast<long>(i) * n;
    for (int j = 0; j < n; ++j) row[j] = 0;
    for (int l = 0; l < k; ++l) {
      const float factor = a[static_cast<long>(i) * k + l];
      const float* __restrict other = b + static_cast<long>(l) * n;
      for (int j = 0; j < n; ++j) row[j] = __builtin_fmaf(factor, other[j], row[j]);
    }
  }
}

Tensor operand(Format format, Shape shape) {
  Tensor tensor(format, std::move(shape));
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    tensor.set(i, one(format) ^ (state >> 40 & (smallest_normal(format) - 1)));
  }
  return tensor;
}

/// Accumulates in f32, whatever the operands.
BoundProgram matmul(Format format, std::int64_t m, std::int64_t k, std::int64_t n, bool fused, bool transposed = false,
                    Order order = {}) {
  constexpr Format kF = Format::F32;
  Fold fold;
  fold.operands = {0, 1};
  fold.over = {"k"};
  fold.axes = {"i", "j"};
  fold.order = std::move(order);
  fold.finish = identity_body({kF});
  fold.start = {false, {}, {0}};
  BodyBuilder leaf({format, format});
  const int a = leaf.convert(0, kF), b = leaf.convert(1, kF);
  fold.leaf = fused ? leaf.finish({a, b}) : leaf.finish({leaf.op(ScalarOp::Multiply, kF, {a, b})});
  BodyBuilder step(std::vector<Format>(fused ? 3 : 2, kF));
  fold.step = fused ? step.finish({step.op(ScalarOp::Fma, kF, {1, 2, 0})}) : step.finish({step.op(ScalarOp::Add, kF, {0, 1})});
  BodyBuilder merge({kF, kF});
  fold.merge = merge.finish({merge.op(ScalarOp::Add, kF, {0, 1})});
  BoundProgram bound;
  bound.program.nodes = {Input{"lhs", format, {"i", "k"}}, Input{"rhs", format, transposed ? Axes{"j", "k"} : Axes{"k", "j"}},
                         fold};
  bound.program.results = {2};
  bound.extents = {{"i", m}, {"j", n}, {"k", k}};
  return bound;
}

constexpr int kSize = 512;

void run_plain(benchmark::State& state, bool fused) {
  const Tensor a = operand(Format::F32, {kSize, kSize}), b = operand(Format::F32, {kSize, kSize});
  Tensor c(Format::F32, {kSize, kSize});
  for (auto _ : state) {
    (fused ? plain_fused_loop : plain_loop)(a.as<float>(), b.as<float>(), c.mutable_as<float>(), kSize, kSize, kSize);
    benchmark::ClobberMemory();
  }
}

struct Setting {
  Format format = Format::F32;
  bool fused = false, transposed = false, watch = false;
  Order order;
  std::int64_t m = kSize, k = kSize, n = kSize;
  Simd simd = Simd::Auto;
};

void run_interpreter(benchmark::State& state, const Setting& s) {
  const std::array inputs{operand(s.format, {s.m, s.k}), operand(s.format, s.transposed ? Shape{s.n, s.k} : Shape{s.k, s.n})};
  const BoundProgram program = matmul(s.format, s.m, s.k, s.n, s.fused, s.transposed, s.order);
  for (auto _ : state) benchmark::DoNotOptimize(interpret(program, inputs, {1, s.watch, 0, s.simd}).results[0].get(0));
}

double median_ms(const std::function<void()>& run) {
  std::vector<double> times;
  for (int repeat = 0; repeat < 9; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4];
}

/// One line a product; false where bits differ or the interpreter is more than 10 times slower.
bool compare(bool fused) {
  const std::array inputs{operand(Format::F32, {kSize, kSize}), operand(Format::F32, {kSize, kSize})};
  const BoundProgram program = matmul(Format::F32, kSize, kSize, kSize, fused);
  Tensor plain(Format::F32, {kSize, kSize}), own;
  const double plain_ms = median_ms([&] {
    (fused ? plain_fused_loop : plain_loop)(inputs[0].as<float>(), inputs[1].as<float>(), plain.mutable_as<float>(), kSize, kSize,
                                            kSize);
  });
  const double own_ms = median_ms([&] { own = interpret(program, inputs, {1}).results[0]; });
  const bool equal = std::memcmp(plain.bytes(), own.bytes(), plain.byte_size()) == 0;
  fmt::print("f32 matmul {0}x{0}x{0} {1}: plain loop {2:.2f} ms, interpreter {3:.2f} ms on one thread, ratio {4:.2f}, bits {5}\n",
             kSize, fused ? "fused" : "unfused", plain_ms, own_ms, own_ms / plain_ms, equal ? "equal" : "DIFFER");
  return equal && own_ms <= 10 * plain_ms;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  auto add = [](const char* name, Setting setting) {
    benchmark::RegisterBenchmark(name, [setting](benchmark::State& s) {
      run_interpreter(s, setting);
    })->Unit(benchmark::kMillisecond);
  };
  for (bool fused : {false, true})
    benchmark::RegisterBenchmark(fused ? "plain/fused" : "plain/unfused", [fused](benchmark::State& s) {
      run_plain(s, fused);
    })->Unit(benchmark::kMillisecond);
  add("f32/unfused", {});
  add("f32/fused", {.fused = true});
  add("f32/unfused/transposed", {.transposed = true});
  add("f32/unfused/interleaved8", {.order = Order::interleaved(8, Order::pairwise(1))});
  add("f32/unfused/pairwise1", {.order = Order::pairwise(1)});
  add("bf16/unfused", {.format = Format::BF16});
  add("f16/unfused", {.format = Format::F16});
  add("f32/unfused/baseline", {.simd = Simd::Baseline});
  add("f32/fused/baseline", {.fused = true, .simd = Simd::Baseline});
  add("f32/watched/128x1024x128", {.watch = true, .m = 128, .k = 1024, .n = 128});
  add("bf16/watched/128x1024x128", {.format = Format::BF16, .watch = true, .m = 128, .k = 1024, .n = 128});
  add("f32/unfused/1x4096x64", {.m = 1, .k = 4096, .n = 64});
  benchmark::RunSpecifiedBenchmarks();
  const bool unfused = compare(false), fused = compare(true);
  return unfused && fused ? 0 : 1;
}
