#include "backends/traits/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "diagnostic/diagnostic.h"

namespace bitpact::traits {

Question make(const Elementwise& e) {
  Question q{e.id, e.topic, e.title, e.sheet};
  q.raw_nans = e.raw_nans;
  q.for_emission = e.for_emission;
  q.returns = e.returns;
  const auto rows = static_cast<std::int64_t>(e.rows.size());
  const std::int64_t length = rows <= 12 ? kLength : rows * 3 + 1;
  for (std::string line : e.body) {
    for (size_t at = line.find("{T}"); at != std::string::npos; at = line.find("{T}", at))
      line.replace(at, 3, fmt::format("tensor<{}x", length));
    q.body.push_back(std::move(line));
  }
  // 5 and the number of rows share no divisor, or the rows are taken one after the other.
  const std::int64_t stride = rows % 5 == 0 ? 1 : 5;
  const auto row_at = [&](std::int64_t i) -> const Row& { return e.rows[static_cast<size_t>(i * stride % rows)]; };
  for (size_t k = 0; k < e.rows.front().size(); ++k) {
    Tensor operand(e.rows.front()[k].format, {length});
    for (std::int64_t i = 0; i < length; ++i) operand.set(i, row_at(i)[k].bits);
    q.operands.push_back(operand);
  }
  for (const Format format : e.results) q.results.push_back({format, {length}});
  for (const RowWord& w : e.words) {
    Word word{w.word, w.sentence};
    for (const Format format : e.results) word.results.emplace_back(format, Shape{length});
    for (std::int64_t i = 0; i < length; ++i) {
      const std::vector<Bits> values = w.value(row_at(i));
      for (size_t r = 0; r < values.size(); ++r) word.results[r].set(i, values[r]);
    }
    q.words.push_back(std::move(word));
  }
  return q;
}

Scalar Draw::number(Format format, int low, int high) {
  const FormatInfo& f = info(format);
  const auto exponent = low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1));
  const Bits fraction = ((Bits{engine_()} << 32) | engine_()) & ((Bits{1} << f.mantissa_bits) - 1);
  const Bits sign = Bits{engine_() & 1} << (f.bits - 1);
  return {format, sign | static_cast<Bits>(exponent + f.bias) << f.mantissa_bits | fraction};
}

std::vector<Row> Draw::parting(std::size_t count, const std::vector<RowWord>& words, const std::function<Row(Draw&)>& make_row) {
  std::vector<Row> rows;
  for (int tries = 0; tries < 100000 && rows.size() < count; ++tries) {
    Row row = make_row(*this);
    std::vector<std::vector<Bits>> values;
    for (const RowWord& word : words) values.push_back(word.value(row));
    bool parted = true;
    for (size_t i = 0; i < values.size(); ++i)
      parted &= std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) ==
                values.begin() + static_cast<std::ptrdiff_t>(i);
    if (parted) rows.push_back(std::move(row));
  }
  if (rows.size() < count) refuse(Code::Internal, "no operands part the answers of a question");
  return rows;
}

Scalar f32(float value) { return {Format::F32, std::bit_cast<std::uint32_t>(value)}; }
Scalar f32_bits(std::uint32_t bits) { return {Format::F32, bits}; }
Scalar in(Format format, Scalar value) { return {format, convert(value, format)}; }

}  // namespace bitpact::traits
