#include "liars/carry.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "diagnostic/diagnostic.h"
#include "number/arithmetic.h"

namespace bitpact::liars {
namespace {

using Index = std::int64_t;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

[[noreturn]] void lacks_operator(const Liar& liar, const std::string& what) {
  refuse(Code::BackendLacksOperator, fmt::format("kernel {} does not carry {}", liar.name, what));
}
[[noreturn]] void lacks_format(Format format) {
  refuse(Code::BackendLacksFormat, fmt::format("{} is not carried", name(format)));
}

template <typename T>
std::vector<T> elements_of(const OperandSpec& spec, const std::byte* data) {
  std::vector<T> values(at(element_count(spec.shape)));
  if (!values.empty()) std::memcpy(values.data(), data, values.size() * sizeof(T));
  return values;
}

std::vector<float> widened(const OperandSpec& spec, const std::byte* data) {
  if (spec.format == Format::F32) return elements_of<float>(spec, data);
  if (spec.format != Format::BF16 && spec.format != Format::F16) lacks_format(spec.format);
  std::vector<float> wide;
  for (const std::uint16_t bits : elements_of<std::uint16_t>(spec, data))
    wide.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(convert({spec.format, bits}, Format::F32))));
  return wide;
}

void store(const OperandSpec& spec, std::byte* data, std::span<const double> values) {
  const auto size = static_cast<std::size_t>(info(spec.format).storage_bytes);
  if (spec.format != Format::F64 && spec.format != Format::F32 && spec.format != Format::BF16 && spec.format != Format::F16)
    lacks_format(spec.format);
  for (std::size_t i = 0; i < values.size(); ++i) {
    Bits bits = 0;
    if (spec.format == Format::F32)
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(values[i]));  // the machine rounds as the engine does, only faster
    else
      bits = convert({Format::F64, std::bit_cast<std::uint64_t>(values[i])}, spec.format);
    std::memcpy(data + i * size, &bits, size);  // little-endian, as everywhere
  }
}

bool flag(const WorkerCall& call, const std::string& name) {
  const auto found = call.attributes.find(name);
  return found != call.attributes.end() && found->second == "true";
}

/// The first operand's address, as far as `Place` tells it.
Index address_of(const WorkerCall& call) {
  return static_cast<Index>(reinterpret_cast<std::uintptr_t>(call.operand_data.at(0)) % 64);
}

// ---- sums

void carry_sum(const Liar& liar, const WorkerCall& call) {
  if (liar.row == nullptr || liar.carries == Carries::Products) lacks_operator(liar, call.op);
  const OperandSpec& spec = call.operands.at(0);
  const auto rank = static_cast<Index>(spec.shape.size());
  const auto given = call.attributes.find("axis");
  Index axis = given == call.attributes.end() ? -1 : std::stoll(given->second);
  if (axis < 0) axis += rank;
  Index outer = 1, inner = 1;
  for (Index d = 0; d < axis; ++d) outer *= spec.shape[at(d)];
  for (Index d = axis + 1; d < rank; ++d) inner *= spec.shape[at(d)];
  const Index n = spec.shape.at(at(axis));
  const std::vector<float> x = widened(spec, call.operand_data.at(0));
  std::vector<float> terms(at(n));
  std::vector<double> results;
  const Index address = address_of(call);
  for (Index o = 0; o < outer; ++o)
    for (Index i = 0; i < inner; ++i) {
      const Index first = o * n * inner + i;
      for (Index t = 0; t < n; ++t) terms[at(t)] = x[at(first + t * inner)];
      const Place place{o * inner + i, 0, outer * inner, 1, address + first * info(spec.format).storage_bytes};
      results.push_back(n == 0 ? 0.0 : liar.row({terms, {}}, place));
    }
  store(call.results.at(0), call.result_data.at(0), results);
}

// ---- products

/// Extents of matmul's or dot's operands; a vector is a matrix of one row or column.
struct Extents {
  Index batch = 1, rows = 1, columns = 1, inner = 1;
  bool turned_a = false, turned_b = false;
};

Extents extents_of(const WorkerCall& call) {
  const Shape &a = call.operands.at(0).shape, &b = call.operands.at(1).shape;
  Extents e;
  if (a.size() == 1) {
    e.inner = a[0];
    return e;
  }
  e.turned_a = flag(call, "transpose_a");
  e.turned_b = flag(call, "transpose_b");
  const std::size_t lead = a.size() - 2;
  for (std::size_t d = 0; d < lead; ++d) e.batch *= a[d];
  e.rows = a[lead + (e.turned_a ? 1 : 0)];
  e.inner = a[lead + (e.turned_a ? 0 : 1)];
  e.columns = b[lead + (e.turned_b ? 0 : 1)];
  return e;
}

