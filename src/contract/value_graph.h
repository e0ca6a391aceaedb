// Scalar bodies as one graph of values in which equal values are one: what the rules of the normal form work on.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "contract/contract.h"
#include "contract/value_set.h"

namespace bitpact {

struct Value;
using ValueRef = const Value*;

/// A value of some body. `key` says all about it: equal keys, equal bits.
struct Value {
  enum class Kind : std::uint8_t {
    State,    ///< component `index` of a fold's state; in a merge those of the second state follow those of the first
    Operand,  ///< the value of the normal form's node `index` at the coordinate
    Result,   ///< of `code` on `operands`
  };
  Kind kind = Kind::Result;
  int index = 0;
  Format format = Format::F32;
  Instruction code;  ///< args unset
  std::vector<ValueRef> operands;
  ValueSet set;
  std::string key;
};

class ValueGraph {
 public:
  explicit ValueGraph(Domain domain) : domain_(std::move(domain)) {}

  ValueRef state(int index, Format format);
  ValueRef operand(int node, const std::string& node_key, Format format);
  ValueRef constant(Format format, Bits bits);
  /// The instruction's value, after the rules of normal_rules.h.
  ValueRef make(Instruction code, std::vector<ValueRef> operands);
  /// A body's results on these arguments.
  std::vector<ValueRef> translate(const ScalarBody& body, const std::vector<ValueRef>& arguments);

  const Domain& domain() const { return domain_; }

 private:
  ValueRef intern(Value value);

  Domain domain_;
  std::deque<Value> values_;
  std::map<std::string, ValueRef> by_key_;
};

/// Bodies out of a graph. Arguments are numbered as they are first needed, instructions stand in depth-first order from the
/// results: the canonical order (NF3).
class BodyWriter {
 public:
  /// These are arguments from the start, in this order.
  explicit BodyWriter(std::vector<ValueRef> arguments = {});
  /// Visits what `results` need; new Operands become arguments. Call before write().
  void need(const std::vector<ValueRef>& results);
  const std::vector<ValueRef>& arguments() const { return arguments_; }
  const std::vector<ValueRef>& instructions() const { return instructions_; }
  ScalarBody write(const std::vector<ValueRef>& results) const;

 private:
  std::vector<ValueRef> arguments_, instructions_;
  std::map<ValueRef, int> argument_of_, instruction_of_;
};

}  // namespace bitpact
