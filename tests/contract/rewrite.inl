// The definitions of rewrite.h.
#pragma once

#include <algorithm>

#include "contract/rewrite.h"

namespace bitpact::generate {

using MaybeCase = std::optional<Case>;

// ---- NF1, NF2

inline MaybeCase rename_axes(Random& random, const Case& c) {
  Case made = c;
  std::vector<std::string> fresh{"p", "q", "a1", "a0", "zz", "k", "m"};
  random.shuffle(fresh);
  std::map<std::string, std::string> names;
  const auto rename = [&](Axes& axes) {
    for (std::string& axis : axes) {
      if (!names.contains(axis)) names[axis] = (axis.starts_with('*') ? "*" : "") + fresh.at(names.size());
      axis = names[axis];
    }
  };
  for (Node& node : made.program.nodes) {
    if (auto* index = std::get_if<Index>(&node)) {
      for_each_axis(*index, [&](std::string& axis) {
        Axes one{axis};
        rename(one);
        axis = one[0];
      });
      continue;
    }
    std::visit([&](auto& n) { rename(n.axes); }, node);
    if (auto* fold = std::get_if<Fold>(&node)) rename(fold->over);
  }
  made.extents.clear();
  for (const auto& [axis, name] : names)
    if (c.extents.contains(axis)) made.extents[name] = c.extents.at(axis);
  return made;
}

inline MaybeCase add_dead_node(Random& random, const Case& c) {
  Case made = c;
  const int node = random.below(static_cast<int>(c.program.nodes.size()));
  const Format format = format_of(c.program.nodes[static_cast<size_t>(node)]);
  insert(made.program, node,
         Map{{node}, body(random, {format}, {Format::F32}, 3), axes_of(c.program.nodes[static_cast<size_t>(node)])});
  return made;
}

inline MaybeCase duplicate_node(Random& random, const Case& c) {
  Case made = c;
  const int node = random.below(static_cast<int>(c.program.nodes.size()));
  if (std::holds_alternative<Input>(c.program.nodes[static_cast<size_t>(node)])) return std::nullopt;
  const int copy = insert(made.program, node, c.program.nodes[static_cast<size_t>(node)]);
  for (Node& other : made.program.nodes)
    if (auto* operands = operands_of(other))
      for (int& o : *operands)
        if (o == node && random.chance(50)) o = copy;
  for (int& r : made.program.results)
    if (r == node && random.chance(50)) r = copy;
  return made;
}

inline MaybeCase reorder_inner_axes(Random& random, const Case& c) {
  Case made = c;
  for (size_t n = 0; n < made.program.nodes.size(); ++n) {
    Node& node = made.program.nodes[n];
    if (std::holds_alternative<Input>(node) || std::ranges::count(c.program.results, static_cast<int>(n)) > 0) continue;
    std::visit([&](auto& any) { random.shuffle(any.axes); }, node);
  }
  return made == c ? std::nullopt : MaybeCase(made);
}

// ---- NF3

inline MaybeCase add_dead_instruction(Random& random, const Case& c) {
  Case made = c;
  ScalarBody* b = some_body(random, made.program);
  if (b == nullptr) return std::nullopt;
  const auto position = static_cast<size_t>(random.below(static_cast<int>(b->code.size()) + 1));
  Instruction i;
  const auto defined = static_cast<int>(b->arguments.size() + position);
  if (defined > 0 && random.chance(70)) {
    i.op = ScalarOp::Convert;
    i.format = random.pick(formats());
    i.args[0] = random.below(defined);
  } else {
    i.format = random.pick(formats());
    i.immediate = value(random, i.format);
  }
  insert(*b, position, i);
  return made;
}

inline MaybeCase duplicate_instruction(Random& random, const Case& c) {
  Case made = c;
  ScalarBody* b = some_body(random, made.program);
  if (b == nullptr || b->code.empty()) return std::nullopt;
  const auto position = static_cast<size_t>(random.below(static_cast<int>(b->code.size())));
  const int copied = static_cast<int>(b->arguments.size() + position);
  const int copy = insert(*b, position + 1, b->code[position]);
  for (size_t i = position + 2; i < b->code.size(); ++i)
    for (int& a : b->code[i].args)
      if (a == copied && random.chance(50)) a = copy;
  for (int& r : b->results)
    if (r == copied && random.chance(50)) r = copy;
  return made;
}

/// Instructions that fit a test, anywhere in the program.
inline std::vector<std::pair<ScalarBody*, size_t>> instructions(
    NumericProgram& program, const std::function<bool(const ScalarBody&, const Instruction&)>& test) {
  std::vector<std::pair<ScalarBody*, size_t>> found;
  for (Node& node : program.nodes)
    for (ScalarBody* b : bodies_of(node))
      for (size_t i = 0; i < b->code.size(); ++i)
        if (test(*b, b->code[i])) found.emplace_back(b, i);
  return found;
}

inline MaybeCase swap_commutative(Random& random, const Case& c) {
  Case made = c;
  const auto found = instructions(
      made.program, [](const ScalarBody&, const Instruction& i) { return info(i.op).commutative && i.args[0] != i.args[1]; });
  if (found.empty()) return std::nullopt;
  const auto [b, i] = random.pick(found);
  std::swap(b->code[i].args[0], b->code[i].args[1]);
  return made;
}

inline MaybeCase other_nan(Random& random, const Case& c) {
  Case made = c;
  const auto found = instructions(made.program, [](const ScalarBody&, const Instruction& i) {
    return i.op == ScalarOp::Constant && is_float(i.format) && classify(i.format, i.immediate) == Class::NaN;
  });
  if (found.empty()) return std::nullopt;
  const auto [b, i] = random.pick(found);
  b->code[i].immediate = quiet_nan(b->code[i].format) | 1;
  if (random.chance(50)) b->code[i].immediate = negate({b->code[i].format, b->code[i].immediate});
  return made;
}

inline bool exact_product(const ScalarBody& b, const Instruction& i) {
  // By hand, not by the code under test: operands' formats, wider ones counted as what they were widened from.
  const auto origin = [&b](int v) {
    for (int n = static_cast<int>(b.arguments.size()); v >= n;) {
      const Instruction& from = b.code[static_cast<size_t>(v - n)];
      if (from.op != ScalarOp::Convert || from.policy != Policy{}) break;
      const Format source = b.format_of(from.args[0]);
      if (!(source == Format::F16 && (from.format == Format::F32 || from.format == Format::F64)) &&
          !(source == Format::BF16 && (from.format == Format::F32 || from.format == Format::F64)) &&
          !(source == Format::F32 && from.format == Format::F64))
        break;
      v = from.args[0];
    }
    return b.format_of(v);
  };
  const Format x = origin(i.args[0]), y = origin(i.args[1]);
  const auto narrow = [](Format f) { return f == Format::F16 || f == Format::BF16 || f == Format::F32; };
  return (i.format == Format::F32 && x == Format::F16 && y == Format::F16) || (i.format == Format::F64 && narrow(x) && narrow(y));
}

inline MaybeCase other_idle_policy(Random& random, const Case& c) {
  Case made = c;
  const auto found = instructions(made.program, [](const ScalarBody& b, const Instruction& i) {
    if (i.op == ScalarOp::Multiply) return exact_product(b, i);
    return i.op == ScalarOp::Convert &&
           (b.format_of(i.args[0]) == i.format || (b.format_of(i.args[0]) == Format::F16 && i.format == Format::F32));
  });
  if (found.empty()) return std::nullopt;
  const auto [b, i] = random.pick(found);
  b->code[i].policy.rounding = static_cast<Rounding>(random.below(6));
  return made;
}

// ---- NF4, NF5

inline MaybeCase insert_conversion(Random& random, const Case& c, bool round_trip) {
  Case made = c;
  ScalarBody* b = some_body(random, made.program);
  if (b == nullptr || b->arguments.size() + b->code.size() == 0) return std::nullopt;
  const int v = random.below(static_cast<int>(b->arguments.size() + b->code.size()));
  const Format format = b->format_of(v);
  Format wide = format;
  if (round_trip) {
    if (format == Format::F16 || format == Format::BF16) wide = random.chance(50) ? Format::F32 : Format::F64;
    if (format == Format::F32 || format == Format::I32) wide = Format::F64;
    if (format == Format::I8 || format == Format::UI8)
      wide = random.pick(std::vector{Format::I32, Format::F16, Format::BF16, Format::F32});
    if (wide == format) return std::nullopt;
  }
  const auto position = static_cast<size_t>(std::max(0, v + 1 - static_cast<int>(b->arguments.size())));
  Instruction convert;
  convert.op = ScalarOp::Convert;
  convert.format = wide;
  convert.args[0] = v;
  convert.policy.rounding = static_cast<Rounding>(random.below(6));
  int last = insert(*b, position, convert);
  size_t next = position + 1;
  if (round_trip) {
    convert.format = format;
    convert.args[0] = last;
    convert.policy.rounding = static_cast<Rounding>(random.below(6));
    last = insert(*b, next++, convert);
  }
  for (size_t i = next; i < b->code.size(); ++i)
    for (int& a : b->code[i].args)
      if (a == v) a = last;
  for (int& r : b->results)
    if (r == v) r = last;
  return made;
}

inline MaybeCase fuse_exact_product(Random& random, const Case& c) {
  Case made = c;
  const auto product = [](const ScalarBody& b, int v) -> const Instruction* {
    const int n = static_cast<int>(b.arguments.size());
    if (v < n) return nullptr;
    const Instruction& i = b.code[static_cast<size_t>(v - n)];
    return i.op == ScalarOp::Multiply && i.policy == Policy{} && exact_product(b, i) ? &i : nullptr;
  };
  const auto found = instructions(made.program, [&](const ScalarBody& b, const Instruction& i) {
    const bool flushes = i.policy.flush_in || i.policy.flush_out;
    if (i.op == ScalarOp::Fma) return !flushes && exact_product(b, i);
    if (i.op != ScalarOp::Add || flushes) return false;
    const Instruction* p = product(b, i.args[0]);
    return p != nullptr && p->format == i.format;
  });
  if (found.empty()) return std::nullopt;
  const auto [b, i] = random.pick(found);
  Instruction& code = b->code[i];
  if (code.op == ScalarOp::Add) {
    const Instruction p = *product(*b, code.args[0]);
    code.op = ScalarOp::Fma;
    code.args = {p.args[0], p.args[1], code.args[1]};
  } else {
    Instruction p;
    p.op = ScalarOp::Multiply;
    p.format = code.format;
    p.args = {code.args[0], code.args[1], -1};
    const int value = insert(*b, i, p);
    Instruction& sum = b->code[i + 1];
    sum.op = ScalarOp::Add;
    sum.args = {value, sum.args[2], -1};
  }
  return made;
}

// ---- NF6

inline bool respell(Random& random, Order& order, bool leaves) {
  if (!order.outer.empty() && random.chance(40)) return respell(random, order.outer[0], false);
  if (!order.inner.empty() && random.chance(40)) return respell(random, order.inner[0], leaves);
  using Kind = Order::Kind;
  if (order == Order::sequential() && random.chance(60)) {
    order = random.chance(50) ? Order::interleaved(1) : Order::interleaved(1, Order::pairwise(2));
    return true;
  }
  if (!leaves && order.kind != Kind::Tree && random.chance(60)) {
    Order blocked = Order::blocked(1, Order::pairwise(1), order);
    order = blocked;
    return true;
  }
  if (order.outer.empty() && (order.kind == Kind::Interleaved || order.kind == Kind::Blocked)) {
    order.outer.push_back(Order::sequential());
    return true;
  }
  if (order.inner.empty() && (order.kind == Kind::Pairwise || order.kind == Kind::Blocked)) {
    order.inner.push_back(order.width == 1 ? Order::blocked(3) : Order::sequential());
    return true;
  }
  return false;
}

inline Fold* some_fold(Random& random, NumericProgram& program) {
  const auto folds = nodes_of_kind<Fold>(program);
  return folds.empty() ? nullptr : &std::get<Fold>(program.nodes[static_cast<size_t>(random.pick(folds))]);
}

inline MaybeCase respell_order(Random& random, const Case& c) {
  Case made = c;
  Fold* fold = some_fold(random, made.program);
  if (fold == nullptr || fold->emit == Emit::Prefixes) return std::nullopt;
  if (fold->merge == ScalarBody{}) {  // only where a merge is there may an order be spelled that could need it
    if (fold->order.kind != Order::Kind::Sequential) return std::nullopt;
    std::vector<Format> twice = fold->state_formats();
    const auto state = twice;
    twice.insert(twice.end(), state.begin(), state.end());
    fold->merge = body(random, twice, state, 2);
    return made;
  }
  if (fold->tail)  // the order stays tailed; its rows may be spelled otherwise
    return !fold->order.inner.empty() && respell(random, fold->order.inner[0], true) ? MaybeCase(made) : std::nullopt;
  return respell(random, fold->order, true) ? MaybeCase(made) : std::nullopt;
}

// ---- NF7

inline MaybeCase respell_start(Random& random, const Case& c) {
  Case made = c;
  Fold* fold = some_fold(random, made.program);
  if (fold == nullptr) return std::nullopt;
  if (!fold->start.first_leaf) {  // with values: the first leaf, lifted by the step from the values
    ScalarBody lift;
    lift.arguments = fold->leaf.result_formats();
    std::vector<int> arguments;
    for (size_t s = 0; s < fold->start.values.size(); ++s) {
      Instruction constant;
      constant.format = fold->state_formats()[s];
      constant.immediate = fold->start.values[s];
      lift.code.push_back(constant);
      arguments.push_back(static_cast<int>(lift.arguments.size() + s));
    }
    for (size_t a = 0; a < lift.arguments.size(); ++a) arguments.push_back(static_cast<int>(a));
    lift.results = append(lift, fold->step, arguments);
    fold->start = {true, lift, {}};
    return made;
  }
  // A plain sum from its first leaf starts from -0 as well, and so does an FMA chain whose first product is rounded alike.
  if (fold->step.code.size() != 1 || fold->state_formats().size() != 1) return std::nullopt;
  const Instruction& step = fold->step.code[0];
  const Policy& p = step.policy;
  if (p.rounding == Rounding::Down || p.flush_in || p.flush_out) return std::nullopt;
  const ScalarBody& lift = fold->start.lift;
  const bool sum = step.op == ScalarOp::Add && step.args[0] == 0 && step.args[1] == 1 && lift == identity_body({step.format}) &&
                   p.overflow == Overflow::Ieee;
  const bool fma = step.op == ScalarOp::Fma && step.args == std::array{1, 2, 0} && lift.code.size() == 1 &&
                   lift.code[0].op == ScalarOp::Multiply && lift.code[0].args[0] == 0 && lift.code[0].args[1] == 1 &&
                   lift.code[0].policy == p && lift.results == std::vector{2};
  if ((!sum && !fma) || fold->step.results[0] != static_cast<int>(fold->step.arguments.size())) return std::nullopt;
  fold->start = {false, {}, {negative_zero(step.format)}};
  return made;
}

// ---- NF10

inline MaybeCase tail_like_head(Random& random, const Case& c) {
  Case made = c;
  Fold* fold = some_fold(random, made.program);
  if (fold == nullptr || fold->tail || fold->order.kind != Order::Kind::Tailed || fold->order.tail != Order::Tail::Apart ||
      fold->merge == ScalarBody{})
    return std::nullopt;
  ScalarBody join = fold->merge;
  join.results = append(join, fold->finish, fold->merge.results);
  fold->tail = TailBodies{fold->leaf, fold->step, fold->start, join, fold->finish};
  return made;
}

inline MaybeCase leaf_into_step(Random& random, const Case& c) {
  Case made = c;
  Fold* fold = some_fold(random, made.program);
  if (fold == nullptr) return std::nullopt;
  const auto moved = [&](const ScalarBody& into, size_t states) {
    ScalarBody b;
    b.arguments.assign(into.arguments.begin(), into.arguments.begin() + static_cast<std::ptrdiff_t>(states));
    b.arguments.insert(b.arguments.end(), fold->leaf.arguments.begin(), fold->leaf.arguments.end());
    std::vector<int> leaf_arguments, arguments;
    for (size_t a = 0; a < fold->leaf.arguments.size(); ++a) leaf_arguments.push_back(static_cast<int>(states + a));
    const std::vector<int> leaf = append(b, fold->leaf, leaf_arguments);
    for (size_t s = 0; s < states; ++s) arguments.push_back(static_cast<int>(s));
    arguments.insert(arguments.end(), leaf.begin(), leaf.end());
    b.results = append(b, into, arguments);
    return b;
  };
  const size_t states = fold->state_formats().size();
  const ScalarBody step = moved(fold->step, states);
  if (fold->start.first_leaf) fold->start.lift = moved(fold->start.lift, 0);
  fold->step = step;
  fold->leaf = identity_body(fold->leaf.arguments);
  return made;
}

// ---- NF8, NF9

inline MaybeCase finish_into_map(Random& random, const Case& c) {
  Case made = c;
  const auto folds = nodes_of_kind<Fold>(made.program);
  if (folds.empty()) return std::nullopt;
  const int n = random.pick(folds);
  auto& fold = std::get<Fold>(made.program.nodes[static_cast<size_t>(n)]);
  if (fold.state_formats().size() != 1 || fold.tail) return std::nullopt;
  Map map{{n}, fold.finish, fold.axes};
  fold.finish = identity_body(fold.state_formats());
  const int m = insert(made.program, n, map);
  for (size_t other = 0; other < made.program.nodes.size(); ++other)
    if (auto* operands = operands_of(made.program.nodes[other]); operands != nullptr && static_cast<int>(other) != m)
      std::ranges::replace(*operands, n, m);
  std::ranges::replace(made.program.results, n, m);
  return made;
}

inline MaybeCase map_into_finish(Random&, const Case& c) {
  Case made = c;
  for (Node& node : made.program.nodes) {
    auto* map = std::get_if<Map>(&node);
    if (map == nullptr || map->operands.size() != 1) continue;
    const auto* fold = std::get_if<Fold>(&c.program.nodes[static_cast<size_t>(map->operands[0])]);
    if (fold == nullptr || !std::ranges::is_permutation(fold->axes, map->axes) || fold->emit == Emit::Prefixes) continue;
    if (fold->state_formats().size() != 1 || fold->tail) continue;
    Fold copy = *fold;
    copy.axes = map->axes;
    copy.finish.results = append(copy.finish, map->body, copy.finish.results);
    node = copy;
    return made;
  }
  return std::nullopt;
}

inline MaybeCase split_map(Random& random, const Case& c) {
  Case made = c;
  const auto maps = nodes_of_kind<Map>(made.program);
  if (maps.empty()) return std::nullopt;
  const int n = random.pick(maps);
  Map first = std::get<Map>(made.program.nodes[static_cast<size_t>(n)]);
  if (first.body.code.empty() || first.body.arguments.empty()) return std::nullopt;
  const auto cut = static_cast<size_t>(random.below(static_cast<int>(first.body.code.size())));
  // The first map gives the value of instruction `cut`, the second one takes it in place of that instruction.
  Map second = first;
  const int value = static_cast<int>(first.body.arguments.size() + cut);
  first.body.results = {value};
  second.operands.push_back(n);
  second.body.arguments.push_back(first.body.code[cut].format);
  const int argument = static_cast<int>(second.body.arguments.size()) - 1;
  const auto renumber = [&](int& v) {
    if (v == value)
      v = argument;
    else if (v >= argument)
      ++v;
  };
  for (Instruction& i : second.body.code)
    for (int& a : i.args) renumber(a);
  for (int& r : second.body.results) renumber(r);
  made.program.nodes[static_cast<size_t>(n)] = first;
  insert(made.program, n, second);
  for (size_t other = static_cast<size_t>(n) + 2; other < made.program.nodes.size(); ++other)
    if (auto* operands = operands_of(made.program.nodes[other])) std::ranges::replace(*operands, n, n + 1);
  std::ranges::replace(made.program.results, n, n + 1);
  return made;
}

inline MaybeCase map_into_leaf(Random& random, const Case& c) {
  Case made = c;
  for (Node& node : made.program.nodes) {
    auto* fold = std::get_if<Fold>(&node);
    if (fold == nullptr || fold->operands.empty()) continue;
    const auto o = static_cast<size_t>(random.below(static_cast<int>(fold->operands.size())));
    const auto* map = std::get_if<Map>(&c.program.nodes[static_cast<size_t>(fold->operands[o])]);
    if (map == nullptr) continue;
    std::vector<int> operands, own, maps;
    std::vector<Format> formats;
    for (size_t a = 0; a < fold->operands.size(); ++a) {
      own.push_back(static_cast<int>(operands.size()));
      if (a == o) continue;
      operands.push_back(fold->operands[a]);
      formats.push_back(fold->leaf.arguments[a]);
    }
    for (size_t a = 0; a < map->operands.size(); ++a) {
      maps.push_back(static_cast<int>(operands.size()));
      operands.push_back(map->operands[a]);
      formats.push_back(map->body.arguments[a]);
    }
    const auto with_map = [&](const ScalarBody& body) {
      ScalarBody leaf;
      leaf.arguments = formats;
      std::vector<int> values = own;
      values[o] = append(leaf, map->body, maps)[0];
      leaf.results = append(leaf, body, values);
      return leaf;
    };
    fold->leaf = with_map(fold->leaf);
    if (fold->tail) fold->tail->leaf = with_map(fold->tail->leaf);
    fold->operands = operands;
    return made;
  }
  return std::nullopt;
}

inline MaybeCase identity_map(Random& random, const Case& c) {
  Case made = c;
  const int n = random.below(static_cast<int>(c.program.nodes.size()));
  const Node& node = c.program.nodes[static_cast<size_t>(n)];
  const int m = insert(made.program, n, Map{{n}, identity_body({format_of(node)}), axes_of(node)});
  for (size_t other = static_cast<size_t>(m) + 1; other < made.program.nodes.size(); ++other)
    if (auto* operands = operands_of(made.program.nodes[other])) std::ranges::replace(*operands, n, m);
  std::ranges::replace(made.program.results, n, m);
  return made;
}

inline MaybeCase unused_operand(Random& random, const Case& c) {
  Case made = c;
  const auto maps = nodes_of_kind<Map>(made.program);
  if (maps.empty()) return std::nullopt;
  const int n = random.pick(maps);
  auto& map = std::get<Map>(made.program.nodes[static_cast<size_t>(n)]);
  const int operand = random.below(n);
  const Node& extra = made.program.nodes[static_cast<size_t>(operand)];
  for (const std::string& axis : axes_of(extra))
    if (std::ranges::find(map.axes, axis) == map.axes.end()) return std::nullopt;
  map.operands.push_back(operand);
  const int first = static_cast<int>(map.body.arguments.size());
  map.body.arguments.push_back(format_of(extra));
  const auto shift = [first](int& v) {
    if (v >= first) ++v;
  };
  for (Instruction& i : map.body.code)
    for (int& a : i.args) shift(a);
  for (int& r : map.body.results) shift(r);
  return made;
}

inline MaybeCase reorder_operands(Random& random, const Case& c) {
  Case made = c;
  const auto maps = nodes_of_kind<Map>(made.program);
  if (maps.empty()) return std::nullopt;
  auto& map = std::get<Map>(made.program.nodes[static_cast<size_t>(random.pick(maps))]);
  std::vector<int> place;
  for (size_t o = 0; o < map.operands.size(); ++o) place.push_back(static_cast<int>(o));
  random.shuffle(place);
  const Map old = map;
  for (size_t o = 0; o < place.size(); ++o) {
    map.operands[static_cast<size_t>(place[o])] = old.operands[o];
    map.body.arguments[static_cast<size_t>(place[o])] = old.body.arguments[o];
  }
  const auto renumber = [&](int& v) {
    if (v >= 0 && v < static_cast<int>(place.size())) v = place[static_cast<size_t>(v)];
  };
  for (Instruction& i : map.body.code)
    for (int& a : i.args) renumber(a);
  for (int& r : map.body.results) renumber(r);
  return map == old ? std::nullopt : MaybeCase(made);
}

inline const std::vector<NamedRewrite>& all_rewrites() {
  static const std::vector<NamedRewrite> all{
      {"NF1 rename axes", rename_axes},
      {"NF2 add a dead node", add_dead_node},
      {"NF2 duplicate a node", duplicate_node},
      {"NF2 reorder the axes of inner nodes", reorder_inner_axes},
      {"NF3 add a dead instruction", add_dead_instruction},
      {"NF3 duplicate an instruction", duplicate_instruction},
      {"NF3 swap commutative operands", swap_commutative},
      {"NF3 another NaN", other_nan},
      {"NF3 another idle policy", other_idle_policy},
      {"NF4 convert to itself", [](Random& r, const Case& c) { return insert_conversion(r, c, false); }},
      {"NF4 widen and narrow", [](Random& r, const Case& c) { return insert_conversion(r, c, true); }},
      {"NF5 fuse or split an exact product", fuse_exact_product},
      {"NF6 spell an order otherwise", respell_order},
      {"NF7 spell a start otherwise", respell_start},
      {"NF7 move the leaf into the step", leaf_into_step},
      {"NF10 give a tail the head's bodies", tail_like_head},
      {"NF8 move the finish into a map", finish_into_map},
      {"NF8 move a map into the finish", map_into_finish},
      {"NF8 split a map", split_map},
      {"NF8 move a map into the leaf", map_into_leaf},
      {"NF3 add an unused operand", unused_operand},
      {"NF3 reorder operands", reorder_operands},
      {"NF9 insert an identity map", identity_map},
  };
  return all;
}

}  // namespace bitpact::generate
