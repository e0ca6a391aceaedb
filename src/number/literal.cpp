#include "number/literal.h"

#include <algorithm>
#include <vector>

namespace bitpact {
namespace {

/// A natural number of any size; little end first, no zero word at the big end.
class Natural {
 public:
  explicit Natural(std::uint32_t value) {
    if (value) words_.push_back(value);
  }

  bool zero() const { return words_.empty(); }

  int bit_length() const { return zero() ? 0 : 32 * static_cast<int>(words_.size()) - std::countl_zero(words_.back()); }

  void multiply_add(std::uint32_t factor, std::uint32_t summand) {
    std::uint64_t carry = summand;
    for (std::uint32_t& w : words_) {
      carry += std::uint64_t{w} * factor;
      w = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry) words_.push_back(static_cast<std::uint32_t>(carry));
  }

  void multiply_by_power_of_five(int power) {
    constexpr std::uint32_t five_to_13 = 1220703125;
    for (; power >= 13; power -= 13) multiply_add(five_to_13, 0);
    for (; power > 0; --power) multiply_add(5, 0);
  }

  void shift_left(int bits) {
    if (zero() || bits == 0) return;
    const int part = bits % 32;
    if (part) multiply_add(std::uint32_t{1} << part, 0);
    words_.insert(words_.begin(), static_cast<size_t>(bits / 32), 0);
  }

  bool at_least(const Natural& other) const {
    if (words_.size() != other.words_.size()) return words_.size() > other.words_.size();
    return !std::lexicographical_compare(words_.rbegin(), words_.rend(), other.words_.rbegin(), other.words_.rend());
  }

  /// other <= *this.
  void subtract(const Natural& other) {
    std::int64_t borrow = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      borrow += words_[i];
      if (i < other.words_.size()) borrow -= other.words_[i];
      words_[i] = static_cast<std::uint32_t>(borrow);
      borrow >>= 32;
    }
    while (!words_.empty() && words_.back() == 0) words_.pop_back();
  }

 private:
  std::vector<std::uint32_t> words_;
};

// No number of these formats, and no midpoint of two neighbours, has more significant decimal digits than 767 (f64); digits past
// this many can only say "a little more".
constexpr size_t kept_digits = 800;
// Every format's largest value is below 10^309, its smallest above 10^-324.
constexpr std::int64_t beyond_every_format = 2000;
constexpr std::int64_t clamped_exponent = 1'000'000'000;

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

/// numerator / denominator * 2^exponent, to 101 bits and a rest.
Bits round_quotient(bool negative, Natural numerator, Natural denominator, int exponent, const Layout& l, const Policy& policy) {
  const int longer = numerator.bit_length() - denominator.bit_length();
  if (longer > 0) denominator.shift_left(longer);
  if (longer < 0) numerator.shift_left(-longer);
  Wide quotient = 0;  // of two numbers of one length: between 1/2 and 2
  constexpr int bits = 100;
  for (int i = 0; i <= bits; ++i) {
    quotient <<= 1;
    if (numerator.at_least(denominator)) {
      numerator.subtract(denominator);
      quotient |= 1;
    }
    numerator.shift_left(1);
  }
  return round_pack(negative, exponent + longer - bits, quotient, !numerator.zero(), l, policy);
}

Bits round_decimal(const Literal& literal, const Layout& l, const Policy& policy) {
  std::string digits = literal.digits;
  std::int64_t exponent = literal.exponent;
  if (digits.size() > kept_digits) {
    const bool rest = digits.find_first_not_of('\0', kept_digits) != std::string::npos;
    exponent += static_cast<std::int64_t>(digits.size() - kept_digits);
    digits.resize(kept_digits);
    if (rest) {
      digits.push_back(1);
      --exponent;
    }
  }
  const std::int64_t magnitude = exponent + static_cast<std::int64_t>(digits.size());
  if (magnitude > beyond_every_format || magnitude < -beyond_every_format) {
    return round_pack(literal.negative, magnitude > 0 ? 100'000 : -100'000, 1, false, l, policy);
  }
  Natural numerator(0), denominator(1);
  for (char d : digits) numerator.multiply_add(10, static_cast<std::uint32_t>(d));
  const int power = static_cast<int>(exponent);
  (power > 0 ? numerator : denominator).multiply_by_power_of_five(std::abs(power));
  return round_quotient(literal.negative, std::move(numerator), std::move(denominator), power, l, policy);
}

Bits round_hexadecimal(const Literal& literal, const Layout& l, const Policy& policy) {
  Wide significand = 0;
  std::int64_t exponent = literal.exponent;
  bool rest = false;
  for (char d : literal.digits) {
    if (significand >> 120) {
      rest = rest || d != 0;
      exponent += 4;
    } else {
      significand = significand << 4 | static_cast<unsigned>(d);
    }
  }
  exponent = std::clamp<std::int64_t>(exponent, -100'000, 100'000);
  return round_pack(literal.negative, static_cast<int>(exponent), significand, rest, l, policy);
}

}  // namespace

