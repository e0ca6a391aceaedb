// What reading a dump costs: a mapped .safetensors file against memcpy and memcmp of the same bytes, and a header of many
// tensors. BITPACT_BENCH_MIB sets the size of the file (256); it is written before and lies in the page cache.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tensor/file.h"
#include "tensor/safetensors.h"
#include "tensor/safetensors_header.h"

namespace {

using namespace bitpact;

constexpr int kTensors = 64;

/// Two equal files in a folder that goes with the program.
class Files {
 public:
  Files() {
    const char* mib = std::getenv("BITPACT_BENCH_MIB");
    const std::int64_t count = (mib != nullptr ? std::atoll(mib) : 256) * (std::int64_t{1} << 20) / 4 / kTensors;
    Tensor tensor(Format::F32, {count});
    for (std::int64_t i = 0; i < count; ++i) tensor.mutable_as<float>()[i] = static_cast<float>(i);
    std::vector<NamedTensor> tensors;
    for (int i = 0; i < kTensors; ++i) tensors.push_back({fmt::format("layer.{}", i), tensor});
    std::filesystem::create_directory(folder_);
    write_safetensors(path("a"), tensors);
    write_safetensors(path("b"), tensors);
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  std::string path(const std::string& name) const { return (folder_ / (name + ".safetensors")).string(); }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / fmt::format("bitpact-files-bench-{}", ::getpid());
};

const Files& files() {
  static const Files made;
  return made;
}

void report(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

// The floor: one memcmp over two whole mappings, made anew each time as the readers' are.
void memcmp_of_two_mappings(benchmark::State& state) {
  std::size_t bytes = 0;
  files();
  for (auto _ : state) {
    const MappedFile a(files().path("a"), MappedFile::Access::ReadOnly), b(files().path("b"), MappedFile::Access::ReadOnly);
    bytes = a.bytes().size();
    benchmark::DoNotOptimize(std::memcmp(a.bytes().data(), b.bytes().data(), bytes));
  }
  report(state, bytes);
}

void memcmp_of_two_dumps_by_tensor(benchmark::State& state) {
  std::size_t bytes = 0;
  files();
  for (auto _ : state) {
    const auto a = open_dump(files().path("a")), b = open_dump(files().path("b"));
    bytes = 0;
    for (std::size_t i = 0; i < a->entries().size(); ++i) {
      const DumpTensor x = a->read(i), y = b->read(i);
      benchmark::DoNotOptimize(std::memcmp(x.bytes.data(), y.bytes.data(), x.bytes.size()));
      bytes += x.bytes.size();
    }
  }
  report(state, bytes);
}

void memcpy_of_a_mapping(benchmark::State& state) {
  std::vector<std::byte> to(MappedFile(files().path("a")).bytes().size());
  for (auto _ : state) {
    const MappedFile a(files().path("a"), MappedFile::Access::ReadOnly);
    std::memcpy(to.data(), a.bytes().data(), to.size());
    benchmark::DoNotOptimize(to.data());
  }
  report(state, to.size());
}

void memcpy_of_a_dump_by_tensor(benchmark::State& state) {
  std::vector<std::byte> to(MappedFile(files().path("a")).bytes().size());
  for (auto _ : state) {
    const auto a = open_dump(files().path("a"));
    std::byte* at = to.data();
    for (std::size_t i = 0; i < a->entries().size(); ++i) {
      const DumpTensor x = a->read(i);
      std::memcpy(at, x.bytes.data(), x.bytes.size());
      at += x.bytes.size();
    }
    benchmark::DoNotOptimize(to.data());
  }
  report(state, to.size());
}

// No elements: all of it is the header's JSON and its checks.
void header_of_tensors(benchmark::State& state) {
  const auto count = state.range(0);
  std::string file(8, '\0');
  for (std::int64_t i = 0; i < count; ++i)
    file += fmt::format("{}\"model.layers.{}.weight\":{{\"dtype\":\"F32\",\"shape\":[0,4],\"data_offsets\":[0,0]}}",
                        i > 0 ? "," : "{", i);
  file += '}';
  for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<char>((file.size() - 8) >> (8 * i) & 0xff);
  for (auto _ : state) benchmark::DoNotOptimize(parse_safetensors_header(std::as_bytes(std::span(file)), "bench"));
  state.SetItemsProcessed(state.iterations() * count);
  report(state, file.size());
}

}  // namespace

BENCHMARK(memcmp_of_two_mappings)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(memcmp_of_two_dumps_by_tensor)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(memcpy_of_a_mapping)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(memcpy_of_a_dump_by_tensor)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(header_of_tensors)->Arg(1000)->Arg(1000000)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
