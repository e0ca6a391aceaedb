// gelu: x times the probability that a standard normal value is below x, by one of three formulas.
// erf: D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units" (2016), as are the two approximations of it.
#include <fmt/format.h>

#include "operators/building.h"
#include "operators/families.h"
#include "operators/functions.h"

namespace bitpact {
namespace {

const std::vector<std::string> kFormulas = {"erf", "tanh", "quick"};

std::vector<std::string> intermediate_formats(const OperatorFormats& formats) {
  return format_values({Format::F64, Format::F32, formats.operands[0]});
}

NumericProgram build_gelu(const OperatorFormats& formats, const Choices& choices) {
  const std::string formula = chosen(choices, "formula", kFormulas);
  const Format format = parse_format(chosen(choices, "intermediates", intermediate_formats(formats)));
  BodyBuilder b(formats.operands);
  const auto constant = [&](const char* text) { return b.constant(format, *parse_scalar(text, format)); };
  const auto op = [&](ScalarOp what, int left, int right) { return b.op(what, format, {left, right}); };
  const int x = b.convert(0, format);
  const int unit = constant("1");
  int result = 0;
  if (formula == "quick") {
    const int exponential = apply(b, Function::Exp, op(ScalarOp::Multiply, x, constant("-1.702")), format);
    result = op(ScalarOp::Divide, x, op(ScalarOp::Add, unit, exponential));
  } else {
    int inner = 0;
    if (formula == "erf") {
      inner = apply(b, Function::Erf, op(ScalarOp::Multiply, x, constant("0.70710678118654752440")), format);
    } else {
      const int cube = op(ScalarOp::Multiply, op(ScalarOp::Multiply, x, x), x);
      const int sum = op(ScalarOp::Add, x, op(ScalarOp::Multiply, constant("0.044715"), cube));
      inner = apply(b, Function::Tanh, op(ScalarOp::Multiply, constant("0.79788456080286535588"), sum), format);
    }
    result = op(ScalarOp::Multiply, op(ScalarOp::Multiply, x, constant("0.5")), op(ScalarOp::Add, unit, inner));
  }
  const int rounded = b.convert(result, formats.result);
  return one_map({"x"}, formats.operands, b.finish({rounded}));
}

}  // namespace

Operator gelu() {
  Operator op = function_of_x("gelu", "x times the probability that a standard normal value is below x");
  op.choice_points = [](const OperatorFormats& formats) {
    return std::vector<ChoicePoint>{{"formula",
                                     kFormulas,
                                     "which formula it is",
                                     {{"erf", "x / 2 * (1 + erf(x / sqrt 2))"},
                                      {"tanh", "x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))"},
                                      {"quick", "x / (1 + exp(-1.702 x))"}}},
                                    {"intermediates",
                                     intermediate_formats(formats),
                                     "the format that every step is rounded to; the result is rounded once after",
                                     {}}};
  };
  op.build = build_gelu;
  return op;
}

}  // namespace bitpact
