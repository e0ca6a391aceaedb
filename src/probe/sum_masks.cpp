#include "probe/sum_masks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

Bits power_of_two(Format format, int exponent) {
  const Bits f64 = static_cast<Bits>(1023 + exponent) << 52;
  return convert({Format::F64, f64}, format);
}

// All widen to f64 exactly; the formats that most results have do so without the exact engine, one a million outputs.
double value_of(Format format, Bits bits) {
  if (format == Format::F32) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (format == Format::BF16) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
  return std::bit_cast<double>(convert({format, bits}, Format::F64));
}

/// Elements of a tensor that is written a million at a time, of 2, 4 or 8 bytes.
class Elements {
 public:
  explicit Elements(Tensor& t) : data_(t.mutable_bytes()), size_(info(t.format()).storage_bytes) {}
  void set(std::int64_t index, Bits bits) const { std::memcpy(data_ + index * size_, &bits, static_cast<size_t>(size_)); }

 private:
  std::byte* data_;
  std::int64_t size_;
};

constexpr size_t kMostClasses = 64;
constexpr std::int64_t kOpen = -3, kDisagree = -2;  // answers that are no number of units, beside -1: no count

}  // namespace

std::optional<MaskValues> mask_values(Format operand, Format result) {
  if (!is_float(operand) || !is_float(result) || info(operand).bits < 16) return {};
  MaskValues v{};
  v.zero = positive_zero(operand);
  v.other = one(operand);
  const int precision = info(result).mantissa_bits + 1;
  // A quarter of what is exact: a mean's count is rounded once more.
  v.window = precision >= 24 ? std::int64_t{1} << 20 : std::int64_t{1} << (precision - 2);
  if (info(operand).mantissa_bits == 10) {
    // f16 reaches from 2^-24 to 2^15. An f32 accumulator swallows less than 2^-9 at 2^15: 2^15 units.
    v.plus = power_of_two(operand, 15);
    v.unit = smallest_subnormal(operand);
  } else {
    v.plus = power_of_two(operand, operand == Format::F64 ? 1000 : 100);
    v.unit = one(operand);
  }
  v.minus = negate({operand, v.plus});
  return v;
}

MaskQuestions::MaskQuestions(Backend& backend, const Resolved& problem, const SumSite& site, const MaskValues& values)
    : backend_(backend), problem_(problem), site_(site), values_(values) {
  for (const size_t operand : site.operands) {
    Carrier carrier = carrier_of(problem, site, operand);
    if (std::none_of(carriers_.begin(), carriers_.end(), [&](const Carrier& c) { return c.operand == operand; }))
      carriers_.push_back(std::move(carrier));
  }
  std::stable_sort(carriers_.begin(), carriers_.end(),
                   [](const Carrier& a, const Carrier& b) { return a.places.size() > b.places.size(); });
  classes_.emplace_back();
  classes_[0].outputs.resize(static_cast<size_t>(element_count(problem.result.shape)));
  std::iota(classes_[0].outputs.begin(), classes_[0].outputs.end(), 0);
  packed_ = carriers_[0].places.size() > 1;
  settled_ = !packed_;
  fill_others();
}

void MaskQuestions::fill_others() {
  operands_.clear();
  for (const OperandSpec& spec : problem_.problem.operands) {
    Tensor t(spec.format, spec.shape);
    const Elements elements(t);
    for (std::int64_t i = 0; i < t.size(); ++i) elements.set(i, values_.other);
    operands_.push_back(std::move(t));
  }
}

void MaskQuestions::fill_place(std::int64_t position, const Slot& slot) {
  const Carrier& carrier = carriers_[carrier_];
  const Elements t(operands_[carrier.operand]);
  const std::int64_t place = carrier.places[static_cast<size_t>(position)];
  const std::int64_t from = slot.window * values_.window, to = std::min(site_.leaves, from + values_.window);
  for (std::int64_t l = 0; l < site_.leaves; ++l)
    t.set(place + carrier.leaf_offsets[static_cast<size_t>(l)], l >= from && l < to ? values_.unit : values_.zero);
  t.set(place + carrier.leaf_offsets[static_cast<size_t>(slot.pair.first)], values_.plus);
  t.set(place + carrier.leaf_offsets[static_cast<size_t>(slot.pair.second)], values_.minus);
}

Tensor MaskQuestions::call() {
  ++counts_.calls;
  return backend_.call_operator(problem_.problem, {problem_.result}, operands_, {}).results[0];
}

