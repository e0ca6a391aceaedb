#include "probe/function_tabulated.h"

#include <algorithm>

namespace bitpact {

std::optional<FunctionCandidate> tabulated(const FunctionCandidate& like, const FunctionValues& values, Format result) {
  const auto* input = std::get_if<Input>(&like.program.nodes.at(0));
  const auto entries = input ? table_entries(input->format) : std::nullopt;
  if (!entries || static_cast<std::int64_t>(values.x.size()) != *entries) return {};
  Tensor table(result, {*entries});
  for (size_t i = 0; i < values.x.size(); ++i)
    table.set(static_cast<std::int64_t>(values.x[i]), with_quiet_nan(result, values.y.get(static_cast<std::int64_t>(i))));
  for (const Bits x : values.x)
    if (table.get(static_cast<std::int64_t>(x)) != table.get(static_cast<std::int64_t>(with_quiet_nan(input->format, x))))
      return {};
  FunctionCandidate candidate;
  candidate.tabulated = true;
  candidate.program = {{*input, Table{{0}, std::move(table), input->axes}}, {1}};
  candidate.compared = *entries;
  return candidate;
}

}  // namespace bitpact
