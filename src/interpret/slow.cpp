#include <algorithm>

#include "interpret/interpret.h"
#include "interpret/nodes.h"
#include "interpret/watch.h"

// The definition, one scalar after another with the exact engine. Nothing here is shared with the vectorised interpreter but the
// rules of watching (watch.h) and the order's schedule.

namespace bitpact {
namespace {

/// What happened while one output was computed.
struct Seen {
  std::uint8_t flags = 0;
  int subnormals = 0;

  void instruction(const Instruction& i, std::span<const Scalar> operands, Bits result) {
    if (is_tiny(i.format, result) || underflowed(i, operands, result)) ++subnormals;
    if (overflowed(i, operands, result)) flags |= flag_of(Exclusion::OverflowIntermediate);
  }
};

/// A scalar, and whether an instruction or a start value made it.
struct Known {
  Bits bits = 0;
  bool made = false;
};
using State = std::vector<Known>;

State run_body(const ScalarBody& body, const State& arguments, Seen& seen) {
  State values = arguments;
  for (const Instruction& i : body.code) {
    std::vector<Scalar> operands;
    for (int a = 0; a < info(i.op).operands; ++a) {
      const int value = i.args[static_cast<size_t>(a)];
      operands.push_back({body.format_of(value), values[static_cast<size_t>(value)].bits});
    }
    const Bits result = evaluate(i, operands);
    seen.instruction(i, operands, result);
    values.push_back({result, true});
  }
  State results;
  for (int r : body.results) results.push_back(values[static_cast<size_t>(r)]);
  return results;
}

/// Coordinates by axis name.
using Coordinates = std::map<std::string, std::int64_t>;

void set_coordinates(Coordinates& at, const Axes& axes, const Shape& shape, std::int64_t flat) {
  const std::vector<std::int64_t> c = coordinate(shape, flat);
  for (size_t a = 0; a < axes.size(); ++a) at[axes[a]] = c[a];
}

Known read(const NodeValue& operand, const Coordinates& at, Seen& seen) {
  std::vector<std::int64_t> c;
  for (const std::string& axis : operand.axes) c.push_back(at.at(axis));
  const std::int64_t flat = flat_index(operand.value.shape(), c);
  seen.flags |= static_cast<std::uint8_t>(operand.carried.get(flat));
  return {operand.value.get(flat), false};
}

State concatenated(State a, const State& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// One output of a fold over one schedule.
class OneFold {
 public:
  OneFold(const Fold& fold, const Shape& over, const std::vector<const NodeValue*>& operands, Coordinates at)
      : fold_(fold), over_(over), operands_(operands), at_(std::move(at)) {
    if (fold.tail) tail_from_ = element_count(over) - tail_length(fold.order, element_count(over));
  }

  Known run(const Schedule& schedule, Seen& seen) {
    if (fold_.tail && tail_from_ < element_count(over_)) return run_with_tail(schedule, seen);
    return run_body(fold_.finish, run_steps(schedule, seen), seen)[0];
  }

 private:
  // The schedule's last chain is the tail; where there is a head, one merge follows, in whose place the two are joined.
  Known run_with_tail(Schedule schedule, Seen& seen) {
    const TailBodies& bodies = *fold_.tail;
    State head;
    if (tail_from_ > 0) {
      schedule.steps.resize(schedule.steps.size() - 2);
      head = run_steps(schedule, seen);
    }
    State tail = start(bodies.leaf, bodies.start, bodies.state_formats(), tail_from_, seen);
    for (std::int64_t i = tail_from_ + (bodies.start.first_leaf ? 1 : 0); i < element_count(over_); ++i)
      tail = run_body(bodies.step, concatenated(tail, leaf(bodies.leaf, i, seen)), seen);
    if (tail_from_ == 0) return run_body(bodies.finish, tail, seen)[0];
    return run_body(bodies.join, concatenated(head, tail), seen)[0];
  }

  State run_steps(const Schedule& schedule, Seen& seen) {
    std::vector<State> slots(static_cast<size_t>(schedule.slots));
    for (const ScheduleStep& step : schedule.steps) {
      State& slot = slots[static_cast<size_t>(step.slot)];
      if (step.kind == ScheduleStep::Kind::Merge) {
        slot = run_body(fold_.merge, concatenated(slot, slots[static_cast<size_t>(step.other)]), seen);
        continue;
      }
      if (step.kind == ScheduleStep::Kind::Enter) {
        slot = run_body(fold_.enter, slot, seen);
        continue;
      }
      const bool fresh = step.kind == ScheduleStep::Kind::Chain;
      if (fresh) slot = start(fold_.leaf, fold_.start, fold_.state_formats(), step.first, seen);
      for (std::int64_t i = fresh && fold_.start.first_leaf ? 1 : 0; i < step.count; ++i)
        slot = run_body(fold_.step, concatenated(slot, leaf(fold_.leaf, step.first + i * step.stride, seen)), seen);
    }
    return slots[0];
  }

  State leaf(const ScalarBody& body, std::int64_t index, Seen& seen) {
    set_coordinates(at_, fold_.over, over_, index);
    State elements;
    for (const NodeValue* operand : operands_) elements.push_back(read(*operand, at_, seen));
    return run_body(body, elements, seen);
  }
  State start(const ScalarBody& leaf_body, const Start& start, const std::vector<Format>& formats, std::int64_t first,
              Seen& seen) {
    if (start.first_leaf) return run_body(start.lift, leaf(leaf_body, first, seen), seen);
    State state;
    for (size_t c = 0; c < formats.size(); ++c) {
      if (is_tiny(formats[c], start.values[c])) ++seen.subnormals;
      state.push_back({start.values[c], true});
    }
    return state;
  }

  const Fold& fold_;
  const Shape& over_;
  const std::vector<const NodeValue*>& operands_;
  Coordinates at_;
  std::int64_t tail_from_ = 0;  ///< the first leaf of a tail with bodies of its own
};

/// A prefix is the same fold over fewer leaves: the schedule's one chain, cut after the leaf that `index` names.
Schedule prefix_of(Schedule whole, std::int64_t index) {
  ScheduleStep& chain = whole.steps.at(0);
  chain.count = (index - chain.first) / chain.stride + 1;
  return whole;
}

class Slow {
 public:
  Slow(const BoundProgram& bound, std::span<const Tensor> inputs) : bound_(bound), inputs_(inputs) {}

  NodeValue node(size_t n, const std::vector<NodeValue>& earlier) {
    const Node& node = bound_.program.nodes[n];
    const Shape shape = bound_.shape_of(static_cast<int>(n));
    NodeValue made{axes_of(node), Tensor(format_of(node), shape), Tensor(Format::UI8, shape), Tensor(Format::UI8, shape), false};
    const Tensor* input = std::holds_alternative<Input>(node) ? &inputs_[next_input_++] : nullptr;
    for (std::int64_t flat = 0; flat < made.value.size(); ++flat) {
      Coordinates at;
      set_coordinates(at, made.axes, shape, flat);
      Seen seen;
      Known result;
      if (input) {
        result.bits = input->get(flat);
        if (is_subnormal(input->format(), result.bits)) seen.flags = flag_of(Exclusion::SubnormalInput);
      } else if (const auto* map = std::get_if<Map>(&node)) {
        State elements;
        for (int o : map->operands) elements.push_back(read(earlier[static_cast<size_t>(o)], at, seen));
        result = run_body(map->body, elements, seen)[0];
      } else if (const auto* table = std::get_if<Table>(&node)) {
        const Known element = read(earlier[static_cast<size_t>(table->operands[0])], at, seen);
        result = {table->values.get(static_cast<std::int64_t>(element.bits)), true};
        if (is_tiny(made.value.format(), result.bits)) ++seen.subnormals;
      } else if (const auto* index = std::get_if<Index>(&node)) {
        result = element(n, *index, at, earlier[static_cast<size_t>(index->operands[0])], seen);
      } else {
        result = fold(std::get<Fold>(node), at, earlier, seen);
      }
      const Bits bits = with_quiet_nan(made.value.format(), result.bits);
      const OutputFlags flags = output_flags(seen.flags, seen.subnormals, result.made, made.value.format(), bits);
      made.value.set(flat, bits);
      made.carried.set(flat, flags.carried);
      made.final.set(flat, flags.result);
    }
    return made;
  }

 private:
  Known fold(const Fold& fold, const Coordinates& at, const std::vector<NodeValue>& earlier, Seen& seen) {
    std::vector<const NodeValue*> operands;
    for (int o : fold.operands) operands.push_back(&earlier[static_cast<size_t>(o)]);
    const Shape over = fold_extents(bound_, fold);
    const Schedule whole = schedule(fold.order, element_count(over));
    OneFold one(fold, over, operands, at);
    return one.run(fold.emit == Emit::Last ? whole : prefix_of(whole, at.at(fold.over[0])), seen);
  }

  std::int64_t number(size_t n, const Multiple& multiple) const {
    std::int64_t number = multiple.factor;
    for (const std::string& axis : multiple.extents) number *= bound_.extent_of(static_cast<int>(n), axis);
    return number;
  }

  Known element(size_t n, const Index& index, Coordinates at, const NodeValue& operand, Seen& seen) const {
    const Coordinates of_result = at;
    for (const IndexCoordinate& from : index.from) {
      std::int64_t position = from.offset;
      for (const IndexTerm& term : from.terms) {
        std::int64_t part = of_result.at(term.axis) / number(n, term.divide);
        if (term.modulo) part %= number(n, *term.modulo);
        position += number(n, term.times) * part;
      }
      const std::int64_t extent = bound_.extent_of(static_cast<int>(n), from.axis);
      if (from.reversed) position = extent - 1 - position;
      if (position < 0 || position >= extent) {
        // Like a start value: made, and subnormal where it is.
        const Bits value = index.outside.value();
        if (is_tiny(index.format, value)) ++seen.subnormals;
        return {value, true};
      }
      at[from.axis] = position;
    }
    return read(operand, at, seen);
  }

  const BoundProgram& bound_;
  std::span<const Tensor> inputs_;
  size_t next_input_ = 0;
};

}  // namespace

Interpreted interpret_slowly(const BoundProgram& bound, std::span<const Tensor> inputs, bool watch) {
  check_well_formed(bound.program);
  check_inputs(bound, inputs);
  for (size_t n = 0; n < bound.program.nodes.size(); ++n)
    if (std::holds_alternative<Index>(bound.program.nodes[n])) (void)plain_coordinates(bound, static_cast<int>(n));  // refuses
  Slow slow(bound, inputs);
  std::vector<NodeValue> values;
  for (size_t n = 0; n < bound.program.nodes.size(); ++n) values.push_back(slow.node(n, values));
  Interpreted interpreted;
  for (int result : bound.program.results) {
    const NodeValue& value = values[static_cast<size_t>(result)];
    interpreted.results.push_back(value.value);
    if (!watch) continue;
    const auto* final = value.final.as<std::uint8_t>();
    interpreted.occurrences.emplace_back(final, final + value.final.size());
  }
  return interpreted;
}

}  // namespace bitpact
