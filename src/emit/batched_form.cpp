// The fold by the structure of its order: all chains at once, an axis for them, then all merges of one height at once, and so on
// up. What is done to rows of different lengths is done to as many of them as still have something to do.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"
#include "emit/fold_forms.h"
#include "emit/fold_plan.h"
#include "emit/loop_text.h"
#include "emit/take.h"

namespace bitpact {
namespace {

const std::string kRow = "#row", kStep = "#step";

using Tensors = std::vector<TensorValue>;
using Batch = FoldPlan::Batch;

class Batches {
 public:
  Batches(const FoldParts& parts, const FoldPlan& plan)
      : p_(parts), plan_(plan), f_(parts.context.function), formats_(parts.fold.state_formats()) {
    // One chain of the fold, with an axis for the rows before the result's.
    chain_ = p_.fold;
    chain_.over = {kStep};
    chain_.axes.insert(chain_.axes.begin(), kRow);
    chain_.order = Order::sequential();
    chain_.finish = identity_body(formats_);
  }

  TensorValue result() {
    check_size();
    for (const Batch& batch : plan_.batches) {
      Tensors made = batch.kind == FoldPlan::Kind::Chains   ? chains(batch)
                     : batch.kind == FoldPlan::Kind::Enters ? carried(p_.entered(lanes(states(batch.heads))))
                                                            : advanced(batch, states(batch.heads), 0);
      if (fuses())
        for (TensorValue& x : made) x = f_.barrier(x);
      made_.push_back(std::move(made));
    }
    std::vector<LaneValue> state;
    const Tensors& last = made_[static_cast<size_t>(plan_.result.batch)];
    for (size_t c = 0; c < last.size(); ++c)
      state.push_back(ScalarText::from_carried(f_.slice_at(last[c], kRow, plan_.result.row), formats_[c]));
    return p_.finish(std::move(state));
  }

 private:
  void check_size() const {
    constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
    constexpr size_t kMostGroups = 256;
    size_t groups = 0;
    for (const Batch& batch : plan_.batches) {
      for (size_t row = 0; row < batch.rows(); ++row)
        if (row == 0 || batch.count(row) != batch.count(row - 1)) ++groups;
      std::int64_t bytes = 0;
      for (const Format format : formats_)
        bytes +=
            static_cast<std::int64_t>(batch.rows()) * element_count(p_.shape) * info(ScalarText::carrier(format)).storage_bytes;
      if (bytes > kMostBytes)
        refuse(Code::EmitTooLarge, fmt::format("the {} form: {} states at once take {} bytes, at most {} are held", name(p_.form),
                                               batch.rows(), bytes, kMostBytes));
    }
    if (groups > kMostGroups)
      refuse(Code::EmitTooLarge,
             fmt::format("the {} form: the order has {} parts that differ in height or length, at most {} are "
                         "written",
                         name(p_.form), groups, kMostGroups));
  }

  // Whether a step's product and sum are one operation only as long as the compiler sees both: a group of operations that it
  // cuts, for having too many operands, is then rounded where it is cut.
  bool fuses() const { return p_.relies_on_contraction(); }

  Shape shape_of(size_t rows) const {
    Shape shape = p_.shape;
    shape.insert(shape.begin(), static_cast<std::int64_t>(rows));
    return shape;
  }

  // ---- leaves

  /// The operands of leaves from .. to-1 of the first `rows` rows: [step, row, axes of the result], so that one step's lie
  /// together; for a dot [row, axes of the operand], the folded one being the step.
  Tensors leaf_operands(const Batch& batch, size_t rows, std::int64_t from, std::int64_t to) {
    const bool dot = p_.form == FoldForm::BatchedDotGeneral && batch.kind == FoldPlan::Kind::Chains;
    const std::string& over = p_.fold.over.front();
    const auto row_count = static_cast<std::int64_t>(rows);
    std::vector<std::int64_t> indices;
    const auto leaf = [&](std::int64_t s, std::int64_t r) {
      indices.push_back(batch.leaves[static_cast<size_t>(r)][static_cast<size_t>(s)]);
    };
    if (dot)
      for (std::int64_t r = 0; r < row_count; ++r)
        for (std::int64_t s = from; s < to; ++s) leaf(s, r);
    else
      for (std::int64_t s = from; s < to; ++s)
        for (std::int64_t r = 0; r < row_count; ++r) leaf(s, r);
    Tensors taken;
    for (const TensorValue& operand : p_.operands) {
      if (!p_.has_over(operand)) {
        taken.push_back(operand);
        continue;
      }
      TensorValue x = take(f_, operand, over, indices);
      const auto at = std::find(x.axes.begin(), x.axes.end(), over) - x.axes.begin();
      Axes axes = x.axes;
      Shape shape = x.shape;
      axes[static_cast<size_t>(at)] = dot ? kStep : kRow;
      axes.insert(axes.begin() + at, dot ? kRow : kStep);
      shape[static_cast<size_t>(at)] = dot ? to - from : row_count;
      shape.insert(shape.begin() + at, dot ? row_count : to - from);
      Axes wanted{kRow};
      if (dot) {
        for (const std::string& axis : axes)
          if (axis != kRow) wanted.push_back(axis);
      } else {
        wanted = {kStep, kRow};
        for (const std::string& axis : p_.axes)
          if (std::find(axes.begin(), axes.end(), axis) != axes.end()) wanted.push_back(axis);
      }
      taken.push_back(f_.barrier(f_.transpose(f_.reshape(x, axes, shape), wanted)));
    }
    return taken;
  }

