#include "contract/normal_rules.h"

#include <algorithm>

namespace bitpact {
namespace {

using Operands = std::vector<ValueRef>;

bool flushes(const Policy& policy) { return policy.flush_in || policy.flush_out; }

bool excludes_inexact_products(const Domain& domain) {
  return std::ranges::includes(domain.excludes, exclusions_that_rules_use());
}

/// The product of the first two operands is a value of the result's format.
Exactness product_exactness(const Instruction& code, const Operands& operands) {
  return product_exactness(operands[0]->set, operands[1]->set, code.format);
}

bool is_negative_zero(ValueRef value) {
  return value->kind == Value::Kind::Result && value->code.op == ScalarOp::Constant && has_negative_zero(value->format) &&
         value->code.immediate == negative_zero(value->format);
}

/// NF3: a constant NaN is the quiet one.
ValueRef quiet_constants(ValueGraph& graph, const Instruction& code, const Operands&) {
  if (code.op != ScalarOp::Constant || !is_float(code.format)) return nullptr;
  if (classify(code.format, code.immediate) != Class::NaN || code.immediate == quiet_nan(code.format)) return nullptr;
  return graph.constant(code.format, quiet_nan(code.format));
}

/// NF3: a part of the policy that cannot matter is the default.
ValueRef idle_policies(ValueGraph& graph, const Instruction& code, const Operands& operands) {
  if (!info(code.op).rounds) return nullptr;
  Instruction plain = code;
  const bool float_operand = std::ranges::any_of(operands, [](ValueRef v) { return is_float(v->format); });
  const bool float_result = is_float(code.format);
  if (!float_operand) plain.policy.flush_in = false;
  if (!float_result) plain.policy.flush_out = false;
  if (!float_operand && !float_result) plain.policy.rounding = Rounding::NearestEven;
  if (code.op == ScalarOp::Convert && fits(operands[0]->set, code.format)) {
    plain.policy.rounding = Rounding::NearestEven;
    if (!operands[0]->set.specials) plain.policy.overflow = Overflow::Ieee;
  }
  if (code.op == ScalarOp::Multiply && float_result && product_exactness(code, operands) == Exactness::Always)
    plain.policy.rounding = Rounding::NearestEven;
  return plain.policy == code.policy ? nullptr : graph.make(plain, operands);
}

/// NF4: a conversion of a format to itself.
ValueRef conversion_to_itself(ValueGraph&, const Instruction& code, const Operands& operands) {
  if (code.op != ScalarOp::Convert || operands[0]->format != code.format) return nullptr;
  if (is_float(code.format) && (flushes(code.policy) || code.policy.overflow != Overflow::Ieee)) return nullptr;
  return operands[0];
}

/// NF4: an exact widening before another conversion.
ValueRef conversion_of_a_widening(ValueGraph& graph, const Instruction& code, const Operands& operands) {
  if (code.op != ScalarOp::Convert || code.policy.flush_in) return nullptr;
  const Value& first = *operands[0];
  if (first.kind != Value::Kind::Result || first.code.op != ScalarOp::Convert || flushes(first.code.policy)) return nullptr;
  const Value& source = *first.operands[0];
  if (!fits(values_of(source.format), first.format)) return nullptr;
  if (source.set.specials && first.code.policy.overflow != Overflow::Ieee) return nullptr;
  return graph.make(code, first.operands);
}

/// NF5: an FMA whose product is exact rounds the sum only.
ValueRef fma_of_an_exact_product(ValueGraph& graph, const Instruction& code, const Operands& operands) {
  if (code.op != ScalarOp::Fma || flushes(code.policy)) return nullptr;
  const Exactness exactness = product_exactness(code, operands);
  if (exactness == Exactness::Never) return nullptr;
  if (exactness == Exactness::OnDomain && !excludes_inexact_products(graph.domain())) return nullptr;
  Instruction product;
  product.op = ScalarOp::Multiply;
  product.format = code.format;
  Instruction sum = code;
  sum.op = ScalarOp::Add;
  return graph.make(sum, {graph.make(product, {operands[0], operands[1]}), operands[2]});
}

/// NF7: -0 + x is x, rounded; except where zeros of both signs add to -0.
ValueRef sum_with_negative_zero(ValueGraph& graph, const Instruction& code, const Operands& operands) {
  if (code.op != ScalarOp::Add || flushes(code.policy) || code.policy.rounding == Rounding::Down) return nullptr;
  for (size_t zero : {size_t{0}, size_t{1}}) {
    if (!is_negative_zero(operands[zero])) continue;
    Instruction rounded = code;
    rounded.op = ScalarOp::Convert;
    return graph.make(rounded, {operands[1 - zero]});
  }
  return nullptr;
}

/// NF7: a b + -0 is a b, rounded; except where zeros of both signs add to -0.
ValueRef fma_with_negative_zero(ValueGraph& graph, const Instruction& code, const Operands& operands) {
  if (code.op != ScalarOp::Fma || flushes(code.policy) || code.policy.rounding == Rounding::Down) return nullptr;
  if (!is_negative_zero(operands[2])) return nullptr;
  Instruction product = code;
  product.op = ScalarOp::Multiply;
  return graph.make(product, {operands[0], operands[1]});
}

}  // namespace

const std::vector<Rule>& instruction_rules() {
  static const std::vector<Rule> rules{quiet_constants,          idle_policies,          conversion_to_itself,
                                       conversion_of_a_widening, sum_with_negative_zero, fma_with_negative_zero,
                                       fma_of_an_exact_product};
  return rules;
}

bool rests_on_domain(const Domain& domain, const Value& value) {
  if (value.kind != Value::Kind::Result || value.code.op != ScalarOp::Add || flushes(value.code.policy)) return false;
  if (!excludes_inexact_products(domain)) return false;
  return std::ranges::any_of(value.operands, [&value](ValueRef operand) {
    return operand->kind == Value::Kind::Result && operand->code.op == ScalarOp::Multiply && operand->format == value.format &&
           operand->code.policy == Policy{} && product_exactness(operand->code, operand->operands) == Exactness::OnDomain;
  });
}

const std::set<Exclusion>& exclusions_that_rules_use() {
  static const std::set<Exclusion> exclusions{Exclusion::SubnormalIntermediate, Exclusion::OverflowIntermediate};
  return exclusions;
}

}  // namespace bitpact
