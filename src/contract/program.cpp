#include "contract/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "contract/index.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {

const Axes& axes_of(const Node& node) {
  return std::visit([](const auto& n) -> const Axes& { return n.axes; }, node);
}

Format format_of(const Node& node) {
  struct Visitor {
    Format operator()(const Input& n) const { return n.format; }
    Format operator()(const Map& n) const { return n.body.format_of(n.body.results.at(0)); }
    Format operator()(const Fold& n) const { return n.finish.format_of(n.finish.results.at(0)); }
    Format operator()(const Table& n) const { return n.values.format(); }
    Format operator()(const Index& n) const { return n.format; }
  };
  return std::visit(Visitor{}, node);
}

const std::vector<int>& operands_of(const Node& node) {
  struct Visitor {
    const std::vector<int>& operator()(const Input& /*node*/) const {
      static const std::vector<int> kNone;
      return kNone;
    }
    const std::vector<int>& operator()(const Map& n) const { return n.operands; }
    const std::vector<int>& operator()(const Fold& n) const { return n.operands; }
    const std::vector<int>& operator()(const Table& n) const { return n.operands; }
    const std::vector<int>& operator()(const Index& n) const { return n.operands; }
  };
  return std::visit(Visitor{}, node);
}

bool Table::operator==(const Table& other) const {
  return operands == other.operands && axes == other.axes && values.format() == other.values.format() &&
         std::ranges::equal(values.span(), other.values.span());
}

std::optional<std::int64_t> table_entries(Format operand) {
  if (info(operand).bits > 16) return {};
  return std::int64_t{1} << info(operand).bits;
}

std::vector<std::pair<std::string, ScalarBody*>> bodies_of(Fold& fold) {
  std::vector<std::pair<std::string, ScalarBody*>> bodies{{"leaf", &fold.leaf},       {"step", &fold.step},
                                                          {"merge", &fold.merge},     {"finish", &fold.finish},
                                                          {"lift", &fold.start.lift}, {"enter", &fold.enter}};
  if (fold.tail)
    bodies.insert(bodies.end(), {{"tail's leaf", &fold.tail->leaf},
                                 {"tail's step", &fold.tail->step},
                                 {"tail's join", &fold.tail->join},
                                 {"tail's finish", &fold.tail->finish},
                                 {"tail's lift", &fold.tail->start.lift}});
  return bodies;
}

Axes entangled_axes(const NumericProgram& program) {
  std::set<std::string> entangled;
  for (const Node& node : program.nodes) {
    if (const auto* fold = std::get_if<Fold>(&node)) entangled.insert(fold->over.begin(), fold->over.end());
    const auto* index = std::get_if<Index>(&node);
    if (!index) continue;
    Index coordinates = *index;
    coordinates.axes.clear();  // an axis that is only handed on is no matter
    for_each_axis(coordinates, [&entangled](const std::string& axis) { entangled.insert(axis); });
  }
  return {entangled.begin(), entangled.end()};
}

bool computes_in(const NumericProgram& program, Format format) {
  const auto has = [format](const ScalarBody& body) {
    return std::ranges::any_of(body.code, [format](const Instruction& i) { return i.format == format; });
  };
  for (Node node : program.nodes) {
    if (const auto* map = std::get_if<Map>(&node); map && has(map->body)) return true;
    if (auto* fold = std::get_if<Fold>(&node))
      for (const auto& [name, body] : bodies_of(*fold))
        if (has(*body)) return true;
  }
  return false;
}

bool merges_states(const Fold& fold) {
  const Order* order = &fold.order;
  if (fold.tail && order->kind == Order::Kind::Tailed) {
    if (order->inner.empty()) return false;
    order = order->inner.data();
  }
  return order->kind != Order::Kind::Sequential;
}

Fold tail_alone(const Fold& fold) {
  const TailBodies& tail = fold.tail.value();
  return {fold.operands, fold.over, fold.axes, tail.leaf, tail.step, {}, tail.finish, tail.start, {}, Emit::Last, {}};
}

Fold head_alone(const Fold& fold) {
  Fold head = fold;
  head.tail.reset();
  head.order = fold.order.inner.empty() ? Order::sequential() : fold.order.inner[0];
  return head;
}