  FoldParts chain_parts(const Tensors& operands, const Shape& shape, std::int64_t steps) const {
    return {p_.context, p_.form, chain_, operands, shape, steps};
  }

  Tensors chains(const Batch& batch) {
    if (p_.form != FoldForm::BatchedWhile) return whole_chains(batch);
    const Shape shape = shape_of(batch.rows());
    Tensors first;
    std::int64_t done = 0;
    if (p_.fold.start.first_leaf) {
      const Tensors operands = leaf_operands(batch, batch.rows(), 0, 1);
      const FoldParts parts = chain_parts(operands, shape, 1);
      const auto leaf = parts.leaf_at([&](const TensorValue& x) { return f_.slice_at(x, kStep, 0); });
      first = carried(p_.context.scalar.run(p_.fold.start.lift, leaf));
      done = 1;
    } else {
      first = carried(chain_parts(p_.operands, shape, 1).start_values());
    }
    return advanced(batch, std::move(first), done);
  }

  /// Chains of one length at a time, each as the target's own dot or reduce.
  Tensors whole_chains(const Batch& batch) {
    Tensors parts;
    for (size_t from = 0; from < batch.rows();) {
      size_t to = from + 1;
      while (to < batch.rows() && batch.count(to) == batch.count(from)) ++to;
      Batch group;
      group.leaves.assign(batch.leaves.begin() + static_cast<std::ptrdiff_t>(from),
                          batch.leaves.begin() + static_cast<std::ptrdiff_t>(to));
      const std::int64_t steps = batch.count(from);
      const Tensors operands = leaf_operands(group, group.rows(), 0, steps);
      const Shape shape = shape_of(group.rows());
      const FoldParts chain = chain_parts(operands, shape, steps);
      const TensorValue sums = p_.form == FoldForm::BatchedDotGeneral ? dot_general_form(chain) : reduce_form(chain);
      parts.push_back(p_.context.scalar.carried(ScalarText::argument(sums)));
      from = to;
    }
    return {f_.concatenate(parts, kRow)};
  }

  // ---- states

  Tensors carried(const std::vector<LaneValue>& state) {
    Tensors tensors;
    for (const LaneValue& component : state) tensors.push_back(p_.context.scalar.carried(component));
    return tensors;
  }
  std::vector<LaneValue> lanes(const Tensors& tensors) const {
    std::vector<LaneValue> state;
    for (size_t c = 0; c < tensors.size(); ++c) state.push_back(ScalarText::from_carried(tensors[c], formats_[c]));
    return state;
  }

  /// Rows of earlier batches, in that order.
  Tensors states(const std::vector<FoldPlan::Row>& rows) {
    constexpr size_t kMostRuns = 16;
    std::vector<std::pair<std::int32_t, std::vector<std::int64_t>>> runs;
    for (const FoldPlan::Row& row : rows) {
      if (runs.empty() || runs.back().first != row.batch) runs.push_back({row.batch, {}});
      runs.back().second.push_back(row.row);
    }
    Tensors result;
    for (size_t c = 0; c < formats_.size(); ++c) {
      const auto made = [&](std::int32_t batch) { return made_[static_cast<size_t>(batch)][c]; };
      Tensors parts;
      if (runs.size() <= kMostRuns) {
        for (const auto& [batch, indices] : runs) parts.push_back(take(f_, made(batch), kRow, indices));
        result.push_back(f_.concatenate(parts, kRow));
        continue;
      }
      // Too mixed: out of all batches, one behind the other.
      std::vector<std::int64_t> begin, indices;
      std::int64_t rows_before = 0;
      for (size_t b = 0; b < made_.size(); ++b) {
        begin.push_back(rows_before);
        rows_before += static_cast<std::int64_t>(plan_.batches[b].rows());
        parts.push_back(made(static_cast<std::int32_t>(b)));
      }
      for (const FoldPlan::Row& row : rows) indices.push_back(begin[static_cast<size_t>(row.batch)] + row.row);
      result.push_back(take(f_, f_.concatenate(parts, kRow), kRow, indices));
    }
    return result;
  }

