// reverse, slice, pad, transpose, reshape: the operand's elements in other places, as StableHLO has them. No bit changes, so
// implementations have no choice. Each is an Index; the axes of the operand are x0, x1, ..., those of the result r0, r1, ...
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "operators/building.h"
#include "operators/families.h"

namespace bitpact {
namespace {

using Numbers = std::vector<std::int64_t>;

std::string nth(const char* name, size_t d) { return fmt::format("{}{}", name, d); }

Axes nth_axes(const char* name, size_t rank) {
  Axes axes;
  for (size_t d = 0; d < rank; ++d) axes.push_back(nth(name, d));
  return axes;
}

/// Axes by their names and extents, the result's format the operand's.
Resolved resolved_move(const Problem& problem, const Axes& operand, const Axes& result, const Shape& shape) {
  Resolved r;
  r.problem = problem;
  r.result = {problem.operands[0].format, shape};
  r.binding.operands = {operand};
  r.binding.result = result;
  for (size_t d = 0; d < operand.size(); ++d) r.binding.extents[operand[d]] = problem.operands[0].shape[d];
  for (size_t d = 0; d < result.size(); ++d) r.binding.extents[result[d]] = shape[d];
  return r;
}

NumericProgram moved(Format format, Axes operand, std::vector<Index> steps) {
  NumericProgram program;
  program.nodes.emplace_back(Input{"x", format, std::move(operand)});
  for (Index& step : steps) {
    step.operands = {static_cast<int>(program.nodes.size()) - 1};
    step.format = format;
    program.nodes.emplace_back(std::move(step));
  }
  program.results = {static_cast<int>(program.nodes.size()) - 1};
  return program;
}

Operator one_operand(const char* name, const char* summary) {
  Operator op;
  op.name = name;
  op.summary = summary;
  op.operands = {"x"};
  op.choice_points = [](const OperatorFormats&) { return std::vector<ChoicePoint>{}; };
  return op;
}

/// The attribute's numbers, one a dimension; where it is not given, `usual` in each. One that says nothing new is erased.
Numbers one_a_dimension(const Operator& op, Problem& problem, const std::string& name, std::int64_t usual,
                        const std::string& label) {
  const size_t rank = problem.operands[0].shape.size();
  const auto given = problem.attributes.find(name);
  if (given == problem.attributes.end()) return Numbers(rank, usual);
  Numbers numbers = integers_of(given->second);
  if (numbers.size() != rank) violated(op, label, fmt::format("{}={} with rank {}", name, given->second, rank));
  if (std::ranges::all_of(numbers, [usual](std::int64_t n) { return n == usual; })) problem.attributes.erase(given);
  return numbers;
}

/// What the program is told by: the rank, which no other attribute need say.
void tell_rank(const Operator& op, Problem& problem, const std::string& label) {
  const std::string rank = std::to_string(problem.operands[0].shape.size());
  const auto [at, fresh] = problem.attributes.emplace("rank", rank);
  if (!fresh && at->second != rank) violated(op, label, fmt::format("rank={} with rank {}", at->second, rank));
}

size_t told_rank(const OperatorFormats& formats) {
  return static_cast<size_t>(integers_of(formats.attribute("rank", "1")).at(0));
}

Numbers told(const OperatorFormats& formats, const std::string& name, std::int64_t usual) {
  const std::string text = formats.attribute(name, "");
  return text.empty() ? Numbers(told_rank(formats), usual) : integers_of(text);
}

const AttributeSpec kRank{"rank", AttributeKind::Integer, "", "how many dimensions the operand has; follows from it", true, {}};

// ---- slice

Resolved resolve_slice(const Operator& op, const Problem& given) {
  Problem problem = given;
  const Shape& from = problem.operands[0].shape;
  tell_rank(op, problem, "C1");
  if (!problem.attributes.contains("limit")) violated(op, "C1", "there is no limit=");
  const Numbers start = one_a_dimension(op, problem, "start", 0, "C1"), limit = one_a_dimension(op, problem, "limit", -1, "C1"),
                stride = one_a_dimension(op, problem, "stride", 1, "C1");
  Shape shape;
  for (size_t d = 0; d < from.size(); ++d) {
    if (start[d] < 0 || start[d] >= limit[d] || limit[d] > from[d])
      violated(op, "C2", fmt::format("{} to {} of {} in dimension {}", start[d], limit[d], from[d], d));
    if (stride[d] < 1) violated(op, "C3", fmt::format("{} in dimension {}", stride[d], d));
    shape.push_back((limit[d] - start[d] - 1) / stride[d] + 1);
  }
  return resolved_move(problem, nth_axes("x", from.size()), nth_axes("r", from.size()), shape);
}

NumericProgram build_slice(const OperatorFormats& formats, const Choices&) {
  const size_t rank = told_rank(formats);
  const Numbers start = told(formats, "start", 0), stride = told(formats, "stride", 1);
  Index index{{}, formats.operands[0], {}, nth_axes("r", rank)};
  for (size_t d = 0; d < rank; ++d) index.from.push_back({nth("x", d), start[d], false, {{nth("r", d), {stride[d]}}}});
  return moved(formats.operands[0], nth_axes("x", rank), {std::move(index)});
}

// ---- pad

/// The value's bits in the format; nothing where it has none.
std::optional<Bits> padding(Format format, const std::string& value) {
  if (!is_float(format)) {
    if (value == "0" || value == "1") return value == "1" ? 1 : 0;
    return {};
  }
  if (value == "0") return has_zero(format) ? std::optional(positive_zero(format)) : std::nullopt;
  if (value == "-0") return has_negative_zero(format) ? std::optional(negative_zero(format)) : std::nullopt;
  if (value == "1") return one(format);
  const Specials specials = info(format).specials;
  if (specials != Specials::InfinitiesAndNaNs) return {};
  return value == "nan" ? quiet_nan(format) : infinity(format, value == "-inf");
}

Resolved resolve_pad(const Operator& op, const Problem& given) {
  Problem problem = given;
  const Shape& from = problem.operands[0].shape;
  tell_rank(op, problem, "C1");
  const Numbers low = one_a_dimension(op, problem, "low", 0, "C1"), high = one_a_dimension(op, problem, "high", 0, "C1"),
                interior = one_a_dimension(op, problem, "interior", 0, "C1");
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  Shape shape, spread;
  for (size_t d = 0; d < from.size(); ++d) {
    if (interior[d] < 0 || interior[d] > kMost) violated(op, "C2", fmt::format("{} in dimension {}", interior[d], d));
    if (std::abs(low[d]) > kMost || std::abs(high[d]) > kMost)
      violated(op, "C3", fmt::format("{} and {} in dimension {}", low[d], high[d], d));
    if (__builtin_mul_overflow(from[d] - 1, interior[d] + 1, &spread.emplace_back(0)))
      violated(op, "C2", fmt::format("{} in dimension {}", interior[d], d));
    ++spread.back();
    shape.push_back(spread.back() + low[d] + high[d]);
    if (shape.back() < 1) violated(op, "C3", fmt::format("{} is left of dimension {}", shape.back(), d));
  }
  const std::string value = attribute(op, problem, "value");
  if (!padding(problem.operands[0].format, value))
    violated(op, "C4", fmt::format("{} has no {}", name(problem.operands[0].format), value));
  Resolved r = resolved_move(problem, nth_axes("x", from.size()), nth_axes("r", from.size()), shape);
  for (size_t d = 0; d < from.size(); ++d) r.binding.extents[nth("s", d)] = spread[d];
  return r;
}

// Spread first, s = x * (interior + 1), then moved: in between, an s that is no multiple reads size(x) or more elements further,
// which is outside.
NumericProgram build_pad(const OperatorFormats& formats, const Choices&) {
  const size_t rank = told_rank(formats);
  const Format format = formats.operands[0];
  const Numbers low = told(formats, "low", 0), interior = told(formats, "interior", 0);
  const std::optional<Bits> outside = padding(format, formats.attribute("value", "0"));
  Index spread{{}, format, {}, nth_axes("s", rank), outside}, edges{{}, format, {}, nth_axes("r", rank), outside};
  for (size_t d = 0; d < rank; ++d) {
    const std::string x = nth("x", d), s = nth("s", d);
    const Multiple step{interior[d] + 1, {}};
    spread.from.push_back({x, 0, false, {{s, {}, step}, {s, {1, {x}}, {}, step}}});
    edges.from.push_back({s, -low[d], false, {{nth("r", d)}}});
  }
  if (std::ranges::all_of(interior, [](std::int64_t i) { return i == 0; })) {
    for (size_t d = 0; d < rank; ++d) edges.from[d].axis = nth("x", d);
    return moved(format, nth_axes("x", rank), {std::move(edges)});
  }
  return moved(format, nth_axes("x", rank), {std::move(spread), std::move(edges)});
}

// ---- transpose: the binding alone says where an axis goes

Resolved resolve_transpose(const Operator& op, const Problem& given) {
  const Shape& from = given.operands[0].shape;
  Numbers permutation(from.size());
  std::iota(permutation.rbegin(), permutation.rend(), 0);
  if (const auto at = given.attributes.find("permutation"); at != given.attributes.end()) permutation = integers_of(at->second);
  Numbers all(from.size());
  std::iota(all.begin(), all.end(), 0);
  if (!std::ranges::is_permutation(permutation, all))
    violated(op, "C1", fmt::format("{} with rank {}", fmt::join(permutation, ","), from.size()));
  const Axes axes = nth_axes("d", from.size());
  Axes result;
  Shape shape;
  for (const std::int64_t p : permutation) {
    result.push_back(axes[static_cast<size_t>(p)]);
    shape.push_back(from[static_cast<size_t>(p)]);
  }
  Resolved r = resolved_move(given, axes, result, shape);
  r.binding.packs["*d"] = axes;
  if (std::ranges::is_sorted(permutation, std::greater{})) r.problem.attributes.erase("permutation");
  return r;
}

// ---- reshape: by way of all elements in one row

Resolved resolve_reshape(const Operator& op, const Problem& given) {
  Problem problem = given;
  tell_rank(op, problem, "C1");
  const Shape shape = integers_of(attribute(op, problem, "shape"));
  const Shape& from = problem.operands[0].shape;
  if (shape.empty() || std::ranges::any_of(shape, [](std::int64_t e) { return e < 1 || e > (std::int64_t{1} << 40); }))
    violated(op, "C2", fmt::format("shape={}", attribute(op, problem, "shape")));
  if (element_count(shape) != element_count(from))
    violated(op, "C3", fmt::format("{} against {}", element_count(from), element_count(shape)));
  Resolved r = resolved_move(problem, nth_axes("x", from.size()), nth_axes("r", shape.size()), shape);
  r.binding.extents["f"] = element_count(shape);
  return r;
}

NumericProgram build_reshape(const OperatorFormats& formats, const Choices&) {
  const Format format = formats.operands[0];
  const Axes x = nth_axes("x", told_rank(formats)), r = nth_axes("r", integers_of(formats.attribute("shape", "1")).size());
  const auto behind = [](const Axes& axes, size_t d) {
    return Multiple{1, Axes(axes.begin() + static_cast<std::ptrdiff_t>(d) + 1, axes.end())};
  };
  Index flat{{}, format, {}, {"f"}}, shaped{{}, format, {}, r};
  for (size_t d = 0; d < x.size(); ++d) {
    IndexTerm digit{"f", {}, behind(x, d)};
    if (d > 0) digit.modulo = Multiple{1, {x[d]}};
    flat.from.push_back({x[d], 0, false, {digit}});
  }
  shaped.from.push_back({"f"});
  for (size_t d = 0; d < r.size(); ++d) shaped.from[0].terms.push_back({r[d], behind(r, d)});
  return moved(format, x, {std::move(flat), std::move(shaped)});
}

}  // namespace

Operator reverse() {
  Operator op = one_operand("reverse", "x from the last to the first element along one axis");
  op.aliases = {"flip"};
  op.attributes = {{"axis", AttributeKind::Integer, "-1", "the axis that is turned round; negative counts from the last"}};
  op.clauses = {{"C1", "axis names a dimension of the operand"}};
  op.resolve = [](const Operator& self, const Problem& problem) {
    Resolved r = resolve_reduction(self, problem, "C1");
    r.result.shape = problem.operands[0].shape;
    r.binding.result = r.binding.operands[0];
    return r;
  };
  op.build = [](const OperatorFormats& formats, const Choices&) {
    const Axes axes{"*o", "n", "*i"};
    return moved(formats.operands[0], axes, {Index{{}, formats.operands[0], {{"n", 0, true, {{"n"}}}}, axes}});
  };
  return op;
}

Operator slice() {
  Operator op = one_operand("slice", "the elements of x at start, start + stride, ... below limit, in each dimension");
  op.attributes = {{"start", AttributeKind::Integers, "", "the first element, one number a dimension; 0 unless given", true},
                   {"limit", AttributeKind::Integers, "", "the end, which is not among them, one number a dimension"},
                   {"stride", AttributeKind::Integers, "", "every so many-th, one number a dimension; 1 unless given", true},
                   kRank};
  op.clauses = {{"C1", "limit= is given, and each attribute has one number for each dimension of the operand"},
                {"C2", "0 <= start < limit <= extent in each dimension"},
                {"C3", "strides are at least 1"}};
  op.resolve = resolve_slice;
  op.build = build_slice;
  return op;
}

Operator pad() {
  Operator op = one_operand("pad", "x with a value around and between its elements");
  op.attributes = {
      {"low", AttributeKind::Integers, "", "how many before the first, one number a dimension; 0 unless given; negative cuts",
       true},
      {"high", AttributeKind::Integers, "", "how many behind the last, one number a dimension; 0 unless given; negative cuts"},
      {"interior", AttributeKind::Integers, "", "how many between two, one number a dimension; 0 unless given", true},
      {"value",
       AttributeKind::Word,
       "0",
       "what stands there: 0, -0, 1, inf, -inf or nan",
       true,
       {"0", "-0", "1", "inf", "-inf", "nan"}},
      kRank};
  op.clauses = {{"C1", "each attribute has one number for each dimension of the operand"},
                {"C2", "interior numbers are at least 0"},
                {"C3", "something is left of each dimension"},
                {"C4", "the operand's format has the value"}};
  op.resolve = resolve_pad;
  op.build = build_pad;
  return op;
}

Operator transpose() {
  Operator op = one_operand("transpose", "x with its dimensions in another order");
  op.attributes = {{"permutation", AttributeKind::Integers, "",
                    "which dimension of the operand each of the result's is; from the last to the first unless given"}};
  op.clauses = {{"C1", "permutation names each dimension of the operand once"}};
  op.resolve = resolve_transpose;
  op.build = [](const OperatorFormats& formats, const Choices&) {
    return moved(formats.operands[0], {"*d"}, {Index{{}, formats.operands[0], {}, {"*d"}}});
  };
  return op;
}

Operator reshape() {
  Operator op = one_operand("reshape", "the elements of x, in row-major order, in another shape");
  op.attributes = {{"shape", AttributeKind::Integers, "", "the result's extents", true}, kRank};
  op.clauses = {{"C1", "rank, where given, is the operand's"},
                {"C2", "shape= is given, each extent at least 1"},
                {"C3", "operand and result have the same number of elements"}};
  op.resolve = resolve_reshape;
  op.build = build_reshape;
  return op;
}

}  // namespace bitpact
