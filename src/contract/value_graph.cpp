#include "contract/value_graph.h"

#include <fmt/format.h>

#include "contract/normal_rules.h"
#include "diagnostic/diagnostic.h"
#include "tensor/digest.h"

namespace bitpact {
namespace {

/// The numbers that an instruction can give; that of its format where nothing better is known.
ValueSet values_of(const Instruction& code, const std::vector<ValueRef>& operands) {
  if (!is_float(code.format)) return values_of(code.format);
  switch (code.op) {
    case ScalarOp::Convert: {
      const bool saturates = code.policy.overflow != Overflow::Ieee && operands[0]->set.specials;
      return fits(operands[0]->set, code.format) && !saturates ? operands[0]->set : values_of(code.format);
    }
    case ScalarOp::Negate:
    case ScalarOp::Abs: {  // what an integer was converted to may become -0, and the least integer one that is too large
      ValueSet set = operands[0]->set;
      set.specials = set.negative = set.negative_zero = true;
      return set;
    }
    case ScalarOp::Maximum:
    case ScalarOp::Minimum:
      return join(operands[0]->set, operands[1]->set);
    case ScalarOp::Select:
      return join(operands[1]->set, operands[2]->set);
    default:
      return values_of(code.format);
  }
}

std::string key_of(const Instruction& code, const std::vector<ValueRef>& operands) {
  const Policy& p = code.policy;
  std::string text = fmt::format("{} {} {} {} {} {} {} {} {:x}", info(code.op).name, name(code.format),
                                 static_cast<int>(p.rounding), static_cast<int>(p.overflow), p.flush_in, p.flush_out,
                                 static_cast<int>(code.nan), static_cast<int>(code.comparison), code.immediate);
  for (ValueRef operand : operands) text += " " + operand->key;
  return "z" + sha256(text);
}

}  // namespace

ValueRef ValueGraph::intern(Value value) {
  const auto [it, is_new] = by_key_.emplace(value.key, nullptr);
  if (is_new) it->second = &values_.emplace_back(std::move(value));
  return it->second;
}

// Keys sort states first, then operands (inputs in their order), then results.
ValueRef ValueGraph::state(int index, Format format) {
  Value value;
  value.kind = Value::Kind::State;
  value.index = index;
  value.format = format;
  value.set = bitpact::values_of(format);
  value.key = fmt::format("a{:06}{}", index, name(format));
  return intern(std::move(value));
}

ValueRef ValueGraph::operand(int node, const std::string& node_key, Format format) {
  Value value;
  value.kind = Value::Kind::Operand;
  value.index = node;
  value.format = format;
  value.set = bitpact::values_of(format);
  value.key = node_key;
  return intern(std::move(value));
}

ValueRef ValueGraph::constant(Format format, Bits bits) {
  Instruction code;
  code.format = format;
  code.immediate = bits;
  return make(code, {});
}

ValueRef ValueGraph::make(Instruction code, std::vector<ValueRef> operands) {
  code.args = Instruction{}.args;
  for (const Rule rule : instruction_rules())
    if (ValueRef replaced = rule(*this, code, operands)) return replaced;
  if (info(code.op).commutative && operands[1]->key < operands[0]->key) std::swap(operands[0], operands[1]);
  Value value;
  value.format = code.format;
  value.code = code;
  value.set = values_of(code, operands);
  value.key = key_of(code, operands);
  value.operands = std::move(operands);
  return intern(std::move(value));
}

std::vector<ValueRef> ValueGraph::translate(const ScalarBody& body, const std::vector<ValueRef>& arguments) {
  std::vector<ValueRef> values = arguments;
  for (const Instruction& i : body.code) {
    std::vector<ValueRef> operands;
    operands.reserve(3);
    for (int a = 0; a < info(i.op).operands; ++a)
      operands.push_back(values.at(static_cast<size_t>(i.args[static_cast<size_t>(a)])));
    values.push_back(make(i, std::move(operands)));
  }
  std::vector<ValueRef> results;
  for (int result : body.results) results.push_back(values.at(static_cast<size_t>(result)));
  return results;
}

BodyWriter::BodyWriter(std::vector<ValueRef> arguments) : arguments_(std::move(arguments)) {
  for (size_t a = 0; a < arguments_.size(); ++a) argument_of_[arguments_[a]] = static_cast<int>(a);
}

// An explicit stack: a body may be one long chain.
void BodyWriter::need(const std::vector<ValueRef>& results) {
  for (ValueRef root : results) {
    std::vector<std::pair<ValueRef, size_t>> stack{{root, 0}};
    while (!stack.empty()) {
      auto& [value, next] = stack.back();
      if (argument_of_.contains(value) || instruction_of_.contains(value)) {
        stack.pop_back();
      } else if (value->kind != Value::Kind::Result) {
        if (value->kind == Value::Kind::State) refuse(Code::Internal, "a body needs a state that it is not given");
        argument_of_[value] = static_cast<int>(arguments_.size());
        arguments_.push_back(value);
        stack.pop_back();
      } else if (next < value->operands.size()) {
        ValueRef operand = value->operands[next++];
        stack.emplace_back(operand, 0);
      } else {
        instruction_of_[value] = static_cast<int>(instructions_.size());
        instructions_.push_back(value);
        stack.pop_back();
      }
    }
  }
}

ScalarBody BodyWriter::write(const std::vector<ValueRef>& results) const {
  // Instructions are shared between calls; each body gets the ones it needs, in the same order.
  BodyWriter own(arguments_);
  own.need(results);
  if (own.arguments_.size() != arguments_.size()) refuse(Code::Internal, "a body needs an argument that it is not given");
  const auto number = [&own](ValueRef value) {
    const auto argument = own.argument_of_.find(value);
    return argument != own.argument_of_.end() ? argument->second
                                              : static_cast<int>(own.arguments_.size()) + own.instruction_of_.at(value);
  };
  ScalarBody body;
  for (ValueRef argument : own.arguments_) body.arguments.push_back(argument->format);
  for (ValueRef value : own.instructions_) {
    Instruction code = value->code;
    for (size_t a = 0; a < value->operands.size(); ++a) code.args[a] = number(value->operands[a]);
    body.code.push_back(code);
  }
  for (ValueRef result : results) body.results.push_back(number(result));
  return body;
}

}  // namespace bitpact
