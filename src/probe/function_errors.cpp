#include "probe/function_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "diagnostic/diagnostic.h"
#include "interpret/float_modes.h"
#include "probe/function_blocks.h"
#include "probe/function_inputs.h"
#include "probe/function_positions.h"
#include "probe/function_progress.h"

namespace bitpact {
namespace {

using nlohmann::json;

constexpr std::int64_t kPiece = 1 << 16;
constexpr int kRounds = 32;                 // a bisection of f32's arguments ends in 23
constexpr std::size_t kMostMiddles = 4096;  // in one round

/// Correctly rounded values of many arguments, on all processors.
class Right {
 public:
  Right(MathFunction function, Format argument, Format result) : result_(result) {
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
      truths_.push_back(std::make_unique<FunctionTruth>(function, argument, result));
  }
  Tensor values(const Tensor& x) {
    Tensor y(result_, x.shape());
    y.mutable_bytes();
    std::atomic<std::int64_t> next{0};
    std::vector<std::thread> threads;
    for (const auto& truth : truths_)
      threads.emplace_back([&] {
        const DefaultFloatModes modes;
        const MpfrThread numbers;
        for (std::int64_t first; (first = next.fetch_add(kPiece)) < x.size();)
          for (std::int64_t i = first; i < std::min(first + kPiece, x.size()); ++i) y.set(i, (*truth)(x.get(i)));
      });
    for (std::thread& thread : threads) thread.join();
    return y;
  }
  std::int64_t by_mpfr() const {
    std::int64_t all = 0;
    for (const auto& truth : truths_) all += truth->asked_mpfr();
    return all;
  }

 private:
  Format result_;
  std::vector<std::unique_ptr<FunctionTruth>> truths_;
};

struct Pair {
  Bits got = 0, want = 0;
};

void ask(FunctionAsker& asker, Right& right, const std::vector<Bits>& arguments, std::map<Bits, Pair>& values) {
  const Tensor x = as_row(asker.argument(), arguments);
  const Tensor got = asker.ask(x), want = right.values(x);
  for (std::int64_t i = 0; i < x.size(); ++i) values[x.get(i)] = {got.get(i), want.get(i)};
}

/// Between two arguments of one sign where the kind of a value changes: the middle.
std::vector<Bits> middles(const std::map<Bits, Pair>& values, Format argument, Format result) {
  const Bits sign = Bits{1} << (info(argument).bits - 1);
  std::vector<Bits> all;
  auto last = values.begin();
  for (auto at = std::next(last); at != values.end(); last = at++) {
    if (at->first - last->first < 2 || ((at->first ^ last->first) & sign) != 0) continue;
    const bool changes = classify(result, at->second.got) != classify(result, last->second.got) ||
                         classify(result, at->second.want) != classify(result, last->second.want);
    if (changes && all.size() < kMostMiddles) all.push_back(last->first + (at->first - last->first) / 2);
  }
  return all;
}

void tally_asked(FunctionAsker& asker, Right& right, ErrorTally& tally) {
  std::map<Bits, Pair> values;
  ask(asker, right, function_inputs(asker.argument()), values);
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<Bits> more = middles(values, asker.argument(), asker.result());
    if (more.empty()) break;
    ask(asker, right, more, values);
  }
  for (const auto& [x, pair] : values) tally.add(x, pair.got, pair.want);
}

void tally_all(FunctionAsker& asker, Right& right, const ErrorOptions& options, ErrorReport& report) {
  FunctionProgress progress(options.progress, about_pass("errors of " + report.function, asker), options.say);
  std::int64_t first = 0, by_mpfr_before = 0;
  if (!progress.state().is_null()) {
    first = progress.state().at("blocks");
    by_mpfr_before = progress.state().at("by_mpfr");
    report.tally.restore(progress.state().at("tally"));
    if (options.say) options.say(fmt::format("goes on after {} of {} blocks", first, kBlocks));
  }
  json tally;
  ask_blocks(
      asker, first,
      [&](std::int64_t, const Tensor& x, const Tensor& y) {
        const Tensor want = right.values(x);
        const auto* arguments = x.as<std::uint32_t>();
        for (std::int64_t i = 0; i < x.size(); ++i) report.tally.add(arguments[i], y.get(i), want.get(i));
        tally = report.tally.to_json();
      },
      [&](std::int64_t done) {
        progress.save({{"blocks", done}, {"by_mpfr", by_mpfr_before + right.by_mpfr()}, {"tally", tally}});
      },
      options.say);
  progress.remove();
  report.by_mpfr = by_mpfr_before + right.by_mpfr();
}

MathFunction function_of(const FunctionAsker& asker, const Where& where) {
  const Operator& op = operator_named(asker.problem().problem.op);
  const auto function = math_function_named(op.function);
  if (!function) refuse(Code::ProbeNoTruth, fmt::format("{} is no function of that list", op.name), where);
  for (const Format format : {asker.argument(), asker.result()})
    if (format != Format::F32 && format != Format::BF16 && format != Format::F16)
      refuse(Code::ProbeNoTruth, fmt::format("{} is none of f32, bf16 and f16", name(format)), where);
  return *function;
}

}  // namespace

ErrorReport measure_errors(Backend& backend, const Resolved& problem, const ErrorOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  FunctionAsker asker(backend, problem);
  ErrorReport report;
  report.problem = to_text(problem.problem);
  report.backend = to_text(backend.spec());
  report.identity = backend.identity();
  report.argument = asker.argument();
  report.result = asker.result();
  const MathFunction function = function_of(asker, {report.problem, report.backend, report.identity.machine()});
  report.function = name(function);
  report.direction = direction(function);
  report.tally = ErrorTally(report.argument, report.result, report.direction);
  Right right(function, report.argument, report.result);
  const bool full = asked_in_full(report.argument);
  if (options.exhaustive && !full) {
    tally_all(asker, right, options, report);
  } else {
    tally_asked(asker, right, report.tally);
    report.by_mpfr = right.by_mpfr();
  }
  report.strength = full || options.exhaustive ? "exhaustive" : "sampled";
  report.strength_words = full || options.exhaustive
                              ? fmt::format("all {} values of {}", report.tally.arguments, name(report.argument))
                              : fmt::format("{} values of {}, {} and where the kind of a value changes", report.tally.arguments,
                                            name(report.argument), kFunctionSample);
  report.backend_seconds = asker.backend_seconds();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace bitpact
