#include "contract/normal_form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "contract/canonical_json.h"
#include "contract/index.h"
#include "contract/normal_index.h"
#include "contract/normal_rules.h"
#include "contract/program_json.h"
#include "contract/value_graph.h"
#include "diagnostic/diagnostic.h"
#include "tensor/digest.h"

namespace bitpact {
namespace {

/// Far beyond any program that a person or a probe writes; maps that are results and operands at once grow quadratically.
constexpr size_t kMostInstructions = size_t{1} << 21;  // each is counted where it is needed and where it is written
/// Renumberings of axes that were met on the way to one that stays; a handful in any program but one made to have many.
constexpr size_t kMostForms = 64;

/// Axes as numbers, in the order of NF1.
using AxisNumbers = std::vector<int>;

/// The bodies of a tail of its own.
struct NormalTail {
  std::vector<Format> state;
  std::vector<ValueRef> step, lift, join, finish;  ///< join: the head's state, then the tail's
};

/// A node of the normal form. `key` says all about what it computes; the order of its axes is not part of that (NF2).
struct NormalNode {
  enum class Kind : std::uint8_t { Input, Map, Fold, Table, Index };
  Kind kind = Kind::Input;
  std::string key;
  AxisNumbers axes;  ///< sorted
  Format format = Format::F32;
  Input input;
  ValueRef value = nullptr;  ///< Map
  AxisNumbers over;          ///< Fold
  Order order;
  Emit emit = Emit::Last;
  std::vector<Format> state;
  std::vector<ValueRef> step, lift;
  std::vector<ValueRef> merge, enter, finish;  ///< none where nothing is merged, where nothing enters, where it is the state
  std::optional<NormalTail> tail;
  int operand = 0;       ///< Table, Index: a normal node
  Tensor values;         ///< Table
  bitpact::Index index;  ///< Index: in the names of the normal form
};

struct NormalResult {
  int node = 0;
  AxisNumbers axes;  ///< in the result's order
};

AxisNumbers sorted(AxisNumbers axes) {
  std::ranges::sort(axes);
  return axes;
}

class Normaliser {
 public:
  Normaliser(const NumericProgram& program, const Domain& domain) : program_(program), graph_(domain) {}

  NormalForm run() {
    check_well_formed(program_);
    number_axes();
    for (const Node& node : program_.nodes)
      normal_of_.push_back(std::visit([this](const auto& n) { return normalise(n); }, node));
    for (int result : program_.results)
      results_.push_back(
          {normal_of_[static_cast<size_t>(result)], numbers(axes_of(program_.nodes[static_cast<size_t>(result)]))});
    emit();
    form_.axis_names = std::move(names_of_axes_);
    return std::move(form_);
  }

  bool has_inner_axes() const { return has_inner_axes_; }

 private:
  // ---- NF1: axes are numbered as they first appear in the inputs, then in the results, then elsewhere

  void number_axes() {
    for (const Node& node : program_.nodes)
      if (const auto* input = std::get_if<Input>(&node)) number(input->axes);
    for (int result : program_.results) number(axes_of(program_.nodes[static_cast<size_t>(result)]));
    const size_t outer = axis_names_.size();
    for (const Node& node : program_.nodes) {
      number(axes_of(node));
      if (const auto* fold = std::get_if<Fold>(&node)) number(fold->over);
    }
    has_inner_axes_ = axis_names_.size() > outer;
  }

  void number(const Axes& axes) {
    for (const std::string& axis : axes) {
      const auto next = static_cast<int>(axis_names_.size());
      if (!number_of_axis_.emplace(axis, next).second) continue;
      axis_names_.push_back(fmt::format("{}a{}", axis.starts_with('*') ? "*" : "", next));
      names_of_axes_[axis] = axis_names_.back();
    }
  }

  AxisNumbers numbers(const Axes& axes) const {
    AxisNumbers numbers;
    numbers.reserve(axes.size());
    for (const std::string& axis : axes) numbers.push_back(number_of_axis_.at(axis));
    return numbers;
  }

  Axes names(const AxisNumbers& numbers) const {
    Axes axes;
    for (int axis : numbers) axes.push_back(axis_names_[static_cast<size_t>(axis)]);
    return axes;
  }

