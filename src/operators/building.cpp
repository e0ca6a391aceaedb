#include "operators/building.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "diagnostic/diagnostic.h"
#include "operators/compensated.h"

namespace bitpact {

std::string chosen(const Choices& choices, const std::string& point, const std::vector<std::string>& allowed) {
  const auto found = choices.find(point);
  if (found == choices.end()) refuse(Code::Internal, fmt::format("choice point '{}' was left open", point));
  if (std::find(allowed.begin(), allowed.end(), found->second) == allowed.end())
    refuse(Code::BadAttribute, fmt::format("{}={} is none of {}", point, found->second, fmt::join(allowed, ", ")));
  return found->second;
}

std::vector<std::string> format_values(const std::vector<Format>& formats) {
  std::vector<std::string> values;
  for (const Format format : formats) {
    const std::string value(name(format));
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

Format default_accumulator(Format format) { return is_float(format) && info(format).bits < 32 ? Format::F32 : format; }

std::vector<std::string> common_orders() {
  return {"sequential",
          "reversed",
          "interleaved(2)",
          "interleaved(4)",
          "interleaved(4, pairwise(1))",
          "interleaved(8)",
          "interleaved(8, pairwise(1))",
          "interleaved(8, interleaved(4, interleaved(2)))",  // two vectors of four lanes, each join folding the lanes in half
          "interleaved(16)",
          "interleaved(16, pairwise(1))",
          "interleaved(16, interleaved(8, interleaved(4, interleaved(2))))",
          "blocked(32)",
          "blocked(32, sequential, blocked(32))",  // a tree of windows of 32
          "blocked(256)",
          "blocked(512)",
          "pairwise(1)",
          "pairwise(128, 8, interleaved(8, pairwise(1)))"};
}

namespace {

// Blocks of products are a divisor of their number, up to one vector of f32 on AVX-512: 16 terms, and 1 where the number is
// prime. Sums are cut into vectors of bf16: 32 terms. The most terms come first, 32 and 1 last, as they joined.
const std::vector<std::int64_t> kBlocks{16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 32, 1};

std::vector<Format> accumulator_formats(const OperatorFormats& formats) {
  const Format operand = formats.operands.front();
  return {default_accumulator(operand), operand, formats.result, Format::F64};
}

bool sums_in_blocks(const OperatorFormats& formats) {
  return formats.operands.front() == Format::BF16 && formats.result == Format::BF16;
}

const std::vector<std::string> kResults = {"kept", "plus-zero"};

const std::vector<std::string> kPlainTails = {"as-body", "f64"};
const std::map<std::string, std::string> kTailMeanings = {
    {"as-body", "like those before them"},
    {"f64", "one by one in f64 from +0; the sum of the rows is added to theirs in f64, and both are rounded once"}};

// Kernels that widen what is left over were only ever seen for f32.
bool has_tail_choice(const OperatorFormats& formats) { return formats.operands.front() == Format::F32; }

std::string block_value(std::int64_t every) { return fmt::format("f32/bf16@{}", every); }

// Every partial sum is rounded twice.
ScalarBody rounding_step(const SumTerm& term, const Accumulator& accumulator) {
  BodyBuilder b(term.step.arguments);
  std::vector<int> arguments(term.step.arguments.size());
  std::iota(arguments.begin(), arguments.end(), 0);
  const int sum = inlined(b, term.step, arguments)[0];
  return b.finish({b.convert(b.convert(sum, accumulator.rounded), accumulator.format)});
}

// A step that also counts the terms of its block, and rounds the partial sum where the block is full.
ScalarBody counting_step(const SumTerm& term, const Accumulator& accumulator) {
  std::vector<Format> formats{accumulator.format, Format::I32};
  std::vector<int> arguments{0};
  for (size_t i = 1; i < term.step.arguments.size(); ++i) {
    formats.push_back(term.step.arguments[i]);
    arguments.push_back(static_cast<int>(i) + 1);
  }
  BodyBuilder b(formats);
  const int sum = inlined(b, term.step, arguments)[0];
  const int count = b.op(ScalarOp::Add, Format::I32, {1, b.constant(Format::I32, 1)});
  Instruction full{.op = ScalarOp::Compare, .format = Format::I1};
  full.args = {count, b.constant(Format::I32, static_cast<Bits>(accumulator.every)), -1};
  const int is_full = b.push(full);
  const int rounded = b.convert(b.convert(sum, accumulator.rounded), accumulator.format);
  const int kept = b.op(ScalarOp::Select, accumulator.format, {is_full, rounded, sum});
  const int next = b.op(ScalarOp::Select, Format::I32, {is_full, b.constant(Format::I32, 0), count});
  return b.finish({kept, next});
}

}  // namespace

std::vector<int> inlined(BodyBuilder& builder, const ScalarBody& body, std::vector<int> arguments) {
  for (Instruction instruction : body.code) {
    for (int& arg : instruction.args)
      if (arg >= 0) arg = arguments[static_cast<size_t>(arg)];
    arguments.push_back(builder.push(instruction));
  }
  std::vector<int> results;
  for (const int result : body.results) results.push_back(arguments[static_cast<size_t>(result)]);
  return results;
}

NumericProgram one_map(const std::vector<std::string>& names, const std::vector<Format>& formats, ScalarBody body) {
  const Axes all{"*d"};
  NumericProgram program;
  Map map{{}, std::move(body), all};
  for (size_t i = 0; i < names.size(); ++i) {
    program.nodes.emplace_back(Input{names[i], formats[i], all});
    map.operands.push_back(static_cast<int>(i));
  }
  program.nodes.emplace_back(std::move(map));
  program.results = {static_cast<int>(names.size())};
  return program;
}

int compare(BodyBuilder& b, Comparison comparison, int left, int right) {
  Instruction i{.op = ScalarOp::Compare, .format = Format::I1, .comparison = comparison};
  i.args = {left, right, -1};
  return b.push(i);
}

int select(BodyBuilder& b, int condition, int then, int otherwise) {
  return b.op(ScalarOp::Select, b.format_of(then), {condition, then, otherwise});
}

namespace {
const std::vector<std::pair<std::string, Rounding>> kRoundings = {
    {"nearest-even", Rounding::NearestEven}, {"toward-zero", Rounding::TowardZero}, {"nearest-away", Rounding::NearestAway}};
}

std::vector<std::string> rounding_values() {
  std::vector<std::string> values;
  for (const auto& [name, rounding] : kRoundings) values.push_back(name);
  return values;
}

Rounding parse_rounding(const Choices& choices) {
  const std::string value = chosen(choices, "rounding", rounding_values());
  return std::find_if(kRoundings.begin(), kRoundings.end(), [&](const auto& row) { return row.first == value; })->second;
}

std::vector<std::string> accumulator_values(const OperatorFormats& formats) {
  std::vector<std::string> values = format_values(accumulator_formats(formats));
  if (sums_in_blocks(formats))
    for (const std::int64_t every : kBlocks) values.push_back(block_value(every));
  if (default_accumulator(formats.operands.front()) == Format::F32)
    for (const Compensation& c : compensations()) values.push_back(c.value);
  return values;
}

Accumulator parse_accumulator(const OperatorFormats& formats, const Choices& choices) {
  const std::string value = chosen(choices, "accumulator", accumulator_values(formats));
  for (const std::int64_t every : kBlocks)
    if (value == block_value(every)) {
      // Behind whole rows in sequence there may be a tail with bodies of its own.
      const Order order = parse_order(choices.at("order"));
      const bool own_tail = choices.contains("tail") && choices.at("tail") != kPlainTails.front();
      const bool in_sequence = own_tail ? order.kind == Order::Kind::Tailed && order.inner.empty() : order == Order::sequential();
      if (!in_sequence || choices.at("start") != "zero")
        refuse(Code::BadAttribute, fmt::format("accumulator={} goes with order=sequential and start=zero", value));
      return {Format::F32, Format::BF16, every};
    }
  if (is_compensation(value)) {
    if (choices.at("start") != "zero") refuse(Code::BadAttribute, fmt::format("accumulator={} goes with start=zero", value));
    return {Format::F32, Format::F32, 0, value};
  }
  return {parse_format(value), parse_format(value), 0};
}

std::vector<ChoicePoint> sum_choice_points(const OperatorFormats& formats) {
  std::map<std::string, std::string> meanings;
  for (const std::string& value : accumulator_values(formats))
    for (const Compensation& c : compensations())
      if (c.value == value) meanings[value] = c.meaning;
  std::vector<ChoicePoint> points{
      {"accumulator", accumulator_values(formats),
       "the format that partial sums are rounded to; f32/bf16@N: f32, and bf16 after every N terms", meanings},
      {"order", common_orders(), "how the terms are associated"},
      {"start", {"zero", "first"}, "whether a chain starts from +0 or from its first term"},
      {"result",
       kResults,
       "what is made of the finished sum",
       {{"kept", "nothing: it is the result"},
        {"plus-zero", "it is added to +0, as where a kernel adds into a cleared result: -0 becomes +0"}}},
  };
  if (has_tail_choice(formats))
    points.push_back(
        {"tail", kPlainTails,
         "of f32: how the terms behind the last whole row are added; other than as-body goes with order=tailed(..., apart)",
         kTailMeanings});
  return points;
}

SumTerm plain_term(Format operand, Format accumulator) {
  SumTerm term;
  {
    BodyBuilder b({operand});
    term.leaf = b.finish({b.convert(b.argument(0), accumulator)});
  }
  {
    BodyBuilder b({accumulator, accumulator});
    term.step = b.finish({b.op(ScalarOp::Add, accumulator, {0, 1})});
  }
  term.lift = identity_body({accumulator});
  return term;
}

Fold sum_fold(std::vector<int> operands, Axes over, Axes axes, const SumTerm& term, const Accumulator& kept, Format result,
              const Choices& choices) {
  const Format accumulator = kept.format;
  Fold fold;
  fold.operands = std::move(operands);
  fold.over = std::move(over);
  fold.axes = std::move(axes);
  fold.leaf = term.leaf;
  fold.order = parse_order(choices.at("order"));
  const bool plus_zero = choices.contains("result") && chosen(choices, "result", kResults) == "plus-zero";
  if (plus_zero && (kept.every > 0 || !kept.compensation.empty()))
    refuse(Code::BadAttribute, "result=plus-zero goes with one format of partial sums");
  if (!kept.compensation.empty()) {
    compensate(fold, kept.compensation, result);
    set_enter(fold, fold.start.values);
    return fold;
  }
  if (kept.every > 0) {
    // Two bf16 numbers added in f32 and rounded again: what accumulator=bf16 gives.
    if (kept.every == 1 && fold.operands.size() == 1)
      refuse(Code::BadAttribute, fmt::format("accumulator={} goes with products; of plain terms it is bf16", block_value(1)));
    const bool counts = kept.every > 1;
    fold.step = counts ? counting_step(term, kept) : rounding_step(term, kept);
    BodyBuilder b(fold.step.result_formats());
    fold.finish = b.finish({b.convert(0, result)});
    fold.start = {false, {}, {positive_zero(accumulator)}};
    if (counts) fold.start.values.push_back(0);
    return fold;
  }
  fold.step = term.step;
  {
    BodyBuilder b({accumulator, accumulator});
    fold.merge = b.finish({b.op(ScalarOp::Add, accumulator, {0, 1})});
  }
  {
    BodyBuilder b({accumulator});
    const int zero = plus_zero ? b.constant(accumulator, positive_zero(accumulator)) : 0;
    fold.finish = b.finish({b.convert(plus_zero ? b.op(ScalarOp::Add, accumulator, {0, zero}) : 0, result)});
  }
  fold.start.first_leaf = chosen(choices, "start", {"zero", "first"}) == "first";
  if (fold.start.first_leaf)
    fold.start.lift = term.lift;
  else
    fold.start.values = {positive_zero(accumulator)};
  set_enter(fold, {positive_zero(accumulator)});
  return fold;
}

void set_enter(Fold& fold, const std::vector<Bits>& start) {
  if (!enters(fold.order)) return;
  const std::vector<Format> state = fold.state_formats();
  BodyBuilder b(state);
  std::vector<int> both;
  for (size_t c = 0; c < state.size(); ++c) both.push_back(b.constant(state[c], start[c]));
  for (size_t c = 0; c < state.size(); ++c) both.push_back(static_cast<int>(c));
  fold.enter = b.finish(inlined(b, fold.merge, both));
}

std::string chosen_tail(const Choices& choices, const std::vector<std::string>& allowed) {
  return choices.contains("tail") ? chosen(choices, "tail", allowed) : allowed.front();
}

Fold with_tail(Fold fold, Format format, const SumTerm& term, const Choices& choices, bool fused) {
  const std::string& value = choices.at("tail");
  const std::vector<Format> state = fold.state_formats();
  const bool wider = format == Format::F64;
  if (fold.order.kind != Order::Kind::Tailed || fold.order.tail != Order::Tail::Apart)
    refuse(Code::BadAttribute, fmt::format("tail={} goes with order=tailed(..., apart)", value));
  if (wider ? state.size() != 1 || state[0] == Format::F64
            : state[0] != format || (choices.contains("accumulator") && is_compensation(choices.at("accumulator"))))
    refuse(Code::BadAttribute,
           fmt::format("tail={} goes with partial sums in {}", value, wider ? "one format narrower than f64" : name(format)));
  if (choices.contains("result") && choices.at("result") != kResults.front())
    refuse(Code::BadAttribute, fmt::format("tail={} goes with result={}", value, kResults.front()));
  const Format result = fold.finish.result_formats()[0];
  TailBodies& tail = fold.tail.emplace();
  tail.leaf = term.leaf;
  tail.step = term.step;
  tail.start = wider && !fused ? Start{false, {}, {positive_zero(format)}} : Start{true, term.lift, {}};
  {
    std::vector<Format> both = state;
    both.push_back(format);
    BodyBuilder b(both);
    // To odd, so that the second rounding gives what one alone would: f64 has more than twice the digits and two (Boldo &
    // Melquiond 2008).
    const Policy once{.rounding = fused ? Rounding::ToOdd : Rounding::NearestEven};
    const int sum = b.op(ScalarOp::Add, format, {b.convert(0, format), static_cast<int>(state.size())}, once);
    tail.join = b.finish({b.convert(sum, result)});
  }
  BodyBuilder b({format});
  tail.finish = b.finish({b.convert(0, result)});
  if (!merges_states(fold)) fold.merge = {};
  return fold;
}

Fold plain_sum(Format operand, const Accumulator& accumulator, Format result, const Choices& choices) {
  Fold fold = sum_fold({0}, {"n"}, {"*o", "*i"}, plain_term(operand, accumulator.format), accumulator, result, choices);
  if (chosen_tail(choices, kPlainTails) == kPlainTails.front()) return fold;
  return with_tail(std::move(fold), Format::F64, plain_term(operand, Format::F64), choices);
}

Fold count_of(const std::string& n, ScalarBody finish) {
  Fold fold;
  fold.over = {n};
  BodyBuilder leaf({});
  fold.leaf = leaf.finish({leaf.constant(Format::I64, 1)});
  BodyBuilder step({Format::I64, Format::I64});
  fold.step = fold.merge = step.finish({step.op(ScalarOp::Add, Format::I64, {0, 1})});
  fold.finish = std::move(finish);
  fold.start = {false, {}, {0}};
  fold.order = Order::sequential();
  return fold;
}

Fold position_of(const std::string& axis, ScalarBody finish) {
  Fold fold = count_of(axis, std::move(finish));
  fold.axes = {axis};
  fold.emit = Emit::Prefixes;
  fold.start.values = {~Bits{0}};  // -1: the first prefix has counted one
  return fold;
}

Operator function_of_x(const std::string& name, const std::string& summary) {
  Operator op;
  op.name = name;
  op.summary = summary;
  op.operands = {"x"};
  op.clauses = {{"C1", "the operand is f32, bf16 or f16"}};
  op.resolve = [](const Operator& self, const Problem& problem) {
    const Format format = problem.operands[0].format;
    if (format != Format::F32 && format != Format::BF16 && format != Format::F16)
      violated(self, "C1", fmt::format("{} is none of them", bitpact::name(format)));
    return resolve_elementwise(problem, format);
  };
  return op;
}

void require_same_shapes(const Operator& op, const Problem& problem, const std::string& label) {
  for (const OperandSpec& operand : problem.operands)
    if (operand.shape != problem.operands.front().shape)
      violated(op, label,
               fmt::format("{} against {}", to_text(problem.operands.front().shape, problem.operands.front().format),
                           to_text(operand.shape, operand.format)));
}

void require_same_formats(const Operator& op, const Problem& problem, const std::string& label) {
  for (const OperandSpec& operand : problem.operands)
    if (operand.format != problem.operands.front().format)
      violated(op, label, fmt::format("{} against {}", name(problem.operands.front().format), name(operand.format)));
}

void require_floats(const Operator& op, const Problem& problem, const std::string& label) {
  for (const OperandSpec& operand : problem.operands)
    if (!is_float(operand.format) || !has_zero(operand.format))
      violated(
          op, label,
          fmt::format("{} is {}", name(operand.format), is_float(operand.format) ? "for scales: it has no zero" : "not one"));
}

Format float_result(const Operator& op, Problem& problem, const std::string& label) {
  const Format usual = problem.operands.front().format;
  const auto out = problem.attributes.find("out");
  if (out == problem.attributes.end()) return usual;
  const Format format = parse_format(out->second);
  if (!is_float(format) || !has_zero(format)) violated(op, label, fmt::format("out={} is not one", out->second));
  if (format == usual) problem.attributes.erase(out);
  return format;
}

Resolved resolve_elementwise(const Problem& problem, Format result) {
  Resolved resolved;
  resolved.problem = problem;
  resolved.result = {result, problem.operands.front().shape};
  Axes axes;
  for (size_t i = 0; i < resolved.result.shape.size(); ++i) {
    axes.push_back(fmt::format("d{}", i));
    resolved.binding.extents[axes.back()] = resolved.result.shape[i];
  }
  resolved.binding.packs["*d"] = axes;
  resolved.binding.operands.assign(problem.operands.size(), axes);
  resolved.binding.result = axes;
  return resolved;
}

std::int64_t reduced_axis(const Operator& op, Problem& problem, const std::string& label) {
  const auto rank = static_cast<std::int64_t>(problem.operands[0].shape.size());
  const std::string text = attribute(op, problem, "axis");
  std::int64_t axis = 0;
  std::from_chars(text.data(), text.data() + text.size(), axis);
  if (axis < -rank || axis >= rank) violated(op, label, fmt::format("axis={} with rank {}", axis, rank));
  if (axis < 0) axis += rank;
  problem.attributes["axis"] = std::to_string(axis);
  return axis;
}

Resolved resolve_reduction(const Operator& op, const Problem& problem, const std::string& label) {
  Resolved r;
  r.problem = problem;
  const std::int64_t axis = reduced_axis(op, r.problem, label);
  const Shape& shape = problem.operands[0].shape;
  r.binding.packs = {{"*o", {}}, {"*i", {}}};
  Axes operand;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(shape.size()); ++d) {
    const std::string axis_name = d == axis ? "n" : fmt::format("{}{}", d < axis ? "o" : "i", d);
    operand.push_back(axis_name);
    r.binding.extents[axis_name] = shape[static_cast<size_t>(d)];
    if (d == axis) continue;
    r.binding.packs[d < axis ? "*o" : "*i"].push_back(axis_name);
    r.binding.result.push_back(axis_name);
    r.result.shape.push_back(shape[static_cast<size_t>(d)]);
  }
  r.binding.operands = {operand};
  r.result.format = problem.operands[0].format;
  return r;
}

Resolved resolve_contraction(const Operator& op, const Problem& problem, const ContractionClauses& clauses) {
  const Shape& lhs = problem.operands[0].shape;
  const Shape& rhs = problem.operands[1].shape;
  const size_t rank = lhs.size();
  if (rank < 2 || rhs.size() != rank) violated(op, clauses.rank, fmt::format("ranks {} and {}", rank, rhs.size()));
  const size_t batch = rank - 2;

  Resolved r;
  r.problem = problem;
  Axes& pack = r.binding.packs["*b"];
  for (size_t i = 0; i < batch; ++i) {
    if (lhs[i] != rhs[i]) violated(op, clauses.batch, fmt::format("{} against {} in dimension {}", lhs[i], rhs[i], i));
    pack.push_back(fmt::format("b{}", i));
    r.binding.extents[pack.back()] = lhs[i];
  }
  const auto axes = [&pack](const char* outer, const char* inner, bool transposed) {
    Axes a = pack;
    a.emplace_back(transposed ? inner : outer);
    a.emplace_back(transposed ? outer : inner);
    return a;
  };
  const bool ta = flag(op, problem, "transpose_a");
  const bool tb = flag(op, problem, "transpose_b");
  const std::int64_t m = lhs[batch + (ta ? 1 : 0)], k = lhs[batch + (ta ? 0 : 1)];
  const std::int64_t n = rhs[batch + (tb ? 0 : 1)], rhs_k = rhs[batch + (tb ? 1 : 0)];
  if (k != rhs_k) violated(op, clauses.depth, fmt::format("{} against {}", k, rhs_k));

  r.binding.operands = {axes("m", "k", ta), axes("k", "n", tb)};
  r.binding.result = axes("m", "n", false);
  r.binding.extents.insert({{"m", m}, {"n", n}, {"k", k}});
  for (const std::string& axis : r.binding.result) r.result.shape.push_back(r.binding.extents.at(axis));
  return r;
}

}  // namespace bitpact
