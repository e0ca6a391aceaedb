// An operator: its schema, its clauses, its choice points, and the builder of its numeric programs. Nothing else is known about
// it anywhere: interpreting, emitting and explaining see only the graphs it builds.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "contract/contract.h"
#include "operators/problem.h"

namespace bitpact {

/// What an attribute may be. Every value is kept as text, in one canonical spelling.
/// Integers: one or more, joined by ','.
enum class AttributeKind : std::uint8_t { Boolean, Integer, FormatName, Word, Integers };

struct AttributeSpec {
  std::string name;
  AttributeKind kind = AttributeKind::Boolean;
  std::string fallback;  ///< the value where it is not given; empty: follows from the operands, or is required (see summary)
  std::string summary;
  bool in_program = false;  ///< the numeric program depends on it, beyond the formats: a contract holds for one value of it
  std::vector<std::string> words;  ///< the values of a Word
};

/// A labelled condition, cited in diagnostics and tests as "matmul.C2".
struct Clause {
  std::string label;  ///< "C2"
  std::string text;
};

/// Where implementations differ. `values` are those that hypotheses are made of, the canonical one first; an order takes any
/// order text.
struct ChoicePoint {
  std::string name;
  std::vector<std::string> values;
  std::string summary;
  std::map<std::string, std::string> meanings;  ///< of values that do not speak for themselves, in words
};
using Choices = std::map<std::string, std::string>;

struct OperatorFormats {
  std::vector<Format> operands;
  Format result = Format::F32;
  std::map<std::string, std::string> attributes;  ///< as the problem gives them
  /// The attribute's value, or `fallback` where it is not given.
  std::string attribute(const std::string& name, const std::string& fallback) const;
};

/// A problem that satisfies every clause.
struct Resolved {
  Problem problem;     ///< canonical name, attributes checked, defaults left out
  OperandSpec result;  ///< format and shape of the result
  Binding binding;     ///< the axes by name, for binding programs
  OperatorFormats formats() const;
};

struct Operator {
  std::string name;  ///< canonical
  std::vector<std::string> aliases;
  std::string summary;
  std::vector<std::string> operands;  ///< names, in order
  std::vector<AttributeSpec> attributes;
  std::vector<Clause> clauses;
  /// The mathematical function of one argument that the canonical program rounds correctly: "exp"; empty where it is none.
  /// probe/function_truth.h has the names.
  std::string function{};
  /// Axes of operands and result, after the clauses. The problem's name and attributes are canonical when it is called.
  std::function<Resolved(const Operator&, const Problem&)> resolve;
  std::function<std::vector<ChoicePoint>(const OperatorFormats&)> choice_points;
  /// `choices` names a value for every choice point. Refuses `bad-attribute` for one that it does not know.
  std::function<NumericProgram(const OperatorFormats&, const Choices&)> build;
};

/// Refuses `clause-violated`, citing the clause.
[[noreturn]] void violated(const Operator& op, const std::string& label, const std::string& seen);

/// The attribute's value, or its fallback. `align` (alignment.h) is an attribute of every operator.
std::string attribute(const Operator& op, const Problem& problem, const std::string& name);
bool flag(const Operator& op, const Problem& problem, const std::string& name);
/// The numbers of an attribute of Integers, in its canonical spelling; of an empty text none.
std::vector<std::int64_t> integers_of(std::string_view text);

/// Every choice point's first value: what "canonical-exact" means.
Choices canonical_choices(const Operator& op, const OperatorFormats& formats);
/// canonical_choices with `changes` applied; refuses `bad-attribute` for an unknown choice point.
Choices complete_choices(const Operator& op, const OperatorFormats& formats, const Choices& changes);
/// Every combination of listed values, canonical first; those that do not go together, and those that give an arithmetic
/// fingerprint already seen, are left out.
struct Hypothesis {
  Choices choices;
  NumericProgram program;
  std::string fingerprint;
};
std::vector<Hypothesis> hypotheses(const Operator& op, const OperatorFormats& formats);

/// "sequential", "reversed", "interleaved(8)", "interleaved(8, pairwise(1))", "blocked(128, sequential, pairwise(1))",
/// "pairwise(128)", "pairwise(128, 8, interleaved(8))", "blocked_short_first(32)", "blocked_short_both(32)", "blocked_even(448)",
/// "tailed(8, interleaved(8), joined)", "parts(448 289 288)", "tree(0+1 3+2)", "stepped_tree(0+1 3+2)": docs/operators.md.
/// Refuses `bad-attribute`.
Order parse_order(std::string_view text);
/// The text that parse_order reads: what a choice point's value is.
std::string spelled(const Order& order);
/// For people: a choice's value or a spelled order, cut where it is long (an explicit tree names every merge).
std::string shortened(const std::string& value);

}  // namespace bitpact
