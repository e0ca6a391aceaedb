// Problem lines, and what stands behind them: resolving, and the canonical program bound to the problem.
#include "fuzz.h"
#include "operators/catalogue.h"

using namespace bitpact;

namespace {

void check_resolved(const Problem& problem) {
  const auto resolved = fuzz::accepted({Code::UnknownOperator, Code::UnknownAttribute, Code::BadAttribute, Code::ClauseViolated,
                                        Code::TooLarge, Code::UnknownFormat},
                                       [&] { return resolve(problem); });
  if (!resolved) return;
  const Resolved again = resolve(to_text(resolved->problem));
  fuzz::must(again.problem == resolved->problem, "a resolved problem resolves to another one");
  fuzz::must(again.result == resolved->result, "a resolved problem has another result than the problem");
  const Operator& op = operator_named(resolved->problem.op);
  // Not every format an operator takes has a canonical program that can be built; then it is refused by name.
  (void)fuzz::accepted({Code::BadAttribute, Code::ArithmeticUnsupported, Code::ClauseViolated}, [&] {
    const NumericProgram program = op.build(resolved->formats(), canonical_choices(op, resolved->formats()));
    const BoundProgram bound = bind(program, resolved->binding);
    fuzz::must(bound.shape_of(bound.program.results.at(0)) == resolved->result.shape, "the program has another shape");
    fuzz::must(format_of(bound.program.nodes.at(static_cast<size_t>(bound.program.results[0]))) == resolved->result.format,
               "the program has another format");
    return true;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto problem =
      fuzz::accepted({Code::ProblemSyntax, Code::UnknownFormat}, [&] { return parse_problem(fuzz::text_of(data, size)); });
  if (!problem) return -1;
  const std::string text = to_text(*problem);
  fuzz::must(parse_problem(text) == *problem, "a problem reads back as another one");
  fuzz::must(to_text(parse_problem(text)) == text, "the canonical line is no fixed point");
  check_resolved(*problem);
  return 0;
}
