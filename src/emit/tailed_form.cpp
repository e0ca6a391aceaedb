// A fold whose tail has bodies of its own: head and tail are folds by themselves, each in the form that is asked for, and joined.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "emit/fold_forms.h"

namespace bitpact {
namespace {

/// Leaves from .. to - 1 of an operand along `axis`; an operand without that axis has the same element for all leaves.
TensorValue cut(FunctionText& f, const TensorValue& x, const std::string& axis, std::int64_t from, std::int64_t to) {
  const auto at = std::find(x.axes.begin(), x.axes.end(), axis) - x.axes.begin();
  if (static_cast<size_t>(at) == x.axes.size()) return x;
  Shape shape = x.shape;
  shape[static_cast<size_t>(at)] = to - from;
  std::vector<std::string> ranges;
  for (size_t d = 0; d < shape.size(); ++d)
    ranges.push_back(d == static_cast<size_t>(at) ? fmt::format("{}:{}", from, to) : fmt::format("0:{}", shape[d]));
  return f.define(fmt::format("stablehlo.slice {} [{}] : ({}) -> {}", x.ssa, fmt::join(ranges, ", "),
                              tensor_type(x.shape, x.format), tensor_type(shape, x.format)),
                  x.format, x.axes, shape);
}

/// What hands the state on as the fold's result. A state in a 16-bit float would be rounded once more on its way.
ScalarBody state_itself(FoldForm form, const std::vector<Format>& state) {
  if (state.size() != 1 || ScalarText::carrier(state[0]) != state[0])
    no_form(form, "head and tail are joined where each state is one number that the target carries as it is");
  return identity_body(state);
}

}  // namespace

TensorValue tailed_form(const FoldContext& context, FoldForm form, const Fold& fold, const std::vector<TensorValue>& operands,
                        const Shape& result_shape, std::int64_t leaves) {
  if (fold.over.size() != 1) no_form(form, fmt::format("the fold runs over {} axes, one is carried", fold.over.size()));
  const std::int64_t tail = tail_length(fold.order, leaves), head = leaves - tail;
  Fold rows = head_alone(fold), rest = tail_alone(fold);
  if (tail == 0) return emit_fold(context, form, rows, operands, result_shape, leaves);
  for (const Format format : rest.state_formats())
    if (format == Format::F64 && rows.state_formats()[0] != Format::F64 && !context.traits.keeps_f64)
      no_form(form, "the tail is added up in f64, which the target does not keep");
  if (head == 0) return emit_fold(context, form, rest, operands, result_shape, leaves);
  rows.finish = state_itself(form, rows.state_formats());
  rest.finish = state_itself(form, rest.state_formats());
  const auto part = [&](const Fold& of, std::int64_t from, std::int64_t to) {
    std::vector<TensorValue> some;
    for (const TensorValue& x : operands) some.push_back(cut(context.function, x, fold.over.front(), from, to));
    return ScalarText::argument(emit_fold(context, form, of, some, result_shape, to - from));
  };
  std::vector<LaneValue> both{part(rows, 0, head)};
  both.push_back(part(rest, head, leaves));
  return context.scalar.materialize(context.scalar.run(fold.tail->join, std::move(both)).front());
}

}  // namespace bitpact
