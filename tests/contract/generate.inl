// The definitions of generate.h, inline so that every test program can use them.
#pragma once

#include <algorithm>

#include "contract/generate.h"
#include "contract/index.h"

namespace bitpact::generate {

inline const std::vector<Format>& formats() {
  static const std::vector<Format> all{Format::F32, Format::F32, Format::F32, Format::BF16, Format::BF16, Format::F16,
                                       Format::F16, Format::F64, Format::I32, Format::I8,   Format::UI8,  Format::I1};
  return all;
}

inline Policy policy(Random& random) {
  Policy p;
  if (random.chance(70)) return p;
  if (random.chance(60)) p.rounding = static_cast<Rounding>(random.below(6));
  if (random.chance(25)) p.overflow = Overflow::Saturate;
  p.flush_in = random.chance(20);
  p.flush_out = random.chance(20);
  return p;
}

inline Bits mask(Format format) { return info(format).bits == 64 ? ~Bits{0} : (Bits{1} << info(format).bits) - 1; }

inline Bits value(Random& random, Format format) {
  if (!is_float(format)) {
    if (random.chance(50)) return random.bits() & mask(format);
    return random.pick(std::vector<Bits>{0, 1, mask(format), mask(format) >> 1, (mask(format) >> 1) + 1}) & mask(format);
  }
  const bool negative = random.chance(50);
  const auto signed_ = [&](Bits bits) { return negative ? negate({format, bits}) : bits; };
  switch (random.below(14)) {
    case 0:
      return signed_(positive_zero(format));
    case 1:
      return infinity(format, negative);
    case 2:
      return signed_(quiet_nan(format) | (random.bits() & 1));
    case 3:
      return smallest_subnormal(format, negative);
    case 4:
      return signed_(random.bits() & (smallest_normal(format) - 1));  // subnormal
    case 5:
      return signed_(smallest_normal(format) + random.bits() % 2);
    case 6:
      return largest_finite(format, negative);
    case 7:
      return random.bits() & mask(format);
    case 8: {  // around the square root of the smallest normal: products come out near it
      const Bits middle = (smallest_normal(format) + one(format)) / 2;
      return signed_(middle + random.bits() % (smallest_normal(format) * 6));
    }
    case 9: {  // one and its neighbours
      return signed_(one(format) + random.bits() % 5 - 2);
    }
    case 10:
    case 11:  // small integers: ties and exact sums
      return signed_(convert({Format::I32, static_cast<Bits>(random.below(20))}, format));
    default:  // some magnitude between 2^-4 and 2^4, all fraction bits
      return signed_(one(format) + random.bits() % (smallest_normal(format) * 8) - smallest_normal(format) * 4);
  }
}

inline ScalarBody body(Random& random, const std::vector<Format>& arguments, const std::vector<Format>& results,
                       int most_instructions) {
  BodyBuilder b(arguments);
  std::vector<int> values;
  for (size_t a = 0; a < arguments.size(); ++a) values.push_back(static_cast<int>(a));
  const auto of = [&](auto accept) {
    std::vector<int> found;
    for (int v : values)
      if (accept(b.format_of(v))) found.push_back(v);
    return found;
  };
  const auto like = [&](int v) { return of([&](Format f) { return f == b.format_of(v); }); };
  const auto add_constant = [&](Format format) { values.push_back(b.constant(format, value(random, format))); };
  if (values.empty() || random.chance(15)) add_constant(random.pick(formats()));
  const int length = random.below(most_instructions + 1);
  for (int n = 0; n < length; ++n) {
    const std::vector<int> floats = of([](Format f) { return is_float(f); });
    const std::vector<int> integers = of([](Format f) { return !is_float(f) && f != Format::I1; });
    const std::vector<int> booleans = of([](Format f) { return f == Format::I1; });
    Instruction i;
    i.policy = policy(random);
    const auto set = [&](ScalarOp op, Format format, std::vector<int> args) {
      i.op = op;
      i.format = format;
      if (!info(op).rounds) i.policy = {};
      for (size_t a = 0; a < args.size(); ++a) i.args[a] = args[a];
      values.push_back(b.push(i));
    };
    switch (random.below(12)) {
      case 0:
      case 1:
      case 2:
        if (!floats.empty())
          set(random.pick(std::vector{ScalarOp::Add, ScalarOp::Add, ScalarOp::Multiply, ScalarOp::Multiply, ScalarOp::Subtract,
                                      ScalarOp::Divide}),
              b.format_of(random.pick(floats)), {random.pick(floats), random.pick(floats)});
        break;
      case 3:
        if (!floats.empty())
          set(ScalarOp::Fma, b.format_of(random.pick(floats)), {random.pick(floats), random.pick(floats), random.pick(floats)});
        break;
      case 4:
      case 5:
      case 6:
        set(ScalarOp::Convert, random.pick(formats()), {random.pick(values)});
        break;
      case 7:
        if (!integers.empty()) {
          const int v = random.pick(integers);
          set(random.pick(std::vector{ScalarOp::Add, ScalarOp::Multiply, ScalarOp::And, ScalarOp::Xor, ScalarOp::ShiftLeft,
                                      ScalarOp::ShiftRightArithmetic}),
              b.format_of(v), {v, random.pick(like(v))});
        }
        break;
      case 8: {
        const int v = random.pick(values);
        if (b.format_of(v) == Format::I1) break;
        const ScalarOp op = random.pick(std::vector{ScalarOp::Negate, ScalarOp::Abs, ScalarOp::Maximum, ScalarOp::Minimum});
        if (info(op).operands == 2 && is_float(b.format_of(v))) i.nan = static_cast<NanRule>(random.below(2));
        set(op, b.format_of(v), info(op).operands == 1 ? std::vector<int>{v} : std::vector<int>{v, random.pick(like(v))});
        break;
      }
      case 9: {
        const int v = random.pick(values);
        i.comparison = static_cast<Comparison>(random.below(6));
        set(ScalarOp::Compare, Format::I1, {v, random.pick(like(v))});
        break;
      }
      case 10:
        if (!booleans.empty()) {
          const int v = random.pick(values);
          set(ScalarOp::Select, b.format_of(v), {random.pick(booleans), v, random.pick(like(v))});
        }
        break;
      default: {
        const int v = random.pick(values);
        const int bits = info(b.format_of(v)).bits;
        if (bits == 16) set(ScalarOp::Bitcast, b.format_of(v) == Format::F16 ? Format::BF16 : Format::F16, {v});
        if (bits == 32) set(ScalarOp::Bitcast, b.format_of(v) == Format::F32 ? Format::I32 : Format::F32, {v});
        if (random.chance(30)) add_constant(random.pick(formats()));
      }
    }
  }
  std::vector<int> given;
  for (Format format : results) {
    const std::vector<int> fitting = of([&](Format f) { return f == format; });
    // The newest value more often than not, so that code is seldom dead.
    if (!fitting.empty() && random.chance(75))
      given.push_back(random.chance(60) ? fitting.back() : random.pick(fitting));
    else
      given.push_back(b.op(ScalarOp::Convert, format, {random.chance(60) ? values.back() : random.pick(values)}, policy(random)));
  }
  return b.finish(given);
}

inline Order order(Random& random, std::int64_t leaves, int depth, bool joins) {
  if (joins && random.chance(25)) return Order::from_start();
  const std::int64_t width = random.between(1, 4);
  const auto nested = [&](int percent) { return depth < 2 && random.chance(percent); };
  switch (random.below(depth == 0 ? 9 : 7)) {
    case 0:
    case 1:
      return random.chance(25) ? Order::backwards() : Order::sequential();
    case 2:
      return nested(50) ? Order::interleaved(width, order(random, 0, depth + 1, true)) : Order::interleaved(width);
    case 3:
    case 4: {
      Order o = Order::blocked(width);
      if (nested(50)) o.inner.push_back(order(random, 0, depth + 1, joins));
      if (nested(50)) o.outer.push_back(order(random, 0, depth + 1, true));
      o.ends = static_cast<Order::Ends>(random.below(4));
      return o;
    }
    case 5: {
      const std::int64_t multiple = random.chance(70) ? 1 : random.between(1, static_cast<int>(width));
      return nested(40) ? Order::pairwise(width, multiple, order(random, 0, depth + 1, joins)) : Order::pairwise(width, multiple);
    }
    case 6:
      return Order::tailed(width, nested(60) ? order(random, 0, depth + 1, joins) : Order{},
                           static_cast<Order::Tail>(random.below(3)));
    case 7:
      if (leaves >= 1 && leaves <= 12) {
        std::vector<std::int64_t> items;
        for (std::int64_t i = 0; i < leaves; ++i) items.push_back(i);
        std::vector<std::pair<std::int64_t, std::int64_t>> merges;
        for (std::int64_t next = leaves; items.size() > 1; ++next) {
          random.shuffle(items);
          merges.emplace_back(items[items.size() - 1], items[items.size() - 2]);
          items.resize(items.size() - 2);
          items.push_back(next);
        }
        const bool steps = random.chance(50);
        return Order::tree(merges, steps, steps && random.chance(50));
      }
      return Order::sequential();
    default:
      return Order::sequential();
  }
}

inline void add_union(Axes& axes, const Axes& more) {
  for (const std::string& axis : more)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
}

/// The bodies of a sum of products, rounded or fused, with an accumulator: what real programs look like.
inline void sum_of_products(Random& random, const std::vector<Format>& operand_formats, Fold& fold) {
  const Format accumulator = random.pick(std::vector{Format::F32, Format::F32, Format::BF16, Format::F16, Format::F64});
  const Policy p = policy(random);
  BodyBuilder leaf(operand_formats);
  const int a = leaf.convert(0, accumulator), c = leaf.convert(static_cast<int>(operand_formats.size()) - 1, accumulator);
  const bool fused = random.chance(40);
  if (fused) {
    fold.leaf = leaf.finish({a, c});
    BodyBuilder step({accumulator, accumulator, accumulator});
    fold.step = step.finish({step.op(ScalarOp::Fma, accumulator, {1, 2, 0}, p)});
    BodyBuilder lift({accumulator, accumulator});
    fold.start.lift = lift.finish({lift.op(ScalarOp::Multiply, accumulator, {0, 1}, p)});
  } else {
    fold.leaf = leaf.finish({leaf.op(ScalarOp::Multiply, accumulator, {a, c}, policy(random))});
    BodyBuilder step({accumulator, accumulator});
    fold.step = step.finish({step.op(ScalarOp::Add, accumulator, {0, 1}, p)});
    fold.start.lift = identity_body({accumulator});
  }
  BodyBuilder merge({accumulator, accumulator});
  fold.merge = merge.finish({merge.op(ScalarOp::Add, accumulator, {0, 1}, p)});
  BodyBuilder finish({accumulator});
  fold.finish = finish.finish({finish.convert(0, random.pick(formats()), policy(random))});
  fold.start.first_leaf = random.chance(50);
  if (!fold.start.first_leaf) {
    fold.start.lift = {};
    fold.start.values = {random.chance(40)   ? positive_zero(accumulator)
                         : random.chance(70) ? negative_zero(accumulator)
                                             : value(random, accumulator)};
  }
}

inline void random_bodies(Random& random, const std::vector<Format>& operand_formats, int most, Fold& fold) {
  const auto some_formats = [&](int count) {
    std::vector<Format> f;
    for (int i = 0; i < count; ++i) f.push_back(random.pick(formats()));
    return f;
  };
  const std::vector<Format> leaf = some_formats(random.between(1, 2)), state = some_formats(random.chance(75) ? 1 : 2);
  std::vector<Format> both = state, twice = state;
  both.insert(both.end(), leaf.begin(), leaf.end());
  twice.insert(twice.end(), state.begin(), state.end());
  fold.leaf = body(random, operand_formats, leaf, most);
  fold.step = body(random, both, state, most);
  fold.merge = body(random, twice, state, most);
  fold.finish = body(random, state, some_formats(1), most);
  fold.start.first_leaf = random.chance(50);
  if (fold.start.first_leaf)
    fold.start.lift = body(random, leaf, state, most);
  else
    for (Format format : state) fold.start.values.push_back(value(random, format));
}

/// A tail with bodies of its own; now and then those of the head, which are none (NF10).
inline void tail(Random& random, const std::vector<Format>& operand_formats, int most, Fold& fold) {
  const std::vector<Format> head = fold.state_formats(), result = fold.finish.result_formats();
  if (random.chance(25)) {
    TailBodies& same = fold.tail.emplace(TailBodies{fold.leaf, fold.step, fold.start, fold.merge, fold.finish});
    std::vector<int> values(same.join.results);
    for (Instruction instruction : fold.finish.code) {
      for (int& arg : instruction.args)
        if (arg >= 0) arg = values[static_cast<size_t>(arg)];
      same.join.code.push_back(instruction);
      values.push_back(static_cast<int>(same.join.arguments.size() + same.join.code.size()) - 1);
    }
    same.join.results = {values[static_cast<size_t>(fold.finish.results[0])]};
    return;
  }
  Fold own;
  if (random.chance(50) && is_float(operand_formats.front()) && is_float(operand_formats.back()))
    sum_of_products(random, operand_formats, own);
  else
    random_bodies(random, operand_formats, most, own);
  const std::vector<Format> state = own.state_formats();
  std::vector<Format> both = head;
  both.insert(both.end(), state.begin(), state.end());
  fold.tail = TailBodies{own.leaf, own.step, own.start, body(random, both, result, most), body(random, state, result, most)};
  if (!merges_states(fold) && random.chance(50)) fold.merge = {};
}

/// A table of a small format now and then of another result: any values, NaNs as the rules have them.
inline Table table(Random& random, int operand, Format from, const Axes& axes) {
  const Format to = random.pick(formats());
  Table t{{operand}, Tensor(to, {table_entries(from).value()}), axes};
  for (std::int64_t i = 0; i < t.values.size(); ++i) t.values.set(i, with_quiet_nan(to, value(random, to)));
  for (std::int64_t i = 0; i < t.values.size(); ++i)
    t.values.set(i, t.values.get(static_cast<std::int64_t>(with_quiet_nan(from, static_cast<Bits>(i)))));
  return t;
}

/// Elements in other places; now and then all of them inside, and then nothing is said of what is outside.
inline Index index(Random& random, const Case& c, int operand, const Axes& axes) {
  const Node& from = c.program.nodes[static_cast<size_t>(operand)];
  Index made{{operand}, format_of(from), {}, axes_of(from)};
  for (const std::string& axis : axes)
    if (random.chance(40)) add_union(made.axes, {axis});
  random.shuffle(made.axes);
  std::vector<std::string> single;
  for (const std::string& axis : made.axes)
    if (!axis.starts_with('*')) single.push_back(axis);
  const auto multiple = [&] {
    Multiple m{random.between(1, 3), {}};
    if (random.chance(15) && !made.axes.empty()) m.extents.push_back(random.pick(made.axes));
    return m;
  };
  for (const std::string& axis : axes_of(from)) {
    if (axis.starts_with('*') || random.chance(40)) continue;
    IndexCoordinate& coordinate = made.from.emplace_back(IndexCoordinate{axis});
    if (random.chance(30)) coordinate.offset = random.between(-2, 2);
    coordinate.reversed = random.chance(25);
    for (int t = random.between(0, 2); t > 0 && !single.empty(); --t) {
      IndexTerm term{random.chance(50) ? axis : random.pick(single)};
      if (random.chance(30)) term.times = multiple();
      if (random.chance(10)) term.times.factor = -term.times.factor;
      if (random.chance(20)) term.divide = multiple();
      if (random.chance(20)) term.modulo = multiple();
      coordinate.terms.push_back(std::move(term));
    }
  }
  made.outside = with_quiet_nan(made.format, random.chance(60) ? 0 : value(random, made.format));
  if (std::ranges::any_of(axes, [](const std::string& axis) { return axis.starts_with('*'); })) return made;
  NumericProgram alone = c.program;
  alone.nodes.emplace_back(made);
  const auto plain = plain_coordinates({alone, c.extents}, static_cast<int>(alone.nodes.size()) - 1);
  if (std::ranges::all_of(plain, &PlainCoordinate::inside) && random.chance(80)) made.outside.reset();
  return made;
}

inline Case program(Random& random, const Options& options) {
  Case c;
  std::vector<std::string> axes{"m", "n", "k"};
  if (options.packs) axes.emplace_back("*b");
  for (const std::string& axis : axes)
    if (!axis.starts_with('*')) c.extents[axis] = random.between(1, axis == "k" ? 7 : 2);
  const auto some_axes = [&] {
    Axes some;
    for (const std::string& axis : axes)
      if (random.chance(60)) some.push_back(axis);
    random.shuffle(some);
    return some;
  };
  auto& nodes = c.program.nodes;
  const int inputs = random.between(1, 3);
  for (int i = 0; i < inputs; ++i) nodes.emplace_back(Input{"x" + std::to_string(i), random.pick(formats()), some_axes()});
  const int more = random.between(1, options.most_nodes);
  for (int n = 0; n < more; ++n) {
    std::vector<int> operands;
    std::vector<Format> operand_formats;
    Axes all;
    const int count = random.between(1, 3);
    for (int o = 0; o < count; ++o) {
      // Recent nodes more often, so that most nodes are needed.
      const auto size = static_cast<int>(nodes.size());
      const int node = random.chance(50) ? size - 1 : random.below(size);
      operands.push_back(node);
      operand_formats.push_back(format_of(nodes[static_cast<size_t>(node)]));
      add_union(all, axes_of(nodes[static_cast<size_t>(node)]));
    }
    if (random.chance(10)) add_union(all, {random.pick(axes)});
    random.shuffle(all);
    const auto entries = table_entries(operand_formats[0]);
    if (entries && random.chance(*entries <= 256 ? 20 : 2)) {  // those of 16 bits seldom: they have 65536 entries
      Axes own = axes_of(nodes[static_cast<size_t>(operands[0])]);
      random.shuffle(own);
      nodes.emplace_back(table(random, operands[0], operand_formats[0], own));
      continue;
    }
    if (random.chance(20)) {
      nodes.emplace_back(index(random, c, operands[0], axes));
      continue;
    }
    if (random.chance(50)) {
      nodes.emplace_back(Map{operands, body(random, operand_formats, {random.pick(formats())}, options.most_instructions), all});
      continue;
    }
    Fold fold;
    fold.operands = operands;
    std::int64_t leaves = 1;
    for (const std::string& axis : all) {
      if (!random.chance(axis == "k" ? 90 : 30)) {
        fold.axes.push_back(axis);
        continue;
      }
      fold.over.push_back(axis);
      leaves *= axis.starts_with('*') ? 1 : c.extents.at(axis);
    }
    const bool floats = is_float(operand_formats.front()) && is_float(operand_formats.back());
    if (floats && random.chance(60))
      sum_of_products(random, operand_formats, fold);
    else
      random_bodies(random, operand_formats, options.most_instructions, fold);
    fold.order = order(random, options.packs ? 0 : leaves, options.packs ? 1 : 0);
    if (fold.order.kind == Order::Kind::Sequential && fold.over.size() == 1 && !fold.over[0].starts_with('*') &&
        random.chance(15)) {
      fold.emit = Emit::Prefixes;
      fold.axes.insert(fold.axes.begin() + random.below(static_cast<int>(fold.axes.size()) + 1), fold.over[0]);
    }
    if (fold.order.kind == Order::Kind::Sequential && random.chance(30)) fold.merge = {};
    if (fold.order.kind == Order::Kind::Tailed && fold.order.tail == Order::Tail::Apart && random.chance(70))
      tail(random, operand_formats, options.most_instructions, fold);
    if (enters(fold.order)) fold.enter = body(random, fold.state_formats(), fold.state_formats(), options.most_instructions);
    nodes.emplace_back(std::move(fold));
  }
  c.program.results.push_back(static_cast<int>(nodes.size()) - 1);
  if (random.chance(20)) c.program.results.push_back(random.below(static_cast<int>(nodes.size())));
  check_well_formed(c.program);
  return c;
}

inline Contract contract(Random& random) {
  Contract c;
  Options options;
  options.packs = random.chance(50);
  options.most_nodes = 2;
  const Case made = program(random, options);
  c.op.name = random.pick(std::vector<std::string>{"matmul", "sum", "residual_add"});
  for (const Node& node : made.program.nodes)
    if (const auto* input = std::get_if<Input>(&node)) c.op.operands.push_back(input->format);
  if (random.chance(30)) c.op.attributes["axis"] = "1";
  const int pieces = random.between(1, 2);
  for (int p = 0; p < pieces; ++p) {
    Piece piece;
    piece.program = made.program;
    piece.program.results.resize(1);
    c.op.result = format_of(piece.program.nodes[static_cast<size_t>(piece.program.results[0])]);
    const Axes& axes = axes_of(piece.program.nodes[static_cast<size_t>(piece.program.results[0])]);
    if (!axes.empty() && !axes[0].starts_with('*') && random.chance(60)) {
      AxisBound bound{axes[0], random.between(1, 4), std::nullopt, random.between(1, 3)};
      if (random.chance(50)) bound.max = random.between(8, 100);
      piece.shapes.push_back(bound);
    }
    if (random.chance(50)) piece.when["transpose_b"] = p == 0 ? "true" : "false";
    for (int e = 0; e < 4; ++e)
      if (random.chance(30)) piece.operands.excludes.insert(static_cast<Exclusion>(e));
    c.pieces.push_back(std::move(piece));
  }
  c.verified = {"matmul 64x64xf32,64x64xf32"};
  if (random.chance(50)) c.verified.emplace_back("matmul 1x4096xf32,4096x64xf32");
  c.identity = {"mlx", "0.32.4", "sha256:00ff", "cpu", "x86-64-v3 +avx512f", "none", "1", "unobserved"};
  c.established = {random.pick(std::vector<std::string>{"hand-written", "probed", "canonical"}),
                   random.pick(std::vector<std::string>{"assumed", "sampled", "derived", "exhaustive"}),
                   random.chance(50) ? "" : "from 3 \"runs\" \xe2\x82\xac\n"};
  return c;
}

inline std::vector<std::vector<Bits>> operands(Random& random, const Case& c) {
  std::vector<std::vector<Bits>> tensors;
  for (const Node& node : c.program.nodes) {
    const auto* input = std::get_if<Input>(&node);
    if (!input) continue;
    std::int64_t count = 1;
    for (const std::string& axis : input->axes) count *= c.extents.at(axis);
    // Sometimes all from a few values, so that sums cancel and products repeat.
    std::vector<Bits> few{value(random, input->format), value(random, input->format)};
    const bool from_few = random.chance(30);
    std::vector<Bits> tensor;
    for (std::int64_t i = 0; i < count; ++i) {
      Bits bits = from_few ? random.pick(few) : value(random, input->format);
      if (from_few && is_float(input->format) && random.chance(50)) bits = negate({input->format, bits});
      tensor.push_back(bits);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace bitpact::generate
