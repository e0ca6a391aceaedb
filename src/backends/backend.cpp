#include "backends/backend.h"

#include "backends/plain_stablehlo.h"
#include "diagnostic/diagnostic.h"
#include "operators/alignment.h"

namespace bitpact {

Answer Backend::call_operator(const Problem& problem, const ResultSpecs& results, std::span<const Tensor> operands,
                              const RunOptions& options) {
  if (!ways().stablehlo) {
    refuse(Code::BackendLacksForm, "it takes no operator calls", {to_text(problem), to_text(spec()), ""});
  }
  if (results.size() != 1) refuse(Code::BackendLacksForm, "operators have one result", {to_text(problem), to_text(spec()), ""});
  RunOptions laid_out = options;
  laid_out.align = alignment_of(problem);
  return run_stablehlo(plain_stablehlo(problem, results.front()), results, operands, laid_out);
}

Answer Backend::run_stablehlo(const std::string&, const ResultSpecs&, std::span<const Tensor>, const RunOptions&) {
  refuse(Code::BackendLacksForm, "it takes no StableHLO modules", {"", to_text(spec()), ""});
}

Answer Backend::run_program(const BoundProgram&, std::span<const Tensor>, const RunOptions&) {
  refuse(Code::BackendLacksForm, "it takes no numeric programs", {"", to_text(spec()), ""});
}

}  // namespace bitpact
