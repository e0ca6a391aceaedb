#include "operators/compensated.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

constexpr Format kF = Format::F32, kN = Format::I32;

/// Arithmetic on the state's components, in f32 and i32.
class StateBuilder : public BodyBuilder {
 public:
  explicit StateBuilder(const std::vector<Format>& arguments)
      : BodyBuilder(arguments), zero(constant(kF, positive_zero(kF))), none(constant(kN, 0)) {}
  int add(int a, int b) { return op(ScalarOp::Add, kF, {a, b}); }
  int subtract(int a, int b) { return op(ScalarOp::Subtract, kF, {a, b}); }
  int counted(int count) { return op(ScalarOp::Add, kN, {count, constant(kN, 1)}); }
  int equals(int count, Bits value) { return compare(*this, Comparison::EQ, count, constant(kN, value)); }
  /// Kahan 1965: the next sum, and what it lost.
  std::pair<int, int> kahan(int sum, int lost, int term) {
    const int wanted = subtract(term, lost);
    const int next = add(sum, wanted);
    return {next, subtract(subtract(next, sum), wanted)};
  }

  const int zero, none;
};

std::vector<Format> floats(size_t count) { return std::vector<Format>(count, kF); }

std::vector<Format> with_leaf(std::vector<Format> state) {
  state.push_back(kF);
  return state;
}

// State: sum, lost.
void kahan(Fold& fold) {
  StateBuilder b(with_leaf(floats(2)));
  const auto [sum, lost] = b.kahan(0, 1, 2);
  fold.step = b.finish({sum, lost});
  fold.finish = identity_body(floats(2));
  fold.finish.results = {0};
}

// State: sum, lost. Neumaier 1974: the smaller of the two says what was lost, and all that was is added once, at the end.
void neumaier(Fold& fold) {
  StateBuilder b(with_leaf(floats(2)));
  const int next = b.add(0, 2);
  const int larger = compare(b, Comparison::GE, b.op(ScalarOp::Abs, kF, {0}), b.op(ScalarOp::Abs, kF, {2}));
  const int of_term = b.add(b.subtract(0, next), 2);
  const int of_sum = b.add(b.subtract(2, next), 0);
  fold.step = b.finish({next, b.add(1, select(b, larger, of_term, of_sum))});
  BodyBuilder finish(floats(2));
  fold.finish = finish.finish({finish.op(ScalarOp::Add, kF, {0, 1})});
}

// State: the block's sum, sum, lost, terms in the block.
void kahan_of_blocks(Fold& fold, Bits block) {
  const std::vector<Format> state{kF, kF, kF, kN};
  {
    StateBuilder b(with_leaf(state));
    const int part = b.add(0, 4), count = b.counted(3), full = b.equals(count, block);
    const auto [sum, lost] = b.kahan(1, 2, part);
    fold.step = b.finish(
        {select(b, full, b.zero, part), select(b, full, sum, 1), select(b, full, lost, 2), select(b, full, b.none, count)});
  }
  StateBuilder b(state);
  const int sum = b.kahan(1, 2, 0).first;
  fold.finish = b.finish({select(b, b.equals(3, 0), 1, sum)});
}

// What an addition lost is no number where its sum is infinite: it then counts as nothing.
int finite_or_zero(StateBuilder& b, int lost) {
  const int finite = compare(b, Comparison::LT, b.op(ScalarOp::Abs, kF, {lost}), b.constant(kF, infinity(kF)));
  return select(b, finite, lost, b.zero);
}

// State: the sum of up to four terms, of three such groups, of blocks of sixteen terms; sum, lost; terms counted up to 64. What
// is begun at the end joins level by level, group by group, and by Kahan's step even where there is nothing.
enum Nested { kTerms, kGroup1, kGroup2, kGroup3, kBlock, kSum, kLost, kCount, kLeaf };

