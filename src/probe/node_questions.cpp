#include "probe/node_questions.h"

#include <algorithm>

#include "number/layout.h"

namespace bitpact {
namespace {

Bits power(Format format, int exponent) { return convert({Format::F64, static_cast<Bits>(1023 + exponent) << 52}, format); }

struct Pattern {
  Bits first, second;
  Bits others = 0;  ///< what all other leaves are
};

// What a product with one leaves as it is. Exponents that the format lacks give zeros and infinities; those are left out.
std::vector<Pattern> patterns(Format format) {
  const Bits one_bits = one(format);
  const Bits next = one_bits + 1;  // one ulp above 1
  std::vector<Pattern> list;
  for (const int exponent : {24, 25, info(format).mantissa_bits + 1, 53}) {
    const Bits small = power(format, -exponent);
    const Class kind = classify(format, small);
    if (kind != Class::Normal) continue;
    for (const auto& [a, b] : {std::pair{one_bits, small}, std::pair{next, small}, std::pair{next, negate({format, small})}}) {
      list.push_back({a, b});
      list.push_back({b, a});
    }
  }
  // A sum that is tiny and below zero, among leaves that are -0: where it is flushed shows in the result's sign.
  const Bits minus = layout(format).sign, tiny = smallest_normal(format);
  if (minus != 0 && classify(format, minus) == Class::Zero) {
    const Bits below = negate({format, tiny + 1});
    list.push_back({tiny, below, minus});
    list.push_back({below, tiny, minus});
  }
  return list;
}

}  // namespace

std::int64_t for_node_questions(const Resolved& problem, const SumSite& site, const SumTree& tree, std::int64_t most,
                                const std::function<bool(std::vector<Tensor>)>& give) {
  const std::vector<LeafPair> nodes = node_witnesses(tree);
  Carrier carrier = carrier_of(problem, site, site.operands[0]);
  for (const size_t operand : site.operands) {
    Carrier other = carrier_of(problem, site, operand);
    if (other.places.size() > carrier.places.size()) carrier = std::move(other);
  }
  const Format format = problem.problem.operands[carrier.operand].format;
  const std::vector<Pattern> all = patterns(format);
  const auto total = static_cast<std::int64_t>(nodes.size() * all.size());
  const auto positions = static_cast<std::int64_t>(carrier.places.size());
  const std::int64_t sets = std::min(most, (total + positions - 1) / positions);
  if (total == 0 || sets == 0) return 0;
  // Where not all fit, evenly spread ones: an odd stride walks over nodes and patterns alike.
  const std::int64_t asked = std::min(total, sets * positions);
  std::vector<Tensor> operands;
  for (size_t o = 0; o < problem.problem.operands.size(); ++o) {
    const OperandSpec& spec = problem.problem.operands[o];
    Tensor t(spec.format, spec.shape);
    if (o != carrier.operand)
      for (std::int64_t i = 0; i < t.size(); ++i) t.set(i, one(spec.format));
    operands.push_back(std::move(t));
  }
  std::int64_t question = 0;
  for (std::int64_t s = 0; s < sets; ++s) {
    std::vector<Tensor> set = operands;
    Tensor& t = set[carrier.operand];
    for (std::int64_t p = 0; p < positions; ++p, ++question) {
      const std::int64_t which = question % asked * total / asked;
      const LeafPair& node = nodes[static_cast<size_t>(which) / all.size()];
      const Pattern& pattern = all[static_cast<size_t>(which) % all.size()];
      const std::int64_t place = carrier.places[static_cast<size_t>(p)];
      if (pattern.others != 0)
        for (const std::int64_t offset : carrier.leaf_offsets) t.set(place + offset, pattern.others);
      t.set(place + carrier.leaf_offsets[static_cast<size_t>(node.first)], pattern.first);
      t.set(place + carrier.leaf_offsets[static_cast<size_t>(node.second)], pattern.second);
    }
    if (!give(std::move(set))) break;
  }
  return std::min(question, total);
}

}  // namespace bitpact
