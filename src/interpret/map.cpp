#include <map>

#include "interpret/lanes.h"
#include "interpret/nodes.h"
#include "interpret/parallel.h"
#include "interpret/plan.h"

namespace bitpact {
namespace {

/// Shared by the threads; nothing here changes but the elements written.
struct MapJob {
  const Map& node;
  const std::vector<const NodeValue*>& operands;
  const NodeSettings& settings;
  LaneSpace space;
  Chunks chunks;
  Format format;
  std::byte* out;
  std::uint8_t* carried;
  std::uint8_t* final;
};

class MapWorker : public ChunkWorker {
 public:
  explicit MapWorker(const MapJob& job) : job_(job), offsets_(job.operands.size()) {
    for (size_t o = 0; o < offsets_.size(); ++o) gathered_.emplace_back(job.chunks.lanes());
  }

  void run(Chunk chunk) override {
    std::vector<bool> uniform(offsets_.size());
    for (size_t o = 0; o < offsets_.size(); ++o) {
      offsets_[o].place(job_.space, o, chunk);
      uniform[o] = offsets_[o].mode == LaneOffsets::Mode::Uniform;
    }
    auto [at, fresh] = plans_.try_emplace(uniform, nullptr);
    if (fresh)
      at->second =
          std::make_unique<Plan>(job_.node.body, uniform, *job_.settings.kernels, job_.chunks.lanes(), job_.settings.watch);
    Plan& plan = *at->second;
    for (size_t o = 0; o < offsets_.size(); ++o) {
      const Tensor& tensor = job_.operands[o]->value;
      const int bytes = info(tensor.format()).storage_bytes;
      if (offsets_[o].mode == LaneOffsets::Mode::Scattered) {
        gather(gathered_[o].get(), tensor.bytes(), bytes, offsets_[o].offsets, 0);
        plan.set_argument(o, gathered_[o].get());
      } else {
        plan.set_argument(o, tensor.bytes() + offsets_[o].start * bytes);
      }
    }
    const int bytes = info(job_.format).storage_bytes;
    std::byte* out = job_.out + chunk.first * bytes;
    plan.set_result(0, out);
    if (job_.settings.watch) watch_.reset(chunk.count);
    plan.run(chunk.count, job_.settings.watch ? &watch_ : nullptr);
    if (const Kernel canonicalise = job_.settings.kernels->canonicalise(job_.format)) {
      KernelCall call;
      call.out = out;
      call.in[0] = out;
      call.lanes = chunk.count;
      canonicalise(call);
    }
    if (job_.settings.watch) write_flags(chunk, out, bytes);
  }

 private:
  void write_flags(Chunk chunk, const std::byte* out, int bytes) {
    for (size_t o = 0; o < offsets_.size(); ++o) inherit(watch_.flags, *job_.operands[o], offsets_[o], 0);
    const bool made = job_.node.body.results[0] >= static_cast<int>(job_.node.body.arguments.size());
    for (std::int64_t l = 0; l < chunk.count; ++l) {
      const auto lane = static_cast<size_t>(l);
      const OutputFlags flags =
          output_flags(watch_.flags[lane], watch_.subnormals[lane], made, job_.format, load_bits(out + l * bytes, bytes));
      job_.carried[chunk.first + l] = flags.carried;
      job_.final[chunk.first + l] = flags.result;
    }
  }

  const MapJob& job_;
  std::vector<LaneOffsets> offsets_;
  std::vector<LaneBuffer> gathered_;
  std::map<std::vector<bool>, std::unique_ptr<Plan>> plans_;
  LaneWatch watch_;
};

constexpr std::int64_t kWorthAThread = 1 << 14;  // outputs; below, a thread costs more than it brings

}  // namespace

NodeValue run_map(const Map& node, Shape shape, const std::vector<const NodeValue*>& operands, const NodeSettings& settings) {
  NodeValue made{node.axes, Tensor(format_of(node), shape), {}, {}, false};
  if (settings.watch) made.carried = made.final = Tensor(Format::UI8, shape);
  std::vector<std::vector<std::int64_t>> strides;
  for (const NodeValue* operand : operands) strides.push_back(strides_along(operand->axes, operand->value.shape(), node.axes));
  const LaneSpace space = collapse(shape, std::move(strides));
  const MapJob job{node,
                   operands,
                   settings,
                   space,
                   Chunks(space, settings.lanes),
                   made.value.format(),
                   made.value.mutable_bytes(),
                   settings.watch ? made.carried.mutable_as<std::uint8_t>() : nullptr,
                   settings.watch ? made.final.mutable_as<std::uint8_t>() : nullptr};
  const bool small = made.value.size() < kWorthAThread && settings.threads == 0;
  run_chunks(job.chunks, small ? 1 : settings.threads, [&job] { return std::make_unique<MapWorker>(job); });
  return made;
}

}  // namespace bitpact
