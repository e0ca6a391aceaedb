// Random bodies, folds and whole programs over all operations, formats and policies, with operands of every class.
#pragma once

#include <algorithm>
#include <random>

#include "contract/index.h"

namespace bitpact::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n)); }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool one_in(std::int64_t n) { return below(n) == 0; }
  template <class C>
  auto& pick(C& from) {
    return from[static_cast<size_t>(below(static_cast<std::int64_t>(from.size())))];
  }
  template <class C>
  void shuffle(C& c) {
    for (size_t i = c.size(); i > 1; --i) std::swap(c[i - 1], c[static_cast<size_t>(below(static_cast<std::int64_t>(i)))]);
  }

 private:
  std::mt19937_64 engine_;
};

inline Bits mask_of(Format format) {
  const int bits = info(format).bits;
  return bits == 64 ? ~Bits{0} : (Bits{1} << bits) - 1;
}

/// Boundaries more often than not.
inline Bits random_bits(Random& random, Format format) {
  if (!is_float(format)) {
    switch (random.below(4)) {
      case 0:
        return random.bits() & mask_of(format);
      case 1:
        return (Bits{0} - static_cast<Bits>(random.below(4))) & mask_of(format);
      case 2:
        return (mask_of(format) >> random.below(3)) & mask_of(format);
      default:
        return static_cast<Bits>(random.below(70)) & mask_of(format);
    }
  }
  if (info(format).bits <= 8) return random.bits() & mask_of(format);
  const bool negative = random.one_in(2);
  switch (random.below(12)) {
    case 0:
      return negative ? negative_zero(format) : positive_zero(format);
    case 1:
      return infinity(format, negative);
    case 2:
      return infinity(format, negative) | (1 + random.bits() % (smallest_normal(format) - 1));  // any NaN
    case 3:
      return largest_finite(format, negative) - static_cast<Bits>(random.below(3));
    case 4:
      return smallest_normal(format, negative) + static_cast<Bits>(random.below(3)) - 1;
    case 5:
      return smallest_subnormal(format, negative) + static_cast<Bits>(random.below(3));
    case 6:
      return random.bits() & mask_of(format);
    default:  // around one
      return (one(format) | (negative ? negative_zero(format) : 0)) ^ (random.bits() & (smallest_normal(format) * 4 - 1));
  }
}

inline Format random_format(Random& random) { return random.pick(all_formats()).format; }
inline Format random_float(Random& random) {
  constexpr std::array<Format, 4> kFloats{Format::F64, Format::F32, Format::BF16, Format::F16};
  constexpr std::array<Format, 6> kOthers{Format::TF32,       Format::F8E5M2,     Format::F8E4M3FN,
                                          Format::F8E5M2FNUZ, Format::F8E4M3FNUZ, Format::F4E2M1FN};
  return random.one_in(5) ? random.pick(kOthers) : random.pick(kFloats);
}

inline Policy random_policy(Random& random) {
  Policy policy;
  if (!random.one_in(3)) return policy;
  policy.rounding = static_cast<Rounding>(random.below(6));
  policy.overflow = static_cast<Overflow>(random.below(2));
  policy.flush_in = random.one_in(3);
  policy.flush_out = random.one_in(3);
  return policy;
}

/// Grows a body value by value.
class RandomBody {
 public:
  RandomBody(Random& random, std::vector<Format> arguments) : random_(random), count_(static_cast<int>(arguments.size())) {
    body_.arguments = std::move(arguments);
  }

  ScalarBody finish(const std::vector<Format>& results, std::int64_t instructions) {
    for (std::int64_t i = 0; i < instructions; ++i) grow();
    for (Format format : results) body_.results.push_back(value_of(format));
    return body_;
  }

 private:
  int push(Instruction i) {
    body_.code.push_back(i);
    return count_++;
  }

  int constant(Format format) {
    Instruction i;
    i.op = ScalarOp::Constant;
    i.format = format;
    i.immediate = random_bits(random_, format);
    return push(i);
  }

  int value_of(Format format) {
    std::vector<int> have;
    for (int v = 0; v < count_; ++v)
      if (body_.format_of(v) == format) have.push_back(v);
    if (!have.empty() && !random_.one_in(6)) return random_.pick(have);
    if (count_ == 0 || random_.one_in(8)) return constant(format);
    Instruction i;
    i.op = ScalarOp::Convert;
    i.format = format;
    i.policy = random_policy(random_);
    i.args[0] = static_cast<int>(random_.below(count_));
    return push(i);
  }