std::int64_t MaskQuestions::units(const Tensor& result, std::int64_t output) const {
  const double ratio = value_of(result.format(), result.get(output)) / unit_out_;
  const double whole = std::nearbyint(ratio);
  constexpr double kOff = 0.13;  // a count that was rounded once more is off by less than an eighth
  if (!(std::abs(ratio - whole) < kOff) || whole < 0 || whole > 1e9) return -1;
  return static_cast<std::int64_t>(whole);
}

bool MaskQuestions::calibrate() {
  const Carrier& carrier = carriers_[carrier_];
  // One unit, at the first leaf of every output; then as many as a window holds.
  const auto with_units = [&](std::int64_t count) {
    const Elements elements(operands_[carrier.operand]);
    for (const std::int64_t place : carrier.places)
      for (std::int64_t l = 0; l < site_.leaves; ++l)
        elements.set(place + carrier.leaf_offsets[static_cast<size_t>(l)], l < count ? values_.unit : values_.zero);
    return call();
  };
  const std::int64_t many = std::min(values_.window, site_.leaves);
  Tensor result = with_units(many);
  unit_out_ = value_of(result.format(), result.get(0)) / static_cast<double>(many);
  if (!(unit_out_ > 0) || !std::isfinite(unit_out_)) return false;
  for (std::int64_t o = 0; o < result.size(); ++o)
    if (units(result, o) != many) return false;
  result = with_units(1);
  for (std::int64_t o = 0; o < result.size(); ++o)
    if (units(result, o) != 1) return false;
  return true;
}

std::optional<std::int64_t> MaskQuestions::size(size_t mask_class, const LeafPair& pair) const {
  const auto& sizes = classes_[mask_class].sizes;
  const auto at = sizes.find(pair.first * site_.leaves + pair.second);
  return at == sizes.end() ? std::nullopt : std::optional(at->second);
}

std::string MaskQuestions::how() const {
  if (!packed_) return "one question a call";
  return fmt::format("up to {} questions a call, one a position of operand {}", carriers_[carrier_].places.size(),
                     operator_named(problem_.problem.op).operands.at(carriers_[carrier_].operand));
}

// through: units that came through, one an output; -1 where that was no count.
void MaskQuestions::record(const LeafPair& pair, const std::vector<std::int64_t>& through) {
  const std::int64_t key = pair.first * site_.leaves + pair.second;
  const auto size_of = [&](std::int64_t units) { return units < 0 ? -1 : site_.leaves - units; };
  const size_t before = classes_.size();
  for (size_t c = 0; c < before; ++c) {
    std::map<std::int64_t, std::vector<std::int64_t>> by_answer;
    for (const std::int64_t o : classes_[c].outputs) by_answer[through[static_cast<size_t>(o)]].push_back(o);
    auto at = by_answer.begin();
    const std::unordered_map<std::int64_t, std::int64_t> earlier = by_answer.size() > 1 ? classes_[c].sizes : decltype(earlier){};
    classes_[c].outputs = std::move(at->second);
    classes_[c].sizes[key] = size_of(at->first);
    for (++at; at != by_answer.end(); ++at) {
      MaskClass split{std::move(at->second), earlier};
      split.sizes[key] = size_of(at->first);
      classes_.push_back(std::move(split));
    }
  }
  if (classes_.size() > kMostClasses)
    refuse(Code::ProbeUnsupported, fmt::format("more than {} groups of outputs answer differently", kMostClasses));
}

