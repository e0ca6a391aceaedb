// What exactness costs: IREE's and XLA's own forms against the emitted ones and MLX itself, alternating in one run, medians of
// rounds. Every time is of the invocation alone, operands already on the device; every emitted form is checked against MLX's bits
// before it is timed.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "backends/contract_target.h"
#include "backends/plain_stablehlo.h"
#include "backends/traits/ask.h"
#include "compare/compare.h"
#include "diagnostic/diagnostic.h"
#include "emit/emit.h"
#include "operators/catalogue.h"
#include "operators/recipe.h"

namespace bitpact {
namespace {

constexpr int kRounds = 11;

/// Somebody who compiles forms. Times are set against its own form of the operator.
struct Compiler {
  std::string name;
  Backend* backend;
  bool own_form = true;  ///< else it is set against the compiler before it
};

struct Contender {
  std::string what;
  Backend* backend;
  std::string module;
  size_t against;  ///< index of the contender that it is set against
  std::vector<double> times{};
};

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void bench(const std::string& line, const std::vector<Compiler>& compilers, Backend& mlx) {
  const Resolved problem = resolve(line);
  const Operator& op = operator_named(problem.problem.op);
  const BoundProgram program = bind(op.build(problem.formats(), canonical_choices(op, problem.formats())), problem.binding);
  const std::vector<Tensor> operands = make_operands(Recipe::parse("bitpact-operands/2 classes=normal"), problem.problem.operands,
                                                     problem.binding.operands, problem.binding.result);
  const Tensor wanted = mlx.call_operator(problem.problem, {problem.result}, operands, {}).results[0];

  fmt::print("{}\n", line);
  std::vector<Contender> contenders;
  size_t against = 0;
  for (const Compiler& compiler : compilers) {
    if (compiler.own_form) {
      against = contenders.size();
      contenders.push_back(
          {compiler.name + "'s own form", compiler.backend, plain_stablehlo(problem.problem, problem.result), against});
    }
    for (const Emitted& form : emit(program, traits_of(*compiler.backend))) {
      if (form.form == "written-out") continue;
      const std::string what = fmt::format("{}, {}", compiler.name, form.form);
      try {
        const Tensor got = compiler.backend->run_stablehlo(form.module, {problem.result}, operands, {}).results[0];
        const TensorComparison c = compare_tensors(wanted, got);
        contenders.push_back({c.different == 0 ? what : fmt::format("{} (WRONG: {} differ)", what, c.different), compiler.backend,
                              form.module, against});
      } catch (const Refused& refused) {
        fmt::print("  {}: {}\n", what, refused.what());
      }
    }
  }
  const int inner = element_count(problem.result.shape) > 100000 ? 3 : 9;
  for (int round = 0; round < kRounds; ++round)
    for (Contender& c : contenders)
      c.times.push_back(
          c.backend->run_stablehlo(c.module, {problem.result}, operands, {.repeat = inner, .warmup = 1}).cost.run_ms);
  for (const Contender& c : contenders) {
    const double t = median(c.times);
    fmt::print("  {:<44} {:9.3f} ms  {:7.2f} x\n", c.what, t, t / median(contenders[c.against].times));
  }
  std::vector<double> reference;
  for (int round = 0; round < 3; ++round)
    reference.push_back(mlx.call_operator(problem.problem, {problem.result}, operands, {.repeat = 1, .warmup = 0}).cost.run_ms);
  fmt::print("  {:<44} {:9.3f} ms\n", "MLX itself", median(reference));
  std::fflush(stdout);
}

}  // namespace
}  // namespace bitpact

int main() {
  using namespace bitpact;
  try {
    const auto iree = open_backend(parse_backend("iree")), mlx = open_backend(parse_backend("mlx"));
    const auto own = open_backend(*contract_target(*iree, {})), xla = open_backend(parse_backend("xla"));
    const std::vector<Compiler> compilers{{"IREE", iree.get()}, {"IREE, own target", own.get(), false}, {"XLA", xla.get()}};
    for (const char* line :
         {"matmul 256x256xf32,256x256xf32", "matmul 512x512xf32,512x512xf32", "matmul 128x1024xf32,1024x128xf32",
          "matmul 1x4096xf32,4096x64xf32", "matmul 256x256xbf16,256x256xbf16", "matmul 128x1024xbf16,1024x128xbf16",
          "matmul 256x256xf16,256x256xf16", "matmul 128x1024xf16,1024x128xf16", "sum 512x4096xf32 axis=1",
          "sum 512x4096xbf16 axis=1"})
      bench(line, compilers, *mlx);
    return 0;
  } catch (const Refused& refused) {
    fmt::print(stderr, "{}\n", to_text(refused.diagnostic()));
    return 3;
  }
}
