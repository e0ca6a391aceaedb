// Elementwise questions: rows of operands, spread over a tensor whose length is no multiple of any vector, so that every row
// meets the vector body and the scalar tail.
#pragma once

#include <random>

#include "backends/traits/question.h"

namespace bitpact::traits {

inline constexpr std::int64_t kLength = 37;
using Row = std::vector<Scalar>;  ///< one element of each operand

/// What a word gives for one row: a value for each result.
struct RowWord {
  std::string word, sentence;
  std::function<std::vector<Bits>(const Row&)> value;
};

struct Elementwise {
  std::string id, topic, title, sheet;
  std::vector<Row> rows;
  std::vector<Format> results;
  std::vector<std::string> body;  ///< {T} in a line stands for "tensor<37x"
  std::vector<std::string> returns;
  std::vector<RowWord> words;
  bool raw_nans = false;
  bool for_emission = false;
};

/// Element i of each operand is row (i * 5) mod rows: with 37 elements each of up to 12 rows stands at several positions. With
/// more rows, rows * 3 + 1 elements.
Question make(const Elementwise& e);

/// A source of operands that is the same on every machine.
class Draw {
 public:
  explicit Draw(std::uint32_t seed) : engine_(seed) {}
  /// A number of that format, exponents in [low, high], random sign and fraction.
  Scalar number(Format format, int low, int high);
  /// As many rows as asked for on which all of the words give different bits. Refuses `internal` where it finds none.
  std::vector<Row> parting(std::size_t count, const std::vector<RowWord>& words, const std::function<Row(Draw&)>& make_row);

 private:
  std::mt19937 engine_;
};

Scalar f32(float value);
Scalar f32_bits(std::uint32_t bits);
Scalar in(Format format, Scalar value);  ///< rounded to nearest even

}  // namespace bitpact::traits
