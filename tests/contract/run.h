// Runs a program coordinate by coordinate, straight from the definitions in contract/: what the properties here are judged by.
// Independent of the interpreter, and slower still.
#pragma once

#include "contract/generate.h"

namespace bitpact::generate {

/// What came out, and whether an exclusion that the normal form's rules rest on occurred anywhere in the run.
struct Run {
  std::vector<std::vector<Bits>> results;
  bool overflowed = false, tiny = false;
};

class Runner {
 public:
  Runner(const Case& c, const std::vector<std::vector<Bits>>& inputs) : c_(c) {
    size_t next = 0;
    for (const Node& node : c.program.nodes)
      values_.push_back(std::visit(
          [&](const auto& n) {
            if constexpr (std::is_same_v<std::decay_t<decltype(n)>, Input>)
              return inputs.at(next++);
            else
              return run_node(n);
          },
          node));
  }

  Run result() const {
    Run run = run_;
    for (int r : c_.program.results) run.results.push_back(quiet(r));
    return run;
  }

 private:
  using Coordinates = std::map<std::string, std::int64_t>;

  std::vector<Bits> quiet(int node) const {
    const Format format = format_of(c_.program.nodes[static_cast<size_t>(node)]);
    std::vector<Bits> values = values_[static_cast<size_t>(node)];
    for (Bits& bits : values)
      if (is_float(format) && classify(format, bits) == Class::NaN) bits = quiet_nan(format);
    return values;
  }

  std::int64_t count(const Axes& axes) const {
    std::int64_t n = 1;
    for (const std::string& axis : axes) n *= c_.extents.at(axis);
    return n;
  }

  Coordinates at(const Axes& axes, std::int64_t flat) const {
    Coordinates where;
    for (size_t a = axes.size(); a-- > 0;) {
      const std::int64_t extent = c_.extents.at(axes[a]);
      where[axes[a]] = flat % extent;
      flat /= extent;
    }
    return where;
  }

  std::vector<Bits> read(const std::vector<int>& operands, const Coordinates& where) const {
    std::vector<Bits> bits;
    for (int operand : operands) {
      std::int64_t flat = 0;
      for (const std::string& axis : axes_of(c_.program.nodes[static_cast<size_t>(operand)]))
        flat = flat * c_.extents.at(axis) + where.at(axis);
      bits.push_back(values_[static_cast<size_t>(operand)][static_cast<size_t>(flat)]);
    }
    return bits;
  }

  std::vector<Bits> call(const ScalarBody& body, const std::vector<Bits>& arguments) {
    std::vector<Scalar> values;
    for (size_t a = 0; a < arguments.size(); ++a) values.push_back({body.arguments[a], arguments[a]});
    for (const Instruction& i : body.code) {
      std::vector<Scalar> operands;
      for (int a = 0; a < info(i.op).operands; ++a)
        operands.push_back(values[static_cast<size_t>(i.args[static_cast<size_t>(a)])]);
      const Bits bits = evaluate(i, operands);
      watch(i, operands, bits);
      values.push_back({i.format, bits});
    }
    std::vector<Bits> results;
    for (int r : body.results) results.push_back(values[static_cast<size_t>(r)].bits);
    return results;
  }

  void watch(const Instruction& i, const std::vector<Scalar>& operands, Bits bits) {
    if (!is_float(i.format)) return;
    const Class kind = classify(i.format, bits);
    run_.tiny |= kind == Class::Subnormal;
    if (!info(i.op).rounds) return;
    if (kind == Class::Zero) {  // rounded to odd, only zero itself is a zero
      Instruction exact = i;
      exact.policy.rounding = Rounding::ToOdd;
      exact.policy.flush_out = false;
      run_.tiny |= classify(i.format, evaluate(exact, operands)) != Class::Zero;
    }
    const bool finite = std::all_of(operands.begin(), operands.end(), [](Scalar operand) {
      const Class c = classify(operand.format, operand.bits);
      return c != Class::Infinity && c != Class::NaN;
    });
    run_.overflowed |= kind == Class::Infinity && finite;
  }

  std::vector<Bits> run_node(const Map& map) {
    std::vector<Bits> out;
    for (std::int64_t i = 0; i < count(map.axes); ++i) out.push_back(call(map.body, read(map.operands, at(map.axes, i)))[0]);
    return out;
  }

  std::vector<Bits> run_node(const Table& table) {
    std::vector<Bits> out;
    for (std::int64_t i = 0; i < count(table.axes); ++i) {
      out.push_back(table.values.get(static_cast<std::int64_t>(read(table.operands, at(table.axes, i))[0])));
      run_.tiny |= is_float(table.values.format()) && classify(table.values.format(), out.back()) == Class::Subnormal;
    }
    return out;
  }

