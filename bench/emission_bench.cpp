// What exactness costs: IREE's own form against the emitted ones and MLX itself, alternating in one run, medians of rounds.
// Every time is of the invocation alone, operands already on the device; every emitted form is checked against MLX's bits before
// it is timed.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "backends/plain_stablehlo.h"
#include "backends/contract_target.h"
#include "backends/traits/ask.h"
#include "compare/compare.h"
#include "diagnostic/diagnostic.h"
#include "emit/emit.h"
#include "operators/catalogue.h"
#include "operators/recipe.h"

namespace bitpact {
namespace {

constexpr int kRounds = 11;

struct Contender {
  std::string what;
  Backend* backend;
  std::string module;  ///< empty: an operator call
  std::vector<double> times{};
};

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void bench(const std::string& line, Backend& iree, Backend& own_target, Backend& mlx) {
  const Resolved problem = resolve(line);
  const Operator& op = operator_named(problem.problem.op);
  const BoundProgram program = bind(op.build(problem.formats(), canonical_choices(op, problem.formats())), problem.binding);
  const std::vector<Tensor> operands = make_operands(Recipe::parse("bitpact-operands/1 classes=normal"), problem.problem.operands,
                                                     problem.binding.operands, problem.binding.result);
  const Tensor wanted = mlx.call_operator(problem.problem, {problem.result}, operands, {}).results[0];

  std::vector<Contender> contenders{{"IREE's own form", &iree, plain_stablehlo(problem.problem, problem.result)}};
  for (const auto& [backend, how] : {std::pair{&iree, "flags untouched"}, std::pair{&own_target, "own target"}}) {
    for (const Emitted& form : emit(program, traits_of(*backend))) {
      if (form.form == "written-out") continue;
      const std::string what = fmt::format("{}, {}", form.form, how);
      try {
        const Tensor got = backend->run_stablehlo(form.module, {problem.result}, operands, {}).results[0];
        const TensorComparison c = compare_tensors(wanted, got);
        contenders.push_back(
            {c.different == 0 ? what : fmt::format("{} (WRONG: {} differ)", what, c.different), backend, form.module});
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
  Contender reference{"MLX itself", &mlx, ""};
  for (int round = 0; round < 3; ++round)
    reference.times.push_back(
        mlx.call_operator(problem.problem, {problem.result}, operands, {.repeat = 1, .warmup = 0}).cost.run_ms);
  contenders.push_back(reference);

  fmt::print("{}\n", line);
  const double own = median(contenders.front().times);
  for (const Contender& c : contenders) {
    const double t = median(c.times);
    fmt::print("  {:<44} {:9.3f} ms  {:7.2f} x\n", c.what, t, t / own);
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace bitpact

int main() {
  using namespace bitpact;
  try {
    const auto iree = open_backend(parse_backend("iree")), mlx = open_backend(parse_backend("mlx"));
    const auto own = open_backend(*contract_target(*iree));
    for (const char* line :
         {"matmul 256x256xf32,256x256xf32", "matmul 512x512xf32,512x512xf32", "matmul 128x1024xf32,1024x128xf32",
          "matmul 1x4096xf32,4096x64xf32", "matmul 256x256xbf16,256x256xbf16", "matmul 128x1024xbf16,1024x128xbf16",
          "matmul 256x256xf16,256x256xf16", "matmul 128x1024xf16,1024x128xf16", "sum 512x4096xf32 axis=1",
          "sum 512x4096xbf16 axis=1"})
      bench(line, *iree, *own, *mlx);
    return 0;
  } catch (const Refused& refused) {
    fmt::print(stderr, "{}\n", to_text(refused.diagnostic()));
    return 3;
  }
}
