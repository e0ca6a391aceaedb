#include "emit/loop_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bitpact {

std::vector<TensorValue> counted_loop(
    FunctionText& f, const TensorValue& iterations, const std::vector<TensorValue>& carried,
    const std::function<std::vector<TensorValue>(const TensorValue&, const std::vector<TensorValue>&)>& body) {
  const TensorValue zero = f.constant(Format::I32, 0, {}, {});
  const TensorValue counter{f.fresh(), Format::I32, {}, {}};
  std::vector<std::string> bindings{fmt::format("{} = {}", counter.ssa, zero.ssa)}, types{"tensor<i32>"};
  std::vector<TensorValue> inside;
  for (const TensorValue& x : carried) {
    inside.push_back(x);
    inside.back().ssa = f.fresh();
    bindings.push_back(fmt::format("{} = {}", inside.back().ssa, x.ssa));
    types.push_back(tensor_type(x.shape, x.format));
  }
  const std::string loop = f.fresh();
  f.line(fmt::format("{}:{} = stablehlo.while({}) : {}", loop, types.size(), fmt::join(bindings, ", "), fmt::join(types, ", ")));
  f.indent(1);
  f.line("cond {");
  f.indent(1);
  const TensorValue more = f.compare("LT", counter, iterations);
  f.line(fmt::format("stablehlo.return {} : tensor<i1>", more.ssa));
  f.indent(-1);
  f.line("} do {");
  f.indent(1);
  const TensorValue one = f.constant(Format::I32, 1, {}, {});
  const std::vector<TensorValue> made = body(counter, inside);
  std::vector<std::string> results{f.elementwise("stablehlo.add", {counter, one}, Format::I32).ssa};
  for (const TensorValue& x : made) results.push_back(x.ssa);
  f.line(fmt::format("stablehlo.return {} : {}", fmt::join(results, ", "), fmt::join(types, ", ")));
  f.indent(-1);
  f.line("}");
  f.indent(-1);
  std::vector<TensorValue> after = carried;
  for (size_t i = 0; i < after.size(); ++i) after[i].ssa = fmt::format("{}#{}", loop, i + 1);
  return after;
}

}  // namespace bitpact
