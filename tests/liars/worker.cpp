// The bench of known liars as a worker. Try it: bitpact compare "sum 4x257xf32" --candidate "worker[kernel=kahan]:build/liars"
#include <fmt/format.h>

#include "diagnostic/diagnostic.h"
#include "liars/carry.h"

namespace {

using namespace bitpact;

class Bench : public Worker {
  protocol::Hello hello(const std::string&, const std::map<std::string, std::string>& options) override {
    for (const auto& [name, value] : options)
      if (name != "kernel") refuse(Code::BackendOption, fmt::format("no option `{}`; there is `kernel`", name));
    const auto kernel = options.find("kernel");
    liar_ = kernel == options.end() ? nullptr : liars::liar_named(kernel->second);
    if (liar_ == nullptr) {
      std::string known;
      for (const liars::Liar& liar : liars::table()) known += fmt::format(" {}", liar.name);
      refuse(Code::BackendOption, "kernel=NAME is needed; known are" + known);
    }
    // What runs is not told: a probe has to find it out.
    const Identity identity{.backend = "liars",
                            .version = "1",
                            .build = "none",
                            .device = "cpu",
                            .target = "generic",
                            .flags = fmt::format("kernel={}", liar_->name),
                            .threads = "1",
                            .kernel = "unobserved"};
    return {"liars", identity, {.operator_call = true}, true};
  }

  WorkerReport call_operator(const WorkerCall& call) override {
    WorkerReport report = timed_runs(
        call, [&] { liars::carry_out(*liar_, call); }, [](auto) {});  // the result is in its place
    report.tag = "liars." + call.op;
    return report;
  }

  const liars::Liar* liar_ = nullptr;
};

}  // namespace

int main() {
  Bench bench;
  return serve(bench);
}