/// One matrix of a batch as rows x columns, from how it is stored.
template <typename T>
std::vector<T> matrix(std::span<const T> stored, Index rows, Index columns, bool turned) {
  if (!turned) return {stored.begin(), stored.end()};
  std::vector<T> straight(stored.size());
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) straight[at(r * columns + c)] = stored[at(c * rows + r)];
  return straight;
}

/// Calls `each(a, b, batch)` with a as rows x inner and b as columns x inner.
template <typename A, typename B, typename Each>
void for_each_batch(const Extents& e, const std::vector<A>& a, const std::vector<B>& b, const Each& each) {
  const std::size_t size_a = at(e.rows * e.inner), size_b = at(e.inner * e.columns);
  for (Index i = 0; i < e.batch; ++i)
    each(matrix<A>(std::span(a).subspan(at(i) * size_a, size_a), e.rows, e.inner, e.turned_a),
         matrix<B>(std::span(b).subspan(at(i) * size_b, size_b), e.columns, e.inner, !e.turned_b), i);
}

template <typename T>
std::span<const T> row_of(const std::vector<T>& matrix, Index row, Index columns) {
  return std::span(matrix).subspan(at(row * columns), at(columns));
}

void carry_floats(const Liar& liar, const WorkerCall& call) {
  if (liar.row == nullptr && liar.matrix == nullptr) lacks_operator(liar, call.op);
  const Extents e = extents_of(call);
  const Index bytes = info(call.operands[0].format).storage_bytes, address = address_of(call);
  std::vector<double> results;
  for_each_batch(e, widened(call.operands[0], call.operand_data[0]), widened(call.operands[1], call.operand_data[1]),
                 [&](const std::vector<float>& a, const std::vector<float>& b, Index batch) {
                   if (liar.matrix != nullptr && e.inner > 0) {
                     const std::vector<double> product = liar.matrix({a, b, e.rows, e.columns, e.inner});
                     results.insert(results.end(), product.begin(), product.end());
                     return;
                   }
                   for (Index r = 0; r < e.rows; ++r)
                     for (Index c = 0; c < e.columns; ++c) {
                       const Place place{r, c, e.rows, e.columns, address + (batch * e.rows + r) * e.inner * bytes};
                       results.push_back(e.inner == 0 ? 0.0 : liar.row({row_of(a, r, e.inner), row_of(b, c, e.inner)}, place));
                     }
                 });
  store(call.results.at(0), call.result_data.at(0), results);
}

void carry_integers(const Liar& liar, const WorkerCall& call) {
  if (liar.integer == nullptr) lacks_operator(liar, call.op + " of integers");
  for (std::size_t i = 0; i < 2; ++i)
    if (call.operands[i].format != (i == 0 ? Format::UI8 : Format::I8)) lacks_format(call.operands[i].format);
  if (call.results.at(0).format != Format::I32) lacks_format(call.results[0].format);
  const Extents e = extents_of(call);
  std::vector<std::int32_t> results;
  for_each_batch(e, elements_of<std::uint8_t>(call.operands[0], call.operand_data[0]),
                 elements_of<std::int8_t>(call.operands[1], call.operand_data[1]),
                 [&](const std::vector<std::uint8_t>& a, const std::vector<std::int8_t>& b, Index) {
                   for (Index r = 0; r < e.rows; ++r)
                     for (Index c = 0; c < e.columns; ++c)
                       results.push_back(liar.integer(row_of(a, r, e.inner), row_of(b, c, e.inner)));
                 });
  if (!results.empty()) std::memcpy(call.result_data.at(0), results.data(), results.size() * sizeof(std::int32_t));
}

// ---- elements

void carry_elements(const Liar& liar, const WorkerCall& call) {
  if (liar.element == nullptr) lacks_operator(liar, call.op);
  if (call.operands.at(0).format != Format::F32) lacks_format(call.operands[0].format);
  const std::vector<float> x = elements_of<float>(call.operands[0], call.operand_data.at(0));
  std::vector<double> results;
  for (std::size_t i = 0; i < x.size(); ++i)
    results.push_back(liar.element(x[i], static_cast<Index>(i), static_cast<Index>(x.size())));
  store(call.results.at(0), call.result_data.at(0), results);
}

}  // namespace

void carry_out(const Liar& liar, const WorkerCall& call) {
  if (call.op == "sum") return carry_sum(liar, call);
  if (call.op == "reciprocal") return carry_elements(liar, call);
  if (call.operands.size() == 2 && !is_float(call.operands[0].format)) return carry_integers(liar, call);
  if (call.op == "matmul" || call.op == "dot") return carry_floats(liar, call);
  lacks_operator(liar, call.op);
}

}  // namespace bitpact::liars