std::optional<Literal> read_literal(std::string_view text) {
  Literal literal;
  size_t at = 0;
  auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
  auto sign = [&] {
    const bool negative = peek() == '-';
    if (negative || peek() == '+') ++at;
    return negative;
  };
  literal.negative = sign();
  if (peek() == '0' && at + 1 < text.size() && (text[at + 1] == 'x' || text[at + 1] == 'X')) {
    literal.hexadecimal = true;
    at += 2;
  }
  const int base = literal.hexadecimal ? 16 : 10;
  bool any = false, point = false;
  std::int64_t after_point = 0;
  for (;; ++at) {
    if (peek() == '.' && !point) {
      point = true;
    } else if (const int value = digit_value(peek()); value < base) {
      any = true;
      after_point += point;
      if (value || !literal.digits.empty()) literal.digits.push_back(static_cast<char>(value));
    } else {
      break;
    }
  }
  if (!any) return std::nullopt;
  const char marker = literal.hexadecimal ? 'p' : 'e';
  if (peek() == marker || peek() == marker - 'a' + 'A') {
    ++at;
    literal.has_exponent = true;
    const bool negative = sign();
    if (digit_value(peek()) > 9) return std::nullopt;
    std::int64_t value = 0;
    for (; digit_value(peek()) <= 9; ++at) value = std::min(value * 10 + digit_value(peek()), clamped_exponent);
    literal.exponent = negative ? -value : value;
  }
  if (at != text.size()) return std::nullopt;
  literal.exponent -= after_point * (literal.hexadecimal ? 4 : 1);
  return literal;
}

Bits round_literal(const Literal& literal, const Layout& l, const Policy& policy) {
  if (literal.digits.empty()) return pack_zero(literal.negative, l, policy);
  return literal.hexadecimal ? round_hexadecimal(literal, l, policy) : round_decimal(literal, l, policy);
}

std::optional<Wide> integer_magnitude(const Literal& literal) {
  if (literal.digits.empty()) return Wide{0};
  // First without the zeros at the end, so that 2.50e1 is as good as 25.
  const unsigned base = literal.hexadecimal ? 16 : 10;
  const int digit_step = literal.hexadecimal ? 4 : 1;
  std::string digits = literal.digits;
  std::int64_t exponent = literal.exponent;
  while (digits.back() == 0) {
    digits.pop_back();
    exponent += digit_step;
  }
  constexpr Wide largest = ~Wide{0};
  Wide value = 0;
  for (char d : digits) {
    if (value > (largest - static_cast<unsigned>(d)) / base) return std::nullopt;
    value = value * base + static_cast<unsigned>(d);
  }
  const unsigned step = literal.hexadecimal ? 2 : 10;
  for (; exponent < 0; ++exponent) {
    if (value % step) return std::nullopt;
    value /= step;
  }
  for (; exponent > 0; --exponent) {
    if (value > largest / step) return std::nullopt;
    value *= step;
  }
  return value;
}

}  // namespace bitpact