  void grow() {
    Instruction i;
    do i.op = random_.pick(all_scalar_ops()).op;
    while (i.op == ScalarOp::Constant);
    const Format any = body_.arguments.empty() || random_.one_in(4) ? random_format(random_) : random_.pick(body_.arguments);
    Format f = any;
    const bool boolean = any == Format::I1;
    std::vector<Format> in;
    switch (i.op) {
      case ScalarOp::Divide:
      case ScalarOp::Sqrt:
      case ScalarOp::Fma:
        if (!is_float(f)) f = random_float(random_);
        break;
      case ScalarOp::And:
      case ScalarOp::Or:
      case ScalarOp::Xor:
        if (is_float(f)) f = random_.one_in(2) ? Format::UI32 : Format::I16;
        break;
      case ScalarOp::ShiftLeft:
      case ScalarOp::ShiftRightLogical:
      case ScalarOp::ShiftRightArithmetic:
        if (is_float(f) || boolean) f = random_.one_in(2) ? Format::UI8 : Format::I64;
        break;
      case ScalarOp::Maximum:
      case ScalarOp::Minimum:
      case ScalarOp::Compare:
      case ScalarOp::Select:
      case ScalarOp::Convert:
      case ScalarOp::Bitcast:
        break;
      default:
        if (boolean || (i.op == ScalarOp::Negate && f == Format::F8E8M0FNU)) f = random_float(random_);
    }
    for (int a = 0; a < info(i.op).operands; ++a) in.push_back(f);
    i.format = f;
    if (info(i.op).rounds) {
      i.policy = random_policy(random_);
      if (is_float(f) && i.op != ScalarOp::Convert && random_.one_in(3))
        for (Format& format : in) format = random_float(random_);
      if (i.op == ScalarOp::Convert) in[0] = random_format(random_);
      if (i.op == ScalarOp::Convert && is_float(in[0]) && !is_float(f) && !boolean && random_.one_in(4))
        i.policy.overflow = Overflow::Indefinite;
    }
    if (i.op == ScalarOp::Compare) {
      i.format = Format::I1;
      i.comparison = static_cast<Comparison>(random_.below(6));
    }
    if (i.op == ScalarOp::Select) in[0] = Format::I1;
    if ((i.op == ScalarOp::Maximum || i.op == ScalarOp::Minimum) && is_float(f) && random_.one_in(2)) i.nan = NanRule::Number;
    if (i.op == ScalarOp::Bitcast) {
      std::vector<Format> same;
      for (const FormatInfo& other : all_formats())
        if (other.bits == info(f).bits) same.push_back(other.format);
      i.format = random_.pick(same);
    }
    for (size_t a = 0; a < in.size(); ++a) i.args[a] = value_of(in[a]);
    push(i);
  }

  Random& random_;
  ScalarBody body_;
  int count_;
};

inline ScalarBody random_body(Random& random, std::vector<Format> arguments, const std::vector<Format>& results,
                              std::int64_t instructions) {
  return RandomBody(random, std::move(arguments)).finish(results, instructions);
}

inline std::vector<std::pair<std::int64_t, std::int64_t>> random_merges(Random& random, std::int64_t items) {
  std::vector<std::int64_t> loose;
  for (std::int64_t i = 0; i < items; ++i) loose.push_back(i);
  std::vector<std::pair<std::int64_t, std::int64_t>> merges;
  while (loose.size() > 1) {
    random.shuffle(loose);
    const std::int64_t a = loose.back();
    loose.pop_back();
    const std::int64_t b = loose.back();
    loose.back() = items + static_cast<std::int64_t>(merges.size());
    merges.emplace_back(a, b);
  }
  return merges;
}

