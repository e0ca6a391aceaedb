#include "probe/function_blocks.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <future>

#include "backends/protocol.h"

namespace bitpact {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kTalkEvery = 5;  // seconds

/// Raised where what a pass saves, or how it is made, changes: older progress is then not taken.
constexpr int kVersion = 2;

void fill(Tensor& x, std::int64_t block) {
  auto* words = x.mutable_as<std::uint32_t>();
  const auto first = static_cast<std::uint32_t>(block << kBlockBits);
  for (std::int64_t i = 0; i < x.size(); ++i) words[i] = first + static_cast<std::uint32_t>(i);
}

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

void ask_blocks(FunctionAsker& asker, std::int64_t first,
                const std::function<void(std::int64_t block, const Tensor& x, const Tensor& y)>& work,
                const std::function<void(std::int64_t done)>& saved, const std::function<void(const std::string&)>& say) {
  const Shape shape{std::int64_t{1} << kBlockBits};
  std::array<Tensor, 2> arguments{Tensor(Format::F32, shape), Tensor(Format::F32, shape)};
  std::future<void> working;
  const auto begin = Clock::now();
  double said = 0;
  const auto finish = [&](std::int64_t done) {
    working.get();
    saved(done);
    if (!say || (since(begin) - said < kTalkEvery && done != kBlocks)) return;
    said = since(begin);
    const double left = said / static_cast<double>(done - first) * static_cast<double>(kBlocks - done);
    say(fmt::format("{} of {} blocks of 2^{} arguments, {:.0f} s; about {:.0f} s to go", done, kBlocks, kBlockBits, said, left));
  };
  for (std::int64_t block = first; block < kBlocks; ++block) {
    Tensor& x = arguments[static_cast<std::size_t>(block % 2)];
    fill(x, block);
    Tensor y = asker.ask_raw(x);
    if (working.valid()) finish(block);
    working = std::async(std::launch::async, [&work, &x, y = std::move(y), block]() mutable {
      make_nans_quiet(y);
      work(block, x, y);
    });
  }
  if (working.valid()) finish(kBlocks);
}

nlohmann::json about_pass(const std::string& pass, FunctionAsker& asker) {
  const Problem& problem = asker.problem().problem;
  return {{"version", kVersion},
          {"pass", pass},
          {"operator", problem.op},
          {"argument", name(asker.argument())},
          {"result", name(asker.result())},
          {"attributes", problem.attributes},
          {"block_bits", kBlockBits},
          {"backend", to_text(asker.backend().spec())},
          {"identity", protocol::to_json(asker.backend().identity())}};
}

}  // namespace bitpact
