// A whole worker in C++: it adds f32 tensors. Try it: bitpact compare "add 4xf32,4xf32" --reference mlx --candidate
// worker:./worker
#include "backends/worker_host.h"
#include "diagnostic/diagnostic.h"

class Adder : public bitpact::Worker {
  bitpact::protocol::Hello hello(const std::string&, const std::map<std::string, std::string>&) override {
    const bitpact::Identity identity{.backend = "adder",
                                     .version = "1",
                                     .build = "none",
                                     .device = "cpu",
                                     .target = "x86-64",
                                     .flags = "none",
                                     .threads = "1",
                                     .kernel = "a loop"};
    return {"adder", identity, {.operator_call = true}};
  }

  bitpact::WorkerReport call_operator(const bitpact::WorkerCall& call) override {
    if (call.op != "add") bitpact::refuse(bitpact::Code::BackendLacksOperator, "only add is carried, not " + call.op);
    if (call.operands.at(0).format != bitpact::Format::F32) bitpact::refuse(bitpact::Code::BackendLacksFormat, "only f32");
    const auto* a = reinterpret_cast<const float*>(call.operand_data.at(0));
    const auto* b = reinterpret_cast<const float*>(call.operand_data.at(1));
    auto* sum = reinterpret_cast<float*>(call.result_data.at(0));
    const std::int64_t size = bitpact::element_count(call.results.at(0).shape);
    const auto run = [&] {
      for (std::int64_t i = 0; i < size; ++i) sum[i] = a[i] + b[i];
    };
    bitpact::WorkerReport report = bitpact::timed_runs(call, run, [](auto) {});  // `run` leaves the result in place
    report.tag = "adder.add";
    return report;
  }
};

int main() { return bitpact::serve(*std::make_unique<Adder>()); }
