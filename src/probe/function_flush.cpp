#include "probe/function_flush.h"

#include "operators/building.h"

namespace bitpact {
namespace {

void flush_body(ScalarBody& body, bool inputs, bool results) {
  for (Instruction& instruction : body.code) {
    if (!info(instruction.op).rounds || !is_float(instruction.format)) continue;
    instruction.policy.flush_in |= inputs;
    instruction.policy.flush_out |= results;
  }
}

std::optional<Format> word_of(Format format) {
  if (!is_float(format) || !has_negative_zero(format) || !has_zero(format)) return {};
  switch (info(format).bits) {
    case 8:
      return Format::UI8;
    case 16:
      return Format::UI16;
    case 32:
      return Format::UI32;
    default:
      return {};
  }
}

/// x, or the zero of its sign where it is subnormal.
int flushed(BodyBuilder& b, int x) {
  const Format format = b.format_of(x), word = *word_of(format);
  const int bits = b.op(ScalarOp::Bitcast, word, {x});
  const Bits sign = negative_zero(format);
  const int magnitude = b.op(ScalarOp::And, word, {bits, b.constant(word, sign - 1)});
  const int zero = b.op(ScalarOp::Bitcast, format, {b.op(ScalarOp::And, word, {bits, b.constant(word, sign)})});
  return select(b, compare(b, Comparison::LT, magnitude, b.constant(word, smallest_normal(format))), zero, x);
}

}  // namespace

std::optional<NumericProgram> with_flush_by_bits(const NumericProgram& program, bool argument, bool value) {
  if (program.nodes.size() != 2) return {};
  const auto* map = std::get_if<Map>(&program.nodes[1]);
  if (!map || map->operands != std::vector<int>{0}) return {};
  const Format in = map->body.arguments[0], out = map->body.result_formats()[0];
  if ((argument && !word_of(in)) || (value && !word_of(out))) return {};
  BodyBuilder b(map->body.arguments);
  const int y = inlined(b, map->body, {argument ? flushed(b, 0) : 0}).at(0);
  NumericProgram changed = program;
  std::get<Map>(changed.nodes[1]).body = b.finish({value ? flushed(b, y) : y});
  return changed;
}

NumericProgram with_flush(const NumericProgram& program, bool inputs, bool results) {
  NumericProgram flushed = program;
  for (Node& node : flushed.nodes) {
    if (auto* map = std::get_if<Map>(&node)) flush_body(map->body, inputs, results);
    if (auto* fold = std::get_if<Fold>(&node))
      for (const auto& [name, body] : bodies_of(*fold)) flush_body(*body, inputs, results);
  }
  return flushed;
}

}  // namespace bitpact
