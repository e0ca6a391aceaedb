#include "compare/compare.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "diagnostic/diagnostic.h"
#include "number/arithmetic.h"

namespace bitpact {
namespace {

Tensor tensor_of(Format format, const std::vector<Bits>& values, Shape shape = {}) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
  Tensor tensor(format, shape);
  for (std::size_t i = 0; i < values.size(); ++i) tensor.set(static_cast<std::int64_t>(i), values[i]);
  return tensor;
}

// The definition, element by element and with nothing shared with compare_tensors but number's own functions.
TensorComparison slowly(const Tensor& r, const Tensor& c, const ComparePolicy& policy, const std::vector<std::uint8_t>* keep) {
  TensorComparison result;
  for (std::int64_t i = 0; i < r.size(); ++i) {
    if (keep != nullptr && (*keep)[static_cast<std::size_t>(i)] == 0) continue;
    ++result.compared;
    const Bits a = r.get(i), b = c.get(i);
    const bool floats = is_float(r.format());
    const bool nans = floats && classify(r.format(), a) == Class::NaN && classify(r.format(), b) == Class::NaN;
    const bool zeros = floats && classify(r.format(), a) == Class::Zero && classify(r.format(), b) == Class::Zero;
    const bool one_nan = floats && !nans && (classify(r.format(), a) == Class::NaN || classify(r.format(), b) == Class::NaN);
    const std::uint64_t ulps = one_nan ? UINT64_MAX : nans ? 0 : ulp_distance(r.format(), a, b);
    int bucket = 0;
    if (one_nan) {
      bucket = 66;
    } else if (ulps > 1) {
      bucket = 1;
      for (std::uint64_t rest = ulps - 1; rest != 0; rest /= 2) ++bucket;
    } else {
      bucket = static_cast<int>(ulps);
    }
    ++result.histogram.buckets[static_cast<std::size_t>(bucket)];
    if (a == b) continue;
    if (nans && policy.any_nan_equal) {
      ++result.nan_payloads;
      continue;
    }
    if (zeros && policy.zeros_equal) {
      ++result.zero_signs;
      continue;
    }
    ++result.different;
    const Divergence here{coordinate(r.shape(), i), i, a, b, ulps};
    if (!result.first) result.first = here;
    if (!result.greatest || result.greatest->ulps < ulps) result.greatest = here;
  }
  return result;
}

void expect_same(const std::optional<Divergence>& a, const std::optional<Divergence>& b) {
  RC_ASSERT(a.has_value() == b.has_value());
  if (!a) return;
  RC_ASSERT(a->index == b->index);
  RC_ASSERT(a->flat == b->flat);
  RC_ASSERT(a->reference == b->reference);
  RC_ASSERT(a->candidate == b->candidate);
  RC_ASSERT(a->ulps == b->ulps);
}

// Bits that collide, cancel and cross the classes often enough for every branch to be seen.
Bits interesting_bits(Format format) {
  const FormatInfo& row = info(format);
  const Bits mask = row.bits == 64 ? ~Bits{0} : (Bits{1} << row.bits) - 1;
  const Bits sign = row.bits > 1 ? *rc::gen::element(Bits{0}, Bits{1} << (row.bits - 1)) : 0;
  if (is_float(format) && row.bits > 8) {
    const Bits base = *rc::gen::element(positive_zero(format), infinity(format), quiet_nan(format), one(format),
                                        largest_finite(format), smallest_normal(format), *rc::gen::arbitrary<Bits>());
    return ((base + *rc::gen::inRange<Bits>(0, 3)) ^ sign) & mask;
  }
  return *rc::gen::element(Bits{0}, Bits{1}, mask, mask >> 1, (mask >> 1) + 1, *rc::gen::arbitrary<Bits>()) & mask;
}

RC_GTEST_PROP(Compare, EqualsItsDefinition, ()) {
  const auto& formats = all_formats();
  const Format format = formats[*rc::gen::inRange<std::size_t>(0, formats.size())].format;
  // Several blocks of 4096 bytes, some equal, some not, with a tail.
  const std::int64_t rows = *rc::gen::inRange<std::int64_t>(1, 5), columns = *rc::gen::inRange<std::int64_t>(1, 1500);
  Tensor reference(format, {rows, columns});
  const Bits fill = interesting_bits(format);
  for (std::int64_t i = 0; i < reference.size(); ++i) reference.set(i, fill);
  Tensor candidate = reference;
  const int edits = *rc::gen::inRange(0, 12);
  for (int e = 0; e < edits; ++e) {
    const std::int64_t at = *rc::gen::inRange<std::int64_t>(0, reference.size());
    if (*rc::gen::arbitrary<bool>()) reference.set(at, interesting_bits(format));
    candidate.set(at, interesting_bits(format));
  }
  std::vector<std::uint8_t> keep(static_cast<std::size_t>(reference.size()));
  const auto pattern =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint8_t>>(rc::gen::element<std::uint8_t>(0, 1, 2, 128)));
  for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = pattern[i % pattern.size()];
  const std::vector<std::uint8_t>* marks = *rc::gen::arbitrary<bool>() ? &keep : nullptr;
  const ComparePolicy policy{*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};

  const TensorComparison expected = slowly(reference, candidate, policy, marks);
  const TensorComparison actual = compare_tensors(reference, candidate, policy, marks);
  RC_ASSERT(actual.compared == expected.compared);
  RC_ASSERT(actual.different == expected.different);
  RC_ASSERT(actual.nan_payloads == expected.nan_payloads);
  RC_ASSERT(actual.zero_signs == expected.zero_signs);
  RC_ASSERT(actual.histogram.buckets == expected.histogram.buckets);
  expect_same(actual.first, expected.first);
  expect_same(actual.greatest, expected.greatest);
}

