#include "probe/asking.h"

#include <algorithm>
#include <cstring>

#include "diagnostic/diagnostic.h"
#include "operators/operand_layout.h"

namespace bitpact {

std::vector<std::string> classes_of_round(const Resolved& problem, const std::vector<std::string>& classes, std::uint64_t round) {
  if (element_count(problem.result.shape) >= kOutputsForAllClasses) return classes;
  return {classes[round % classes.size()]};
}

int rounds_for_all(const Resolved& problem, const std::vector<std::string>& classes) {
  return element_count(problem.result.shape) >= kOutputsForAllClasses ? 1 : static_cast<int>(classes.size());
}

Asker::Asker(Backend& backend, const Resolved& problem) : backend_(backend), problem_(problem) {
  const Ways ways = backend.ways();
  if (!ways.operator_call && !ways.stablehlo)
    refuse(Code::ProbeUnsupported, "the backend runs programs that it is given; it has no way of its own to compute an operator",
           {to_text(problem.problem), to_text(backend.spec()), backend.identity().machine()});
}

Asked Asker::ask(std::vector<Tensor> operands) {
  ++calls_;
  Answer answer = backend_.call_operator(problem_.problem, {problem_.result}, operands, {});
  kernel_ = answer.kernel;
  return {std::move(operands), std::move(answer.results[0])};
}

Asked Asker::ask(const Recipe& recipe) {
  return ask(make_operands(recipe, problem_.problem.operands, problem_.binding.operands, independent_axes(problem_)));
}

namespace {

// Knuth's MMIX generator; its high bits are used.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  std::uint64_t bits(int count) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return state_ >> (64 - count);
  }

 private:
  std::uint64_t state_;
};

}  // namespace

Asked Asker::ask_tiny(std::uint64_t seed) {
  Random random(seed);
  std::vector<Tensor> operands;
  // Every other set: products of subnormals that are none themselves.
  const auto scale = [&](Format format) {
    return seed % 2 == 0 ? convert({Format::F64, static_cast<Bits>(1023 + info(format).mantissa_bits + 2) << 52}, format)
                         : one(format);
  };
  for (const OperandSpec& spec : problem_.problem.operands) {
    Tensor t(spec.format, spec.shape);
    const bool tiny = operands.empty() && is_float(spec.format);
    for (std::int64_t i = 0; i < t.size(); ++i) {
      if (!tiny) {
        t.set(i, is_float(spec.format) ? scale(spec.format) : Bits{1});
        continue;
      }
      // Exponent fields 0, 1 and 2, any fraction, any sign.
      const Bits magnitude = smallest_normal(spec.format) * (random.bits(8) % 3) + random.bits(32) % smallest_normal(spec.format);
      t.set(i, random.bits(1) != 0 ? negate({spec.format, magnitude}) : magnitude);
    }
    operands.push_back(std::move(t));
  }
  return ask(std::move(operands));
}

namespace {

/// What stands in one sum: a large number, its negative, and small ones of one size.
struct Swamped {
  std::int64_t first = 0, second = 0;
  Bits large = 0, small = 0;
};

/// Half of the distances are around the precisions that accumulators have, bf16's to f64's.
int binades_below(Random& random, int most) {
  constexpr int kPrecisions[] = {8, 11, 24, 53};
  const int near = kPrecisions[random.bits(2)] - 2 + static_cast<int>(random.bits(3));
  const int any = static_cast<int>(random.bits(31) % static_cast<std::uint64_t>(most));
  return random.bits(1) != 0 && near < most ? near : any;
}

Swamped swamped_sum(Random& random, Format format, std::int64_t depth) {
  constexpr int kMostBinades = 60;
  const FormatInfo& row = info(format);
  const int top = std::min(kMostBinades, (1 << (row.exponent_bits - 1)) - 1);
  const int least = 1 - row.bias - row.mantissa_bits;
  const auto power = [format](int exponent) { return convert({Format::F64, static_cast<Bits>(1023 + exponent) << 52}, format); };
  Swamped sum;
  sum.first = static_cast<std::int64_t>(random.bits(31) % static_cast<std::uint64_t>(depth));
  sum.second = static_cast<std::int64_t>(random.bits(31) % static_cast<std::uint64_t>(depth - 1));
  if (sum.second >= sum.first) ++sum.second;
  sum.large = random.bits(1) != 0 ? negate({format, power(top)}) : power(top);
  sum.small = power(top - 1 - binades_below(random, std::min(kMostBinades, top - least)));
  return sum;
}

}  // namespace

Asked Asker::ask_swamped(std::uint64_t seed) {
  const std::vector<OperandSpec>& specs = problem_.problem.operands;
  const std::vector<OperandLayout> layouts = operand_layouts(specs, problem_.binding.operands, independent_axes(problem_));
  Random random(seed);
  std::vector<Tensor> operands;
  bool placed = false;
  for (size_t o = 0; o < specs.size(); ++o) {
    const Format format = specs[o].format;
    Tensor t(format, specs[o].shape);
    if (placed || !is_float(format) || !has_zero(format) || layouts[o].depth < 3) {
      for (std::int64_t i = 0; i < t.size(); ++i) t.set(i, is_float(format) ? one(format) : Bits{1});
    } else {
      placed = true;
      std::vector<Swamped> sums;
      for (std::int64_t r = 0; r < layouts[o].rows; ++r) sums.push_back(swamped_sum(random, format, layouts[o].depth));
      for_each_element(layouts[o], [&](std::int64_t flat, std::int64_t r, std::int64_t k) {
        const Swamped& sum = sums[static_cast<size_t>(r)];
        const Bits otherwise = random.bits(1) != 0 ? sum.small : positive_zero(format);
        t.set(flat, k == sum.first ? sum.large : k == sum.second ? negate({format, sum.large}) : otherwise);
      });
    }
    operands.push_back(std::move(t));
  }
  return ask(std::move(operands));
}

Asked Asker::ask_sparse(const Recipe& recipe) {
  std::vector<Tensor> operands =
      make_operands(recipe, problem_.problem.operands, problem_.binding.operands, independent_axes(problem_));
  Random random(recipe.seed);
  for (Tensor& t : operands) {
    const Bits zero = is_float(t.format()) ? positive_zero(t.format()) : 0;
    for (std::int64_t i = 0; i < t.size(); ++i) {
      if (random.bits(3) > 2) t.set(i, zero);  // five of eight
    }
  }
  return ask(std::move(operands));
}

bool Asker::is_deterministic(int repeats, std::uint64_t seed) {
  Recipe recipe;
  recipe.seed = seed;
  recipe.classes = {"normal", "wide", "cancellation"};
  const std::vector<Tensor> operands =
      make_operands(recipe, problem_.problem.operands, problem_.binding.operands, independent_axes(problem_));
  ++calls_;
  const Answer first = backend_.call_operator(problem_.problem, {problem_.result}, operands, {.repeat = repeats});
  if (!first.repeats_agree) return false;
  recipe.seed = seed + 1;
  ask(recipe);
  const Asked again = ask(operands);
  return std::memcmp(first.results[0].bytes(), again.result.bytes(), again.result.byte_size()) == 0;
}

}  // namespace bitpact
