// Where operands lie: asked for by `align`, seen by what runs, refused where a worker does not say that it takes it.
#include <gtest/gtest.h>

#include "backends/worker_host.h"
#include "operators/catalogue.h"
#include "support.h"

namespace bitpact {
namespace {

using testing::numbers;
using testing::spec_of;

std::unique_ptr<Backend> address_worker(const std::string& argument = "") {
  const std::string script = std::string(BITPACT_SOURCE_DIR) + "/tests/backends/address_worker.py";
  return open_backend(BackendSpec{"worker", locate_python() + " " + script + " " + argument, {}});
}

/// What the worker saw: the operands' addresses modulo 64, and the number of attributes.
std::vector<std::int32_t> seen_by(Backend& backend, const std::string& line, const std::vector<Tensor>& operands) {
  const OperandSpec result{Format::I32, {static_cast<std::int64_t>(operands.size()) + 1}};
  const Answer answer = backend.call_operator(resolve(line).problem, {result}, operands, {});
  const auto* words = answer.results[0].as<std::int32_t>();
  return {words, words + answer.results[0].size()};
}

TEST(AlignedLayout, MovesEachTensor) {
  const std::vector<OperandSpec> tensors{{Format::F32, {3}}, {Format::I8, {}}, {Format::F64, {2, 8}}};
  const protocol::Layout layout = protocol::layout_of(tensors, 16);
  EXPECT_EQ(layout.offsets, (std::vector<std::size_t>{16, 80, 144}));
  EXPECT_EQ(layout.total, 272u);
  EXPECT_EQ(protocol::layout_of(tensors, 64).offsets, protocol::layout_of(tensors).offsets);
}

TEST(AlignedLayout, IsReadFromARequest) {
  EXPECT_EQ(protocol::alignment_from_json({{"request", "echo"}}), 64u);
  EXPECT_EQ(protocol::alignment_from_json({{"align", 8}}), 8u);
  for (const nlohmann::json& wrong :
       {nlohmann::json(0), nlohmann::json(64), nlohmann::json(12), nlohmann::json(-4), nlohmann::json("8"), nlohmann::json(2.0)})
    EXPECT_REFUSED(Code::WorkerRefused, "power of two", protocol::alignment_from_json({{"align", wrong}}));
}

TEST(AlignedLayout, IsStatedByAWorker) {
  protocol::Hello hello{"x", {"x", "1", "b", "cpu", "t", "none", "1", "k"}, {true, false, false}};
  EXPECT_FALSE(protocol::to_json(hello).contains("align"));
  EXPECT_FALSE(protocol::hello_from_json(protocol::to_json(hello)).align);
  hello.align = true;
  EXPECT_TRUE(protocol::hello_from_json(protocol::to_json(hello)).align);
  nlohmann::json json = protocol::to_json(hello);
  json["align"] = "yes";
  EXPECT_REFUSED(Code::WorkerProtocol, "`align`", protocol::hello_from_json(json));
  json["align"] = false;
  EXPECT_FALSE(protocol::hello_from_json(json).align);
  json["more"] = 1;
  EXPECT_REFUSED(Code::WorkerProtocol, "unknown field `more`", protocol::hello_from_json(json));
}

// Small payloads are inline, large ones in the arena.
TEST(Alignment, IsWhatAWorkerSees) {
  const auto backend = address_worker();
  for (const std::int64_t extent : {5, 300}) {
    SCOPED_TRACE(extent);
    const std::vector<Tensor> two{numbers({extent, extent}, 1), numbers({extent, extent}, 2)};
    const std::string shape = std::to_string(extent) + "x" + std::to_string(extent) + "xf32";
    const std::string line = "matmul " + shape + "," + shape + " transpose_b=true";
    EXPECT_EQ(seen_by(*backend, line, two), (std::vector<std::int32_t>{0, 0, 1}));
    for (const int align : {4, 8, 16, 32})
      EXPECT_EQ(seen_by(*backend, line + " align=" + std::to_string(align), two), (std::vector<std::int32_t>{align, align, 1}));
  }
}

TEST(Alignment, ReachesModulesByRunOptions) {
  const auto backend = address_worker();
  const Tensor a = numbers({7});
  RunOptions options;
  options.align = 32;
  // Without attributes its answer is an address and a zero.
  const Answer answer = backend->run_stablehlo("module", {{Format::I32, {2}}}, std::vector{a}, options);
  EXPECT_EQ(answer.results[0].as<std::int32_t>()[0], 32);
}

TEST(Alignment, IsRefusedWhereAWorkerDoesNotSayThatItTakesIt) {
  const auto backend = address_worker("silent");
  const std::vector<Tensor> one{numbers({2, 5})};
  EXPECT_EQ(seen_by(*backend, "sum 2x5xf32", one)[0], 0);
  EXPECT_REFUSED(Code::BackendLacksForm, "align=16: what it runs does not read operands where they are laid out",
                 seen_by(*backend, "sum 2x5xf32 align=16", one));
  EXPECT_EQ(seen_by(*backend, "sum 2x5xf32 align=64", one)[0], 0);  // it goes on
}

// A parent that asks all the same is refused by both hosts: nothing answers for operands that lie elsewhere.
TEST(Alignment, IsRefusedByTheHostsOfWorkersThatDidNotSayIt) {
  const std::string examples = std::string(BITPACT_SOURCE_DIR) + "/examples/worker.py";
  const std::string python = std::string(BITPACT_SOURCE_DIR) + "/bindings/python";
  const std::vector<WorkerCommand> hosts{{{std::string(BITPACT_BINARY_DIR) + "/bitpact-example-worker"}, {}},
                                         {{locate_python(), examples}, {{"PYTHONPATH", python}}}};
  for (const WorkerCommand& command : hosts) {
    SCOPED_TRACE(command.argv[0]);
    WorkerProcess process(command, locate_keeper({}), {});
    const auto ask = [&](const nlohmann::json& request) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      return process.exchange(request, until, "late").json;
    };
    ask({{"request", "hello"}, {"protocol", 1}, {"device", ""}, {"options", nlohmann::json::object()}});
    const std::vector<OperandSpec> two{{Format::F32, {4}}, {Format::F32, {4}}}, one{{Format::F32, {4}}};
    const protocol::Layout layout = protocol::layout_of(two, 16);
    std::memset(process.request_payload(layout.total), 0, layout.total);
    nlohmann::json request{{"request", "call_operator"},
                           {"operator", "add"},
                           {"attributes", nlohmann::json::object()},
                           {"repeat", 1},
                           {"warmup", 0},
                           {"align", 16}};
    request["operands"] = protocol::to_json(two);
    request["results"] = protocol::to_json(one);
    EXPECT_REFUSED(Code::BackendLacksForm, "align=16: it did not say", protocol::throw_if_error(ask(request)));
  }
}

// Each copies operands into buffers of its own.
TEST(Alignment, IsRefusedByRuntimesThatCopy) {
  for (const char* name : {"mlx", "iree", "xla"}) {
    SCOPED_TRACE(name);
    const auto backend = open_backend(parse_backend(name));
    const std::vector<Tensor> one{numbers({4, 5})};
    EXPECT_REFUSED(Code::BackendLacksForm, "align=16",
                   backend->call_operator(resolve("sum 4x5xf32 align=16").problem, {{Format::F32, {4}}}, one, {}));
  }
}

}  // namespace
}  // namespace bitpact
