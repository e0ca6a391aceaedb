#include "probe/function_tabulated.h"

#include <algorithm>

namespace bitpact {

std::optional<FunctionCandidate> tabulated(const FunctionCandidate& like, const FunctionValues& values, Format result) {
  const auto* input = std::get_if<Input>(&like.program.nodes.at(0));
  const auto entries = input ? table_entries(input->format) : std::nullopt;
  if (!entries || static_cast<std::int64_t>(values.x.size()) != *entries) return {};
  const auto quiet = [](Format format, Bits bits) {
    return is_float(format) && classify(format, bits) == Class::NaN ? quiet_nan(format) : bits;
  };
  Tensor table(result, {*entries});
  for (size_t i = 0; i < values.x.size(); ++i)
    table.set(static_cast<std::int64_t>(values.x[i]), quiet(result, values.y.get(static_cast<std::int64_t>(i))));
  for (const Bits x : values.x)
    if (table.get(static_cast<std::int64_t>(x)) != table.get(static_cast<std::int64_t>(quiet(input->format, x)))) return {};
  FunctionCandidate candidate;
  candidate.tabulated = true;
  candidate.program = {{*input, Table{{0}, std::move(table), input->axes}}, {1}};
  candidate.compared = *entries;
  return candidate;
}

}  // namespace bitpact
