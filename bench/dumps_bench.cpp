// Two dumps against memcmp on the same files: equal, with one bit that differs, and different everywhere; and many small tensors.
// Ours must reach 0.8 of memcmp. BITPACT_BENCH_DUMP_MIB: MiB of one dump of large tensors (4096 in tools/bench),
// BITPACT_BENCH_TENSORS: how many small ones. The files lie in a folder of their own under the system's temporary one, and are
// removed.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "compare/dump_comparison.h"
#include "tensor/file.h"

namespace {

using namespace bitpact;
namespace fs = std::filesystem;

std::int64_t setting(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

/// A folder that is gone at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("bitpact-dumps-bench-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

fs::path folder() {
  static const Folder made;
  return made.path;
}

/// `count` tensors of `elements` f32 each. The elements come in blocks of one random mebibyte, `change`d where asked.
void write_dump(const fs::path& path, std::int64_t count, std::int64_t elements, bool change) {
  std::string header = "{";
  const std::int64_t bytes = elements * 4;
  for (std::int64_t i = 0; i < count; ++i)
    header += (i == 0 ? "" : ",") + nlohmann::json("layer." + std::to_string(i)).dump() + ":{\"dtype\":\"F32\",\"shape\":[" +
              std::to_string(elements) + "],\"data_offsets\":[" + std::to_string(i * bytes) + "," +
              std::to_string((i + 1) * bytes) + "]}";
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  const std::uint64_t length = header.size();
  std::vector<float> block(1 << 18);
  std::mt19937 random(1);
  for (float& value : block) {
    value = 1.0F + static_cast<float>(random() >> 9) * 0x1p-23F;
    if (change) value *= 1.0F + static_cast<float>(1 + (random() & 15)) * 0x1p-20F;
    if (!change) random();
  }
  std::vector<std::span<const std::byte>> pieces{std::as_bytes(std::span(&length, 1)), std::as_bytes(std::span(header))};
  for (std::int64_t left = count * bytes; left > 0; left -= 1 << 20)
    pieces.push_back(std::as_bytes(std::span(block)).first(static_cast<std::size_t>(std::min<std::int64_t>(left, 1 << 20))));
  write_file(path.string(), pieces);
}

struct Large {
  std::string a = folder() / "a.safetensors", b = folder() / "b.safetensors", other = folder() / "c.safetensors";
  std::int64_t mib = setting("BITPACT_BENCH_DUMP_MIB", 512);
  Large() {
    write_dump(a, 8, mib << 15, false);
    fs::copy_file(a, b);
  }
  void flip_last_bit() const {
    const auto file = std::fopen(b.c_str(), "r+b");
    std::fseek(file, -1, SEEK_END);
    const int last = std::fgetc(file);
    std::fseek(file, -1, SEEK_END);
    std::fputc(last ^ 1, file);
    std::fclose(file);
  }
};

const Large& large() {
  static const Large made;
  return made;
}

double seconds(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Opened, mapped and compared anew each time, as memcmp's files are: turn and turn about, so that both see the same machine.
void beside_memcmp(benchmark::State& state, const std::string& a, const std::string& b, int threads, bool warm) {
  std::vector<double> ours, theirs;
  const auto size = static_cast<double>(fs::file_size(a));
  std::shared_ptr<const Dump> dump_a = open_dump(a), dump_b = open_dump(b);
  const MappedFile mapped_a(a), mapped_b(b);
  for (auto _ : state) {
    theirs.push_back(seconds([&] {
      if (warm) {
        benchmark::DoNotOptimize(std::memcmp(mapped_a.bytes().data(), mapped_b.bytes().data(), mapped_a.bytes().size()));
      } else {
        const MappedFile left(a), right(b);
        benchmark::DoNotOptimize(std::memcmp(left.bytes().data(), right.bytes().data(), left.bytes().size()));
      }
    }));
    ours.push_back(seconds([&] {
      if (!warm) dump_a = open_dump(a), dump_b = open_dump(b);
      benchmark::DoNotOptimize(compare_dumps(dump_a, dump_b, {.threads = threads}));
      if (!warm) dump_a.reset(), dump_b.reset();
    }));
    state.SetIterationTime(ours.back());
  }
  state.counters["GB/s"] = size / median(ours) / 1e9;
  state.counters["memcmp_GB/s"] = size / median(theirs) / 1e9;
  state.counters["of_memcmp"] = median(theirs) / median(ours);
}

void equal(benchmark::State& state) {
  beside_memcmp(state, large().a, large().b, static_cast<int>(state.range(0)), state.range(1) != 0);
}

void one_bit(benchmark::State& state) {
  large().flip_last_bit();
  beside_memcmp(state, large().a, large().b, static_cast<int>(state.range(0)), false);
  large().flip_last_bit();
}

// All elements differ: against memcmp on two equal files, which it does not have to look into.
void all_different(benchmark::State& state) {
  const std::string a = folder() / "small.safetensors", b = folder() / "other.safetensors";
  write_dump(a, 4, 16 << 20, false);
  write_dump(b, 4, 16 << 20, true);
  const std::shared_ptr<const Dump> left = open_dump(a), right = open_dump(b);
  std::vector<double> times;
  for (auto _ : state) {
    times.push_back(
        seconds([&] { benchmark::DoNotOptimize(compare_dumps(left, right, {.threads = static_cast<int>(state.range(0))})); }));
    state.SetIterationTime(times.back());
  }
  state.counters["MB/s"] = static_cast<double>(fs::file_size(a)) / median(times) / 1e6;
  fs::remove(a);
  fs::remove(b);
}

void small_tensors(benchmark::State& state) {
  const std::string a = folder() / "many-a.safetensors", b = folder() / "many-b.safetensors";
  const std::int64_t count = setting("BITPACT_BENCH_TENSORS", 1000000);
  write_dump(a, count, 4, false);
  write_dump(b, count, 4, state.range(0) != 0);
  std::vector<double> opening, comparing;
  for (auto _ : state) {
    std::shared_ptr<const Dump> left, right;
    opening.push_back(seconds([&] { left = open_dump(a), right = open_dump(b); }));
    comparing.push_back(seconds([&] { benchmark::DoNotOptimize(compare_dumps(left, right, {})); }));
    state.SetIterationTime(opening.back() + comparing.back());
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  state.counters["open_s"] = median(opening);
  state.counters["compare_s"] = median(comparing);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
  fs::remove(a);
  fs::remove(b);
}

}  // namespace

BENCHMARK(small_tensors)->ArgName("different")->Arg(0)->Arg(1)->Iterations(3)->Unit(benchmark::kMillisecond)->UseManualTime();
BENCHMARK(all_different)->ArgName("threads")->Arg(1)->Arg(0)->Iterations(5)->Unit(benchmark::kMillisecond)->UseManualTime();
BENCHMARK(equal)
    ->ArgNames({"threads", "warm"})
    ->Args({1, 0})
    ->Args({0, 0})
    ->Args({1, 1})
    ->Args({0, 1})
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();
BENCHMARK(one_bit)->ArgName("threads")->Arg(1)->Arg(0)->Iterations(5)->Unit(benchmark::kMillisecond)->UseManualTime();

BENCHMARK_MAIN();
