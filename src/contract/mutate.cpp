#include "contract/mutate.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

int argument_count(const ScalarBody& body) { return static_cast<int>(body.arguments.size()); }

// The body with `pair` of instructions put behind instruction `at`, whose users then see the last one.
ScalarBody with_extra_rounding(const ScalarBody& body, size_t at, Format through) {
  ScalarBody changed;
  changed.arguments = body.arguments;
  const int arguments = argument_count(body);
  const int target = arguments + static_cast<int>(at);
  const auto moved = [&](int value) {
    if (value < target) return value;
    return value + 2;
  };
  for (size_t i = 0; i < body.code.size(); ++i) {
    Instruction instruction = body.code[i];
    for (int& arg : instruction.args)
      if (arg >= 0 && static_cast<int>(i) + arguments > target) arg = moved(arg);
    changed.code.push_back(instruction);
    if (i != at) continue;
    const Format format = instruction.format;
    changed.code.push_back({.op = ScalarOp::Convert, .format = through, .args = {target, -1, -1}});
    changed.code.push_back({.op = ScalarOp::Convert, .format = format, .args = {target + 1, -1, -1}});
  }
  for (const int result : body.results) changed.results.push_back(moved(result));
  return changed;
}

// Uses of `value` become uses of `by`.
void replace_uses(ScalarBody& body, int value, int by) {
  for (Instruction& instruction : body.code)
    for (int& arg : instruction.args)
      if (arg == value) arg = by;
  for (int& result : body.results)
    if (result == value) result = by;
}

void reformat(ScalarBody& body, Format from, Format to) {
  for (Format& argument : body.arguments)
    if (argument == from) argument = to;
  for (Instruction& instruction : body.code)
    if (instruction.format == from) {
      if (instruction.op == ScalarOp::Constant) instruction.immediate = convert({from, instruction.immediate}, to);
      instruction.format = to;
    }
}

using NamedBody = std::pair<std::string, ScalarBody*>;

std::vector<NamedBody> bodies_of(Node& node) {
  if (auto* map = std::get_if<Map>(&node)) return {{"body", &map->body}};
  auto* fold = std::get_if<Fold>(&node);
  return fold ? bitpact::bodies_of(*fold) : std::vector<NamedBody>{};
}

/// `body` with argument `which` given in the format `to`: it is converted back first.
ScalarBody with_argument_in(const ScalarBody& body, size_t which, Format to) {
  std::vector<Format> formats = body.arguments;
  formats[which] = to;
  BodyBuilder b(formats);
  std::vector<int> values;
  for (size_t a = 0; a < formats.size(); ++a)
    values.push_back(a == which ? b.convert(static_cast<int>(a), body.arguments[a]) : static_cast<int>(a));
  for (Instruction instruction : body.code) {
    for (int& arg : instruction.args)
      if (arg >= 0) arg = values[static_cast<size_t>(arg)];
    values.push_back(b.push(instruction));
  }
  std::vector<int> results;
  for (const int result : body.results) results.push_back(values[static_cast<size_t>(result)]);
  return b.finish(results);
}

class Mutator {
 public:
  explicit Mutator(const NumericProgram& program) : program_(program) {}

  std::vector<Mutant> all() {
    for (size_t i = 0; i < program_.nodes.size(); ++i) {
      NumericProgram copy = program_;
      const std::vector<NamedBody> bodies = bodies_of(copy.nodes[i]);
      for (size_t b = 0; b < bodies.size(); ++b) mutate_body(i, b, bodies[b]);
      if (std::holds_alternative<Fold>(program_.nodes[i])) mutate_fold(i);
      if (std::holds_alternative<Table>(program_.nodes[i])) mutate_table(i);
      if (std::holds_alternative<Index>(program_.nodes[i])) mutate_index(i);
    }
    return std::move(mutants_);
  }

 private:
  void keep(const std::string& rule, const std::string& change, NumericProgram program) {
    try {
      check_well_formed(program);
    } catch (const Refused&) {
      return;  // the rule does not apply here
    }
    if (program != program_) mutants_.push_back({rule, change, std::move(program)});
  }

