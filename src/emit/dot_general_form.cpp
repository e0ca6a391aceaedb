// One dot_general, where the target's dot is the fold.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "emit/fold_forms.h"

namespace bitpact {
namespace {

std::int64_t index_of(const Axes& axes, const std::string& axis) {
  const auto at = std::find(axes.begin(), axes.end(), axis);
  return at == axes.end() ? -1 : at - axes.begin();
}

}  // namespace

TensorValue dot_general_form(const FoldParts& p) {
  const Traits& traits = p.context.traits;
  const std::optional<SumShape> shape = sum_shape(p.fold);
  if (!shape || shape->product == SumShape::Product::None) no_form(p.form, "the fold is not a sequential sum of products");
  if (!traits.dot_sequential) no_form(p.form, "the target's dot does not add in order");
  if (p.fold.start.first_leaf || p.fold.start.values[0] != positive_zero(shape->state))
    no_form(p.form, "the target's dot starts from +0, the fold does not");

  const TensorValue& lhs = p.operands[static_cast<size_t>(shape->factors[0])];
  const TensorValue& rhs = p.operands[static_cast<size_t>(shape->factors[1])];
  const bool fuses = shape->product == SumShape::Product::Fused;
  if (fuses != traits.dot_fuses_products && !product_is_exact(lhs.format, rhs.format, shape->state)) {
    if (!product_significand_fits(lhs.format, rhs.format, shape->state))
      no_form(p.form,
              fmt::format("the target's dot {} its products, the fold does not", traits.dot_fuses_products ? "fuses" : "rounds"));
    // The product fits but for its exponent: equal unless one overflows or is subnormal.
    p.context.carries.excludes.insert({Exclusion::OverflowIntermediate, Exclusion::SubnormalIntermediate});
  }

  const std::string& over = p.fold.over.front();
  const std::int64_t lhs_k = index_of(lhs.axes, over), rhs_k = index_of(rhs.axes, over);
  if (lhs_k < 0 || rhs_k < 0) no_form(p.form, "an operand lacks the folded axis");
  std::vector<std::int64_t> lhs_batch, rhs_batch;
  Axes axes, lhs_free, rhs_free;
  for (const std::string& axis : p.fold.axes) {
    const std::int64_t l = index_of(lhs.axes, axis), r = index_of(rhs.axes, axis);
    if (l >= 0 && r >= 0) {
      lhs_batch.push_back(l);
      rhs_batch.push_back(r);
      axes.push_back(axis);
    } else if (l < 0 && r < 0) {
      no_form(p.form, fmt::format("neither operand has the result's axis {}", axis));
    }
  }
  for (const std::string& axis : lhs.axes)
    if (axis != over && index_of(axes, axis) < 0) lhs_free.push_back(axis);
  for (const std::string& axis : rhs.axes)
    if (axis != over && index_of(axes, axis) < 0) rhs_free.push_back(axis);
  axes.insert(axes.end(), lhs_free.begin(), lhs_free.end());
  axes.insert(axes.end(), rhs_free.begin(), rhs_free.end());
  if (axes.size() != p.fold.axes.size()) no_form(p.form, "an operand has an axis that is neither folded nor in the result");

  Shape result;
  for (const std::string& axis : axes) result.push_back(p.result_shape[static_cast<size_t>(index_of(p.fold.axes, axis))]);
  const std::string batching =
      lhs_batch.empty() ? ""
                        : fmt::format("batching_dims = [{}] x [{}], ", fmt::join(lhs_batch, ", "), fmt::join(rhs_batch, ", "));
  FunctionText& f = p.context.function;
  const TensorValue dot = f.define(fmt::format("stablehlo.dot_general {}, {}, {}contracting_dims = [{}] x [{}] : ({}, {}) -> {}",
                                               lhs.ssa, rhs.ssa, batching, lhs_k, rhs_k, tensor_type(lhs.shape, lhs.format),
                                               tensor_type(rhs.shape, rhs.format), tensor_type(result, shape->state)),
                                   shape->state, axes, result);
  return p.finish({ScalarText::argument(f.transpose(dot, p.fold.axes))});
}

}  // namespace bitpact
