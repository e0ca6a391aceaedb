// One-step changes of a program that a rule may or may not make equivalent: an emitter's mistakes, and a probe's near misses.
#pragma once

#include "contract/rewrite.h"

namespace bitpact::generate {

inline bool mutate_instruction(Random& random, NumericProgram& program) {
  const auto found = instructions(program, [](const ScalarBody&, const Instruction&) { return true; });
  if (found.empty()) return false;
  const auto [b, position] = random.pick(found);
  Instruction& i = b->code[position];
  const auto arguments = static_cast<int>(b->arguments.size() + position);
  switch (random.below(7)) {
    case 0: {  // another operation of the same arity
      std::vector<ScalarOp> same;
      for (const ScalarOpInfo& op : all_scalar_ops())
        if (op.operands == info(i.op).operands && op.op != i.op && op.operands > 0) same.push_back(op.op);
      if (same.empty()) return false;
      i.op = random.pick(same);
      if (!info(i.op).rounds) i.policy = {};
      return true;
    }
    case 1:
      if (!info(i.op).rounds) return false;
      i.policy.rounding = static_cast<Rounding>(random.below(6));
      return true;
    case 2:
      if (!info(i.op).rounds) return false;
      if (random.chance(50)) i.policy.overflow = i.policy.overflow == Overflow::Ieee ? Overflow::Saturate : Overflow::Ieee;
      if (random.chance(50)) i.policy.flush_in = !i.policy.flush_in;
      if (random.chance(50)) i.policy.flush_out = !i.policy.flush_out;
      return true;
    case 3:
      if (i.op != ScalarOp::Convert && i.op != ScalarOp::Add && i.op != ScalarOp::Multiply) return false;
      i.format = random.pick(formats());
      return true;
    case 4:
      if (info(i.op).operands < 2) return false;
      std::swap(i.args[0], i.args[static_cast<size_t>(info(i.op).operands) - 1]);
      return true;
    case 5:
      if (info(i.op).operands < 1) return false;
      i.args[static_cast<size_t>(random.below(info(i.op).operands))] = random.below(arguments);
      return true;
    default:
      if (i.op != ScalarOp::Constant) return false;
      i.immediate = random.chance(50) ? i.immediate ^ (Bits{1} << random.below(info(i.format).bits)) : value(random, i.format);
      return true;
  }
}

inline bool mutate_fold(Random& random, const Case& c, NumericProgram& program) {
  Fold* fold = some_fold(random, program);
  if (fold == nullptr) return false;
  std::int64_t leaves = 1;
  for (const std::string& axis : fold->over) leaves *= c.extents.at(axis);
  switch (random.below(5)) {
    case 0:
    case 1:
      fold->order = order(random, leaves);
      return true;
    case 2:
      random.shuffle(fold->over);
      return true;
    case 3:
      if (fold->start.first_leaf) {
        fold->start = {false, {}, {}};
        for (Format format : fold->state_formats())
          fold->start.values.push_back(random.chance(50) ? positive_zero(format) : value(random, format));
        return true;
      }
      for (Bits& bits : fold->start.values) bits = value(random, fold->state_formats()[0]);
      return true;
    default:
      if (fold->step.results.empty()) return false;
      std::swap(fold->step, fold->merge);
      return true;
  }
}

inline bool mutate_graph(Random& random, NumericProgram& program) {
  const int n = random.below(static_cast<int>(program.nodes.size()));
  Node& node = program.nodes[static_cast<size_t>(n)];
  switch (random.below(3)) {
    case 0:
      program.results[0] = n;
      return true;
    case 1: {
      auto* operands = operands_of(node);
      if (operands == nullptr) return false;
      operands->at(static_cast<size_t>(random.below(static_cast<int>(operands->size())))) = random.below(n);
      return true;
    }
    default: {
      auto* body = some_body(random, program);
      if (body == nullptr || body->results.empty()) return false;
      body->results[0] = random.below(static_cast<int>(body->arguments.size() + body->code.size()));
      return true;
    }
  }
}

/// Well-formed and of the same interface; nothing where the attempt was not.
inline std::optional<Case> one_step(Random& random, const Case& c) {
  Case made = c;
  const int kind = random.below(10);
  const bool changed = kind < 6   ? mutate_instruction(random, made.program)
                       : kind < 9 ? mutate_fold(random, c, made.program)
                                  : mutate_graph(random, made.program);
  if (!changed || made == c) return std::nullopt;
  try {
    check_well_formed(made.program);
    for (size_t n = 0; n < made.program.nodes.size(); ++n)
      if (std::holds_alternative<Index>(made.program.nodes[n]))
        (void)plain_coordinates({made.program, made.extents}, static_cast<int>(n));
    for (const Node& node : made.program.nodes)
      if (const auto* fold = std::get_if<Fold>(&node)) {
        std::int64_t leaves = 1;
        for (const std::string& axis : fold->over) leaves *= made.extents.at(axis);
        (void)schedule(fold->order, leaves);
      }
  } catch (const Refused&) {
    return std::nullopt;
  }
  return made;
}

}  // namespace bitpact::generate
