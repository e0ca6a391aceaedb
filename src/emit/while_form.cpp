// A counted loop over the leaves, a few leaves an iteration, the rest written out behind it. Where every prefix is given, the
// loop carries the result as well, and each step writes its place.
#include "emit/fold_forms.h"
#include "emit/loop_text.h"

namespace bitpact {
namespace {

/// The result of a fold that gives every prefix, filled place by place; empty where it gives the last state.
class Prefixes {
 public:
  explicit Prefixes(const FoldParts& parts) : p_(parts) {
    if (!p_.gives_prefixes()) return;
    const Format format = p_.fold.finish.format_of(p_.fold.finish.results[0]);
    value = p_.context.function.constant(format, 0, p_.fold.axes, p_.result_shape);
  }
  void write(const std::vector<LaneValue>& state, const std::string& place) {
    if (value.ssa.empty()) return;
    value = p_.context.function.updated_at(value, p_.fold.over.front(), place, p_.finish(state));
  }
  void write(const std::vector<LaneValue>& state, std::int64_t place) {
    if (!value.ssa.empty()) write(state, p_.context.function.constant(Format::I32, static_cast<Bits>(place), {}, {}).ssa);
  }
  TensorValue value;

 private:
  const FoldParts& p_;
};

}  // namespace

TensorValue while_form(const FoldParts& p) {
  constexpr std::int64_t kUnroll = 8;
  FunctionText& f = p.context.function;
  if (p.fold.order.kind != Order::Kind::Sequential) no_form(p.form, "the order is not sequential");
  const std::string& over = p.fold.over.front();
  const bool reversed = p.fold.order.reversed;
  const auto leaf_index = [&](std::int64_t i) { return reversed ? p.leaves - 1 - i : i; };
  const auto leaf_at = [&](std::int64_t i) {
    return p.leaf_at([&](const TensorValue& x) { return f.slice_at(x, over, leaf_index(i)); });
  };

  const std::vector<Format> formats = p.fold.state_formats();
  std::int64_t done = 0;
  std::vector<LaneValue> state;
  Prefixes prefixes(p);
  if (p.fold.start.first_leaf) {
    state = p.context.scalar.run(p.fold.start.lift, leaf_at(0));
    prefixes.write(state, leaf_index(0));
    done = 1;
  } else {
    state = p.start_values();
  }
  const std::int64_t iterations = (p.leaves - done) / kUnroll;
  if (iterations > 1) {
    std::vector<TensorValue> carried;
    for (const LaneValue& component : state) carried.push_back(p.context.scalar.carried(component));
    if (p.gives_prefixes()) carried.push_back(prefixes.value);
    const auto states_of = [&](const std::vector<TensorValue>& tensors) {
      std::vector<LaneValue> lanes;
      for (size_t i = 0; i < formats.size(); ++i) lanes.push_back(ScalarText::from_carried(tensors[i], formats[i]));
      return lanes;
    };
    const auto body = [&](const TensorValue& counter, const std::vector<TensorValue>& inside) {
      const TensorValue unroll = f.constant(Format::I32, kUnroll, {}, {});
      const TensorValue base = f.elementwise("stablehlo.multiply", {counter, unroll}, Format::I32);
      std::vector<LaneValue> lanes = states_of(inside);
      if (p.gives_prefixes()) prefixes.value = inside.back();
      for (std::int64_t u = 0; u < kUnroll; ++u) {
        // leaf = done + base + u, counted from the other end where reversed
        const Bits offset = static_cast<Bits>(reversed ? p.leaves - 1 - done - u : done + u) & 0xffffffff;
        const TensorValue at = f.elementwise(reversed ? "stablehlo.subtract" : "stablehlo.add",
                                             {f.constant(Format::I32, offset, {}, {}), base}, Format::I32);
        lanes = p.step(lanes, p.leaf_at([&](const TensorValue& x) { return f.dynamic_slice_at(x, over, at.ssa); }));
        prefixes.write(lanes, at.ssa);
      }
      std::vector<TensorValue> results;
      for (const LaneValue& component : lanes) results.push_back(p.context.scalar.carried(component));
      if (p.gives_prefixes()) results.push_back(prefixes.value);
      return results;
    };
    const std::vector<TensorValue> after =
        counted_loop(f, f.constant(Format::I32, static_cast<Bits>(iterations), {}, {}), carried, body);
    state = states_of(after);
    if (p.gives_prefixes()) prefixes.value = after.back();
    done += iterations * kUnroll;
  }
  for (; done < p.leaves; ++done) {
    state = p.step(state, leaf_at(done));
    prefixes.write(state, leaf_index(done));
  }
  return p.gives_prefixes() ? prefixes.value : p.finish(state);
}

}  // namespace bitpact
