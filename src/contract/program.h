// The numeric program: an operator spelled out as a small SSA graph in which nothing about the bits is left open.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "contract/order.h"
#include "contract/scalar.h"
#include "tensor/tensor.h"

namespace bitpact {

/// Axes are named, and operands line up by name: an operand that lacks an axis is broadcast along it, the order of its own axes
/// is free. So a transposed operand is the same program with another Input. A name that begins with '*' is a pack of zero or more
/// axes.
using Axes = std::vector<std::string>;

struct Input {
  std::string name;  ///< of the operator's operand, e.g. "lhs"
  Format format = Format::F32;
  Axes axes;
  bool operator==(const Input&) const = default;
};

/// Elementwise. `body` takes one argument an operand and gives one result; `axes` are the result's.
struct Map {
  std::vector<int> operands;  ///< earlier nodes
  ScalarBody body;
  Axes axes;
  bool operator==(const Map&) const = default;
};

/// How each chain of a fold begins.
struct Start {
  bool first_leaf = true;    ///< with `lift`(leaf values); else with `values`
  ScalarBody lift;           ///< leaf values -> state. Used only where first_leaf
  std::vector<Bits> values;  ///< one a state component. Used only where not first_leaf
  bool operator==(const Start&) const = default;
};

enum class Emit : std::uint8_t { Last, Prefixes };

/// How the tail of a tailed order is computed where it is not computed like the head: its leaves go one by one, in sequence, into
/// a state of the tail's own, whose formats may be others.
/// leaf: operands -> the tail's leaf values. step: tail state, leaf values -> tail state.
/// join: the head's state, the tail's -> the one result. finish: tail state -> the one result, where no row is full.
struct TailBodies {
  ScalarBody leaf, step;
  Start start;
  ScalarBody join, finish;
  bool operator==(const TailBodies&) const = default;

  std::vector<Format> state_formats() const { return step.result_formats(); }
};

/// A sum, dot, max, scan: leaves in row-major order over the axes `over` (none: one leaf), associated by `order`.
/// leaf: operands -> leaf values. step: state, leaf values -> state. merge: state, state -> state. finish: state -> one result.
/// enter: state -> state, what a chain of partial results does to its first where the order says that it is started (`enters`);
/// empty where none does.
/// `merge` may be left out (an empty body) where the order never merges: see merges_states.
/// `tail`, for a tailed order whose tail is apart: bodies of the tail's own. Then `finish` gives the result where the rows are
/// full. Without operands its value follows from the extents alone: adding one for each leaf is how many elements `over` has.
/// Emit::Prefixes gives every prefix of a sequential order (`axes` then holds the one axis of `over`); of a reversed one, entry i
/// is the state after leaf i.
struct Fold {
  std::vector<int> operands;  ///< earlier nodes
  Axes over;
  Axes axes;  ///< the result's
  ScalarBody leaf, step, merge, finish;
  Start start;
  Order order;
  Emit emit = Emit::Last;
  std::optional<TailBodies> tail = {};
  ScalarBody enter = {};
  bool operator==(const Fold&) const = default;