  // ---- nodes, each normalised after its operands

  /// NF2: equal nodes are one.
  int intern(NormalNode node) {
    const auto [it, is_new] = by_key_.emplace(node.key, static_cast<int>(nodes_.size()));
    if (is_new) nodes_.push_back(std::move(node));
    return it->second;
  }

  /// NF8: what a body sees of an operand: a map is computed where it is used.
  ValueRef seen(int normal) {
    const NormalNode& node = nodes_[static_cast<size_t>(normal)];
    return node.kind == NormalNode::Kind::Map ? node.value : graph_.operand(normal, node.key, node.format);
  }

  std::vector<ValueRef> seen(const std::vector<int>& operands) {
    std::vector<ValueRef> values;
    values.reserve(operands.size());
    for (int operand : operands) values.push_back(seen(normal_of_[static_cast<size_t>(operand)]));
    return values;
  }

  int normalise(const Input& input) {
    NormalNode node;
    node.kind = NormalNode::Kind::Input;
    node.key = fmt::format("b{:06}", inputs_++);  // each is its own: inputs are the interface
    node.axes = sorted(numbers(input.axes));
    node.format = input.format;
    node.input = input;
    node.input.axes = names(numbers(input.axes));
    return intern(std::move(node));
  }

  int normalise(const Map& map) {
    return map_node(graph_.translate(map.body, seen(map.operands)).at(0), sorted(numbers(map.axes)));
  }

  int map_node(ValueRef value, AxisNumbers axes) {
    // NF9: handing on a node without adding an axis is that node.
    if (value->kind == Value::Kind::Operand && nodes_[static_cast<size_t>(value->index)].axes == axes) return value->index;
    NormalNode node;
    node.kind = NormalNode::Kind::Map;
    node.key = "y" + sha256(fmt::format("map {} {}", text_of(axes), value->key));
    node.axes = std::move(axes);
    node.format = value->format;
    node.value = value;
    return intern(std::move(node));
  }

  int normalise(const Fold& fold) {
    NormalNode node;
    node.kind = NormalNode::Kind::Fold;
    node.axes = sorted(numbers(fold.axes));
    node.over = numbers(fold.over);  // their order is that of the leaves
    node.order = normal_order(fold.order);
    node.emit = fold.emit;
    node.state = fold.state_formats();
    const std::vector<ValueRef> operands = seen(fold.operands);
    std::tie(node.step, node.lift) = chain(fold.leaf, fold.step, fold.start, node.state, operands);
    if (fold.tail && fold.order.width > 1) join_tail(fold, operands, node);
    join_merge(fold, node);
    if (fold.enter != ScalarBody{} && enters(node.order)) node.enter = graph_.translate(fold.enter, state(node.state, 0));
    const bool one_component = node.state.size() == 1 && !node.tail;
    if (!one_component) node.finish = graph_.translate(fold.finish, state(node.state, 0));
    node.format = one_component ? node.state[0] : node.finish.at(0)->format;
    node.key = key_of(node);
    const AxisNumbers axes = node.axes;
    const int normal = intern(std::move(node));
    // NF8: what is done with a state of one component is a map over the fold.
    return one_component ? map_node(graph_.translate(fold.finish, {seen(normal)}).at(0), axes) : normal;
  }

  int normalise(const Table& table) {
    NormalNode node;
    node.kind = NormalNode::Kind::Table;
    node.axes = sorted(numbers(table.axes));
    node.format = table.values.format();
    node.operand = normal_of_[static_cast<size_t>(table.operands[0])];
    node.values = table.values;
    node.key = "y" + sha256(fmt::format("table {} {} {} {}", text_of(node.axes), nodes_[static_cast<size_t>(node.operand)].key,
                                        name(node.format), sha256(table.values.span())));
    return intern(std::move(node));
  }

