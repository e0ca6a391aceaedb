// reciprocal, sqrt, rsqrt: 1 / x, the square root, and one over it.
#include "operators/building.h"
#include "operators/families.h"

namespace bitpact {
namespace {

bool is_narrow(const OperatorFormats& formats) { return info(formats.operands[0]).bits == 16; }

/// The values of choice point `point`: those for every format, and `narrow` for 16-bit ones.
std::vector<std::string> values_with(std::vector<std::string> values, const std::string& narrow, const OperatorFormats& formats) {
  if (is_narrow(formats)) values.push_back(narrow);
  return values;
}

std::vector<std::string> rounding_places(const OperatorFormats& formats) { return values_with({"once"}, "f32-first", formats); }

using Value = int (*)(BodyBuilder& b, Format format, int x);

int over(BodyBuilder& b, Format format, int x) { return b.op(ScalarOp::Divide, format, {b.constant(format, one(format)), x}); }

int root(BodyBuilder& b, Format format, int x) { return b.op(ScalarOp::Sqrt, format, {x}); }

// One operation, rounded once.
Operator rounded_once(const std::string& name, const std::string& summary, Value value) {
  Operator op;
  op.name = name;
  op.summary = summary;
  op.function = name;
  op.operands = {"x"};
  op.clauses = {{"C1", "the operand has a float format"}};
  op.resolve = [](const Operator& self, const Problem& problem) {
    require_floats(self, problem, "C1");
    return resolve_elementwise(problem, problem.operands[0].format);
  };
  op.choice_points = [](const OperatorFormats& formats) {
    return std::vector<ChoicePoint>{
        {"result",
         rounding_places(formats),
         "where the value is rounded",
         {{"once", "rounded once, to the result's format"}, {"f32-first", "rounded to f32, then to the result's format"}}}};
  };
  op.build = [value](const OperatorFormats& formats, const Choices& choices) {
    const bool twice = chosen(choices, "result", rounding_places(formats)) == "f32-first";
    const Format format = twice ? Format::F32 : formats.result;
    BodyBuilder b(formats.operands);
    const int y = value(b, format, b.convert(0, format));
    return one_map({"x"}, formats.operands, b.finish({b.convert(y, formats.result)}));
  };
  return op;
}

std::vector<std::string> roots(const OperatorFormats& formats) {
  return values_with({"unrounded", "rounded"}, "f32-rounded", formats);
}

// The root in f64 and one over it are within an ulp of f64; no f32, bf16 or f16 operand has a value so near to the middle
// between two of its own format (tests/functions: every operand), so that rounding it is rounding once.
NumericProgram build_rsqrt(const OperatorFormats& formats, const Choices& choices) {
  const std::string which = chosen(choices, "root", roots(formats));
  const Format format = which == "unrounded" ? Format::F64 : which == "rounded" ? formats.result : Format::F32;
  BodyBuilder b(formats.operands);
  const int y = over(b, format, root(b, format, b.convert(0, format)));
  return one_map({"x"}, formats.operands, b.finish({b.convert(y, formats.result)}));
}

}  // namespace

Operator reciprocal() { return rounded_once("reciprocal", "1 / x", over); }

Operator sqrt() { return rounded_once("sqrt", "the square root of x", root); }

Operator rsqrt() {
  Operator op = function_of_x("rsqrt", "1 / sqrt(x), correctly rounded");
  op.function = "rsqrt";
  op.choice_points = [](const OperatorFormats& formats) {
    return std::vector<ChoicePoint>{
        {"root",
         roots(formats),
         "whether the root is rounded before it is divided by",
         {{"unrounded", "only the result is rounded, once"},
          {"rounded", "both root and quotient are rounded to the result's format"},
          {"f32-rounded", "both root and quotient are rounded to f32, the quotient then to the result's format"}}}};
  };
  op.build = build_rsqrt;
  return op;
}

}  // namespace bitpact
