#include "probe/function_probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "probe/function_exceptions.h"
#include "probe/function_inputs.h"
#include "probe/function_progress.h"
#include "probe/function_sweep.h"
#include "probe/function_tabulated.h"
#include "tensor/digest.h"

namespace bitpact {
namespace {

/// Arguments of a sample that are also asked in tails: each takes a third of a call.
constexpr std::int64_t kSampledTails = 4096;

FunctionTable make_table(const std::string& where, FunctionAsker& asker, const FunctionValues& values) {
  FunctionTable table;
  table.where = where;
  table.arguments = static_cast<std::int64_t>(values.x.size());
  table.whole = asked_in_full(asker.argument()) && values.x.size() == std::size_t{1} << info(asker.argument()).bits;
  if (table.whole) table.sha256 = table_digest(values.y);
  table.candidates = function_candidates(asker.problem());
  compare_with(table.candidates, asker, as_row(asker.argument(), values.x), values.y);
  return table;
}

std::string for_shell(const std::string& text) {
  return text.find_first_of(" []();*?&|<>$'") == std::string::npos ? text : fmt::format("\"{}\"", text);
}

Contract contract_of(const FunctionCandidate& fit, const FunctionReport& report, FunctionAsker& asker) {
  Contract contract = contract_from_choices(asker.problem(), fit.choices, {});
  contract.pieces[0].program = fit.program;
  contract.verified = asker.lines();
  contract.identity = report.identity;
  contract.established = {"probed", report.strength, report.strength_words};
  return contract;
}

/// One argument at every place of a row.
std::string compare_line(const FunctionReport& report, const Resolved& problem, std::int64_t length, Bits argument) {
  Problem row = problem.problem;
  row.operands[0].shape = {length};
  return fmt::format("bitpact compare \"{}\" --reference native --candidate {} --operands \"bitpact-operands/2 bits=0x{:x}\"",
                     to_text(row), for_shell(report.backend), argument);
}

}  // namespace

std::string table_digest(const Tensor& values) { return sha256(values.span()); }

std::string table_digest(const std::vector<std::string>& blocks) {
  std::string lines;
  for (const std::string& block : blocks) lines += block + "\n";
  return sha256(lines);
}

FunctionReport probe_function(Backend& backend, const Resolved& problem, const FunctionProbeOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  FunctionAsker asker(backend, problem);
  FunctionReport report;
  report.problem = to_text(problem.problem);
  report.backend = to_text(backend.spec());
  report.identity = backend.identity();
  report.argument = asker.argument();
  report.result = asker.result();
  const Where where{report.problem, report.backend, report.identity.machine()};

  FunctionValues values;
  values.x = function_inputs(asker.argument());
  values.y = asker.ask(as_row(asker.argument(), values.x), 2);
  const bool full = asked_in_full(asker.argument());
  const auto size = static_cast<std::int64_t>(values.x.size());
  Positions positions = ask_positions(asker, values, full ? size : kSampledTails);
  report.positions = positions.classes;

  report.tables.push_back(make_table(positions.same() ? "everywhere" : "vector body", asker, values));
  if (positions.classes[1].different > 0) report.tables.push_back(make_table("tail", asker, positions.tail));
  FunctionTable& table = report.tables.front();
  report.strength = full ? "exhaustive" : "sampled";
  report.strength_words = full ? fmt::format("all {} values of {}", size, name(asker.argument()))
                               : fmt::format("{} values of {}, {}", size, name(asker.argument()), kFunctionSample);
  if (options.exhaustive && !full) {
    const Sweep sweep = sweep_function(asker, table.candidates, options.progress, options.say);
    table.sha256 = table_digest(sweep.blocks);
    table.whole = true;
    table.arguments = std::int64_t{1} << info(asker.argument()).bits;
    report.strength = "exhaustive";
    report.strength_words = fmt::format("all 2^{} values of {} in one row; other places by {}", info(asker.argument()).bits,
                                        name(asker.argument()), kFunctionSample);
  }

  if (const FunctionCandidate* c = best(table.candidates); positions.same() && table.whole && full && c && !c->fits())
    if (auto exact = with_exceptions(*c, asker, values)) table.candidates.push_back(std::move(*exact));
  if (const FunctionCandidate* c = best(table.candidates); positions.same() && full && c && !c->fits())
    if (auto exact = tabulated(*c, values, asker.result())) table.candidates.push_back(std::move(*exact));
  const FunctionCandidate* nearest = best(table.candidates);
  const auto differs =
      std::find_if(positions.classes.begin(), positions.classes.end(), [](const auto& c) { return c.different > 0; });
  const PositionClass* shifting = differs == positions.classes.end() ? nullptr : &*differs;
  if (shifting) {
    report.diagnostic = Diagnostic{
        Code::ProbePosition,
        fmt::format("{} of {} arguments have another value at {}", shifting->different, shifting->arguments, shifting->words),
        where.op, where.backend, where.target};
  } else if (nearest && nearest->fits()) {
    report.contract = contract_of(*nearest, report, asker);
  } else {
    report.diagnostic =
        Diagnostic{Code::ProbeUnknown, fmt::format("none of {} programs gives the values", table.candidates.size()), where.op,
                   where.backend, where.target};
  }
  if (shifting)
    report.reproduce = compare_line(report, problem, shifting->first->there.length, shifting->first->x);
  else if (nearest && nearest->first)
    report.reproduce = compare_line(report, problem, 1, *nearest->first);
  report.calls = asker.calls();
  report.backend_seconds = asker.backend_seconds();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace bitpact