  /// NF11
  int normalise(const Index& given) {
    Index index = given;
    index.operands = {0};
    for_each_axis(index, [this](std::string& axis) { axis = axis_names_[static_cast<size_t>(number_of_axis_.at(axis))]; });
    index = canonical(std::move(index));
    int operand = normal_of_[static_cast<size_t>(given.operands[0])];
    for (;;) {
      const NormalNode& read = nodes_[static_cast<size_t>(operand)];
      const bool handed_on = read.kind == NormalNode::Kind::Map && read.value->kind == Value::Kind::Operand;
      if (index.from.empty() || (read.kind != NormalNode::Kind::Index && !handed_on)) break;
      const int next = handed_on ? read.value->index : read.operand;
      const Index inner = handed_on ? Index{{0}, index.format, {}, names(read.axes)} : read.index;
      std::optional<Index> both = composed(index, inner, names(nodes_[static_cast<size_t>(next)].axes));
      if (!both) break;
      index = std::move(*both);
      operand = next;
    }
    AxisNumbers axes = sorted(numbers(given.axes));
    if (index.from.empty()) return map_node(seen(operand), std::move(axes));
    index.axes = names(axes);
    NormalNode node;
    node.kind = NormalNode::Kind::Index;
    node.key = "y" + sha256(fmt::format("index {} {}", nodes_[static_cast<size_t>(operand)].key,
                                        canonical_json(to_json(NumericProgram{{index}, {}}))));
    node.axes = std::move(axes);
    node.format = index.format;
    node.operand = operand;
    node.index = std::move(index);
    return intern(std::move(node));
  }

  std::vector<ValueRef> state(const std::vector<Format>& formats, size_t first) {
    std::vector<ValueRef> values;
    for (size_t s = 0; s < formats.size(); ++s) values.push_back(graph_.state(static_cast<int>(first + s), formats[s]));
    return values;
  }

  /// NF7: leaf values are computed where they are used, and a chain that starts with values v starts with its first leaf,
  /// lifted by step(v, leaf).
  std::pair<std::vector<ValueRef>, std::vector<ValueRef>> chain(const ScalarBody& leaf_body, const ScalarBody& step_body,
                                                                const Start& start, const std::vector<Format>& formats,
                                                                const std::vector<ValueRef>& operands) {
    const std::vector<ValueRef> leaf = graph_.translate(leaf_body, operands);
    const auto step = [&](const std::vector<ValueRef>& state) { return graph_.translate(step_body, joined(state, leaf)); };
    std::vector<ValueRef> stepped = step(state(formats, 0));
    if (start.first_leaf) return {std::move(stepped), graph_.translate(start.lift, leaf)};
    std::vector<ValueRef> values;
    for (size_t s = 0; s < formats.size(); ++s) values.push_back(graph_.constant(formats[s], start.values[s]));
    return {std::move(stepped), step(values)};
  }

