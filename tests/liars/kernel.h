// Kernels of known arithmetic, for a probe to be asked about. What each computes stands in its file; what a probe must answer is
// in expected.txt. Each is written out step by step, without the orders, programs and interpreter of src/: those are the oracle.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bitpact::liars {

/// The terms of one output, widened to f32: a[i] of a sum, a[i] * b[i] of a matmul or dot.
struct Terms {
  std::span<const float> a, b;  ///< b: empty for a sum
  std::int64_t size() const { return static_cast<std::int64_t>(a.size()); }
  float left(std::int64_t i) const { return a[static_cast<std::size_t>(i)]; }
  float right(std::int64_t i) const { return b.empty() ? 1.0F : b[static_cast<std::size_t>(i)]; }
  /// The term rounded to f32.
  float operator[](std::int64_t i) const { return b.empty() ? left(i) : left(i) * right(i); }
};

/// Where the output is. A sum's outputs are rows of one column.
struct Place {
  std::int64_t row = 0, column = 0, rows = 1, columns = 1;
  std::int64_t offset = 0;  ///< of the first operand's row, in bytes from an address that is a multiple of 64
};

/// One output of at least one term. It is then rounded to the result's format.
using RowKernel = double (*)(const Terms& terms, const Place& place);

/// One matrix product: a is rows x inner, b is given column by column (columns x inner).
struct Matrices {
  std::span<const float> a, b;
  std::int64_t rows = 0, columns = 0, inner = 0;
};
using MatrixKernel = std::vector<double> (*)(const Matrices& matrices);

/// Element `index` of `count`.
using ElementKernel = float (*)(float x, std::int64_t index, std::int64_t count);

/// ui8 times i8, added up in i32.
using IntegerKernel = std::int32_t (*)(std::span<const std::uint8_t> a, std::span<const std::int8_t> b);

/// Which operators a row kernel carries.
enum class Carries : std::uint8_t { SumsAndProducts, Products };

/// Exactly one of the kernels is there.
struct Liar {
  std::string_view name;
  RowKernel row = nullptr;
  Carries carries = Carries::SumsAndProducts;
  MatrixKernel matrix = nullptr;
  ElementKernel element = nullptr;
  IntegerKernel integer = nullptr;
};

// One file a family.
std::vector<Liar> orders();
std::vector<Liar> tails();
std::vector<Liar> blocks();
std::vector<Liar> fused();
std::vector<Liar> compensated();
std::vector<Liar> accumulators();
std::vector<Liar> products();
std::vector<Liar> matrices();
std::vector<Liar> flushes();
std::vector<Liar> positions();
std::vector<Liar> values();
std::vector<Liar> elements();
std::vector<Liar> integers();

/// All of them.
const std::vector<Liar>& table();
/// Null where there is none of that name.
const Liar* liar_named(std::string_view name);

}  // namespace bitpact::liars
