#include "probe/function_exceptions.h"

#include "interpret/interpret.h"
#include "operators/building.h"

namespace bitpact {
namespace {

std::optional<Format> integer_of(Format format) {
  switch (info(format).bits) {
    case 8:
      return Format::UI8;
    case 16:
      return Format::UI16;
    default:
      return {};
  }
}

}  // namespace

std::optional<FunctionCandidate> with_exceptions(const FunctionCandidate& nearest, FunctionAsker& asker,
                                                 const FunctionValues& values) {
  const auto integer = integer_of(asker.argument());
  if (!integer || nearest.different > kMostExceptions || nearest.program.nodes.size() != 2) return {};
  auto* map = std::get_if<Map>(&nearest.program.nodes[1]);
  if (!map || map->operands != std::vector<int>{0}) return {};
  const Tensor x = as_row(asker.argument(), values.x);
  const BoundProgram bound = bind(nearest.program, asker.at(x.shape()).binding);
  const Tensor given = interpret(bound, std::span(&x, 1)).results[0];

  BodyBuilder b(map->body.arguments);
  int y = inlined(b, map->body, {0}).at(0);
  const int bits = b.op(ScalarOp::Bitcast, *integer, {0});
  FunctionCandidate candidate = nearest;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    if (given.get(i) == values.y.get(i)) continue;
    if (is_float(x.format()) && classify(x.format(), x.get(i)) == Class::NaN) return {};
    y = select(b, compare(b, Comparison::EQ, bits, b.constant(*integer, x.get(i))), b.constant(asker.result(), values.y.get(i)),
               y);
    ++candidate.exceptions;
  }
  std::get<Map>(candidate.program.nodes[1]).body = b.finish({y});
  check_well_formed(candidate.program);
  candidate.compared = x.size();
  candidate.different = 0;
  candidate.first.reset();
  const Tensor again = interpret(bind(candidate.program, asker.at(x.shape()).binding), std::span(&x, 1)).results[0];
  for (std::int64_t i = 0; i < x.size(); ++i)
    if (again.get(i) != values.y.get(i)) return {};
  return candidate;
}

}  // namespace bitpact
