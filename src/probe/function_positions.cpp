#include "probe/function_positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace bitpact {
namespace {

constexpr std::int64_t kBody = 64, kTail = 3;
constexpr std::int64_t kShifts[] = {13, 26, 39, 52};  // all different modulo 64, 32, 16, 8; and the table's own is 0

/// Compares what was asked with the table, and remembers the first argument that has another value.
class Judge {
 public:
  Judge(const FunctionValues& table, std::string words) : table_(table), seen_(table.x.size()), different_(table.x.size()) {
    class_.words = std::move(words);
  }
  /// Argument `k` of the table had `value` at `index` of `length`.
  void see(std::int64_t k, std::int64_t index, std::int64_t length, Bits value) {
    const auto at = static_cast<std::size_t>(k);
    if (!seen_[at]) ++class_.arguments;
    seen_[at] = true;
    const Bits wanted = table_.y.get(k);
    if (wanted == value) return;
    if (!different_[at]) ++class_.different;
    different_[at] = true;
    if (!class_.first || table_.x[at] < class_.first->x)
      class_.first =
          PositionDifference{table_.x[at], {k, static_cast<std::int64_t>(table_.x.size()), wanted}, {index, length, value}};
  }
  PositionClass done() { return std::move(class_); }

 private:
  const FunctionValues& table_;
  PositionClass class_;
  std::vector<bool> seen_, different_;
};

PositionClass ask_shifted(FunctionAsker& asker, const FunctionValues& table) {
  const auto size = static_cast<std::int64_t>(table.x.size());
  const std::int64_t length = size + kTail + (size % 2 == 0 ? 0 : 1);
  Judge judge(table, "other places modulo 64");
  for (const std::int64_t shift : kShifts) {
    std::vector<Bits> x(static_cast<std::size_t>(length));
    for (std::int64_t i = 0; i < length; ++i)
      x[static_cast<std::size_t>(i)] = table.x[static_cast<std::size_t>((i + shift) % size)];
    const Tensor y = asker.ask(as_row(asker.argument(), x));
    for (std::int64_t i = 0; i < length; ++i) judge.see((i + shift) % size, i, length, y.get(i));
  }
  return judge.done();
}

// A body of whole vectors, however wide up to 64, and a tail that is shorter than any of them.
PositionClass ask_tails(FunctionAsker& asker, const FunctionValues& table, std::int64_t tails, FunctionValues& seen) {
  const auto size = static_cast<std::int64_t>(table.x.size());
  const std::int64_t count = std::min(tails, size), length = kBody + kTail;
  Judge judge(table, fmt::format("the last {} of {}", kTail, length));
  std::vector<std::int64_t> chosen;
  for (std::int64_t i = 0; i < count; ++i) chosen.push_back(i * size / count);
  seen.y = Tensor(asker.result(), {count});
  std::vector<Bits> x(static_cast<std::size_t>(length));
  for (std::int64_t begin = 0; begin < count; begin += kTail) {
    const auto argument = [&](std::int64_t i) { return chosen[static_cast<std::size_t>((begin + i) % count)]; };
    for (std::int64_t i = 0; i < length; ++i)
      x[static_cast<std::size_t>(i)] = table.x[static_cast<std::size_t>(argument(i < kBody ? i + kTail : i - kBody))];
    const Tensor y = asker.ask(as_row(asker.argument(), x));
    for (std::int64_t i = 0; i < kTail && begin + i < count; ++i) {
      judge.see(argument(i), kBody + i, length, y.get(kBody + i));
      seen.y.set(begin + i, y.get(kBody + i));
    }
  }
  for (const std::int64_t k : chosen) seen.x.push_back(table.x[static_cast<std::size_t>(k)]);
  return judge.done();
}

/// "all indices below 8, none from 8 on" and the like.
std::string pattern_of(const std::vector<bool>& differs) {
  const auto n = static_cast<std::int64_t>(differs.size());
  const std::int64_t count = std::count(differs.begin(), differs.end(), true);
  if (count == 0 || count == n) return {};
  const auto edge = std::find(differs.begin(), differs.end(), !differs[0]) - differs.begin();
  const bool once = std::all_of(differs.begin() + edge, differs.end(), [&](bool d) { return d != differs[0]; });
  if (!once) return {};
  return differs[0] ? fmt::format("at index 0 to {} it is another value, from {} on it is the table's", edge - 1, edge)
                    : fmt::format("at index 0 to {} it is the table's value, from {} on another", edge - 1, edge);
}

// As many arguments as it holds; and the one that differs, if any, at every place of it.
PositionClass ask_own_shape(FunctionAsker& asker, const FunctionValues& table) {
  const Shape& shape = asker.problem().problem.operands[0].shape;
  const auto size = static_cast<std::int64_t>(table.x.size());
  const std::int64_t places = element_count(shape);
  Judge judge(table, fmt::format("the problem's own shape, {}", to_text(shape, asker.argument())));
  Tensor x(asker.argument(), shape);
  const std::int64_t step = std::max<std::int64_t>(1, size / places) | 1;  // odd: all arguments of a whole format come up
  for (std::int64_t i = 0; i < places; ++i) x.set(i, table.x[static_cast<std::size_t>(i * step % size)]);
  const Tensor y = asker.ask(x, 2);
  for (std::int64_t i = 0; i < places; ++i) judge.see(i * step % size, i, places, y.get(i));
  return judge.done();
}

// One argument at every place of a shape.
std::string pattern_at(FunctionAsker& asker, const Shape& shape, Bits argument, Bits wanted) {
  Tensor x(asker.argument(), shape);
  for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, argument);
  const Tensor y = asker.ask(x);
  std::vector<bool> differs;
  for (std::int64_t i = 0; i < y.size(); ++i) differs.push_back(y.get(i) != wanted);
  return pattern_of(differs);
}

}  // namespace

bool Positions::same() const {
  return std::all_of(classes.begin(), classes.end(), [](const PositionClass& c) { return c.different == 0; });
}

Tensor as_row(Format format, std::span<const Bits> x) {
  Tensor row(format, {static_cast<std::int64_t>(x.size())});
  for (std::size_t i = 0; i < x.size(); ++i) row.set(static_cast<std::int64_t>(i), x[i]);
  return row;
}

Positions ask_positions(FunctionAsker& asker, const FunctionValues& table, std::int64_t tails) {
  Positions positions;
  positions.classes.push_back(ask_shifted(asker, table));
  positions.classes.push_back(ask_tails(asker, table, tails, positions.tail));
  positions.classes.push_back(ask_own_shape(asker, table));
  const std::array<Shape, 3> shapes{Shape{}, Shape{kBody + kTail}, asker.problem().problem.operands[0].shape};
  // What shows the difference somewhere may show it elsewhere, too.
  const auto shown = std::find_if(positions.classes.begin(), positions.classes.end(), [](const auto& c) { return c.first; });
  if (shown == positions.classes.end()) return positions;
  const PositionDifference difference = *shown->first;
  for (std::size_t i = 1; i < positions.classes.size(); ++i)
    positions.classes[i].pattern = pattern_at(asker, shapes[i], difference.x, difference.here.value);
  return positions;
}

}  // namespace bitpact
