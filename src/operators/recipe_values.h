// The values of the operand recipe's classes: integers in, bits out. docs/operands.md states each rule.
#pragma once

#include <cstdint>

#include "number/format.h"

namespace bitpact {

enum class OperandClass : std::uint8_t { Normal, Wide, Cancellation, Ties, Subnormal, Special };
inline constexpr int kOperandClasses = 6;

/// Output n (from 0) of SplitMix64 seeded with `seed` (Steele, Lea & Flood 2014; Vigna's splitmix64.c has the constants).
std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t n);

/// The random words of one recipe's seed.
class OperandWords {
 public:
  explicit OperandWords(std::uint64_t seed) : base_(splitmix64(seed, 0)) {}
  /// Word `which` (0 or 1) of element `element` of operand `operand`.
  std::uint64_t element(int operand, std::int64_t element, int which) const { return at(2 * operand, element, which); }
  /// Word `which` (0 or 1) of all elements of operand `operand` with one class coordinate.
  std::uint64_t row(int operand, std::int64_t row, int which) const { return at(2 * operand + 1, row, which); }

  /// Where operand `operand` begins among the themes of class special.
  std::uint64_t theme(int operand) const {
    return splitmix64(splitmix64(base_, 2 * static_cast<std::uint64_t>(operand) + 1), ~std::uint64_t{0});
  }

 private:
  std::uint64_t at(int stream, std::int64_t index, int which) const {
    const std::uint64_t key = splitmix64(base_, static_cast<std::uint64_t>(stream));
    return splitmix64(key, 2 * static_cast<std::uint64_t>(index) + static_cast<std::uint64_t>(which));
  }
  std::uint64_t base_;
};

/// Where an element stands.
struct OperandPlace {
  int operand = 0;
  int operands = 1;               ///< how many there are
  bool contracted = false;        ///< whether the operand has an axis that is not the result's
  std::int64_t row = 0;           ///< c: the flat coordinate over its result axes
  std::int64_t k = 0, depth = 1;  ///< the flat coordinate over its contracted axes, and their extent
  std::int64_t block = 0;         ///< c divided by the length of the sequence of classes
  std::int64_t element() const { return row * depth + k; }
};

/// Of class special, contracted: rows take turns, and what operands begin with depends on the seed.
inline std::uint64_t theme_of(const OperandPlace& place, const OperandWords& words, int themes) {
  const auto turn = static_cast<std::uint64_t>(place.block + 2 * place.operand);
  return (turn + words.theme(place.operand)) % static_cast<std::uint64_t>(themes);
}

Bits operand_value(Format format, OperandClass kind, const OperandPlace& place, const OperandWords& words);

}  // namespace bitpact
