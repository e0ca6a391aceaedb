// What the accumulators of `reduce` and `dot_general` hold: L + 1 - L, with L = 2^p and zeros elsewhere, in all orders of the
// three. A sum that keeps no more than p bits loses the one where L meets it first, whatever the order of adding; the least such
// p names the accumulator's format. The same with the three far apart: partial sums that are rounded between blocks lose it there
// only.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/traits/elementwise.h"

namespace bitpact::traits {
namespace {

struct Level {
  int bits;
  const char* format;
};
constexpr std::array<Level, 4> kLevels{{{8, "bf16"}, {11, "f16"}, {24, "f32"}, {53, "f64"}}};
constexpr std::int64_t kLength = 2100, kPermutations = 6;
constexpr std::array<std::array<int, 3>, kPermutations> kOrders{
    {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
constexpr std::array<std::array<std::int64_t, 3>, 2> kPlaces{{{0, 1, 2}, {3, 1300, 2099}}};  // near, far

struct Rows {
  std::vector<Level> levels;
  std::int64_t rows() const { return static_cast<std::int64_t>(levels.size() * kPlaces.size()) * kPermutations; }
};

int unit_exponent(Format format) { return format == Format::F16 ? -14 : 0; }

Scalar power_of_two(Format format, int exponent) { return in(format, {Format::F64, static_cast<Bits>(1023 + exponent) << 52}); }

Tensor triples(Format format, const Rows& shape) {
  Tensor x(format, {shape.rows(), kLength});
  std::int64_t row = 0;
  for (const Level& level : shape.levels)
    for (const auto& places : kPlaces)
      for (const auto& order : kOrders) {
        const Scalar large = power_of_two(format, unit_exponent(format) + level.bits);
        const Bits values[] = {large.bits, power_of_two(format, unit_exponent(format)).bits, negate(large)};
        for (size_t k = 0; k < 3; ++k) x.set(row * kLength + places[k], values[order[k]]);
        ++row;
      }
  return x;
}

// The format whose precision is the first to lose the one at these places. Empty where a value is neither kept nor lost, or a
// wider spread is kept after a narrower one was lost.
std::optional<std::string> least(const Rows& shape, const Tensor& sums, std::int64_t columns, size_t place, Bits unit,
                                 Bits zero) {
  std::int64_t row = 0;
  std::optional<std::string> first;
  for (const Level& level : shape.levels)
    for (size_t p = 0; p < kPlaces.size(); ++p) {
      bool lost = false;
      for (std::int64_t o = 0; o < kPermutations; ++o, ++row)
        for (std::int64_t c = 0; c < columns; ++c) {
          const Bits bits = sums.get(row * columns + c);
          if (bits != unit && bits != zero) return std::nullopt;
          lost |= bits == zero;
        }
      if (p != place) continue;
      if (first && !lost) return std::nullopt;
      if (lost && !first) first = level.format;
    }
  return first.value_or("wider");
}

Question accumulator(const std::string& id, const std::string& title, const std::string& sheet, Format format, Format result,
                     bool dot) {
  Question q{id, "accumulator", title, sheet};
  Rows shape;
  for (const Level& level : kLevels)
    if (unit_exponent(format) + level.bits <= info(format).bias) shape.levels.push_back(level);
  const Tensor x = triples(format, shape);
  const std::int64_t columns = dot ? 4 : 1;
  q.operands = {x};
  q.returns = {"%r"};
  if (dot) {
    Tensor ones(format, {kLength, columns});
    for (std::int64_t i = 0; i < ones.size(); ++i) ones.set(i, one(format));
    q.operands.push_back(ones);
    q.results = {{result, {shape.rows(), columns}}};
    q.body = {fmt::format("%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({}, {}) -> {}", type(x), type(ones),
                          type(q.results[0]))};
  } else {
    q.results = {{result, {shape.rows()}}};
    const OperandSpec start{format, {}};
    q.body = {fmt::format("%z = stablehlo.constant dense<0.0> : {}", type(start)),
              fmt::format("%r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : ({}, {}) -> {}",
                          type(x), type(start), type(q.results[0]))};
  }
  std::vector<std::string> formats;
  for (const Level& level : shape.levels) formats.emplace_back(level.format);
  formats.emplace_back("wider");
  for (const std::string& kept : formats) {
    q.words.push_back({kept, kept == "wider" ? fmt::format("wider than {}", formats[formats.size() - 2])
                                             : fmt::format("sums are kept in {}", kept)});
    for (const std::string& partial : formats) {
      if (partial == kept) break;
      q.words.push_back(
          {kept + "-partials-" + partial, fmt::format("sums are kept in {}, partial ones rounded to {}", kept, partial)});
    }
  }
  const Bits unit = power_of_two(result, unit_exponent(format)).bits, zero = positive_zero(result);
  q.judge = [=](std::span<const Tensor> results) -> Judged {
    const auto near = least(shape, results[0], columns, 0, unit, zero), far = least(shape, results[0], columns, 1, unit, zero);
    if (!near || !far) return {std::string(kUnknown), "a sum of 2^p, 1 and -2^p is neither 1 nor 0"};
    if (*near == *far) return {*near, ""};
    const std::string word = *near + "-partials-" + *far;
    const bool known = std::any_of(formats.begin(), formats.end(), [&](const std::string& f) { return f == *far; }) &&
                       std::find(formats.begin(), formats.end(), *far) < std::find(formats.begin(), formats.end(), *near);
    if (!known) return {std::string(kUnknown), fmt::format("terms close together are kept in {}, far apart in {}", *near, *far)};
    return {word, ""};
  };
  return q;
}

}  // namespace

std::vector<Question> accumulator_questions() {
  const Format b = Format::BF16, h = Format::F16, f = Format::F32;
  return {accumulator("dot_accumulator_f32", "dot_general, f32 to f32", "accumulator", f, f, true),
          accumulator("dot_accumulator_bf16_f32", "dot_general, bf16 to f32", "accumulator", b, f, true),
          accumulator("dot_accumulator_bf16", "dot_general, bf16 to bf16", "accumulator", b, b, true),
          accumulator("dot_accumulator_f16_f32", "dot_general, f16 to f32", "accumulator", h, f, true),
          accumulator("dot_accumulator_f16", "dot_general, f16 to f16", "accumulator", h, h, true),
          accumulator("reduce_accumulator_f32", "reduce, f32", "accumulator", f, f, false),
          accumulator("reduce_accumulator_bf16", "reduce, bf16", "accumulator", b, b, false),
          accumulator("reduce_accumulator_f16", "reduce, f16", "accumulator", h, h, false)};
}

}  // namespace bitpact::traits
