// What the forms of a fold share, and the forms that have a file of their own.
#pragma once

#include <functional>

#include "emit/fold_text.h"

namespace bitpact {

[[noreturn]] void no_form(FoldForm form, const std::string& why);

/// How many steps that rely on contraction may be in sight of each other. A compiler cuts operations with too many operands in
/// two (IREE: 16), and where it cuts between a product and its sum, the product is rounded.
inline constexpr std::int64_t kMostFused = 4;

/// One fold on its way into text.
struct FoldParts {
  FoldParts(const FoldContext& context, FoldForm form, const Fold& fold, const std::vector<TensorValue>& operands,
            const Shape& result_shape, std::int64_t leaves);

  const FoldContext& context;
  FoldForm form;
  const Fold& fold;
  const std::vector<TensorValue>& operands;
  const Shape& result_shape;
  std::int64_t leaves;
  Axes axes;    ///< of one state: the result's, without the folded one where every prefix is given
  Shape shape;  ///< of `axes`

  bool gives_prefixes() const { return fold.emit == Emit::Prefixes; }
  /// Whether a step or merge holds a multiply and add that only the target's contraction makes one operation.
  bool relies_on_contraction() const;
  /// The state behind a barrier: nothing before it is fused with what follows.
  std::vector<LaneValue> held(const std::vector<LaneValue>& state) const;

  /// An operand without the folded axis, over the result's axes.
  LaneValue spread(const TensorValue& x) const;
  bool has_over(const TensorValue& x) const;
  /// Leaf values, operands cut along the folded axis by `slice`.
  std::vector<LaneValue> leaf_at(const std::function<TensorValue(const TensorValue&)>& slice) const;
  std::vector<LaneValue> step(std::vector<LaneValue> state, const std::vector<LaneValue>& leaf) const;
  std::vector<LaneValue> entered(std::vector<LaneValue> state) const;
  std::vector<LaneValue> start_values() const;
  TensorValue finish(std::vector<LaneValue> state) const;
};

TensorValue dot_general_form(const FoldParts& parts);  // dot_general_form.cpp
TensorValue reduce_form(const FoldParts& parts);       // reduce_form.cpp
TensorValue while_form(const FoldParts& parts);        // while_form.cpp
TensorValue batched_form(const FoldParts& parts);      // batched_form.cpp
/// tailed_form.cpp: takes what emit_fold takes.
TensorValue tailed_form(const FoldContext& context, FoldForm form, const Fold& fold, const std::vector<TensorValue>& operands,
                        const Shape& result_shape, std::int64_t leaves);

/// How a fold adds: recognised from its bodies.
struct SumShape {
  enum class Product : std::uint8_t { None, Rounded, Fused };
  Product product = Product::None;
  Format state = Format::F32;
  /// For products: the two operands and the formats they are widened from.
  std::array<int, 2> factors{-1, -1};
};
/// A sequential, ascending sum with one state component: step = state + leaf or fma(leaf, leaf, state), or a sum of integers, in
/// which no order shows. Empty where the fold is none.
std::optional<SumShape> sum_shape(const Fold& fold);
/// The value a sum starts from: start.values, or -0.0 where it starts from its first leaf (-0 + x and fma(a, b, -0) are that
/// leaf's value).
std::optional<Bits> sum_start(const Fold& fold);

}  // namespace bitpact
