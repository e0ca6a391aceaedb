// One element of a format, as fast loops ask for it: its class, its place among its neighbours, its value as an f64.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "diagnostic/diagnostic.h"
#include "number/arithmetic.h"

namespace bitpact::raw {

// Each element type has: Word; kFloat; nan(w), infinite(w), zero(w); ulps(a, b) of two that are no NaNs; value(w) of a finite
// one, exact where a Word has up to 53 bits; distance(a, b) = |a - b| in f64.

/// Sign, exponent, fraction as IEEE 754 lays them out; bf16 too.
template <typename W, int kFractionBits>
struct Ieee {
  using Word = W;
  static constexpr bool kFloat = true;
  static constexpr int kBits = static_cast<int>(sizeof(W)) * 8;
  static constexpr Word kSign = static_cast<Word>(Word{1} << (kBits - 1));
  static constexpr Word kMagnitude = static_cast<Word>(kSign - 1);
  static constexpr Word kInfinity = static_cast<Word>((kMagnitude >> kFractionBits) << kFractionBits);

  bool nan(Word w) const { return static_cast<Word>(w & kMagnitude) > kInfinity; }
  bool infinite(Word w) const { return static_cast<Word>(w & kMagnitude) == kInfinity; }
  bool zero(Word w) const { return static_cast<Word>(w & kMagnitude) == 0; }
  std::uint64_t ulps(Word a, Word b) const {
    const std::uint64_t ma = a & kMagnitude, mb = b & kMagnitude;
    if (((a ^ b) & kSign) != 0) return ma + mb;
    return ma > mb ? ma - mb : mb - ma;
  }
  double value(Word w) const {
    if constexpr (kBits == 64) return std::bit_cast<double>(w);
    if constexpr (kBits == 32) return std::bit_cast<float>(w);
    if constexpr (kBits == 16) {
      // The fields moved into an f32's, whose exponent bias is then made good by an exact multiplication; subnormals come out
      // right.
      constexpr int kExponentBits = kBits - 1 - kFractionBits;
      constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
      constexpr float kScale = std::bit_cast<float>(static_cast<std::uint32_t>(127 + 127 - kBias) << 23);
      const std::uint32_t bits = static_cast<std::uint32_t>(w & kMagnitude) << (23 - kFractionBits);
      return std::bit_cast<float>(bits | static_cast<std::uint32_t>(w & kSign) << 16) * kScale;
    }
  }
  double distance(Word a, Word b) const { return std::fabs(value(a) - value(b)); }
};

/// Two's complement or unsigned.
template <typename W, bool kSigned>
struct Integer {
  using Word = W;
  using Value = std::conditional_t<kSigned, std::make_signed_t<W>, W>;
  static constexpr bool kFloat = false;

  bool nan(Word) const { return false; }
  bool infinite(Word) const { return false; }
  bool zero(Word w) const { return w == 0; }
  std::uint64_t ulps(Word a, Word b) const {
    const bool less = static_cast<Value>(a) < static_cast<Value>(b);
    return less ? static_cast<Word>(b - a) : static_cast<Word>(a - b);
  }
  double value(Word w) const { return static_cast<double>(static_cast<Value>(w)); }
  double distance(Word a, Word b) const { return static_cast<double>(ulps(a, b)); }
};

/// Any format by number's own functions, asked once for each of the 256 bytes.
class Byte {
 public:
  using Word = std::uint8_t;
  static constexpr bool kFloat = true;

  explicit Byte(Format format);  ///< of a format stored in one byte
  bool nan(Word w) const { return (*rows_)[w].nan; }
  bool infinite(Word w) const { return (*rows_)[w].infinite; }
  bool zero(Word w) const { return (*rows_)[w].zero; }
  std::uint64_t ulps(Word a, Word b) const {
    const int d = (*rows_)[a].place - (*rows_)[b].place;
    return static_cast<std::uint64_t>(d < 0 ? -d : d);
  }
  double value(Word w) const { return (*rows_)[w].value; }
  double distance(Word a, Word b) const { return std::fabs(value(a) - value(b)); }

 private:
  struct Row {
    double value = 0;
    std::int16_t place = 0;  ///< two numbers are as many ulps apart as their places
    bool nan = false, infinite = false, zero = false;
  };
  using Rows = std::array<Row, 256>;
  static Rows make_rows(Format format);
  const Rows* rows_;
};

/// Any other format, element by element through number's functions: right before fast.
template <typename W>
struct AnyFormat {
  using Word = W;
  static constexpr bool kFloat = true;
  Format format;

  bool nan(Word w) const { return is_float(format) && classify(format, w) == Class::NaN; }
  bool infinite(Word w) const { return is_float(format) && classify(format, w) == Class::Infinity; }
  bool zero(Word w) const { return classify(format, w) == Class::Zero; }
  std::uint64_t ulps(Word a, Word b) const { return ulp_distance(format, a, b); }
  double value(Word w) const { return std::bit_cast<double>(convert({format, w}, Format::F64)); }
  double distance(Word a, Word b) const { return std::fabs(value(a) - value(b)); }
};

/// Calls `use` with the element type of the format.
template <typename Use>
decltype(auto) with_element(Format format, Use&& use) {
  switch (format) {
    case Format::F64:
      return use(Ieee<std::uint64_t, 52>{});
    case Format::F32:
      return use(Ieee<std::uint32_t, 23>{});
    case Format::BF16:
      return use(Ieee<std::uint16_t, 7>{});
    case Format::F16:
      return use(Ieee<std::uint16_t, 10>{});
    case Format::I64:
      return use(Integer<std::uint64_t, true>{});
    case Format::I32:
      return use(Integer<std::uint32_t, true>{});
    case Format::I16:
      return use(Integer<std::uint16_t, true>{});
    case Format::UI64:
      return use(Integer<std::uint64_t, false>{});
    case Format::UI32:
      return use(Integer<std::uint32_t, false>{});
    case Format::UI16:
      return use(Integer<std::uint16_t, false>{});
    default:
      break;
  }
  switch (info(format).storage_bytes) {
    case 1:
      return use(Byte(format));
    case 2:
      return use(AnyFormat<std::uint16_t>{format});
    case 4:
      return use(AnyFormat<std::uint32_t>{format});
    case 8:
      return use(AnyFormat<std::uint64_t>{format});
    default:
      refuse(Code::Internal, "elements of that many bytes cannot be compared");
  }
}

}  // namespace bitpact::raw
