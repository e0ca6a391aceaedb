// Recognises sums from their bodies alone.
#include "emit/fold_forms.h"

namespace bitpact {
namespace {

const Policy kDefault{};

// The operand of the leaf that `value` is, seen through widening converts; -1 where it is something else.
int widened_argument(const ScalarBody& body, int value) {
  const int arguments = static_cast<int>(body.arguments.size());
  while (value >= arguments) {
    const Instruction& i = body.code[static_cast<size_t>(value - arguments)];
    if (i.op != ScalarOp::Convert || !is_float(body.format_of(i.args[0])) ||
        info(body.format_of(i.args[0])).bits > info(i.format).bits)
      return -1;
    value = i.args[0];
  }
  return value;
}

bool is_op(const ScalarBody& body, ScalarOp op) {
  const int last = static_cast<int>(body.arguments.size() + body.code.size()) - 1;
  return body.code.size() == 1 && body.results == std::vector<int>{last} && body.code[0].op == op &&
         body.code[0].policy == kDefault;
}

}  // namespace

std::optional<SumShape> sum_shape(const Fold& fold) {
  const std::vector<Format> state = fold.state_formats();
  if (state.size() != 1 || fold.order != Order::sequential()) return {};
  SumShape shape;
  shape.state = state[0];
  const size_t leaves = fold.leaf.results.size();
  if (is_float(shape.state) && leaves == 2 && is_op(fold.step, ScalarOp::Fma) &&
      fold.step.arguments == std::vector<Format>(3, shape.state)) {
    const auto& args = fold.step.code[0].args;
    if (args[2] != 0 || args[0] + args[1] != 3 || args[0] == 0 || args[1] == 0) return {};
    shape.product = SumShape::Product::Fused;
    for (size_t i = 0; i < 2; ++i) shape.factors[i] = widened_argument(fold.leaf, fold.leaf.results[i]);
    if (shape.factors[0] < 0 || shape.factors[1] < 0) return {};
    return shape;
  }
  if (leaves != 1 || !is_op(fold.step, ScalarOp::Add) || fold.step.arguments != std::vector<Format>(2, shape.state)) return {};
  const int result = fold.leaf.results[0] - static_cast<int>(fold.leaf.arguments.size());
  if (result < 0 || !is_float(shape.state)) return shape;
  const Instruction& last = fold.leaf.code[static_cast<size_t>(result)];
  if (last.op != ScalarOp::Multiply || last.format != shape.state || !(last.policy == kDefault)) return shape;
  const std::array<int, 2> factors{widened_argument(fold.leaf, last.args[0]), widened_argument(fold.leaf, last.args[1])};
  if (factors[0] < 0 || factors[1] < 0) return shape;
  shape.product = SumShape::Product::Rounded;
  shape.factors = factors;
  return shape;
}

std::optional<Bits> sum_start(const Fold& fold) {
  if (!fold.start.first_leaf) return fold.start.values[0];
  const Format state = fold.state_formats()[0];
  if (!is_float(state)) return {};
  if (fold.start.lift == identity_body({state})) return negative_zero(state);
  if (fold.start.lift.arguments.size() == 2 && is_op(fold.start.lift, ScalarOp::Multiply)) return negative_zero(state);
  return {};
}

}  // namespace bitpact
