#include "emit/fold_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"
#include "emit/fold_forms.h"

namespace bitpact {

std::string_view name(FoldForm form) {
  constexpr std::string_view kNames[] = {"dot_general",    "reduce",      "while",        "batched-dot_general",
                                         "batched-reduce", "written-out", "batched-while"};
  return kNames[static_cast<int>(form)];
}

void no_form(FoldForm form, const std::string& why) {
  refuse(Code::EmitUnsupported, fmt::format("the {} form: {}", name(form), why));
}

FoldParts::FoldParts(const FoldContext& c, FoldForm f, const Fold& fold_, const std::vector<TensorValue>& operands_,
                     const Shape& result, std::int64_t n)
    : context(c), form(f), fold(fold_), operands(operands_), result_shape(result), leaves(n), axes(fold_.axes), shape(result) {
  if (gives_prefixes() && form != FoldForm::While) no_form(form, "every prefix is given, which the while form alone carries");
  for (size_t d = 0; d < axes.size() && gives_prefixes(); ++d) {
    if (axes[d] != fold.over.front()) continue;
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(d));
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d));
    break;
  }
  if (fold.over.size() != 1) no_form(form, fmt::format("the fold runs over {} axes, one is carried", fold.over.size()));
}

bool FoldParts::relies_on_contraction() const {
  const auto has_fma = [](const ScalarBody& body) {
    return std::any_of(body.code.begin(), body.code.end(), [](const Instruction& i) { return i.op == ScalarOp::Fma; });
  };
  return context.traits.contracts_multiply_add && (has_fma(fold.step) || has_fma(fold.merge));
}

LaneValue FoldParts::spread(const TensorValue& x) const {
  Axes kept;
  for (const std::string& axis : axes)
    if (std::find(x.axes.begin(), x.axes.end(), axis) != x.axes.end()) kept.push_back(axis);
  FunctionText& f = context.function;
  return ScalarText::argument(f.broadcast(f.transpose(x, kept), axes, shape));
}

bool FoldParts::has_over(const TensorValue& x) const {
  return std::find(x.axes.begin(), x.axes.end(), fold.over.front()) != x.axes.end();
}

std::vector<LaneValue> FoldParts::leaf_at(const std::function<TensorValue(const TensorValue&)>& slice) const {
  std::vector<LaneValue> arguments;
  for (const TensorValue& operand : operands) arguments.push_back(spread(has_over(operand) ? slice(operand) : operand));
  return context.scalar.run(fold.leaf, std::move(arguments));
}

std::vector<LaneValue> FoldParts::step(std::vector<LaneValue> state, const std::vector<LaneValue>& leaf) const {
  state.insert(state.end(), leaf.begin(), leaf.end());
  return context.scalar.run(fold.step, std::move(state));
}

std::vector<LaneValue> FoldParts::entered(std::vector<LaneValue> state) const {
  return context.scalar.run(fold.enter, std::move(state));
}

std::vector<LaneValue> FoldParts::start_values() const {
  std::vector<LaneValue> state;
  const std::vector<Format> formats = fold.state_formats();
  for (size_t i = 0; i < formats.size(); ++i) {
    const Format carry = ScalarText::carrier(formats[i]);
    const Bits bits = convert({formats[i], fold.start.values[i]}, carry);
    // Added to a constant 0, a first product would become one without a sum: the next step then adds two products, and either may
    // be the one that is rounded.
    const bool hidden = is_float(carry) && relies_on_contraction();
    const TensorValue value =
        hidden ? context.function.broadcast(context.scalar.unknown(context.function.constant(carry, bits, {}, {})), axes, shape)
               : context.scalar.known_or_not(carry, bits, axes, shape);
    state.push_back(ScalarText::from_carried(value, formats[i]));
  }
  return state;
}

std::vector<LaneValue> FoldParts::held(const std::vector<LaneValue>& state) const {
  std::vector<LaneValue> result;
  for (const LaneValue& component : state)
    result.push_back(ScalarText::from_carried(context.function.barrier(context.scalar.carried(component)), component.format));
  return result;
}

TensorValue FoldParts::finish(std::vector<LaneValue> state) const {
  return context.scalar.materialize(context.scalar.run(fold.finish, std::move(state)).front());
}

namespace {

// Every step of the schedule, in order; for orders that no loop form carries, and for few leaves.
TensorValue written_out(const FoldParts& p) {
  constexpr std::int64_t kMostLeaves = 512;
  if (p.leaves > kMostLeaves)
    refuse(Code::EmitTooLarge, fmt::format("the written-out form: {} leaves, at most {} are written out", p.leaves, kMostLeaves));
  const Schedule plan = schedule(p.fold.order, p.leaves);
  std::vector<std::vector<LaneValue>> slots(static_cast<size_t>(plan.slots));
  FunctionText& f = p.context.function;
  const auto leaf = [&](std::int64_t index) {
    return p.leaf_at([&](const TensorValue& x) { return f.slice_at(x, p.fold.over.front(), index); });
  };
  const bool relies = p.relies_on_contraction();
  for (const ScheduleStep& step : plan.steps) {
    std::vector<LaneValue>& slot = slots[static_cast<size_t>(step.slot)];
    if (step.kind == ScheduleStep::Kind::Merge) {
      std::vector<LaneValue> both = slot;
      const std::vector<LaneValue>& other = slots[static_cast<size_t>(step.other)];
      both.insert(both.end(), other.begin(), other.end());
      slot = p.context.scalar.run(p.fold.merge, std::move(both));
      if (relies) slot = p.held(slot);
      continue;
    }
    if (step.kind == ScheduleStep::Kind::Enter) {
      slot = p.entered(std::move(slot));
      continue;
    }
    std::int64_t done = 0;
    if (step.kind == ScheduleStep::Kind::Extend) {
      // the slot's state goes on
    } else if (p.fold.start.first_leaf) {
      slot = p.context.scalar.run(p.fold.start.lift, leaf(step.first));
      done = 1;
    } else {
      slot = p.start_values();
    }
    for (; done < step.count; ++done) {
      slot = p.step(slot, leaf(step.first + done * step.stride));
      if (relies && (done % kMostFused == kMostFused - 1 || done + 1 == step.count)) slot = p.held(slot);
    }
  }
  return p.finish(slots[0]);
}

}  // namespace

TensorValue emit_fold(const FoldContext& context, FoldForm form, const Fold& fold, const std::vector<TensorValue>& operands,
                      const Shape& result_shape, std::int64_t leaves) {
  if (fold.tail) return tailed_form(context, form, fold, operands, result_shape, leaves);
  const FoldParts parts(context, form, fold, operands, result_shape, leaves);
  switch (form) {
    case FoldForm::DotGeneral:
      return dot_general_form(parts);
    case FoldForm::Reduce:
      return reduce_form(parts);
    case FoldForm::While:
      return while_form(parts);
    case FoldForm::BatchedDotGeneral:
    case FoldForm::BatchedReduce:
    case FoldForm::BatchedWhile:
      return batched_form(parts);
    case FoldForm::WrittenOut:
      return written_out(parts);
  }
  refuse(Code::Internal, "a fold form without a writer");
}

}  // namespace bitpact
