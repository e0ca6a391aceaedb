// A sweep over all arguments of f32 that is ended goes on where it was.
#include "probe/function_sweep.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "diagnostic/diagnostic.h"
#include "probe/function_blocks.h"
#include "probe/function_progress.h"
#include "probe/support.h"
#include "tensor/digest.h"

namespace bitpact {
namespace {

/// The arguments' own bits as values (no program of exp gives them); refuses the call `last` + 1.
class Ending : public Backend {
 public:
  explicit Ending(int last, Bits added = 0) : last_(last), added_(added) {}
  const BackendSpec& spec() const override { return spec_; }
  const Identity& identity() const override { return identity_; }
  Ways ways() const override { return {.operator_call = true}; }
  Answer call_operator(const Problem&, const ResultSpecs&, std::span<const Tensor> operands, const RunOptions&) override {
    if (static_cast<int>(blocks.size()) == last_) refuse(Code::WorkerDied, "its time has come");
    blocks.push_back(operands[0].get(0) >> kBlockBits);
    Answer answer;
    answer.results = {operands[0]};
    answer.results[0].set(5, answer.results[0].get(5) + added_);
    return answer;
  }
  std::vector<Bits> blocks;

 private:
  int last_;
  Bits added_;
  BackendSpec spec_{"test", "", {}};
  Identity identity_{"test", "1", "none", "cpu", "a machine", "none", "1", "unobserved"};
};

struct Heard {
  std::vector<std::string> lines;
  std::function<void(const std::string&)> say() {
    return [this](const std::string& line) { lines.push_back(line); };
  }
};

class FunctionSweep : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "function-sweep-" + std::to_string(::getpid()) + ".json";
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  // Ends after `calls`; gives the blocks that were asked for.
  std::vector<Bits> run(int calls, Heard& heard, const std::string& line = "exp 4xf32") {
    Ending backend(calls);
    FunctionAsker asker(backend, resolve(line));
    std::vector<FunctionCandidate> candidates = function_candidates(asker.problem());
    for (FunctionCandidate& c : candidates) c.different = c.compared = 1;
    EXPECT_THROW(sweep_function(asker, candidates, path_, heard.say()), Refused);
    return backend.blocks;
  }
  std::string path_;
};

TEST_F(FunctionSweep, GoesOnWhereItWasEnded) {
  Heard first, second;
  EXPECT_EQ(run(3, first), (std::vector<Bits>{0, 1, 2}));
  // The third was asked, but nothing was made of it yet.
  EXPECT_EQ(run(2, second), (std::vector<Bits>{2, 3}));
  ASSERT_FALSE(second.lines.empty());
  EXPECT_EQ(second.lines[0], "goes on after 2 of 256 blocks");
}

TEST_F(FunctionSweep, ProgressOfAnotherProblemIsNotTaken) {
  Heard first, second, third;
  run(3, first);
  EXPECT_EQ(run(1, second, "log 4xf32"), (std::vector<Bits>{0}));
  ASSERT_EQ(second.lines.size(), 1U);
  EXPECT_NE(second.lines[0].find("begun anew"), std::string::npos);
}

TEST_F(FunctionSweep, DamagedProgressIsNotTaken) {
  Heard first, second;
  run(3, first);
  std::ifstream in(path_);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t at = text.rfind("sha256:") + 10;
  text[at] = text[at] == '0' ? '1' : '0';
  std::ofstream(path_) << text;
  EXPECT_EQ(run(1, second), (std::vector<Bits>{0}));
  ASSERT_EQ(second.lines.size(), 1U);
}

// bf16's conversion, one value of it wrong in the second block: what fits is compared with every value that comes.
TEST_F(FunctionSweep, CandidatesThatFitAreComparedWithEveryValue) {
  constexpr std::int64_t kBlock = std::int64_t{1} << kBlockBits;
  const auto run = [&](int calls, std::vector<FunctionCandidate>& candidates) {
    int left = calls;
    test::FunctionBackend backend([&](const Tensor& x, Tensor& y) {
      if (left-- == 0) refuse(Code::WorkerDied, "its time has come");
      if (x.get(0) == kBlock) y.set(77, y.get(77) ^ 1);
    });
    FunctionAsker asker(backend, resolve("convert 4xf32 out=bf16"));
    candidates = function_candidates(asker.problem());
    for (FunctionCandidate& c : candidates) c.different = c.flush.empty() || c.flush == "value" ? 0 : 1, c.compared = 1;
    for (FunctionCandidate& c : candidates) c.different += c.choices.at("rounding") == "nearest-even" ? 0 : 1;
    EXPECT_THROW(sweep_function(asker, candidates, path_, {}), Refused);
  };
  const auto flushing = [](const std::vector<FunctionCandidate>& all) {
    return *std::find_if(all.begin(), all.end(), [](const auto& c) { return c.flush == "value"; });
  };
  std::vector<FunctionCandidate> first, second;
  run(2, first);
  EXPECT_EQ(first[0].different, 1);
  EXPECT_GT(flushing(first).different, 0) << "the first block has all positive subnormals";
  // Saved is what the first block gave. The second is looked at again; then nothing fits any more.
  run(2, second);
  EXPECT_EQ(second[0].compared, 2 * kBlock);
  EXPECT_EQ(second[0].different, 1);
  EXPECT_EQ(second[0].first, static_cast<Bits>(kBlock + 77));
  EXPECT_EQ(flushing(second).compared, kBlock) << "its first difference ended it";
  EXPECT_EQ(flushing(second).different, flushing(first).different);
}

TEST(FunctionBlocks, EachBlockOnceAndInOrder) {
  Ending backend(3);
  FunctionAsker asker(backend, resolve("exp 4xf32"));
  std::vector<std::int64_t> worked, saved;
  EXPECT_THROW(ask_blocks(
                   asker, 253,
                   [&](std::int64_t block, const Tensor& x, const Tensor& y) {
                     worked.push_back(block);
                     EXPECT_EQ(x.get(0), static_cast<Bits>(block) << kBlockBits);
                     EXPECT_EQ(x.get(x.size() - 1), (static_cast<Bits>(block + 1) << kBlockBits) - 1);
                     // The last blocks are NaNs from 0xff800001 on.
                     EXPECT_EQ(y.get(y.size() - 1), block == 255 ? quiet_nan(Format::F32) : x.get(x.size() - 1));
                     if (block == 255) refuse(Code::Internal, "the work fails");
                   },
                   [&](std::int64_t done) { saved.push_back(done); }, {}),
               Refused);
  EXPECT_EQ(worked, (std::vector<std::int64_t>{253, 254, 255}));
  EXPECT_EQ(saved, (std::vector<std::int64_t>{254, 255}));
}

}  // namespace
}  // namespace bitpact