/// An order for n items. Trees appear only where the number of items is known.
inline Order random_order(Random& random, std::int64_t n, int depth = 0, bool leaves = true) {
  if (!leaves && random.one_in(6)) return Order::from_start();
  const auto width = random.between(1, std::max<std::int64_t>(2, n / 2 + 1));
  auto sub = [&](std::int64_t items) { return random_order(random, items, depth + 1, leaves); };
  auto join = [&](std::int64_t items) { return random_order(random, items, depth + 1, false); };
  switch (depth > 3 ? random.below(2) : random.below(9)) {
    case 0:
      return Order::sequential();
    case 1:
      return Order::backwards();
    case 2:
      return random.one_in(2) ? Order::interleaved(width) : Order::interleaved(width, join(std::min(width, n)));
    case 3:
      return Order::blocked(width);
    case 4: {
      // Blocks differ in length, so that no tree fits all of them unless they are all of one.
      const std::int64_t blocks = (n - 1) / width + 1;
      Order inner = blocks == 1 || n % width == 0 ? sub(blocks == 1 ? n : width) : Order::pairwise(1);
      return Order::blocked(width, std::move(inner), join(blocks));
    }
    case 5: {
      const std::int64_t multiple = random.between(1, width);
      return random.one_in(2) ? Order::pairwise(width, multiple)
                              : Order::pairwise(width, multiple, random.one_in(2) ? Order::interleaved(3) : Order::backwards());
    }
    case 6:
      return Order::tailed(width, n >= width ? sub(n - n % width) : Order::backwards(),
                           static_cast<Order::Tail>(random.below(3)));
    case 7:
      return Order::blocked(width, Order::interleaved(2), Order::pairwise(1), static_cast<Order::Ends>(random.below(4)));
    default:
      return Order::tree(random_merges(random, n), random.one_in(2));
  }
}

/// Strides, windows, digits of a position; what is outside has a value unless all is inside.
inline Index random_index(Random& random, const BoundProgram& bound, int operand, const Axes& axes) {
  const Node& from = bound.program.nodes[static_cast<size_t>(operand)];
  Index index{{operand}, format_of(from), {}, axes};
  const auto multiple = [&] {
    Multiple made{random.between(1, 4), {}};
    if (random.one_in(6) && !axes.empty()) made.extents.push_back(random.pick(axes));
    return made;
  };
  for (const std::string& axis : axes_of(from)) {
    if (random.one_in(3) && std::ranges::find(axes, axis) != axes.end()) continue;
    IndexCoordinate coordinate{axis, random.one_in(3) ? random.between(-3, 3) : 0, random.one_in(4)};
    for (auto terms = random.between(0, 2); terms > 0 && !axes.empty(); --terms) {
      IndexTerm term{random.pick(axes)};
      if (random.one_in(3)) term.times = multiple();
      if (random.one_in(5)) term.times.factor = -term.times.factor;
      if (random.one_in(4)) term.divide = multiple();
      if (random.one_in(4)) term.modulo = multiple();
      coordinate.terms.push_back(term);
    }
    index.from.push_back(coordinate);
  }
  index.outside = with_quiet_nan(index.format, random_bits(random, index.format));
  BoundProgram alone = bound;
  alone.program.nodes.emplace_back(index);
  const auto plain = plain_coordinates(alone, static_cast<int>(alone.program.nodes.size()) - 1);
  if (std::ranges::all_of(plain, &PlainCoordinate::inside)) index.outside.reset();
  return index;
}

/// One input and a few rearrangements, one of the other.
inline BoundProgram random_moves(Random& random, Format format) {
  BoundProgram bound{{{Input{"x", format, {"i", "j"}}}, {}}, {}};
  for (const char* axis : {"i", "j", "k"}) bound.extents[axis] = random.between(1, 9);
  for (auto n = random.between(1, 2); n > 0; --n) {
    Axes axes;
    for (const char* axis : {"i", "j", "k"})
      if (!random.one_in(4)) axes.emplace_back(axis);
    random.shuffle(axes);
    Index index = random_index(random, bound, static_cast<int>(bound.program.nodes.size()) - 1, axes);
    bound.program.nodes.emplace_back(std::move(index));
  }
  bound.program.results = {static_cast<int>(bound.program.nodes.size()) - 1};
  return bound;
}

/// A bound program with its operands.
struct Case {
  BoundProgram bound;
  std::vector<Tensor> inputs;
};

class RandomCase {
 public:
  explicit RandomCase(std::uint64_t seed) : random_(seed) {}