  void change_body(size_t node, size_t body, const std::string& rule, const std::string& change,
                   const std::function<void(ScalarBody&)>& apply) {
    NumericProgram copy = program_;
    apply(*bodies_of(copy.nodes[node])[body].second);
    keep(rule, change, std::move(copy));
  }

  /// The first entry and the last that can be: the lowest bit the other way, where neither argument nor value is a NaN.
  void mutate_table(size_t node) {
    const Format from = format_of(program_.nodes[static_cast<size_t>(operands_of(program_.nodes[node]).front())]);
    const auto is_nan = [](Format format, Bits bits) { return is_float(format) && classify(format, bits) == Class::NaN; };
    const auto change = [&](std::int64_t entry) {
      NumericProgram copy = program_;
      Tensor& values = std::get<Table>(copy.nodes[node]).values;
      const Bits value = values.get(entry);
      if (is_nan(from, static_cast<Bits>(entry)) || is_nan(values.format(), value) || is_nan(values.format(), value ^ 1))
        return false;
      values.set(entry, value ^ 1);
      keep("table", fmt::format("node {}, entry {}: its lowest bit the other way", node, entry), std::move(copy));
      return true;
    };
    const std::int64_t entries = table_entries(from).value();
    std::int64_t first = 0;
    while (first < entries && !change(first)) ++first;
    for (std::int64_t last = entries - 1; last > first && !change(last);) --last;
  }

  void change_index(size_t node, const std::string& change, const std::function<void(Index&)>& apply) {
    NumericProgram copy = program_;
    apply(std::get<Index>(copy.nodes[node]));
    keep("index", fmt::format("node {}: {}", node, change), std::move(copy));
  }

  void mutate_index(size_t node) {
    const auto& index = std::get<Index>(program_.nodes[node]);
    for (size_t c = 0; c < index.from.size(); ++c) {
      const IndexCoordinate& from = index.from[c];
      const auto change = [&](const std::string& words, const std::function<void(IndexCoordinate&)>& apply) {
        change_index(node, fmt::format("along \"{}\": {}", from.axis, words), [&](Index& i) { apply(i.from[c]); });
      };
      change("one further", [](IndexCoordinate& at) { ++at.offset; });
      change("from the other end", [](IndexCoordinate& at) { at.reversed = !at.reversed; });
      for (size_t t = 0; t < from.terms.size(); ++t) {
        const auto change_term = [&](const std::string& words, const std::function<void(IndexTerm&)>& apply) {
          change(fmt::format("term {} (\"{}\"): {}", t, from.terms[t].axis, words),
                 [&](IndexCoordinate& at) { apply(at.terms[t]); });
        };
        change_term("a longer stride", [](IndexTerm& term) { term.times.factor += term.times.factor < 0 ? -1 : 1; });
        change_term("a larger divisor", [](IndexTerm& term) { ++term.divide.factor; });
        if (from.terms[t].modulo)
          change_term("a larger modulus", [](IndexTerm& term) { ++term.modulo->factor; });
        else
          change_term("its position modulo 2", [](IndexTerm& term) { term.modulo = Multiple{2, {}}; });
        change("without term " + std::to_string(t),
               [t](IndexCoordinate& at) { at.terms.erase(at.terms.begin() + static_cast<std::ptrdiff_t>(t)); });
      }
    }
    if (index.outside) change_index(node, "another value outside", [](Index& i) { i.outside = *i.outside == 0 ? 1 : 0; });
  }