  std::vector<Bits> run_node(const Index& index) {
    const auto number = [this](const Multiple& multiple) { return multiple.factor * count(multiple.extents); };
    std::vector<Bits> out;
    for (std::int64_t i = 0; i < count(index.axes); ++i) {
      const Coordinates result = at(index.axes, i);
      Coordinates where = result;
      bool outside = false;
      for (const IndexCoordinate& from : index.from) {
        std::int64_t position = from.offset;
        for (const IndexTerm& term : from.terms) {
          const std::int64_t quotient = result.at(term.axis) / number(term.divide);
          position += number(term.times) * (term.modulo ? quotient % number(*term.modulo) : quotient);
        }
        const std::int64_t extent = c_.extents.at(from.axis);
        where[from.axis] = from.reversed ? extent - 1 - position : position;
        outside |= where[from.axis] < 0 || where[from.axis] >= extent;
      }
      out.push_back(outside ? index.outside.value() : read(index.operands, where)[0]);
      run_.tiny |= outside && is_float(index.format) && classify(index.format, out.back()) == Class::Subnormal;
    }
    return out;
  }

  std::vector<Bits> run_node(const Fold& fold) {
    std::vector<Bits> out;
    const std::int64_t leaves = count(fold.over);
    for (std::int64_t i = 0; i < count(fold.axes); ++i) {
      Coordinates where = at(fold.axes, i);
      std::vector<std::vector<Bits>> leaf;
      for (std::int64_t l = 0; l < leaves; ++l) {
        for (const auto& [axis, position] : at(fold.over, l)) where[axis] = position;
        leaf.push_back(call(fold.leaf, read(fold.operands, where)));
      }
      std::vector<Bits> state;
      if (fold.tail) {
        // below
      } else if (fold.emit == Emit::Prefixes) {
        const std::int64_t upto = at(fold.axes, i).at(fold.over[0]);
        const std::int64_t first = fold.order.reversed ? leaves - 1 : 0;
        state =
            chain(fold, leaf, {ScheduleStep::Kind::Chain, 0, 0, first, fold.order.reversed ? -1 : 1, std::abs(upto - first) + 1});
      } else {
        state = scheduled(fold, leaf, schedule(fold.order, leaves));
      }
      out.push_back(fold.tail ? with_tail(fold, where, leaf, leaves) : call(fold.finish, state)[0]);
    }
    return out;
  }

  // The state that a schedule leaves.
  std::vector<Bits> scheduled(const Fold& fold, const std::vector<std::vector<Bits>>& leaf, const Schedule& plan) {
    std::vector<std::vector<Bits>> slots(static_cast<size_t>(plan.slots));
    for (const ScheduleStep& step : plan.steps) {
      auto& slot = slots[static_cast<size_t>(step.slot)];
      if (step.kind == ScheduleStep::Kind::Chain)
        slot = chain(fold, leaf, step);
      else if (step.kind == ScheduleStep::Kind::Extend)
        for (std::int64_t t = 0; t < step.count; ++t)
          slot = call(fold.step, joined(slot, leaf[static_cast<size_t>(step.first + t * step.stride)]));
      else if (step.kind == ScheduleStep::Kind::Enter)
        slot = call(fold.enter, slot);
      else
        slot = call(fold.merge, joined(slot, slots[static_cast<size_t>(step.other)]));
    }
    return slots[0];
  }

  // Head and tail each for itself: what a tail of its own says, word for word.
  Bits with_tail(const Fold& fold, Coordinates where, const std::vector<std::vector<Bits>>& leaf, std::int64_t leaves) {
    const std::int64_t head = leaves / fold.order.width * fold.order.width;
    std::vector<Bits> rows, rest;
    if (head > 0) {
      const Order inner = fold.order.inner.empty() ? Order::sequential() : fold.order.inner[0];
      rows = scheduled(fold, leaf, schedule(inner, head));
    }
    if (head == leaves) return call(fold.finish, rows)[0];
    for (std::int64_t l = head; l < leaves; ++l) {
      for (const auto& [axis, position] : at(fold.over, l)) where[axis] = position;
      const std::vector<Bits> values = call(fold.tail->leaf, read(fold.operands, where));
      if (l == head && fold.tail->start.first_leaf) {
        rest = call(fold.tail->start.lift, values);
        continue;
      }
      if (l == head) rest = fold.tail->start.values;
      rest = call(fold.tail->step, joined(rest, values));
    }
    return call(head == 0 ? fold.tail->finish : fold.tail->join, joined(rows, rest))[0];
  }

  static std::vector<Bits> joined(std::vector<Bits> a, const std::vector<Bits>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  std::vector<Bits> chain(const Fold& fold, const std::vector<std::vector<Bits>>& leaf, const ScheduleStep& s) {
    std::vector<Bits> state = fold.start.values;
    for (std::int64_t t = 0; t < s.count; ++t) {
      const auto& values = leaf[static_cast<size_t>(s.first + t * s.stride)];
      state = t == 0 && fold.start.first_leaf ? call(fold.start.lift, values) : call(fold.step, joined(state, values));
    }
    return state;
  }

  const Case& c_;
  std::vector<std::vector<Bits>> values_;
  Run run_;
};

inline Run run(const Case& c, const std::vector<std::vector<Bits>>& inputs) { return Runner(c, inputs).result(); }

}  // namespace bitpact::generate