  Case make() {
    const bool wide = random_.one_in(4);
    for (const char* axis : {"i", "j", "k"}) made_.bound.extents[axis] = random_.between(1, 5);
    if (wide) made_.bound.extents["j"] = random_.between(30, 75);
    const std::int64_t inputs = random_.between(1, 3);
    for (std::int64_t i = 0; i < inputs; ++i) add_input("x" + std::to_string(i));
    const std::int64_t nodes = random_.between(1, 3);
    for (std::int64_t n = 0; n < nodes; ++n) {
      if (random_.one_in(6) && table_entries(format_of(made_.bound.program.nodes.back()))) {
        add_table();
      } else if (random_.one_in(5)) {
        add_index();
      } else if (random_.one_in(2)) {
        add_map();
      } else {
        add_fold();
      }
    }
    auto& program = made_.bound.program;
    const auto last = static_cast<int>(program.nodes.size()) - 1;
    program.results.push_back(last);
    if (random_.one_in(3)) program.results.push_back(static_cast<int>(random_.below(last + 1)));
    return std::move(made_);
  }

 private:
  Format some_format() { return random_.one_in(3) ? random_format(random_) : random_float(random_); }

  void add_input(std::string name) {
    Axes axes;
    for (const char* axis : {"i", "j", "k"})
      if (!random_.one_in(3)) axes.push_back(axis);
    random_.shuffle(axes);
    made_.bound.program.nodes.push_back(Input{std::move(name), some_format(), axes});
    const auto n = static_cast<int>(made_.bound.program.nodes.size()) - 1;
    Tensor tensor(format_of(made_.bound.program.nodes.back()), made_.bound.shape_of(n));
    for (std::int64_t e = 0; e < tensor.size(); ++e) tensor.set(e, random_bits(random_, tensor.format()));
    made_.inputs.push_back(tensor);
  }

