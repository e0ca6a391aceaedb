// Leaves spread over [over, result axes] and reduced along the first dimension; a lone operand is reduced where its axis lies. A
// folded axis that is not outermost is moved there behind a barrier: left to itself, IREE fuses the transposition into the
// reduction and walks memory against its grain, 12 times slower.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "emit/fold_forms.h"

namespace bitpact {

TensorValue reduce_form(const FoldParts& p) {
  const Traits& traits = p.context.traits;
  FunctionText& f = p.context.function;
  const std::optional<SumShape> shape = sum_shape(p.fold);
  const std::optional<Bits> start = shape ? sum_start(p.fold) : std::nullopt;
  if (!shape || !start) no_form(p.form, "the fold is not a sequential sum");
  if (!traits.reduce_sequential && is_float(shape->state)) no_form(p.form, "the target's reduce does not add in order");
  if (ScalarText::carrier(shape->state) != shape->state)
    no_form(p.form, fmt::format("partial sums in {} are rounded at each step", name(shape->state)));

  // One operand that is summed where it lies needs no spreading and no moving; else the folded axis comes first.
  const auto lies_ready = [&p] {
    if (p.operands.size() != 1) return std::ptrdiff_t{0};
    const Axes& own = p.operands[0].axes;
    const auto at = std::find(own.begin(), own.end(), p.fold.over.front());
    if (at == own.end()) return std::ptrdiff_t{0};
    Axes rest = own;
    rest.erase(rest.begin() + (at - own.begin()));
    return rest == p.fold.axes ? at - own.begin() : std::ptrdiff_t{0};
  };
  const std::ptrdiff_t dimension = lies_ready();
  Axes axes = p.fold.axes;
  axes.insert(axes.begin() + dimension, p.fold.over.front());
  Shape full = p.result_shape;
  full.insert(full.begin() + dimension, p.leaves);

  std::vector<LaneValue> arguments;
  for (const TensorValue& operand : p.operands) {
    Axes wanted;
    for (const std::string& axis : axes)
      if (std::find(operand.axes.begin(), operand.axes.end(), axis) != operand.axes.end()) wanted.push_back(axis);
    TensorValue x = f.transpose(operand, wanted);
    if (wanted != operand.axes) x = f.barrier(x);
    arguments.push_back(ScalarText::argument(f.broadcast(x, axes, full)));
  }
  const std::vector<LaneValue> leaf = p.context.scalar.run(p.fold.leaf, std::move(arguments));
  TensorValue terms;
  if (shape->product == SumShape::Product::Fused) {
    if (!traits.contracts_multiply_add) no_form(p.form, "the target does not fuse a product into the sum");
    terms =
        f.elementwise("stablehlo.multiply", {p.context.scalar.carried(leaf[0]), p.context.scalar.carried(leaf[1])}, shape->state);
  } else {
    terms = p.context.scalar.carried(leaf[0]);
  }
  const TensorValue init = f.constant(shape->state, *start, {}, {});
  const TensorValue sum =
      f.define(fmt::format("stablehlo.reduce({} init: {}) applies stablehlo.add across dimensions = [{}] : ({}, {}) -> {}",
                           terms.ssa, init.ssa, dimension, tensor_type(full, shape->state), tensor_type({}, shape->state),
                           tensor_type(p.result_shape, shape->state)),
               shape->state, p.fold.axes, p.result_shape);
  return p.finish({ScalarText::argument(sum)});
}

}  // namespace bitpact
