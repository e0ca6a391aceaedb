// A fold whose tail has bodies of its own: head and tail are folds by themselves, each in the form that is asked for, and joined.
#include <fmt/format.h>

#include <algorithm>

#include "emit/fold_forms.h"

namespace bitpact {
namespace {

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
    for (const TensorValue& x : operands) {
      const bool has_over = std::find(x.axes.begin(), x.axes.end(), fold.over.front()) != x.axes.end();
      some.push_back(has_over ? context.function.slice(x, fold.over.front(), from, to) : x);
    }
    return ScalarText::argument(emit_fold(context, form, of, some, result_shape, to - from));
  };
  std::vector<LaneValue> both{part(rows, 0, head)};
  both.push_back(part(rest, head, leaves));
  return context.scalar.materialize(context.scalar.run(fold.tail->join, std::move(both)).front());
}

}  // namespace bitpact
