// max and argmax along an axis. What parts implementations is NaN, the two zeros, and which of equals is taken.
#include <fmt/format.h>

#include "diagnostic/diagnostic.h"
#include "operators/building.h"
#include "operators/families.h"

namespace bitpact {
namespace {

int is_nan(BodyBuilder& b, int x) { return compare(b, Comparison::NE, x, x); }

// What a chain begins with that is below every number.
Bits minus_infinity(Format format) {
  if (!has_infinities(format))
    refuse(Code::BadAttribute, fmt::format("{} has no infinity for a chain to begin with", name(format)));
  return infinity(format, true);
}

// ---- max

const std::vector<std::string> kNan = {"propagates", "ignored", "leading", "trailing"};
const std::vector<std::string> kZeros = {"ordered", "earlier", "later"};
const std::vector<std::string> kStart = {"first", "lowest"};
const std::vector<std::string> kOrders = {"sequential", "interleaved(4, pairwise(1))", "interleaved(8, pairwise(1))",
                                          "interleaved(16, pairwise(1))"};

std::vector<ChoicePoint> max_choices(const OperatorFormats&) {
  return {{"nan",
           kNan,
           "what becomes of a NaN",
           {{"propagates", "one NaN makes the result NaN"},
            {"ignored", "numbers win over NaN, wherever it stands"},
            {"leading", "x > m ? x : m, so that only a NaN that a chain begins with survives"},
            {"trailing", "m > x ? m : x, so that only a NaN that a chain ends with survives"}}},
          {"zeros",
           kZeros,
           "which of +0 and -0 is the greater",
           {{"ordered", "+0 is above -0"},
            {"earlier", "they are equal, the earlier stays"},
            {"later", "they are equal, the later is taken"}}},
          {"start",
           kStart,
           "what a chain begins with",
           {{"first", "its first element"}, {"lowest", "-inf, so that nothing but NaN gives -inf"}}},
          {"order", kOrders, "how the elements are associated; a NaN that depends on its place shows it", {}}};
}

// The greater of m (earlier) and x (later).
ScalarBody greater(Format format, const std::string& nan, const std::string& zeros) {
  constexpr int m = 0, x = 1;
  BodyBuilder b({format, format});
  const auto maximum = [&](NanRule rule) {
    Instruction i{.op = ScalarOp::Maximum, .format = format, .nan = rule};
    i.args = {m, x, -1};
    return b.push(i);
  };
  const auto later_wins = [&] { return select(b, compare(b, zeros == "later" ? Comparison::GE : Comparison::GT, x, m), x, m); };
  const bool ordered = zeros == "ordered";
  if (nan == "propagates") {
    if (ordered) return b.finish({maximum(NanRule::Any)});
    const int number = later_wins();
    return b.finish({select(b, is_nan(b, m), m, select(b, is_nan(b, x), x, number))});
  }
  if (nan == "ignored") {
    if (ordered) return b.finish({maximum(NanRule::Number)});
    const int number = later_wins();
    return b.finish({select(b, is_nan(b, m), x, number)});
  }
  if (nan == "leading") {
    if (!ordered) return b.finish({later_wins()});
    const int number = maximum(NanRule::Number);
    return b.finish({select(b, is_nan(b, m), m, number)});
  }
  if (!ordered) return b.finish({select(b, compare(b, zeros == "later" ? Comparison::GT : Comparison::GE, m, x), m, x)});
  const int number = maximum(NanRule::Number);
  return b.finish({select(b, is_nan(b, x), x, number)});
}

NumericProgram build_max(const OperatorFormats& formats, const Choices& choices) {
  const Format format = formats.operands[0];
  const std::string nan = chosen(choices, "nan", kNan), start = chosen(choices, "start", kStart);
  if (start == "lowest" && nan != "leading" && nan != "ignored")
    refuse(Code::BadAttribute, fmt::format("start=lowest is start=first where nan={}", nan));
  Fold fold;
  fold.operands = {0};
  fold.over = {"n"};
  fold.axes = {"*o", "*i"};
  fold.leaf = fold.finish = identity_body({format});
  fold.step = fold.merge = greater(format, nan, chosen(choices, "zeros", kZeros));
  fold.order = parse_order(choices.at("order"));
  fold.start.first_leaf = start == "first";
  if (fold.start.first_leaf)
    fold.start.lift = identity_body({format});
  else
    fold.start.values = {minus_infinity(format)};
  if (fold.start.first_leaf && enters(fold.order)) refuse(Code::BadAttribute, "order=...from_start goes with start=lowest");
  set_enter(fold, fold.start.values);
  NumericProgram program;
  program.nodes = {Input{"x", format, {"*o", "n", "*i"}}, std::move(fold)};
  program.results = {1};
  return program;
}

Resolved resolve_max(const Operator& op, const Problem& problem) {
  require_floats(op, problem, "C1");
  return resolve_reduction(op, problem, "C2");
}

// ---- argmax

const std::vector<std::string> kNanIndex = {"propagates", "ignored", "leading", "skipped"};
const std::vector<std::string> kTies = {"first", "last"};

std::vector<ChoicePoint> argmax_choices(const OperatorFormats&) {
  return {{"nan",
           kNanIndex,
           "what becomes of a NaN",
           {{"propagates", "a NaN is the greatest"},
            {"ignored", "numbers win over NaN, wherever it stands"},
            {"leading", "x > m ? x : m, so that a NaN wins only as the very first element"},
            {"skipped", "x > m ? x : m from -inf and index 0, so that a NaN never wins"}}},
          {"ties", kTies, "which of equal elements is taken", {}}};
}

// State: greatest so far, its index, how many elements were seen; leaf: x.
ScalarBody argmax_step(Format format, const std::string& nan, bool last) {
  constexpr int m = 0, index = 1, seen = 2, x = 3;
  BodyBuilder b({format, Format::I32, Format::I32, format});
  const int above = compare(b, last ? Comparison::GE : Comparison::GT, x, m);
  const auto taken = [&](int value, int at) {
    const int next = b.op(ScalarOp::Add, Format::I32, {seen, b.constant(Format::I32, 1)});
    return b.finish({value, at, next});
  };
  int value = select(b, above, x, m), at = select(b, above, seen, index);
  if (nan == "propagates") {
    const int x_nan = is_nan(b, x), m_nan = is_nan(b, m);
    value = select(b, x_nan, x, value);
    at = select(b, x_nan, seen, at);
    if (last) {  // a later NaN wins over an earlier one, a number does not
      return taken(select(b, m_nan, select(b, x_nan, x, m), value), select(b, m_nan, select(b, x_nan, seen, index), at));
    }
    return taken(select(b, m_nan, m, value), select(b, m_nan, index, at));
  }
  if (nan == "ignored") {
    const int m_nan = is_nan(b, m), x_nan = is_nan(b, x);
    const int first_number = select(b, x_nan, m, x), its_index = select(b, x_nan, index, seen);
    return taken(select(b, m_nan, first_number, value), select(b, m_nan, its_index, at));
  }
  return taken(value, at);
}

NumericProgram build_argmax(const OperatorFormats& formats, const Choices& choices) {
  const Format format = formats.operands[0];
  const std::string nan = chosen(choices, "nan", kNanIndex);
  Fold fold;
  fold.operands = {0};
  fold.over = {"n"};
  fold.axes = {"*o", "*i"};
  fold.leaf = identity_body({format});
  fold.step = argmax_step(format, nan, chosen(choices, "ties", kTies) == "last");
  fold.start.first_leaf = nan != "skipped";
  if (fold.start.first_leaf) {
    BodyBuilder lift({format});
    const int zero = lift.constant(Format::I32, 0), one = lift.constant(Format::I32, 1);
    fold.start.lift = lift.finish({0, zero, one});
  } else {
    fold.start.values = {minus_infinity(format), 0, 0};
  }
  BodyBuilder finish({format, Format::I32, Format::I32});
  fold.finish = finish.finish({finish.convert(1, formats.result)});
  NumericProgram program;
  program.nodes = {Input{"x", format, {"*o", "n", "*i"}}, std::move(fold)};
  program.results = {1};
  return program;
}

Resolved resolve_argmax(const Operator& op, const Problem& problem) {
  require_floats(op, problem, "C1");
  Resolved r = resolve_reduction(op, problem, "C2");
  r.result.format = parse_format(attribute(op, problem, "out"));
  if (r.result.format != Format::I32 && r.result.format != Format::UI32 && r.result.format != Format::I64)
    violated(op, "C3", fmt::format("out={}", name(r.result.format)));
  if (r.binding.extents.at("n") > INT32_MAX) violated(op, "C4", fmt::format("{} elements", r.binding.extents.at("n")));
  return r;
}

}  // namespace

Operator max() {
  Operator op;
  op.name = "max";
  op.aliases = {"reduce_max", "amax"};
  op.summary = "result[*o, *i] = the greatest over n of x[*o, n, *i]";
  op.operands = {"x"};
  op.attributes = {{"axis", AttributeKind::Integer, "-1", "the axis that is reduced; negative counts from the last"}};
  op.clauses = {{"C1", "the operand has a float format"}, {"C2", "axis names a dimension of the operand"}};
  op.resolve = resolve_max;
  op.choice_points = max_choices;
  op.build = build_max;
  return op;
}

Operator argmax() {
  Operator op;
  op.name = "argmax";
  op.summary = "result[*o, *i] = where along n the greatest of x[*o, n, *i] stands, counted from 0";
  op.operands = {"x"};
  op.attributes = {{"axis", AttributeKind::Integer, "-1", "the axis that is reduced; negative counts from the last"},
                   {"out", AttributeKind::FormatName, "i32", "format of the result: i32, ui32 or i64"}};
  op.clauses = {{"C1", "the operand has a float format"},
                {"C2", "axis names a dimension of the operand"},
                {"C3", "the result is i32, ui32 or i64"},
                {"C4", "the axis has fewer than 2^31 elements"}};
  op.resolve = resolve_argmax;
  op.choice_points = argmax_choices;
  op.build = build_argmax;
  return op;
}

}  // namespace bitpact