  void mutate_body(size_t node, size_t index, const NamedBody& named) {
    const auto& [body_name, at_body] = named;
    const ScalarBody& body = *at_body;
    const int arguments = argument_count(body);
    for (size_t i = 0; i < body.code.size(); ++i) {
      const Instruction& instruction = body.code[i];
      const std::string at = fmt::format("node {}, {} instruction {} ({} in {})", node, body_name, i, info(instruction.op).name,
                                         name(instruction.format));
      const auto change = [&](const std::string& rule, const std::string& words, const std::function<void(ScalarBody&)>& apply) {
        change_body(node, index, rule, at + ": " + words, apply);
      };
      if (info(instruction.op).rounds && is_float(instruction.format)) {
        change("rounding", "rounded toward zero", [i](ScalarBody& b) { b.code[i].policy.rounding = Rounding::TowardZero; });
        change("flush", "subnormal results flushed", [i](ScalarBody& b) { b.code[i].policy.flush_out = true; });
        const Format through = instruction.format == Format::F64 ? Format::F32 : Format::BF16;
        if (instruction.format != Format::BF16)
          change("extra-rounding", fmt::format("rounded to {} and back", name(through)),
                 [i, through](ScalarBody& b) { b = with_extra_rounding(b, i, through); });
      }
      if (instruction.op == ScalarOp::Add)
        change("operation", "subtract", [i](ScalarBody& b) { b.code[i].op = ScalarOp::Subtract; });
      if (instruction.op == ScalarOp::Multiply) change("operation", "add", [i](ScalarBody& b) { b.code[i].op = ScalarOp::Add; });
      if (instruction.op == ScalarOp::Convert && is_float(instruction.format)) {
        const Format from = body.format_of(instruction.args[0]);
        const int value = arguments + static_cast<int>(i);
        for (size_t j = i + 1; j < body.code.size(); ++j)
          if (body.code[j].op == ScalarOp::Convert && body.code[j].args[0] == value && body.code[j].format == from)
            change("cast", fmt::format("dropped with the convert back in instruction {}", j),
                   [&, j](ScalarBody& b) { replace_uses(b, arguments + static_cast<int>(j), instruction.args[0]); });
      }
    }
  }

  void change_fold(size_t node, const std::string& rule, const std::string& words, const std::function<void(Fold&)>& apply) {
    NumericProgram copy = program_;
    apply(std::get<Fold>(copy.nodes[node]));
    keep(rule, fmt::format("node {}: {}", node, words), std::move(copy));
  }

  void mutate_fold(size_t node) {
    const Fold& fold = std::get<Fold>(program_.nodes[node]);
    std::vector<Order> orders{Order::sequential()};
    if (fold.tail) {
      const Order inner = fold.order.inner.empty() ? Order::sequential() : fold.order.inner[0];
      orders = {Order::tailed(fold.order.width, Order::sequential(), Order::Tail::Apart),
                Order::tailed(2 * fold.order.width, inner, Order::Tail::Apart)};
    } else if (fold.order == Order::sequential())
      orders = {Order::backwards(), Order::interleaved(2), Order::pairwise(1),
                Order::blocked(2, Order::sequential(), Order::sequential())};
    for (const Order& order : orders)
      change_fold(node, "order", fmt::format("{} -> {}", to_text(fold.order), to_text(order)),
                  [&order](Fold& f) { f.order = order; });

    if (fold.tail) mutate_tail(node, fold);
    const std::vector<Format> state = fold.state_formats();
    if (state.size() == 1 && is_float(state[0])) {
      mutate_accumulator(node, fold, state[0]);
      mutate_start(node, fold, state[0]);
      mutate_product(node, fold, state[0]);
    }
  }

  void mutate_tail(size_t node, const Fold& fold) {
    change_fold(node, "tail", "the tail like the head", [](Fold& f) { f.tail.reset(); });
    const std::vector<Format> state = fold.tail->state_formats();
    if (state.size() != 1 || !is_float(state[0])) return;
    for (const Format other : {Format::F64, Format::F32, Format::BF16, Format::F16}) {
      if (other == state[0]) continue;
      change_fold(node, "accumulator", fmt::format("the tail's {} -> {}", name(state[0]), name(other)), [&](Fold& f) {
        TailBodies& tail = *f.tail;
        // Its leaf values keep their format; the state that is made of them is rounded to the other one.
        const auto rounded = [&](ScalarBody body) {
          body.code.push_back({.op = ScalarOp::Convert, .format = other, .args = {body.results[0], -1, -1}});
          body.results[0] = argument_count(body) + static_cast<int>(body.code.size()) - 1;
          return body;
        };
        tail.step = rounded(with_argument_in(tail.step, 0, other));
        if (tail.start.first_leaf)
          tail.start.lift = rounded(tail.start.lift);
        else
          tail.start.values[0] = convert({state[0], tail.start.values[0]}, other);
        tail.finish = with_argument_in(tail.finish, 0, other);
        tail.join = with_argument_in(tail.join, tail.join.arguments.size() - 1, other);
      });
    }
    if (fold.tail->start.first_leaf && has_zero(state[0]))
      change_fold(node, "start", "the tail's first leaf -> +0", [&](Fold& f) {
        f.tail->start = {false, {}, {positive_zero(state[0])}};
      });
    if (!fold.tail->start.first_leaf && fold.tail->leaf.result_formats() == state)
      change_fold(node, "start", "the tail's value -> first leaf", [&](Fold& f) {
        f.tail->start = {true, identity_body(state), {}};
      });
  }