  /// Items from .. to-1 of the first `rows` rows, [step, row, axes of the result].
  Tensors item_operands(const Batch& batch, size_t rows, std::int64_t from, std::int64_t to) {
    std::vector<FoldPlan::Row> wanted;
    for (std::int64_t s = from; s < to; ++s)
      for (size_t r = 0; r < rows; ++r) wanted.push_back(batch.items[r][static_cast<size_t>(s)]);
    Tensors taken = states(wanted);
    for (TensorValue& x : taken) {
      Axes axes = x.axes;
      Shape shape = shape_of(rows);
      axes.insert(axes.begin(), kStep);
      shape.insert(shape.begin(), to - from);
      x = f_.reshape(x, axes, shape);
    }
    return taken;
  }

  // ---- steps

  /// The states after all steps of their rows but the first `done`.
  Tensors advanced(const Batch& batch, Tensors state, std::int64_t done) {
    std::vector<Tensors> parts(formats_.size());  // from the last rows to the first
    size_t alive = batch.rows();
    while (alive > 0) {
      size_t keep = alive;
      while (keep > 0 && batch.count(keep - 1) == done) --keep;
      for (size_t c = 0; c < state.size(); ++c) {
        if (keep < alive)
          parts[c].push_back(f_.slice(state[c], kRow, static_cast<std::int64_t>(keep), static_cast<std::int64_t>(alive)));
        if (keep < alive && keep > 0) state[c] = f_.slice(state[c], kRow, 0, static_cast<std::int64_t>(keep));
      }
      alive = keep;
      if (alive == 0) break;
      const std::int64_t to = batch.count(alive - 1);
      state = stepped(batch, alive, std::move(state), done, to);
      done = to;
    }
    Tensors result;
    for (Tensors& of_component : parts) {
      std::reverse(of_component.begin(), of_component.end());
      result.push_back(f_.concatenate(of_component, kRow));
    }
    return result;
  }

  /// Steps from .. to-1 of the first `rows` rows, a few written out, more as a loop.
  Tensors stepped(const Batch& batch, size_t rows, Tensors state, std::int64_t from, std::int64_t to) {
    const std::int64_t unroll = fuses() ? kMostFused : 8;
    const bool merges = batch.kind == FoldPlan::Kind::Merges;
    const Tensors operands = merges ? item_operands(batch, rows, from, to) : leaf_operands(batch, rows, from, to);
    const Shape shape = shape_of(rows);
    const FoldParts parts = chain_parts(operands, shape, to - from);
    const auto step = [&](std::vector<LaneValue> now, const std::function<TensorValue(const TensorValue&)>& slice) {
      if (!merges) return parts.step(std::move(now), parts.leaf_at(slice));
      Tensors other;
      for (const TensorValue& x : operands) other.push_back(slice(x));
      for (LaneValue& component : lanes(other)) now.push_back(std::move(component));
      return p_.context.scalar.run(p_.fold.merge, std::move(now));
    };
    std::int64_t done = 0;
    const std::int64_t iterations = (to - from) / unroll;
    if (iterations > 2) {
      const TensorValue bound = f_.constant(Format::I32, static_cast<Bits>(iterations), {}, {});
      state = counted_loop(f_, bound, state, [&](const TensorValue& counter, const Tensors& inside) {
        const TensorValue base = f_.elementwise(
            "stablehlo.multiply", {counter, f_.constant(Format::I32, static_cast<Bits>(unroll), {}, {})}, Format::I32);
        std::vector<LaneValue> now = lanes(inside);
        for (std::int64_t u = 0; u < unroll; ++u) {
          const TensorValue at =
              f_.elementwise("stablehlo.add", {f_.constant(Format::I32, static_cast<Bits>(u), {}, {}), base}, Format::I32);
          now = step(std::move(now), [&](const TensorValue& x) { return f_.dynamic_slice_at(x, kStep, at.ssa); });
        }
        return carried(now);
      });
      done = iterations * unroll;
    }
    std::vector<LaneValue> now = lanes(state);
    for (std::int64_t since = 0; done < to - from; ++done) {
      if (fuses() && since++ % unroll == 0) now = parts.held(now);
      now = step(std::move(now), [&](const TensorValue& x) { return f_.slice_at(x, kStep, done); });
    }
    return carried(now);
  }

  const FoldParts& p_;
  const FoldPlan& plan_;
  FunctionText& f_;
  std::vector<Format> formats_;
  Fold chain_;
  std::vector<Tensors> made_;  ///< of each batch so far, one tensor a component: [row, axes of the result]
};

}  // namespace

TensorValue batched_form(const FoldParts& parts) {
  if (parts.fold.order.kind == Order::Kind::Sequential) no_form(parts.form, "the order is one chain");
  if (parts.form != FoldForm::BatchedWhile && parts.fold.state_formats().size() != 1)
    no_form(parts.form, "the fold is not a sum");
  const FoldPlan plan = fold_plan(parts.fold.order, parts.leaves);
  return Batches(parts, plan).result();
}

}  // namespace bitpact