TEST(Compare, CountsEveryPairOf16BitValuesAgainstOneRow) {
  for (Format format : {Format::F16, Format::BF16}) {
    Tensor all(format, {256, 256});
    for (std::int64_t i = 0; i < all.size(); ++i) all.set(i, static_cast<Bits>(i));
    for (Bits fixed : {positive_zero(format), negative_zero(format), one(format), infinity(format, true), quiet_nan(format)}) {
      Tensor other(format, {256, 256});
      for (std::int64_t i = 0; i < other.size(); ++i) other.set(i, fixed);
      for (bool any_nan : {false, true}) {
        for (bool zeros : {false, true}) {
          const ComparePolicy policy{any_nan, zeros};
          const auto expected = slowly(all, other, policy, nullptr), actual = compare_tensors(all, other, policy);
          EXPECT_EQ(actual.different, expected.different);
          EXPECT_EQ(actual.nan_payloads, expected.nan_payloads);
          EXPECT_EQ(actual.zero_signs, expected.zero_signs);
          EXPECT_EQ(actual.histogram.buckets, expected.histogram.buckets);
          ASSERT_TRUE(actual.first && actual.greatest);
          EXPECT_EQ(actual.first->flat, expected.first->flat);
          EXPECT_EQ(actual.greatest->flat, expected.greatest->flat);
          EXPECT_EQ(actual.greatest->ulps, expected.greatest->ulps);
        }
      }
    }
  }
}

TEST(Compare, NansAndZerosFollowThePolicy) {
  const Bits nan = 0x7fc00000, payload = 0xffc00001, minus_zero = 0x80000000;
  const Tensor r = tensor_of(Format::F32, {nan, 0, nan, one(Format::F32)});
  const Tensor c = tensor_of(Format::F32, {payload, minus_zero, one(Format::F32), one(Format::F32)});
  const auto usual = compare_tensors(r, c);
  EXPECT_EQ(usual.compared, 4);
  EXPECT_EQ(usual.different, 2);
  EXPECT_EQ(usual.nan_payloads, 1);
  EXPECT_EQ(usual.zero_signs, 0);
  EXPECT_EQ(usual.first->flat, 1);
  EXPECT_EQ(usual.first->ulps, 0u);
  EXPECT_EQ(usual.greatest->flat, 2);
  EXPECT_EQ(usual.greatest->ulps, UINT64_MAX);
  EXPECT_EQ(usual.histogram.buckets[0], 3u);
  EXPECT_EQ(usual.histogram.buckets[UlpHistogram::kNan], 1u);

  const auto raw = compare_tensors(r, c, {.any_nan_equal = false, .zeros_equal = true});
  EXPECT_EQ(raw.different, 2);
  EXPECT_EQ(raw.nan_payloads, 0);
  EXPECT_EQ(raw.zero_signs, 1);
  EXPECT_EQ(raw.first->flat, 0);
  EXPECT_EQ(raw.first->reference, nan);
  EXPECT_EQ(raw.first->candidate, payload);
}

TEST(Compare, IntegersHaveNeitherNansNorSigns) {
  const auto far = compare_tensors(tensor_of(Format::UI64, {0}), tensor_of(Format::UI64, {UINT64_MAX}));
  EXPECT_EQ(far.histogram.buckets[UlpHistogram::kNan], 0u);
  EXPECT_EQ(far.histogram.buckets[65], 1u);
  EXPECT_EQ(far.greatest->ulps, UINT64_MAX);
  // 0 and the smallest integer have a float's two zeros' bits.
  const auto smallest = compare_tensors(tensor_of(Format::I32, {0}), tensor_of(Format::I32, {0x80000000}), {.zeros_equal = true});
  EXPECT_EQ(smallest.different, 1);
  EXPECT_EQ(smallest.first->ulps, 0x80000000u);
}

TEST(Compare, FirstAndGreatestAreCoordinates) {
  Tensor r(Format::F32, {3, 5, 7});
  Tensor c = r;
  c.set(flat_index({3, 5, 7}, {1, 2, 3}), 1);
  c.set(flat_index({3, 5, 7}, {2, 0, 6}), 9);
  c.set(flat_index({3, 5, 7}, {2, 4, 6}), 9);
  const auto result = compare_tensors(r, c);
  EXPECT_EQ(result.different, 3);
  EXPECT_EQ(result.first->index, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(result.greatest->index, (std::vector<std::int64_t>{2, 0, 6}));
  const auto scalar = compare_tensors(Tensor(Format::F32, {}), Tensor(Format::F32, {}));
  EXPECT_EQ(scalar.compared, 1);
  EXPECT_EQ(compare_tensors(Tensor(Format::F32, {0, 3}), Tensor(Format::F32, {0, 3})).compared, 0);
}

TEST(Compare, AnotherShapeOrFormatIsRefused) {
  auto code_of = [](auto&& call) {
    try {
      call();
    } catch (const Refused& refused) {
      return refused.diagnostic().code;
    }
    ADD_FAILURE() << "not refused";
    return Code::Internal;
  };
  const Tensor a(Format::F32, {2, 3});
  EXPECT_EQ(code_of([&] { compare_tensors(a, Tensor(Format::F32, {3, 2})); }), Code::OperandMismatch);
  EXPECT_EQ(code_of([&] { compare_tensors(a, Tensor(Format::I32, {2, 3})); }), Code::OperandMismatch);
  const std::vector<std::uint8_t> keep(5, 1);
  EXPECT_EQ(code_of([&] { compare_tensors(a, a, {}, &keep); }), Code::Internal);
}

}  // namespace
}  // namespace bitpact