namespace {

/// Far beyond any program that a person or a probe writes. Programs come out of files, and what is done with them takes time and
/// room in the square of some of these.
constexpr size_t kMostNodes = 4096;
constexpr size_t kMostAxes = 64;  // NumPy's limit, and so that of any operand
constexpr size_t kLongestName = 128;

bool is_identifier(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool contains(const Axes& axes, const std::string& axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }

/// Checks one node against those before it.
class NodeChecker {
 public:
  NodeChecker(const NumericProgram& program, size_t index) : program_(program), index_(index) {}

  void operator()(const Input& node) const {
    if (node.name.empty()) fail("an input needs a name");
    if (node.name.size() > kLongestName) fail(fmt::format("a name of {} bytes; at most {}", node.name.size(), kLongestName));
    check_axes(node.axes, "axes");
    for (size_t other = 0; other < index_; ++other)
      if (const auto* input = std::get_if<Input>(&program_.nodes[other]); input && input->name == node.name)
        fail(fmt::format("another input has the name \"{}\"", node.name));
  }

  void operator()(const Map& node) const {
    check_axes(node.axes, "axes");
    check_operands(node.operands, node.axes, {});
    check_well_formed(node.body, where("body"));
    if (node.body.arguments != operand_formats(node.operands)) fail("the body's arguments are not the operands' formats");
    if (node.body.results.size() != 1) fail("a map's body gives one result");
  }

  void operator()(const Fold& node) const {
    check_axes(node.axes, "axes");
    check_axes(node.over, "over");
    check_emit(node);
    check_operands(node.operands, node.axes, node.over);
    try {
      check_well_formed(node.order);
    } catch (const Refused& refused) {
      fail(refused.diagnostic().reason);
    }
    check_bodies(node);
  }

  void operator()(const Table& node) const {
    check_axes(node.axes, "axes");
    if (node.operands.size() != 1) fail("a table has one operand");
    check_operands(node.operands, node.axes, {});
    const Node& operand = program_.nodes[static_cast<size_t>(node.operands[0])];
    if (axes_of(operand).size() != node.axes.size()) fail("a table has its operand's axes");
    const Format from = format_of(operand), to = node.values.format();
    const auto entries = table_entries(from);
    if (!entries) fail(fmt::format("a table of {}: it has an entry for each value of at most 16 bits", name(from)));
    if (node.values.shape() != Shape{*entries})
      fail(fmt::format("a table of {} has {} entries, not {}", name(from), *entries, to_text(node.values.shape(), to)));
    if (const auto stray = first_with_stray_bits(to, node.values.span()))
      fail(fmt::format("entry {} of the table has bits outside its format", *stray));
    for (std::int64_t i = 0; i < *entries; ++i) {
      const Bits value = node.values.get(i);
      if (value != with_quiet_nan(to, value)) fail(fmt::format("entry {} of the table is a NaN that is not the quiet one", i));
      if (value != node.values.get(static_cast<std::int64_t>(with_quiet_nan(from, static_cast<Bits>(i)))))
        fail(fmt::format("entry {} of the table: all NaNs of the operand give the same", i));
    }
  }

  void operator()(const Index& node) const {
    check_axes(node.axes, "axes");
    if (node.operands.size() != 1) fail("an index has one operand");
    if (node.operands[0] < 0 || static_cast<size_t>(node.operands[0]) >= index_)
      fail(fmt::format("operand {} is not an earlier node", node.operands[0]));
    const std::string broken = broken_rule(node, program_.nodes[static_cast<size_t>(node.operands[0])]);
    if (!broken.empty()) fail(broken);
  }

 private:
  [[noreturn]] void fail(std::string_view rule) const { refuse(Code::ContractProgram, fmt::format("node {}: {}", index_, rule)); }
  std::string where(std::string_view part) const { return fmt::format("node {}, {}", index_, part); }

  void check_axes(const Axes& axes, std::string_view part) const {
    if (axes.size() > kMostAxes) fail(fmt::format("{} name {} axes; at most {}", part, axes.size(), kMostAxes));
    std::set<std::string_view> seen;
    for (const std::string& axis : axes) {
      if (axis.size() > kLongestName)
        fail(fmt::format("the name of an axis has {} bytes; at most {}", axis.size(), kLongestName));
      if (!is_identifier(axis.starts_with('*') ? std::string_view(axis).substr(1) : std::string_view(axis)))
        fail(fmt::format("\"{}\" is no name of an axis", axis));
      if (!seen.insert(axis).second) fail(fmt::format("{} name \"{}\" twice", part, axis));
    }
  }

  void check_operands(const std::vector<int>& operands, const Axes& axes, const Axes& over) const {
    std::set<int> seen;  // one node may be an operand many times
    for (int operand : operands) {
      if (!seen.insert(operand).second) continue;
      if (operand < 0 || static_cast<size_t>(operand) >= index_) fail(fmt::format("operand {} is not an earlier node", operand));
      for (const std::string& axis : axes_of(program_.nodes[static_cast<size_t>(operand)]))
        if (!contains(axes, axis) && !contains(over, axis))
          fail(fmt::format("axis \"{}\" of operand {} is neither an axis of the result nor folded over", axis, operand));
    }
  }

  std::vector<Format> operand_formats(const std::vector<int>& operands) const {
    std::vector<Format> formats;
    for (int operand : operands) formats.push_back(format_of(program_.nodes[static_cast<size_t>(operand)]));
    return formats;
  }

  void check_emit(const Fold& node) const {
    if (node.emit == Emit::Prefixes) {
      if (node.over.size() != 1 || node.over[0].starts_with('*')) fail("prefixes go over one axis that is no pack");
      if (node.order.kind != Order::Kind::Sequential) fail("prefixes need a sequential order");
      if (!contains(node.axes, node.over[0])) fail("prefixes keep the axis that they go over");
      return;
    }
    for (const std::string& axis : node.over)
      if (contains(node.axes, axis)) fail(fmt::format("axis \"{}\" is folded over and kept", axis));
  }

  void check_bodies(const Fold& node) const {
    check_well_formed(node.leaf, where("leaf"));
    check_well_formed(node.step, where("step"));
    check_well_formed(node.finish, where("finish"));
    const std::vector<Format> leaf = node.leaf.result_formats();
    const std::vector<Format> state = node.state_formats();
    if (state.empty()) fail("a fold needs a state");
    if (node.leaf.arguments != operand_formats(node.operands)) fail("the leaf's arguments are not the operands' formats");
    if (node.step.arguments != joined(state, leaf)) fail("the step's arguments are not the state and the leaf's values");
    check_merge(node, state);
    check_enter(node, state);
    if (node.finish.arguments != state) fail("the finish's arguments are not the state");
    if (node.finish.results.size() != 1) fail("a fold's finish gives one result");
    check_start(node.start, leaf, state, "lift");
    if (node.tail) check_tail(node, *node.tail, state);
  }

  void check_tail(const Fold& node, const TailBodies& tail, const std::vector<Format>& head) const {
    if (node.order.kind != Order::Kind::Tailed || node.order.tail != Order::Tail::Apart)
      fail("a tail with bodies of its own needs a tailed order whose tail is apart");
    check_well_formed(tail.leaf, where("the tail's leaf"));
    check_well_formed(tail.step, where("the tail's step"));
    check_well_formed(tail.join, where("the tail's join"));
    check_well_formed(tail.finish, where("the tail's finish"));
    const std::vector<Format> leaf = tail.leaf.result_formats();
    const std::vector<Format> state = tail.state_formats();
    if (state.empty()) fail("a tail needs a state");
    if (tail.leaf.arguments != node.leaf.arguments) fail("the tail's leaf does not take the operands");
    if (tail.step.arguments != joined(state, leaf)) fail("the tail's step does not take its state and its leaf's values");
    const std::vector<Format> result = node.finish.result_formats();
    if (tail.join.arguments != joined(head, state) || tail.join.result_formats() != result)
      fail("the tail's join does not make the result of the head's state and the tail's");
    if (tail.finish.arguments != state || tail.finish.result_formats() != result)
      fail("the tail's finish does not make the result of the tail's state");
    check_start(tail.start, leaf, state, "the tail's lift");
  }

  static std::vector<Format> joined(std::vector<Format> a, const std::vector<Format>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  void check_merge(const Fold& node, const std::vector<Format>& state) const {
    if (!merges_states(node) && node.merge == ScalarBody{}) return;
    check_well_formed(node.merge, where("merge"));
    if (node.merge.arguments != joined(state, state) || node.merge.result_formats() != state)
      fail("the merge does not join two states into one");
  }

  void check_enter(const Fold& node, const std::vector<Format>& state) const {
    if (!enters(node.order)) {
      if (node.enter != ScalarBody{}) fail("an enter where no partial results are joined from a start value");
      return;
    }
    check_well_formed(node.enter, where("enter"));
    if (node.enter.arguments != state || node.enter.result_formats() != state) fail("the enter does not make a state of a state");
  }

  void check_start(const Start& start, const std::vector<Format>& leaf, const std::vector<Format>& state,
                   std::string_view lift) const {
    if (start.first_leaf) {
      check_well_formed(start.lift, where(lift));
      if (start.lift.arguments != leaf || start.lift.result_formats() != state) fail("the lift does not make a state of a leaf");
      if (!start.values.empty()) fail("a fold that starts with its first leaf has no start values");
      return;
    }
    if (start.lift != ScalarBody{}) fail("a fold that starts with values has no lift");
    if (start.values.size() != state.size())
      fail(fmt::format("{} start values for {} state components", start.values.size(), state.size()));
    for (size_t s = 0; s < state.size(); ++s)
      if (const int bits = info(state[s]).bits; bits < 64 && start.values[s] >> bits != 0)
        fail("a start value has bits outside its format");
  }

  const NumericProgram& program_;
  size_t index_;
};

}  // namespace

void check_well_formed(const NumericProgram& program) {
  if (program.nodes.size() > kMostNodes)
    refuse(Code::ContractProgram, fmt::format("the program has {} nodes; at most {}", program.nodes.size(), kMostNodes));
  for (size_t i = 0; i < program.nodes.size(); ++i) std::visit(NodeChecker(program, i), program.nodes[i]);
  if (program.results.empty()) refuse(Code::ContractProgram, "the program has no result");
  for (int result : program.results)
    if (result < 0 || static_cast<size_t>(result) >= program.nodes.size())
      refuse(Code::ContractProgram, fmt::format("result {} is not a node", result));
}

std::int64_t BoundProgram::extent_of(int node, const std::string& axis) const {
  const auto extent = extents.find(axis);
  if (extent == extents.end()) refuse(Code::ContractProgram, fmt::format("node {}: axis \"{}\" has no extent", node, axis));
  return extent->second;
}

Shape BoundProgram::shape_of(int node) const {
  Shape shape;
  for (const std::string& axis : axes_of(program.nodes.at(static_cast<size_t>(node)))) shape.push_back(extent_of(node, axis));
  return shape;
}

}  // namespace bitpact