  std::vector<Format> state_formats() const { return step.result_formats(); }
};

/// All bodies, the tail's among them, each with its name; empty ones too.
std::vector<std::pair<std::string, ScalarBody*>> bodies_of(Fold& fold);
/// Whether `merge` may be needed at some number of leaves: not in a sequential order, nor where the head is sequential and the
/// tail has a `join` of its own.
bool merges_states(const Fold& fold);
/// The tail as a fold by itself, over the same operands: in sequence, finished by the tail's `finish`.
Fold tail_alone(const Fold& fold);
/// The head as a fold by itself: in the order of its rows, finished by `finish`.
Fold head_alone(const Fold& fold);

/// A function by its values: elementwise, of one operand of at most 16 bits. Entry i of `values` (one axis) is what becomes of
/// the bits i, in the result's format; a NaN among them is the format's quiet NaN, and all NaNs of the operand give the same.
struct Table {
  std::vector<int> operands;  ///< one earlier node
  Tensor values;
  Axes axes;  ///< the operand's, in any order
  bool operator==(const Table& other) const;
};
/// How many entries a table of that format has; none where it has more than 16 bits.
std::optional<std::int64_t> table_entries(Format operand);

/// `factor` times the extents of axes, which are the operand's or the result's: what a stride is where an axis is split or joined
/// whose length only a problem knows.
struct Multiple {
  std::int64_t factor = 1;
  Axes extents = {};  ///< packs too: then of all their axes
  bool operator==(const Multiple&) const = default;
};

/// times * ((p / divide) mod modulo), where p is the position along the result's `axis`; the division rounds down. Without a
/// `modulo`: times * (p / divide). In elements of the operand's axis.
struct IndexTerm {
  std::string axis;
  Multiple times = {}, divide = {};
  std::optional<Multiple> modulo = {};
  bool operator==(const IndexTerm&) const = default;
};

/// Where along the operand's `axis` an element is read: offset + the sum of the terms, or, reversed, counted from the last one:
/// extent - 1 - that.
struct IndexCoordinate {
  std::string axis;
  std::int64_t offset = 0;
  bool reversed = false;
  std::vector<IndexTerm> terms = {};
  bool operator==(const IndexCoordinate&) const = default;
};

/// The elements of one operand in other places; no bit changes. `from` has a coordinate for each axis of the operand that is not
/// taken as it is, by its name among `axes`; axes of the result that no coordinate uses repeat. `outside`: what is read where a
/// coordinate is outside of the operand, in its format (a NaN: the quiet one); without, there is no such place, which bind()
/// checks for the problem's extents.
struct Index {
  std::vector<int> operands;    ///< one earlier node
  Format format = Format::F32;  ///< the operand's
  std::vector<IndexCoordinate> from;
  Axes axes;  ///< the result's
  std::optional<Bits> outside = {};
  bool operator==(const Index&) const = default;
};

// design.md's Constant is a Fold that reads nothing.
using Node = std::variant<Input, Map, Fold, Table, Index>;

struct NumericProgram {
  std::vector<Node> nodes;
  std::vector<int> results;  ///< nodes
  bool operator==(const NumericProgram&) const = default;
};

/// The axes along which an element of some node depends on other positions than its own: those folded over, and those that an
/// Index reads along or by. Cutting a problem along any other one changes no bit.
Axes entangled_axes(const NumericProgram& program);
/// Whether a body has an operation with a result of that format.
bool computes_in(const NumericProgram& program, Format format);
/// Refuses `contract-program`, naming the node and the rule.
void check_well_formed(const NumericProgram& program);

const Axes& axes_of(const Node& node);
/// The nodes that it reads, in the order of its operands; none of an Input.
const std::vector<int>& operands_of(const Node& node);
Format format_of(const Node& node);

/// A program for one problem: no packs, every axis has an extent.
struct BoundProgram {
  NumericProgram program;
  std::map<std::string, std::int64_t> extents;
  Shape shape_of(int node) const;
  /// Refuses `contract-program`, naming the node, where the axis has none.
  std::int64_t extent_of(int node, const std::string& axis) const;
};

/// What an operator says about one problem so that a program can be bound to it.
struct Binding {
  std::vector<Axes> operands;                   ///< the axes of each operand, outermost first, no packs
  Axes result;                                  ///< the axes of the result, no packs
  std::map<std::string, Axes> packs;            ///< what each pack ("*b") stands for
  std::map<std::string, std::int64_t> extents;  ///< of every axis
};

/// Replaces packs, and the axes of Inputs (and of the result) by the binding's. Refuses `contract-program` where they are not
/// permutations of the program's own. Nodes that give the result get the binding's order of axes; an Input that is the result in
/// another order is handed on by an Index of its own. What an Index reads must be inside of its operand, or have a value.
BoundProgram bind(const NumericProgram& program, const Binding& binding);

}  // namespace bitpact
