#include "operators/building.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"

namespace bitpact {

std::string chosen(const Choices& choices, const std::string& point, const std::vector<std::string>& allowed) {
  const auto found = choices.find(point);
  if (found == choices.end()) refuse(Code::Internal, fmt::format("choice point '{}' was left open", point));
  if (std::find(allowed.begin(), allowed.end(), found->second) == allowed.end())
    refuse(Code::BadAttribute, fmt::format("{}={} is none of {}", point, found->second, fmt::join(allowed, ", ")));
  return found->second;
}

std::vector<std::string> format_values(const std::vector<Format>& formats) {
  std::vector<std::string> values;
  for (const Format format : formats) {
    const std::string value(name(format));
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

Format default_accumulator(Format format) {
  return format == Format::BF16 || format == Format::F16 ? Format::F32 : format;
}

std::vector<std::string> common_orders() {
  return {"sequential",
          "reversed",
          "interleaved(2)",
          "interleaved(4)",
          "interleaved(4, pairwise(1))",
          "interleaved(8)",
          "interleaved(8, pairwise(1))",
          "interleaved(16)",
          "interleaved(16, pairwise(1))",
          "blocked(256)",
          "blocked(512)",
          "pairwise(1)",
          "pairwise(128, 8, interleaved(8, pairwise(1)))"};
}

std::vector<ChoicePoint> sum_choice_points(const OperatorFormats& formats) {
  const Format operand = formats.operands.front();
  std::vector<Format> accumulators{default_accumulator(operand)};
  if (is_float(operand)) accumulators.insert(accumulators.end(), {operand, formats.result, Format::F64});
  return {
      {"accumulator", format_values(accumulators), "the format that partial sums are rounded to"},
      {"order", common_orders(), "how the terms are associated"},
      {"start", {"zero", "first"}, "whether a chain starts from +0 or from its first term"},
  };
}

SumTerm plain_term(Format operand, Format accumulator) {
  SumTerm term;
  {
    BodyBuilder b({operand});
    term.leaf = b.finish({b.convert(b.argument(0), accumulator)});
  }
  {
    BodyBuilder b({accumulator, accumulator});
    term.step = b.finish({b.op(ScalarOp::Add, accumulator, {0, 1})});
  }
  term.lift = identity_body({accumulator});
  return term;
}

Fold sum_fold(std::vector<int> operands, Axes over, Axes axes, const SumTerm& term, Format accumulator, Format result,
              const Choices& choices) {
  Fold fold;
  fold.operands = std::move(operands);
  fold.over = std::move(over);
  fold.axes = std::move(axes);
  fold.leaf = term.leaf;
  fold.step = term.step;
  {
    BodyBuilder b({accumulator, accumulator});
    fold.merge = b.finish({b.op(ScalarOp::Add, accumulator, {0, 1})});
  }
  {
    BodyBuilder b({accumulator});
    fold.finish = b.finish({b.convert(0, result)});
  }
  fold.start.first_leaf = chosen(choices, "start", {"zero", "first"}) == "first";
  if (fold.start.first_leaf)
    fold.start.lift = term.lift;
  else
    fold.start.values = {positive_zero(accumulator)};
  fold.order = parse_order(choices.at("order"));
  return fold;
}

void require_same_shapes(const Operator& op, const Problem& problem, const std::string& label) {
  for (const OperandSpec& operand : problem.operands)
    if (operand.shape != problem.operands.front().shape)
      violated(op, label,
               fmt::format("{} against {}", to_text(problem.operands.front().shape, problem.operands.front().format),
                           to_text(operand.shape, operand.format)));
}

void require_same_formats(const Operator& op, const Problem& problem, const std::string& label) {
  for (const OperandSpec& operand : problem.operands)
    if (operand.format != problem.operands.front().format)
      violated(op, label, fmt::format("{} against {}", name(problem.operands.front().format), name(operand.format)));
}

void require_floats(const Operator& op, const Problem& problem, const std::string& label) {
  for (const OperandSpec& operand : problem.operands)
    if (!is_float(operand.format)) violated(op, label, fmt::format("{} is not one", name(operand.format)));
}

Format float_result(const Operator& op, Problem& problem, const std::string& label) {
  const Format usual = problem.operands.front().format;
  const auto out = problem.attributes.find("out");
  if (out == problem.attributes.end()) return usual;
  const Format format = parse_format(out->second);
  if (!is_float(format)) violated(op, label, fmt::format("out={} is not one", out->second));
  if (format == usual) problem.attributes.erase(out);
  return format;
}

Resolved resolve_elementwise(const Problem& problem, Format result) {
  Resolved resolved;
  resolved.problem = problem;
  resolved.result = {result, problem.operands.front().shape};
  Axes axes;
  for (size_t i = 0; i < resolved.result.shape.size(); ++i) {
    axes.push_back(fmt::format("d{}", i));
    resolved.binding.extents[axes.back()] = resolved.result.shape[i];
  }
  resolved.binding.packs["*d"] = axes;
  resolved.binding.operands.assign(problem.operands.size(), axes);
  resolved.binding.result = axes;
  return resolved;
}

}  // namespace bitpact
