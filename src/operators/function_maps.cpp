// exp, exp2, expm1, log, log1p, tanh, erf, sigmoid, sin, cos: a function of every element. Their canonical programs are correctly
// rounded (functions.h).
#include <fmt/format.h>

#include "diagnostic/diagnostic.h"
#include "operators/building.h"
#include "operators/families.h"
#include "operators/function_algorithms.h"
#include "operators/functions.h"

namespace bitpact {
namespace {

const std::string kCanonical = "correctly-rounded";

std::vector<std::string> rounding_places(const OperatorFormats& formats) {
  if (formats.operands[0] == Format::F32) return {"once"};
  return {"once", "f32-first"};
}

std::vector<std::string> algorithm_names(Function which) {
  std::vector<std::string> names{kCanonical};
  for (const Algorithm& algorithm : algorithms(which)) names.push_back(algorithm.name);
  return names;
}

std::vector<ChoicePoint> choice_points(Function which, const OperatorFormats& formats) {
  std::vector<ChoicePoint> points;
  if (!algorithms(which).empty()) {
    std::map<std::string, std::string> meanings{{kCanonical, "the value nearest to the function's own"}};
    for (const Algorithm& algorithm : algorithms(which)) meanings[algorithm.name] = algorithm.meaning;
    points.push_back({"algorithm", algorithm_names(which), "how the value is computed", meanings});
  }
  points.push_back({"result",
                    rounding_places(formats),
                    "where the function's value is rounded",
                    {{"once", "rounded once, to the result's format"},
                     {"f32-first", "to f32 (correctly, or as the algorithm has it), then to the result's format"}}});
  return points;
}

int value(BodyBuilder& b, Function which, const OperatorFormats& formats, const Choices& choices) {
  const bool twice = chosen(choices, "result", rounding_places(formats)) == "f32-first";
  const std::string name = algorithms(which).empty() ? kCanonical : chosen(choices, "algorithm", algorithm_names(which));
  if (name == kCanonical) return apply(b, which, 0, twice ? Format::F32 : formats.result);
  if (!twice && formats.result != Format::F32)
    refuse(Code::BadAttribute, fmt::format("algorithm={} gives a value of f32: it goes with result=f32-first", name));
  for (const Algorithm& algorithm : algorithms(which))
    if (algorithm.name == name) return algorithm.body(b, b.convert(0, Format::F32), formats.operands[0]);
  return -1;
}

Operator function(const std::string& name, Function which, const std::string& summary) {
  Operator op = function_of_x(name, summary);
  op.function = name;
  op.choice_points = [which](const OperatorFormats& formats) { return choice_points(which, formats); };
  op.build = [which](const OperatorFormats& formats, const Choices& choices) {
    BodyBuilder b(formats.operands);
    const int y = b.convert(value(b, which, formats, choices), formats.result);
    return one_map({"x"}, formats.operands, b.finish({y}));
  };
  return op;
}

}  // namespace

Operator erf() { return function("erf", Function::Erf, "the error function of x, correctly rounded"); }

Operator exp() { return function("exp", Function::Exp, "e to the power x, correctly rounded"); }

Operator exp2() { return function("exp2", Function::Exp2, "2 to the power x, correctly rounded"); }

Operator expm1() {
  Operator op = function("expm1", Function::Expm1, "e to the power x, less 1, correctly rounded");
  op.aliases = {"exponential_minus_one"};
  return op;
}

Operator log() { return function("log", Function::Log, "the natural logarithm of x, correctly rounded"); }

Operator log1p() {
  Operator op = function("log1p", Function::Log1p, "the natural logarithm of 1 + x, correctly rounded");
  op.aliases = {"log_plus_one"};
  return op;
}

Operator sigmoid() {
  Operator op = function("sigmoid", Function::Sigmoid, "1 / (1 + e to the power -x), correctly rounded");
  op.aliases = {"logistic"};
  return op;
}

Operator sin() {
  Operator op = function("sin", Function::Sin, "the sine of x, in radians, correctly rounded");
  op.aliases = {"sine"};
  return op;
}

Operator cos() {
  Operator op = function("cos", Function::Cos, "the cosine of x, in radians, correctly rounded");
  op.aliases = {"cosine"};
  return op;
}

Operator tanh() { return function("tanh", Function::Tanh, "the hyperbolic tangent of x, correctly rounded"); }

}  // namespace bitpact
