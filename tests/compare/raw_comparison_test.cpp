#include "compare/raw_comparison.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "compare/memory_dump.h"
#include "compare/raw_element.h"
#include "number/arithmetic.h"
#include "tensor/refusal.h"

namespace bitpact {
namespace {

// The definition, element by element through number's functions.
struct Slowly {
  RawComparison counts;
  std::vector<std::uint64_t> buckets = std::vector<std::uint64_t>(UlpHistogram::kNan + 1);
  long double squares = 0;
};

double value(Format format, Bits bits) { return std::bit_cast<double>(convert({format, bits}, Format::F64)); }

Slowly slowly(const Tensor& a, const Tensor& b) {
  Slowly s;
  RawComparison& r = s.counts;
  const Format f = a.format();
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const Bits x = a.get(i), y = b.get(i);
    const Class cx = classify(f, x), cy = classify(f, y);
    ++r.elements;
    r.a.nan += cx == Class::NaN, r.a.infinite += cx == Class::Infinity;
    r.b.nan += cy == Class::NaN, r.b.infinite += cy == Class::Infinity;
    const bool finite = cx != Class::NaN && cx != Class::Infinity && cy != Class::NaN && cy != Class::Infinity;
    r.finite += finite;
    if (x == y) continue;
    ++r.different;
    const bool nans = cx == Class::NaN && cy == Class::NaN, one = (cx == Class::NaN) != (cy == Class::NaN);
    r.nan_payloads += nans;
    r.nan_against_number += one;
    r.zero_signs += cx == Class::Zero && cy == Class::Zero;
    const std::uint64_t ulps = nans ? 0 : one ? UINT64_MAX : ulp_distance(f, x, y);
    int bucket = 0;
    while (bucket < 65 && (bucket == 0 ? ulps > 0 : ulps - 1 >= std::uint64_t{1} << (bucket - 1))) ++bucket;
    ++s.buckets[static_cast<std::size_t>(one ? UlpHistogram::kNan : bucket)];
    const ElementDivergence here{i, x, y, ulps};
    if (!r.first) r.first = here;
    if (!nans && !one && (!r.greatest || ulps > r.greatest->ulps)) r.greatest = here;
    if (!finite) continue;
    const double vx = value(f, x), vy = value(f, y);
    const bool integer = !is_float(f);
    const double distance = integer ? static_cast<double>(ulps) : std::fabs(vx - vy);
    const double size = std::max(std::fabs(vx), std::fabs(vy));
    r.max_abs = std::max(r.max_abs.value_or(0), distance);
    const double ratio = std::isinf(distance) ? std::fabs(vx / size - vy / size) : size > 0 ? distance / size : 0;
    r.max_rel = std::max(r.max_rel.value_or(0), ratio);
    s.squares += static_cast<long double>(distance) * distance;
  }
  if (r.max_abs) r.rms = static_cast<double>(std::sqrt(s.squares / static_cast<long double>(r.finite)));
  return s;
}

bool same(const std::optional<ElementDivergence>& a, const std::optional<ElementDivergence>& b) {
  if (!a || !b) return !a && !b;
  return a->flat == b->flat && a->a == b->a && a->b == b->b && a->ulps == b->ulps;
}

std::string difference(const RawComparison& r, const Slowly& s) {
  const RawComparison& e = s.counts;
  if (r.elements != e.elements || r.different != e.different) return "counts";
  if (r.nan_payloads != e.nan_payloads || r.zero_signs != e.zero_signs) return "payloads or zeros";
  if (r.nan_against_number != e.nan_against_number) return "NaN against a number";
  if (r.finite != e.finite) return "finite";
  if (e.different > 0 && (r.a != e.a || r.b != e.b)) return "specials";
  if (!same(r.first, e.first)) return "first";
  if (!same(r.greatest, e.greatest)) return "greatest";
  if (r.max_abs != e.max_abs) return "max abs";
  if (r.max_rel != e.max_rel) return "max rel";
  if (r.rms.has_value() != e.rms.has_value()) return "rms";
  if (e.rms && !(*r.rms == *e.rms) && std::fabs(*r.rms - *e.rms) > 1e-13 * *e.rms) return "rms";
  std::vector<std::uint64_t> buckets(UlpHistogram::kNan + 1);
  for (const auto& [bucket, count] : r.histogram) buckets[static_cast<std::size_t>(bucket)] = count;
  return buckets == s.buckets ? "" : "histogram";
}

Bits interesting_bits(Format format) {
  const FormatInfo& row = info(format);
  const Bits mask = row.bits == 64 ? ~Bits{0} : (Bits{1} << row.bits) - 1;
  const Bits any = *rc::gen::arbitrary<Bits>();
  const Bits corner = *rc::gen::elementOf(std::vector<Bits>{0, 1, mask, mask >> 1, (mask >> 1) + 1, any, any, any});
  if (!is_float(format)) return corner & mask;
  const Bits exponent = ((Bits{1} << row.exponent_bits) - 1) << row.mantissa_bits;
  const Bits sign = *rc::gen::element(Bits{0}, Bits{1} << (row.bits - 1));
  return ((*rc::gen::elementOf(std::vector<Bits>{corner, exponent, 0, any}) + *rc::gen::inRange<Bits>(0, 3)) ^ sign) & mask;
}

RC_GTEST_PROP(RawComparison, EqualsItsDefinition, ()) {
  const auto& formats = all_formats();
  const Format format = formats[*rc::gen::inRange<std::size_t>(0, formats.size())].format;
  // Several blocks of the fast walk, some equal, some not, with a tail.
  const std::int64_t size = *rc::gen::element<std::int64_t>(0, 1, 63, 64, 65, 1000, 9000, 40001);
  Tensor a(format, {size});
  const std::vector<Bits> fill{interesting_bits(format), interesting_bits(format), interesting_bits(format)};
  for (std::int64_t i = 0; i < size; ++i) a.set(i, fill[static_cast<std::size_t>(i) % 3]);
  Tensor b = a;
  const int edits = size == 0 ? 0 : *rc::gen::inRange(0, 12);
  for (int e = 0; e < edits; ++e) {
    const std::int64_t at = *rc::gen::inRange<std::int64_t>(0, size);
    if (*rc::gen::arbitrary<bool>()) a.set(at, interesting_bits(format));
    b.set(at, interesting_bits(format));
  }
  const Slowly expected = slowly(a, b);
  RawComparison actual = compare_raw(format, a.span(), b.span());
  if (expected.counts.different == 0) actual.finite = expected.counts.finite;  // what is equal is not looked into
  RC_ASSERT(difference(actual, expected) == "");

  // The same from two ranges, divided anywhere; and at an odd address.
  const std::int64_t cut = *rc::gen::inRange<std::int64_t>(0, size + 1);
  const auto width = static_cast<std::size_t>(info(format).storage_bytes);
  std::vector<std::byte> odd(a.byte_size() + 1);
  std::memcpy(odd.data() + 1, a.bytes(), a.byte_size());
  std::vector<RawRange> ranges;
  ranges.emplace_back(format, odd.data() + 1, b.bytes(), 0, cut, *rc::gen::arbitrary<bool>());
  ranges.emplace_back(format, odd.data() + 1, b.bytes(), cut, size, *rc::gen::arbitrary<bool>());
  RC_ASSERT(odd.size() == static_cast<std::size_t>(size) * width + 1);
  RC_ASSERT(difference(merged(ranges), expected) == "");
}

TEST(RawComparison, EveryPairOfBytesAndEverySixteenBitValueAgainstSome) {
  for (const FormatInfo& row : all_formats()) {
    if (row.bits > 16) continue;
    const std::int64_t codes = std::int64_t{1} << row.bits;
    Tensor all(row.format, {codes});
    for (std::int64_t i = 0; i < codes; ++i) all.set(i, static_cast<Bits>(i));
    for (std::int64_t other = 0; other<codes; other += row.bits> 8 ? 1371 : 1) {
      const Tensor one = tensor_of(row.format, {codes}, {static_cast<Bits>(other)});
      ASSERT_EQ(difference(compare_raw(row.format, all.span(), one.span()), slowly(all, one)), "") << row.name << " " << other;
    }
  }
}

TEST(RawComparison, ValuesAreExact) {
  for (Format format : {Format::F16, Format::BF16}) {
    raw::with_element(format, [&](const auto& element) {
      for (unsigned bits = 0; bits < 65536; ++bits) {
        const auto word = static_cast<typename std::decay_t<decltype(element)>::Word>(bits);
        if (element.nan(word) || element.infinite(word)) continue;
        ASSERT_EQ(std::bit_cast<Bits>(element.value(word)), std::bit_cast<Bits>(value(format, bits)))
            << name(format) << " " << bits;
      }
    });
  }
}

TEST(RawComparison, NansInfinitiesAndZerosAreDefined) {
  const Bits nan = 0x7fc00000, payload = 0xffc00001, inf = 0x7f800000, one = 0x3f800000, two = 0x40000000;
  const Tensor a = vector_of(Format::F32, {nan, nan, inf, inf, 0, one, nan, inf});
  const Tensor b = vector_of(Format::F32, {payload, one, inf ^ 0x80000000, one, 0x80000000, two, nan, inf});
  const RawComparison r = compare_raw(Format::F32, a.span(), b.span());
  EXPECT_EQ(r.different, 6);
  EXPECT_EQ(r.nan_payloads, 1);
  EXPECT_EQ(r.nan_against_number, 1);
  EXPECT_EQ(r.zero_signs, 1);
  EXPECT_EQ(r.a, (SpecialCounts{3, 3}));
  EXPECT_EQ(r.b, (SpecialCounts{2, 2}));
  EXPECT_EQ(r.finite, 2);
  EXPECT_EQ(r.max_abs, 1.0);
  EXPECT_EQ(r.max_rel, 0.5);
  EXPECT_EQ(r.rms, std::sqrt(0.5));
  EXPECT_EQ(r.first->flat, 0);
  EXPECT_EQ(r.first->ulps, 0u);
  EXPECT_EQ(r.greatest->flat, 2);
  EXPECT_EQ(r.greatest->ulps, 2 * inf);

  const RawComparison none = compare_raw(Format::F32, vector_of(Format::F32, {inf}).span(), vector_of(Format::F32, {one}).span());
  EXPECT_FALSE(none.max_abs || none.max_rel || none.rms);
}

TEST(RawComparison, F64AtTheEdgesOfItsRange) {
  const Bits largest = largest_finite(Format::F64), tiny = smallest_subnormal(Format::F64);
  const auto figures = [](Bits x, Bits y) {
    return compare_raw(Format::F64, vector_of(Format::F64, {x, 0}).span(), vector_of(Format::F64, {y, 0}).span());
  };
  const RawComparison beyond = figures(largest, largest ^ Bits{1} << 63);
  EXPECT_EQ(beyond.max_abs, std::numeric_limits<double>::infinity());
  EXPECT_EQ(beyond.max_rel, 2.0);
  // The squares of these have no f64.
  const double high = std::bit_cast<double>(largest);
  EXPECT_DOUBLE_EQ(*figures(largest, 0).rms, high * std::sqrt(0.5));
  EXPECT_EQ(figures(tiny + 3, 0).max_abs, std::bit_cast<double>(tiny + 3));
  EXPECT_GT(*figures(tiny + 3, 0).rms, 0.0);
}

TEST(RawComparison, Integers) {
  const RawComparison r =
      compare_raw(Format::UI64, vector_of(Format::UI64, {0, 5}).span(), vector_of(Format::UI64, {UINT64_MAX, 5}).span());
  EXPECT_EQ(r.greatest->ulps, UINT64_MAX);
  EXPECT_EQ(r.histogram, (std::vector<std::pair<int, std::uint64_t>>{{65, 1}}));
  EXPECT_EQ(r.max_abs, 0x1p64);
  EXPECT_EQ(r.nan_against_number, 0);
}

TEST(RawComparison, BytesThatDoNotFitAreInternal) {
  const Tensor a(Format::F32, {3}), b(Format::F32, {2});
  EXPECT_EQ(refusal([&] { compare_raw(Format::F32, a.span(), b.span()); }), Code::Internal);
  EXPECT_EQ(refusal([&] { compare_raw(Format::F32, a.span().first(7), a.span().first(7)); }), Code::Internal);
}

}  // namespace
}  // namespace bitpact
