// quantize and dynamic_quantize: to 8-bit integers, as ONNX's QuantizeLinear and DynamicQuantizeLinear say it.
#include <fmt/format.h>

#include "operators/building.h"
#include "operators/families.h"

namespace bitpact {
namespace {

const std::vector<std::string> kTies = {"even", "away", "toward-zero", "up", "cut"};
const std::vector<std::string> kQuotients = {"divided", "reciprocal"};
const std::vector<std::string> kZeroPoints = {"after", "before"};

ChoicePoint ties_point() {
  return {"ties",
          kTies,
          "how a value half-way between two integers is rounded",
          {{"even", "to the even one"},
           {"away", "away from zero"},
           {"toward-zero", "toward zero"},
           {"up", "floor(q + 0.5)"},
           {"cut", "not only ties: every fraction is cut off"}}};
}

ChoicePoint quotient_point() {
  return {"quotient",
          kQuotients,
          "how x / scale is computed",
          {{"divided", "divided and rounded once"}, {"reciprocal", "times the rounded reciprocal of the scale"}}};
}

int quotient_of(BodyBuilder& b, const std::string& quotient, Format format, int x, int by) {
  if (quotient == "divided") return b.op(ScalarOp::Divide, format, {x, by});
  return b.op(ScalarOp::Multiply, format, {x, b.op(ScalarOp::Divide, format, {b.constant(format, one(format)), by})});
}

/// The integer of a float value; beyond i32 the nearest end, NaN gives 0.
int rounded(BodyBuilder& b, const std::string& ties, int value) {
  Policy policy;
  policy.overflow = Overflow::Saturate;
  const auto by = [&](Rounding rounding, int what) {
    policy.rounding = rounding;
    return b.convert(what, Format::I32, policy);
  };
  if (ties == "even") return by(Rounding::NearestEven, value);
  if (ties == "away") return by(Rounding::NearestAway, value);
  if (ties == "cut") return by(Rounding::TowardZero, value);
  const Format format = b.format_of(value) == Format::F64 ? Format::F64 : Format::F32;
  const int wide = b.convert(value, format);
  const auto constant = [&](const char* text) { return b.constant(format, *parse_scalar(text, format)); };
  if (ties == "up") return by(Rounding::Down, b.op(ScalarOp::Add, format, {wide, constant("0.5")}));
  // Toward zero: the fraction that is cut off, exact, is more than a half.
  const int whole = by(Rounding::TowardZero, wide);
  const int fraction = b.op(ScalarOp::Subtract, format, {wide, b.convert(whole, format)});
  const auto step = [&](Comparison comparison, const char* half, Bits by_one) {
    return select(b, compare(b, comparison, fraction, constant(half)), b.constant(Format::I32, by_one),
                  b.constant(Format::I32, 0));
  };
  policy.rounding = Rounding::NearestEven;
  const int up = b.op(ScalarOp::Add, Format::I32, {whole, step(Comparison::GT, "0.5", 1)}, policy);
  return b.op(ScalarOp::Add, Format::I32, {up, step(Comparison::LT, "-0.5", 0xffffffff)}, policy);
}

/// An i32 value in the range of an 8-bit format.
int saturated(BodyBuilder& b, int value, Format format) {
  Policy policy;
  policy.overflow = Overflow::Saturate;
  return b.convert(value, format, policy);
}

int shifted(BodyBuilder& b, const std::string& ties, const std::string& place, int quotient, int zero_point) {
  const Format format = b.format_of(quotient);
  if (place == "before") return rounded(b, ties, b.op(ScalarOp::Add, format, {quotient, b.convert(zero_point, format)}));
  Policy policy;
  policy.overflow = Overflow::Saturate;
  return b.op(ScalarOp::Add, Format::I32, {rounded(b, ties, quotient), b.convert(zero_point, Format::I32)}, policy);
}

// ---- quantize

ChoicePoint zero_point_point() {
  return {"zero_point",
          kZeroPoints,
          "when the zero point is added",
          {{"after", "to the rounded quotient"}, {"before", "to the quotient, which is rounded then"}}};
}

std::vector<std::string> quotient_formats(const OperatorFormats& formats) {
  return format_values({formats.operands[0], default_accumulator(formats.operands[0])});
}

NumericProgram build_quantize(const OperatorFormats& formats, const Choices& choices) {
  const Format format = parse_format(chosen(choices, "precision", quotient_formats(formats)));
  BodyBuilder b(formats.operands);
  const int quotient =
      quotient_of(b, chosen(choices, "quotient", kQuotients), format, b.convert(0, format), b.convert(1, format));
  const int integer = shifted(b, chosen(choices, "ties", kTies), chosen(choices, "zero_point", kZeroPoints), quotient, 2);
  const int result = saturated(b, integer, formats.result);
  NumericProgram program;
  program.nodes = {Input{"x", formats.operands[0], {"*d"}}, Input{"scale", formats.operands[1], {}},
                   Input{"zero_point", formats.operands[2], {}}, Map{{0, 1, 2}, b.finish({result}), {"*d"}}};
  program.results = {3};
  return program;
}

Resolved resolve_quantize(const Operator& op, const Problem& problem) {
  const auto& [x, scale, zero_point] = std::tie(problem.operands[0], problem.operands[1], problem.operands[2]);
  if (!is_float(x.format) || scale.format != x.format)
    violated(op, "C1", fmt::format("{} and {}", name(x.format), name(scale.format)));
  if (zero_point.format != Format::I8 && zero_point.format != Format::UI8)
    violated(op, "C2", fmt::format("{} is none of them", name(zero_point.format)));
  if (!scale.shape.empty() || !zero_point.shape.empty())
    violated(op, "C3",
             fmt::format("{} and {}", to_text(scale.shape, scale.format), to_text(zero_point.shape, zero_point.format)));
  Resolved r = resolve_elementwise(problem, zero_point.format);
  r.binding.operands[1] = r.binding.operands[2] = {};
  return r;
}

// ---- dynamic_quantize

const std::vector<std::string> kPrecisions = {"f32", "f64"};
const std::vector<std::string> kGiven = {"values", "scale", "zero_point"};

std::vector<ChoicePoint> dynamic_choices(const OperatorFormats& formats) {
  std::vector<ChoicePoint> points{{"precision", kPrecisions, "the format in which scale and zero point are computed", {}},
                                  {"scale",
                                   kQuotients,
                                   "how the range becomes the scale",
                                   {{"divided", "divided by 255"}, {"reciprocal", "times the rounded 1/255"}}}};
  const std::string give = formats.attribute("give", "values");
  if (give != "scale") points.push_back(ties_point());
  if (give == "values") points.push_back(quotient_point());
  return points;
}

/// The greatest (or least) of zero and all elements.
Fold range_end(ScalarOp extremum) {
  const ScalarBody value = identity_body({Format::F32});
  BodyBuilder b({Format::F32, Format::F32});
  Fold fold;
  fold.operands = {0};
  fold.over = {"*d"};
  fold.leaf = fold.finish = value;
  fold.step = fold.merge = b.finish({b.op(extremum, Format::F32, {0, 1})});
  fold.start = {false, {}, {positive_zero(Format::F32)}};
  return fold;
}

/// The scale, of least and greatest: 1 where both are zero.
int scale_of(BodyBuilder& b, const Choices& choices, int least, int greatest, Format format) {
  const auto constant = [&](const char* text) { return b.constant(format, *parse_scalar(text, format)); };
  const int range = b.op(ScalarOp::Subtract, format, {b.convert(greatest, format), b.convert(least, format)});
  const int scale = quotient_of(b, chosen(choices, "scale", kQuotients), format, range, constant("255"));
  return select(b, compare(b, Comparison::EQ, range, constant("0")), constant("1"), scale);
}

NumericProgram build_dynamic(const OperatorFormats& formats, const Choices& choices) {
  const std::string give = formats.attribute("give", "values");
  const Format format = parse_format(chosen(choices, "precision", kPrecisions));
  NumericProgram program;
  program.nodes = {Input{"x", Format::F32, {"*d"}}, range_end(ScalarOp::Minimum), range_end(ScalarOp::Maximum)};
  const std::vector<Format> ends(2, Format::F32);
  BodyBuilder scale(ends);
  const int scale_value = scale.convert(scale_of(scale, choices, 0, 1, format), Format::F32);
  const Map scale_map{{1, 2}, scale.finish({scale_value}), {}};
  if (give == "scale") {
    program.nodes.emplace_back(scale_map);
    program.results = {3};
    return program;
  }
  const std::string ties = chosen(choices, "ties", kTies);
  BodyBuilder zero(ends);
  // 0 - least / scale, rounded, in 0 .. 255.
  const int scaled = zero.op(ScalarOp::Divide, format, {zero.convert(0, format), scale_of(zero, choices, 0, 1, format)});
  const int below = zero.op(ScalarOp::Subtract, format, {zero.constant(format, positive_zero(format)), scaled});
  const int zero_point = saturated(zero, rounded(zero, ties, below), Format::UI8);
  const Map zero_map{{1, 2}, zero.finish({zero_point}), {}};
  if (give == "zero_point") {
    program.nodes.emplace_back(zero_map);
    program.results = {3};
    return program;
  }
  BodyBuilder b({Format::F32, Format::F32, Format::UI8});
  const int quotient = quotient_of(b, chosen(choices, "quotient", kQuotients), Format::F32, 0, 1);
  const int value = saturated(b, shifted(b, ties, "after", quotient, 2), Format::UI8);
  program.nodes.emplace_back(scale_map);
  program.nodes.emplace_back(zero_map);
  program.nodes.emplace_back(Map{{0, 3, 4}, b.finish({value}), {"*d"}});
  program.results = {5};
  return program;
}

Resolved resolve_dynamic(const Operator& op, const Problem& problem) {
  if (problem.operands[0].format != Format::F32) violated(op, "C1", fmt::format("it is {}", name(problem.operands[0].format)));
  if (problem.operands[0].shape.empty()) violated(op, "C2", "it is a scalar");
  const std::string give = attribute(op, problem, "give");
  Resolved r = resolve_elementwise(problem, give == "scale" ? Format::F32 : Format::UI8);
  if (give == "values") return r;
  r.result.shape = {};
  r.binding.result = {};
  return r;
}

}  // namespace

Operator quantize() {
  Operator op;
  op.name = "quantize";
  op.aliases = {"quantize_linear"};
  op.summary = "x / scale, rounded to an integer, plus the zero point, saturated to the zero point's format";
  op.operands = {"x", "scale", "zero_point"};
  op.clauses = {{"C1", "x and scale have the same float format"},
                {"C2", "zero_point, and so the result, is i8 or ui8"},
                {"C3", "scale and zero_point are scalars"}};
  op.resolve = resolve_quantize;
  op.choice_points = [](const OperatorFormats& formats) {
    return std::vector<ChoicePoint>{ties_point(),
                                    quotient_point(),
                                    {"precision", quotient_formats(formats), "the format of the quotient", {}},
                                    zero_point_point()};
  };
  op.build = build_quantize;
  return op;
}

Operator dynamic_quantize() {
  Operator op;
  op.name = "dynamic_quantize";
  op.aliases = {"dynamic_quantize_linear"};
  op.summary = "x in ui8 by a scale and a zero point that come from its own range, zero included";
  op.operands = {"x"};
  op.attributes = {
      {"give", AttributeKind::Word, "values", "which of the three results: values, scale or zero_point", true, kGiven}};
  op.clauses = {{"C1", "the operand is f32"}, {"C2", "the operand is no scalar"}};
  op.resolve = resolve_dynamic;
  op.choice_points = dynamic_choices;
  op.build = build_dynamic;
  return op;
}

}  // namespace bitpact