// per_class[q]: units through by output class of the carrier; -2 where the outputs at that class did not agree.
void MaskQuestions::ask_packed(const std::vector<LeafPair>& pairs, std::int64_t shift,
                               std::vector<std::vector<std::int64_t>>& per_class) {
  const Carrier& carrier = carriers_[carrier_];
  const auto positions = static_cast<std::int64_t>(carrier.places.size());
  std::vector<Slot> slots;
  for (const LeafPair& pair : pairs)
    for (std::int64_t w = 0; w < windows(); ++w) slots.push_back({pair, w});
  counts_.questions += static_cast<std::int64_t>(slots.size());
  std::vector<std::vector<std::int64_t>> by_slot(slots.size(),
                                                 std::vector<std::int64_t>(static_cast<size_t>(carrier.classes), kOpen));
  for (size_t first = 0; first < slots.size(); first += static_cast<size_t>(positions)) {
    const auto count = static_cast<std::int64_t>(std::min(slots.size() - first, static_cast<size_t>(positions)));
    const auto slot_at = [&](std::int64_t position) {
      return first + static_cast<size_t>((position + shift) % positions % count);
    };
    for (std::int64_t p = 0; p < positions; ++p) fill_place(p, slots[slot_at(p)]);
    const Tensor result = call();
    for (std::int64_t o = 0; o < result.size(); ++o) {
      std::int64_t& answer = by_slot[slot_at(carrier.position_of[static_cast<size_t>(o)])]
                                    [static_cast<size_t>(carrier.class_of[static_cast<size_t>(o)])];
      const std::int64_t seen = units(result, o);
      if (answer == kOpen) {
        answer = seen;
      } else if (answer != seen) {
        answer = kDisagree;
      }
    }
  }
  per_class.assign(pairs.size(), std::vector<std::int64_t>(static_cast<size_t>(carrier.classes), 0));
  for (size_t s = 0; s < slots.size(); ++s) {
    std::vector<std::int64_t>& sum = per_class[s / static_cast<size_t>(windows())];
    for (size_t c = 0; c < sum.size(); ++c) {
      const std::int64_t one = by_slot[s][c];
      sum[c] = sum[c] == kDisagree || one == kDisagree ? kDisagree : sum[c] < 0 || one < 0 ? -1 : sum[c] + one;
    }
  }
}

/// The same questions at other positions must be answered alike: then the outputs along the carrier's own axes share a program,
/// as far as these questions tell. Where they are not, another carrier is tried; where none is left, questions are asked one by
/// one.
bool MaskQuestions::prove_packing(const std::vector<LeafPair>& pairs) {
  const auto positions = static_cast<std::int64_t>(carriers_[carrier_].places.size());
  const auto most = static_cast<size_t>(std::max<std::int64_t>(1, positions / windows()));
  const std::vector<LeafPair> some(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(std::min(most, pairs.size())));
  std::vector<std::vector<std::int64_t>> here, there;
  ask_packed(some, 0, here);
  ask_packed(some, positions / 2 + 1, there);
  for (const auto& answers : here)
    if (std::find(answers.begin(), answers.end(), kDisagree) != answers.end()) return false;
  return here == there;
}

void MaskQuestions::ask_one_by_one(const std::vector<LeafPair>& pairs) {
  const auto positions = static_cast<std::int64_t>(carriers_[carrier_].places.size());
  for (const LeafPair& pair : pairs) {
    std::vector<std::int64_t> through(static_cast<size_t>(element_count(problem_.result.shape)), 0);
    for (std::int64_t w = 0; w < windows(); ++w) {
      ++counts_.questions;
      for (std::int64_t p = 0; p < positions; ++p) fill_place(p, {pair, w});
      const Tensor result = call();
      for (std::int64_t o = 0; o < result.size(); ++o) {
        const std::int64_t seen = units(result, o);
        std::int64_t& sum = through[static_cast<size_t>(o)];
        sum = sum < 0 || seen < 0 ? -1 : sum + seen;
      }
    }
    record(pair, through);
  }
}

void MaskQuestions::ask(const std::vector<LeafPair>& pairs) {
  if (pairs.empty()) return;
  while (!settled_) {
    if (prove_packing(pairs)) {
      settled_ = true;
    } else if (carrier_ + 1 < carriers_.size() && carriers_[carrier_ + 1].places.size() > 1) {
      ++carrier_;
      fill_others();
    } else {
      carrier_ = 0;
      fill_others();
      packed_ = false;
      settled_ = true;
    }
  }
  if (!packed_) return ask_one_by_one(pairs);
  const Carrier& carrier = carriers_[carrier_];
  std::vector<std::vector<std::int64_t>> answers;
  ask_packed(pairs, 0, answers);
  for (size_t q = 0; q < pairs.size(); ++q) {
    const bool uniform = std::all_of(answers[q].begin(), answers[q].end(), [&](std::int64_t a) { return a == answers[q][0]; });
    if (uniform) {
      for (MaskClass& one : classes_)
        one.sizes[pairs[q].first * site_.leaves + pairs[q].second] = answers[q][0] < 0 ? -1 : site_.leaves - answers[q][0];
      continue;
    }
    std::vector<std::int64_t> through;
    for (const std::int64_t c : carrier.class_of) through.push_back(answers[q][static_cast<size_t>(c)]);
    record(pairs[q], through);
  }
}

}  // namespace bitpact