  std::vector<int> some_operands() {
    std::vector<int> operands;
    const auto nodes = static_cast<std::int64_t>(made_.bound.program.nodes.size());
    operands.push_back(static_cast<int>(nodes) - 1);
    while (random_.one_in(2) && operands.size() < 3) operands.push_back(static_cast<int>(random_.below(nodes)));
    return operands;
  }
  std::vector<Format> formats_of(const std::vector<int>& operands) {
    std::vector<Format> formats;
    for (int o : operands) formats.push_back(format_of(made_.bound.program.nodes[static_cast<size_t>(o)]));
    return formats;
  }
  Axes union_of(const std::vector<int>& operands) {
    Axes axes;
    for (int o : operands)
      for (const std::string& axis : axes_of(made_.bound.program.nodes[static_cast<size_t>(o)]))
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
    for (const char* axis : {"i", "j", "k"})
      if (random_.one_in(5) && std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
    random_.shuffle(axes);
    return axes;
  }

  void add_map() {
    Map map;
    map.operands = some_operands();
    map.axes = union_of(map.operands);
    map.body = random_body(random_, formats_of(map.operands), {some_format()}, random_.between(0, 5));
    made_.bound.program.nodes.emplace_back(map);
  }

  /// Of the last node: any values, NaNs as the rules have them.
  void add_table() {
    const auto& nodes = made_.bound.program.nodes;
    const Format from = format_of(nodes.back()), to = some_format();
    Table table{{static_cast<int>(nodes.size()) - 1}, Tensor(to, {table_entries(from).value()}), axes_of(nodes.back())};
    random_.shuffle(table.axes);
    for (std::int64_t i = 0; i < table.values.size(); ++i) table.values.set(i, with_quiet_nan(to, random_bits(random_, to)));
    for (std::int64_t i = 0; i < table.values.size(); ++i)
      table.values.set(i, table.values.get(static_cast<std::int64_t>(with_quiet_nan(from, static_cast<Bits>(i)))));
    made_.bound.program.nodes.emplace_back(table);
  }

  /// Of some node.
  void add_index() {
    auto& nodes = made_.bound.program.nodes;
    const auto operand = static_cast<int>(random_.below(static_cast<std::int64_t>(nodes.size())));
    const Axes axes = union_of({operand});
    nodes.emplace_back(random_index(random_, made_.bound, operand, axes));
  }

  void add_fold() {
    Fold fold;
    fold.operands = some_operands();
    fold.axes = union_of(fold.operands);
    const bool prefixes = random_.one_in(4) && !fold.axes.empty();
    if (prefixes) {
      fold.emit = Emit::Prefixes;
      fold.over.push_back(random_.pick(fold.axes));
    } else {
      const auto over = random_.below(static_cast<std::int64_t>(fold.axes.size()) + 1);
      fold.over.assign(fold.axes.begin(), fold.axes.begin() + over);
      fold.axes.erase(fold.axes.begin(), fold.axes.begin() + over);
    }
    std::int64_t leaves = 1;
    for (const std::string& axis : fold.over) leaves *= made_.bound.extents[axis];
    fold.order = prefixes ? (random_.one_in(2) ? Order::sequential() : Order::backwards()) : random_order(random_, leaves);
    if (!prefixes && random_.one_in(5)) {
      fold.order = Order::tailed(random_.between(1, 5), random_.one_in(2) ? Order::sequential() : Order::interleaved(2),
                                 Order::Tail::Apart);
      add_bodies(fold);
      add_tail(fold);
    } else {
      add_bodies(fold);
    }
    if (enters(fold.order)) fold.enter = random_body(random_, fold.state_formats(), fold.state_formats(), random_.between(0, 2));
    made_.bound.program.nodes.emplace_back(fold);
  }

  void add_bodies(Fold& fold) {
    const std::vector<Format> operands = formats_of(fold.operands);
    if (random_.one_in(3)) return add_dot(fold, operands);
    std::vector<Format> leaf, state;
    for (auto n = random_.between(1, 2); n > 0; --n) leaf.push_back(some_format());
    for (auto n = random_.between(1, 2); n > 0; --n) state.push_back(some_format());
    fold.leaf = random_body(random_, operands, leaf, random_.between(0, 2));
    fold.step = random_body(random_, joined(state, leaf), state, random_.between(0, 3));
    fold.merge = random_body(random_, joined(state, state), state, random_.between(0, 3));
    fold.finish = random_body(random_, state, {some_format()}, random_.between(0, 1));
    add_start(fold.start, leaf, state);
  }

  /// A tail with bodies of its own.
  void add_tail(Fold& fold) {
    Fold own;
    own.operands = fold.operands;
    add_bodies(own);
    const std::vector<Format> state = own.state_formats(), result = fold.finish.result_formats();
    fold.tail = TailBodies{own.leaf, own.step, own.start,
                           random_body(random_, joined(fold.state_formats(), state), result, random_.between(0, 2)),
                           random_body(random_, state, result, random_.between(0, 2))};
  }

  /// What the interpreter has short cuts for: sums of products in one format.
  void add_dot(Fold& fold, const std::vector<Format>& operands) {
    const Format f = random_.one_in(2) ? Format::F32 : random_float(random_);
    const bool fused = random_.one_in(2);
    BodyBuilder leaf(operands);
    const int a = leaf.convert(0, f), b = leaf.convert(static_cast<int>(operands.size()) - 1, f);
    const std::vector<Format> values = fused ? std::vector<Format>{f, f} : std::vector<Format>{f};
    fold.leaf = fused ? leaf.finish({a, b}) : leaf.finish({leaf.op(ScalarOp::Multiply, f, {a, b})});
    BodyBuilder step(joined({f}, values));
    fold.step = fused ? step.finish({step.op(ScalarOp::Fma, f, {1, 2, 0})}) : step.finish({step.op(ScalarOp::Add, f, {0, 1})});
    BodyBuilder merge({f, f});
    fold.merge = merge.finish({merge.op(ScalarOp::Add, f, {0, 1})});
    BodyBuilder finish({f});
    const Format out = random_.one_in(2) ? f : some_format();
    fold.finish = finish.finish({finish.convert(0, out)});
    add_start(fold.start, values, {f});
  }

  void add_start(Start& start, const std::vector<Format>& leaf, const std::vector<Format>& state) {
    start.first_leaf = random_.one_in(2);
    if (start.first_leaf) {
      start.lift = random_body(random_, leaf, state, random_.between(0, 2));
    } else {
      for (Format f : state)
        start.values.push_back(random_.one_in(2) && has_zero(f) ? positive_zero(f) : random_bits(random_, f));
    }
  }

  static std::vector<Format> joined(std::vector<Format> a, const std::vector<Format>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  Random random_;
  Case made_;
};

}  // namespace bitpact::test