  void mutate_accumulator(size_t node, const Fold& fold, Format state) {
    for (const Format other : {Format::F64, Format::F32, Format::BF16, Format::F16}) {
      if (other == state) continue;
      change_fold(node, "accumulator", fmt::format("{} -> {}", name(state), name(other)), [&](Fold& f) {
        // The leaf's values are computed in the state's format too; operands keep theirs.
        f.leaf = fold.leaf;
        for (Instruction& instruction : f.leaf.code)
          if (instruction.format == state) instruction.format = other;
        for (int& result : f.leaf.results)
          if (result < argument_count(f.leaf)) {
            f.leaf.code.push_back({.op = ScalarOp::Convert, .format = other, .args = {result, -1, -1}});
            result = argument_count(f.leaf) + static_cast<int>(f.leaf.code.size()) - 1;
          }
        for (ScalarBody* body : {&f.step, &f.merge, &f.start.lift}) reformat(*body, state, other);
        if (!f.start.first_leaf) f.start.values[0] = convert({state, f.start.values[0]}, other);
        if (f.tail) f.tail->join = with_argument_in(fold.tail->join, 0, other);
        BodyBuilder finish({other});
        const Format result = fold.finish.result_formats()[0];
        f.finish = finish.finish({finish.convert(0, result)});
      });
    }
  }

  void mutate_start(size_t node, const Fold& fold, Format state) {
    if (fold.start.first_leaf) {
      if (!has_zero(state)) return;
      change_fold(node, "start", "first leaf -> +0", [&](Fold& f) { f.start = {false, {}, {positive_zero(state)}}; });
      return;
    }
    change_fold(node, "start", "value -> first leaf", [&](Fold& f) {
      f.start = {true, {}, {}};
      const std::vector<Format> leaf = f.leaf.result_formats();
      if (leaf.size() == 1) {
        f.start.lift = identity_body(leaf);
      } else {
        BodyBuilder lift(leaf);
        f.start.lift = lift.finish({lift.op(ScalarOp::Multiply, state, {0, 1})});
      }
    });
  }

  void mutate_product(size_t node, const Fold& fold, Format state) {
    const size_t leaves = fold.leaf.results.size();
    if (leaves == 1 && !fold.leaf.code.empty() && fold.leaf.code.back().op == ScalarOp::Multiply &&
        fold.leaf.code.back().format == state && fold.step.code.size() == 1 && fold.step.code[0].op == ScalarOp::Add) {
      change_fold(node, "product", "rounded -> fused", [&](Fold& f) {
        const Instruction product = f.leaf.code.back();
        f.leaf.code.pop_back();
        f.leaf.results = {product.args[0], product.args[1]};
        BodyBuilder step({state, state, state});
        f.step = step.finish({step.op(ScalarOp::Fma, state, {1, 2, 0})});
        if (f.start.first_leaf) {
          BodyBuilder lift({state, state});
          f.start.lift = lift.finish({lift.op(ScalarOp::Multiply, state, {0, 1})});
        }
      });
    }
    if (leaves == 2 && fold.step.code.size() == 1 && fold.step.code[0].op == ScalarOp::Fma) {
      change_fold(node, "product", "fused -> rounded", [&](Fold& f) {
        const auto& args = fold.step.code[0].args;
        BodyBuilder step({state, state, state});
        f.step = step.finish({step.op(ScalarOp::Add, state, {step.op(ScalarOp::Multiply, state, {args[0], args[1]}), args[2]})});
      });
    }
  }

  const NumericProgram& program_;
  std::vector<Mutant> mutants_;
};

}  // namespace

std::vector<Mutant> mutants(const NumericProgram& program) { return Mutator(program).all(); }

}  // namespace bitpact
