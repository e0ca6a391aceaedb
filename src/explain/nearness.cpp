#include "explain/nearness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "interpret/interpret.h"
#include "probe/distinct.h"
#include "probe/restrict.h"

namespace bitpact {
namespace {

constexpr std::int64_t kFewHypotheses = 64;
constexpr std::int64_t kManyOutputs = 4096, kFewOutputs = 128;
/// A value of a choice point is told from another where the latter loses so many bits more: four times the distance.
constexpr double kByFar = 2.0;
constexpr double kMostBits = 64.0;  // NaN against a number

/// log2(1 + n), straight between powers of two: within 0.09 of it, and the same on every machine, which libm's is not.
double bits_of(std::uint64_t n) {
  if (n == UINT64_MAX) return kMostBits;
  const int exponent = std::bit_width(n + 1) - 1;
  return exponent +
         static_cast<double>((n + 1) - (std::uint64_t{1} << exponent)) / static_cast<double>(std::uint64_t{1} << exponent);
}

Nearness measure(const Choices& choices, const Tensor& seen, const Tensor& got) {
  Nearness n{choices, seen.size(), 0, 0, 0.0};
  const Format format = seen.format();
  for (std::int64_t i = 0; i < seen.size(); ++i) {
    const Bits a = seen.get(i), b = got.get(i);
    const bool nan_a = classify(format, a) == Class::NaN, nan_b = classify(format, b) == Class::NaN;
    const std::uint64_t ulps = nan_a && nan_b ? 0 : nan_a || nan_b ? UINT64_MAX : ulp_distance(format, a, b);
    n.greatest = std::max(n.greatest, ulps);
    if (ulps <= kNearUlps) ++n.near;
    n.bits += bits_of(ulps);
  }
  n.bits /= static_cast<double>(std::max<std::int64_t>(1, n.compared));
  return n;
}

bool nearer(const Nearness& a, const Nearness& b) { return a.bits < b.bits; }

}  // namespace

double Nearness::typical() const {
  const auto whole = static_cast<unsigned>(bits);  // at most kMostBits
  const double power = whole < 63 ? static_cast<double>(std::uint64_t{1} << whole) : 0x1p63;
  return power * (1.0 + (bits - whole)) - 1.0;
}

std::optional<Nearest> find_nearest(const Resolved& problem, const std::vector<Tensor>& operands, const Tensor& outputs,
                                    const std::vector<std::int64_t>& index) {
  const Operator& op = operator_named(problem.problem.op);
  const std::vector<Hypothesis> all = distinct_at(hypotheses(op, problem.formats()), problem.binding);
  const std::int64_t most = static_cast<std::int64_t>(all.size()) <= kFewHypotheses ? kManyOutputs : kFewOutputs;
  const Window window = window_around(problem, index, most);
  const Part part = cut(problem.binding, operands, window);
  const Tensor seen = cut(outputs, problem.binding.result, window);
  std::vector<Nearness> tried;
  for (const Hypothesis& h : all)
    tried.push_back(measure(h.choices, seen, interpret(bind(h.program, part.binding), part.operands).results[0]));
  Nearest nearest;
  nearest.program = *std::min_element(tried.begin(), tried.end(), nearer);
  const FormatInfo& row = info(outputs.format());
  const double half = is_float(outputs.format()) ? (row.mantissa_bits + 1) / 2.0 : 1.0;
  if (nearest.program.bits > half) return {};
  for (const auto& [point, value] : nearest.program.choices) {
    const Nearness* next = nullptr;
    for (const Nearness& n : tried)
      if (n.choices.at(point) != value && (!next || nearer(n, *next))) next = &n;
    if (next && next->bits >= nearest.program.bits + kByFar)
      nearest.decided.push_back({point, value, *next, next->choices.at(point)});
  }
  return nearest;
}

std::string to_text(const Nearness& n) {
  std::vector<std::string> parts;
  for (const auto& [point, value] : n.choices) parts.push_back(fmt::format("{}={}", point, value));
  const std::string what = parts.empty() ? "the operator's one program" : fmt::format("{}", fmt::join(parts, ", "));
  if (n.near == n.compared) return fmt::format("{}, within {} ulps on all {} outputs", what, kNearUlps, n.compared);
  const std::string greatest =
      n.greatest == UINT64_MAX ? "NaN against a number once" : fmt::format("at most {} ulps", n.greatest);
  return fmt::format("{}, within {} ulps on {} of {} outputs, {}", what, kNearUlps, n.near, n.compared, greatest);
}

}  // namespace bitpact