  static std::vector<ValueRef> joined(std::vector<ValueRef> a, const std::vector<ValueRef>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  /// NF10: a tail whose bodies are the head's is no tail of its own.
  void join_tail(const Fold& fold, const std::vector<ValueRef>& operands, NormalNode& node) {
    const TailBodies& bodies = *fold.tail;
    NormalTail tail;
    tail.state = bodies.state_formats();
    std::tie(tail.step, tail.lift) = chain(bodies.leaf, bodies.step, bodies.start, tail.state, operands);
    tail.join = graph_.translate(bodies.join, joined(state(node.state, 0), state(tail.state, node.state.size())));
    tail.finish = graph_.translate(bodies.finish, state(tail.state, 0));
    if (tail.state == node.state && tail.step == node.step && tail.lift == node.lift && fold.merge != ScalarBody{}) {
      const std::vector<ValueRef> both = joined(state(node.state, 0), state(node.state, node.state.size()));
      if (tail.finish == graph_.translate(fold.finish, state(node.state, 0)) &&
          tail.join == graph_.translate(fold.finish, graph_.translate(fold.merge, both)))
        return;
    }
    node.tail = std::move(tail);
  }

  /// NF6: a sequential order never merges.
  void join_merge(const Fold& fold, NormalNode& node) {
    const std::vector<Order>& inner = node.order.inner;
    const Order::Kind kind = !node.tail ? node.order.kind : inner.empty() ? Order::Kind::Sequential : inner[0].kind;
    if (kind == Order::Kind::Sequential) return;
    node.merge = graph_.translate(fold.merge, joined(state(node.state, 0), state(node.state, node.state.size())));
  }

  static std::string text_of(const AxisNumbers& axes) { return fmt::format("[{}]", fmt::join(axes, ",")); }

  static std::string key_of(const NormalNode& fold) {
    std::string text = fmt::format("fold {} {} {} {}", text_of(fold.axes), text_of(fold.over), static_cast<int>(fold.emit),
                                   canonical_json(to_json(fold.order)));
    std::vector<const std::vector<ValueRef>*> parts{&fold.step, &fold.lift, &fold.merge, &fold.finish};
    // Only where it is there: keys order operands, and so decide the fingerprints of programs without one.
    if (!fold.enter.empty()) parts.push_back(&fold.enter);
    if (fold.tail) parts.insert(parts.end(), {&fold.tail->step, &fold.tail->lift, &fold.tail->join, &fold.tail->finish});
    for (const auto* part : parts) {
      text += " |";
      for (ValueRef value : *part) text += " " + value->key;
    }
    return "y" + sha256(text);
  }

  // ---- NF2: what the results need, inputs first, then depth-first from the results

  void emit() {
    for (size_t n = 0; n < nodes_.size(); ++n)
      if (nodes_[n].kind == NormalNode::Kind::Input) {
        emitted_[{static_cast<int>(n), {}}] = static_cast<int>(form_.program.nodes.size());
        form_.program.nodes.emplace_back(nodes_[n].input);
      }
    // A node has one order of axes: that of the first result that it is, else ascending.
    for (const NormalResult& result : results_) order_of_axes_.emplace(result.node, result.axes);
    for (const NormalResult& result : results_) form_.program.results.push_back(emit_result(result));
  }

  AxisNumbers order_of_axes(int normal) const {
    const auto it = order_of_axes_.find(normal);
    return it != order_of_axes_.end() ? it->second : nodes_[static_cast<size_t>(normal)].axes;
  }

  int emit_result(const NormalResult& result) {
    const NormalNode& node = nodes_[static_cast<size_t>(result.node)];
    if (node.kind == NormalNode::Kind::Input) {  // its order of axes is the interface's; another one is handed on by a map
      if (node.input.axes == names(result.axes)) return emit_node(result.node);
      const auto [it, is_new] = emitted_.emplace(std::pair{result.node, result.axes}, 0);
      if (is_new) {
        it->second = static_cast<int>(form_.program.nodes.size());
        form_.program.nodes.emplace_back(Map{{emit_node(result.node)}, identity_body({node.format}), names(result.axes)});
      }
      return it->second;
    }
    return result.axes == order_of_axes(result.node) ? emit_node(result.node) : emit_node(result.node, result.axes);
  }

  /// `axes`: in another order than the node's own; none: its own. Operands go first; an explicit stack, since folds of folds may
  /// be thousands deep.
  int emit_node(int normal, const AxisNumbers& axes = {}) {
    struct Open {
      int normal;
      AxisNumbers axes;
      std::vector<int> operands;
      size_t next = 0;
    };
    std::vector<Open> stack;
    const auto open = [&](int node, const AxisNumbers& order) {
      if (!emitted_.contains({node, order})) stack.push_back({node, order, operands_of(nodes_[static_cast<size_t>(node)])});
    };
    open(normal, axes);
    while (!stack.empty()) {
      if (Open& top = stack.back(); top.next < top.operands.size()) {
        open(top.operands[top.next++], {});
        continue;
      }
      const NormalNode& node = nodes_[static_cast<size_t>(stack.back().normal)];
      const Axes axis_names = names(stack.back().axes.empty() ? order_of_axes(stack.back().normal) : stack.back().axes);
      emitted_[{stack.back().normal, stack.back().axes}] = static_cast<int>(form_.program.nodes.size());
      form_.program.nodes.push_back(node.kind == NormalNode::Kind::Map     ? Node(emit_map(node, axis_names))
                                    : node.kind == NormalNode::Kind::Table ? Node(emit_table(node, axis_names))
                                    : node.kind == NormalNode::Kind::Index ? Node(emit_index(node, axis_names))
                                                                           : Node(emit_fold(node, axis_names)));
      stack.pop_back();
    }
    return emitted_.at({normal, axes});
  }

  /// What the node's bodies need, in the order in which they need it.
  std::vector<int> operands_of(const NormalNode& node) {
    if (node.kind == NormalNode::Kind::Table || node.kind == NormalNode::Kind::Index) return {node.operand};
    std::vector<ValueRef> needed;
    if (node.kind == NormalNode::Kind::Map) {
      BodyWriter writer;
      writer.need({node.value});
      count(writer);  // all the way down before anything is emitted
      needed = writer.arguments();
    } else {
      needed = needed_by(node, true);
    }
    std::vector<int> operands;
    for (ValueRef argument : needed)
      if (argument->kind == Value::Kind::Operand) operands.push_back(argument->index);
    return operands;
  }

  /// A fold's operands: the head's, then what only the tail needs.
  std::vector<ValueRef> needed_by(const NormalNode& fold, bool counted = false) {
    std::vector<ValueRef> needed = with_needs(state(fold.state, 0), fold.step, fold.lift, counted);
    if (fold.tail) {
      std::vector<ValueRef> known = state(fold.tail->state, 0);
      known.insert(known.end(), needed.begin(), needed.end());
      needed = with_needs(known, fold.tail->step, fold.tail->lift, counted);
    }
    return needed;
  }

  /// The operands among `known`, and those that a chain needs besides.
  std::vector<ValueRef> with_needs(const std::vector<ValueRef>& known, const std::vector<ValueRef>& step,
                                   const std::vector<ValueRef>& lift, bool counted) {
    BodyWriter writer(known);
    writer.need(step);
    writer.need(lift);
    if (counted) count(writer);
    std::vector<ValueRef> operands = writer.arguments();
    std::erase_if(operands, [](ValueRef value) { return value->kind == Value::Kind::State; });
    return operands;
  }

  void count(const BodyWriter& writer) {
    instructions_ += writer.instructions().size();
    if (instructions_ > kMostInstructions) refuse(Code::ContractProgram, "the normal form has too many instructions");
  }

  /// Their indices, once they are emitted.
  std::vector<int> indices_of(const std::vector<ValueRef>& arguments) const {
    std::vector<int> indices;
    for (ValueRef argument : arguments)
      if (argument->kind == Value::Kind::Operand) indices.push_back(emitted_.at({argument->index, {}}));
    return indices;
  }

  void look_at(const BodyWriter& writer) {
    count(writer);
    for (ValueRef value : writer.instructions())
      if (bitpact::rests_on_domain(graph_.domain(), *value)) form_.rests_on_domain = true;
  }

  Map emit_map(const NormalNode& node, const Axes& axes) {
    BodyWriter body;
    body.need({node.value});
    look_at(body);
    return Map{indices_of(body.arguments()), body.write({node.value}), axes};
  }

  Table emit_table(const NormalNode& node, const Axes& axes) const {
    return {{emitted_.at({node.operand, {}})}, node.values, axes};
  }

  Index emit_index(const NormalNode& node, const Axes& axes) const {
    Index index = node.index;
    index.operands = {emitted_.at({node.operand, {}})};
    index.axes = axes;
    return index;
  }

  Fold emit_fold(const NormalNode& node, const Axes& axes) {
    const std::vector<ValueRef> states = state(node.state, 0);
    const std::vector<ValueRef> operands = needed_by(node);
    Fold fold;
    fold.operands = indices_of(operands);
    fold.over = names(node.over);
    fold.axes = axes;
    std::vector<Format> formats;
    formats.reserve(operands.size());
    for (ValueRef operand : operands) formats.push_back(operand->format);
    fold.leaf = identity_body(formats);
    write_chain(states, operands, node.step, node.lift, fold.step, fold.start);
    if (!node.merge.empty()) fold.merge = written(joined(states, state(node.state, states.size())), node.merge);
    if (!node.enter.empty()) fold.enter = written(states, node.enter);
    if (node.tail) {
      const std::vector<ValueRef> tail_states = state(node.tail->state, 0);
      TailBodies& tail = fold.tail.emplace();
      tail.leaf = fold.leaf;
      write_chain(tail_states, operands, node.tail->step, node.tail->lift, tail.step, tail.start);
      tail.join = written(joined(states, state(node.tail->state, states.size())), node.tail->join);
      tail.finish = written(tail_states, node.tail->finish);
    }
    fold.finish = node.finish.empty() ? identity_body(node.state) : written(states, node.finish);
    fold.order = node.order;
    fold.emit = node.emit;
    return fold;
  }

  ScalarBody written(const std::vector<ValueRef>& arguments, const std::vector<ValueRef>& results) {
    BodyWriter body(arguments);
    body.need(results);
    look_at(body);
    return body.write(results);
  }

  void write_chain(const std::vector<ValueRef>& states, const std::vector<ValueRef>& operands, const std::vector<ValueRef>& step,
                   const std::vector<ValueRef>& lift, ScalarBody& step_body, Start& start) {
    BodyWriter writer(joined(states, operands));
    writer.need(step);
    writer.need(lift);
    look_at(writer);
    step_body = writer.write(step);
    start.lift = BodyWriter(operands).write(lift);
  }

  const NumericProgram& program_;
  ValueGraph graph_;
  std::map<std::string, int> number_of_axis_;
  std::vector<std::string> axis_names_;
  std::map<std::string, std::string> names_of_axes_;
  std::vector<NormalNode> nodes_;
  std::map<std::string, int> by_key_;
  std::vector<int> normal_of_;  // by node of the program
  std::vector<NormalResult> results_;
  std::map<int, AxisNumbers> order_of_axes_;
  std::map<std::pair<int, AxisNumbers>, int> emitted_;
  int inputs_ = 0;
  bool has_inner_axes_ = false;  // axes that neither inputs nor results have
  size_t instructions_ = 0;
  NormalForm form_;
};

}  // namespace

// Axes that neither inputs nor results have are numbered in the order of the nodes, which depends on their numbers. There, the
// normal form is the least of those that follow one another for ever; nearly always there is one.
NormalForm normalise(const NumericProgram& program, const Domain& domain) {
  Normaliser normaliser(program, domain);
  std::vector<NormalForm> forms{normaliser.run()};
  if (!normaliser.has_inner_axes()) return forms[0];
  for (;;) {
    NormalForm next = Normaliser(forms.back().program, domain).run();
    std::map<std::string, std::string> names;
    for (const auto& [own, before] : forms.back().axis_names)
      if (const auto now = next.axis_names.find(before); now != next.axis_names.end()) names[own] = now->second;
    next.axis_names = std::move(names);
    const auto same = [&next](const NormalForm& form) { return form.program == next.program; };
    if (const auto first = std::ranges::find_if(forms, same); first != forms.end())
      return *std::min_element(first, forms.end(), [](const NormalForm& a, const NormalForm& b) {
        return canonical_json(to_json(a.program)) < canonical_json(to_json(b.program));
      });
    if (forms.size() == kMostForms)
      refuse(Code::ContractProgram,
             fmt::format("the axes that neither inputs nor results have come to no order within {} normal forms", kMostForms));
    forms.push_back(std::move(next));
  }
}

NumericProgram normal_form(const NumericProgram& program, const Domain& domain) { return normalise(program, domain).program; }

NumericProgram normal_form_in_own_names(const NumericProgram& program, const Domain& domain) {
  NormalForm form = normalise(program, domain);
  std::map<std::string, std::string> own;
  for (const auto& [name, normal] : form.axis_names) own[normal] = name;
  const auto rename = [&own](Axes& axes) {
    for (std::string& axis : axes) axis = own.at(axis);
  };
  for (Node& node : form.program.nodes) {
    if (auto* index = std::get_if<Index>(&node)) {
      for_each_axis(*index, [&own](std::string& axis) { axis = own.at(axis); });
      continue;
    }
    std::visit([&](auto& n) { rename(n.axes); }, node);
    if (auto* fold = std::get_if<Fold>(&node)) rename(fold->over);
  }
  return form.program;
}

}  // namespace bitpact