int flushed(StateBuilder& b, int at) {
  int block = at + kBlock;
  for (const int part : {kGroup1, kGroup2, kGroup3, kTerms}) block = b.add(block, at + part);
  return b.kahan(at + kSum, at + kLost, block).first;
}

void kahan_of_nested_blocks(Fold& fold) {
  std::vector<Format> state = floats(kCount);
  state.push_back(kN);
  {
    StateBuilder b(with_leaf(state));
    const int terms = b.add(kTerms, kLeaf), count = b.counted(kCount);
    const auto masked = [&](Bits mask, Bits value) {
      return b.equals(b.op(ScalarOp::And, kN, {count, b.constant(kN, mask)}), value);
    };
    const int group_full = masked(3, 0), block_full = masked(15, 0), all_full = masked(63, 0);
    const int block = b.add(kBlock, b.add(b.add(b.add(kGroup1, kGroup2), kGroup3), terms));
    const auto [sum, lost] = b.kahan(kSum, kLost, block);
    const auto group = [&](int old, Bits last) { return select(b, block_full, b.zero, select(b, masked(15, last), terms, old)); };
    fold.step = b.finish({select(b, group_full, b.zero, terms), group(kGroup1, 4), group(kGroup2, 8), group(kGroup3, 12),
                          select(b, all_full, b.zero, select(b, block_full, block, kBlock)), select(b, all_full, sum, kSum),
                          select(b, all_full, finite_or_zero(b, lost), kLost), select(b, all_full, b.none, count)});
  }
  {
    StateBuilder b(state);
    fold.finish = b.finish({flushed(b, 0)});
  }
  std::vector<Format> two = state;
  two.insert(two.end(), state.begin(), state.end());
  StateBuilder b(two);
  std::vector<int> merged(state.size(), b.zero);
  merged[kSum] = b.add(flushed(b, 0), flushed(b, static_cast<int>(state.size())));
  merged[kCount] = b.none;
  fold.merge = b.finish(merged);
}

}  // namespace

const std::vector<Compensation>& compensations() {
  static const std::vector<Compensation> all{
      {"f32/kahan", "f32, and what each addition lost is taken off the next term (Kahan)"},
      {"f32/neumaier", "f32, and what the additions lost is added at the end (Neumaier)"},
      {"f32/kahan@64", "f32; blocks of 64 terms in sequence, joined by Kahan's sum"},
      {"f32/kahan@4x4x4",
       "f32; in each chain 4 terms make a group, 4 groups a block, 4 blocks a part, each joined in sequence; "
       "parts are joined by Kahan's sum, chains plainly"}};
  return all;
}

bool is_compensation(const std::string& value) {
  return std::any_of(compensations().begin(), compensations().end(), [&](const Compensation& c) { return c.value == value; });
}

void compensate(Fold& fold, const std::string& value, Format result) {
  if (fold.leaf.results.size() != 1) refuse(Code::BadAttribute, fmt::format("accumulator={} goes with rounded products", value));
  const bool joins = value == "f32/kahan@4x4x4";
  if (!joins && fold.order != Order::sequential())
    refuse(Code::BadAttribute, fmt::format("accumulator={} goes with order=sequential", value));
  if (value == "f32/kahan") kahan(fold);
  if (value == "f32/neumaier") neumaier(fold);
  if (value == "f32/kahan@64") kahan_of_blocks(fold, 64);
  if (joins) kahan_of_nested_blocks(fold);
  BodyBuilder b({kF});
  const ScalarBody narrowed = b.finish({b.convert(0, result)});
  BodyBuilder finish(fold.finish.arguments);
  std::vector<int> arguments(fold.finish.arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) arguments[i] = static_cast<int>(i);
  fold.finish = finish.finish(inlined(finish, narrowed, inlined(finish, fold.finish, arguments)));
  fold.start = {false, {}, std::vector<Bits>(fold.finish.arguments.size(), 0)};
}

}  // namespace bitpact
