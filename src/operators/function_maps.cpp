// exp, log, tanh, erf: a function of every element. Their canonical programs are correctly rounded (functions.h).
#include "operators/building.h"
#include "operators/families.h"
#include "operators/functions.h"

namespace bitpact {
namespace {

std::vector<std::string> rounding_places(const OperatorFormats& formats) {
  if (formats.operands[0] == Format::F32) return {"once"};
  return {"once", "f32-first"};
}

Operator function(const std::string& name, Function which, const std::string& summary) {
  Operator op;
  op.name = name;
  op.summary = summary;
  op.function = name;
  op.operands = {"x"};
  op.clauses = {{"C1", "the operand is f32, bf16 or f16"}};
  op.resolve = [](const Operator& self, const Problem& problem) {
    require_function_format(self, problem, "C1");
    return resolve_elementwise(problem, problem.operands[0].format);
  };
  op.choice_points = [](const OperatorFormats& formats) {
    return std::vector<ChoicePoint>{{"result",
                                     rounding_places(formats),
                                     "where the function's value is rounded",
                                     {{"once", "rounded once, to the result's format"},
                                      {"f32-first", "correctly rounded to f32, then to the result's format"}}}};
  };
  op.build = [which](const OperatorFormats& formats, const Choices& choices) {
    BodyBuilder b(formats.operands);
    const bool twice = chosen(choices, "result", rounding_places(formats)) == "f32-first";
    const int y = b.convert(apply(b, which, 0, twice ? Format::F32 : formats.result), formats.result);
    return one_map({"x"}, formats.operands, b.finish({y}));
  };
  return op;
}

}  // namespace

Operator erf() { return function("erf", Function::Erf, "the error function of x, correctly rounded"); }

Operator exp() { return function("exp", Function::Exp, "e to the power x, correctly rounded"); }

Operator log() { return function("log", Function::Log, "the natural logarithm of x, correctly rounded"); }

Operator tanh() { return function("tanh", Function::Tanh, "the hyperbolic tangent of x, correctly rounded"); }

}  // namespace bitpact
