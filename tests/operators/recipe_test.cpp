#include "operators/recipe.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "diagnostic/diagnostic.h"
#include "number/arithmetic.h"
#include "operators/recipe_values.h"
#include "tensor/digest.h"
#include "tensor/refusal.h"
#include "tensor/transpose.h"

namespace bitpact {
namespace {

const std::string kFolder = std::string(BITPACT_SOURCE_DIR) + "/tests/operators/";
constexpr std::array kFloats = {Format::F64, Format::F32, Format::BF16, Format::F16};

std::string content(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Recipe only(const std::string& name, std::uint64_t seed = 1) {
  Recipe recipe;
  recipe.seed = seed;
  recipe.classes = {name};
  return recipe;
}

/// lhs [rows, depth], rhs [depth, columns].
std::vector<Tensor> matmul_operands(const Recipe& recipe, Format format, std::int64_t rows, std::int64_t depth,
                                    std::int64_t columns) {
  return make_operands(recipe, {{format, {rows, depth}}, {format, {depth, columns}}}, {{"m", "k"}, {"k", "n"}}, {"m", "n"});
}

std::vector<Tensor> elementwise_operands(const Recipe& recipe, Format format, std::int64_t count, std::size_t operands) {
  return make_operands(recipe, std::vector<OperandSpec>(operands, {format, {count}}), std::vector<Axes>(operands, {"d"}), {"d"});
}

TEST(Recipe, TheReferenceImplementationMakesTheSameBits) {
  const auto golden = nlohmann::json::parse(content(kFolder + "recipe_golden.json"));
  ASSERT_GE(golden.size(), 8u);
  for (const auto& entry : golden) {
    std::vector<OperandSpec> specs;
    std::vector<Axes> axes;
    for (const auto& operand : entry["operands"]) {
      specs.push_back({parse_format(operand["format"].get<std::string>()), operand["shape"].get<Shape>()});
      axes.push_back(operand["axes"].get<Axes>());
    }
    const auto operands =
        make_operands(Recipe::parse(entry["recipe"].get<std::string>()), specs, axes, entry["result_axes"].get<Axes>());
    EXPECT_EQ(sha256(operands), entry["sha256"].get<std::string>()) << entry.dump();
  }
}

TEST(Recipe, TheGoldenFileIsTheReferenceImplementations) {
  std::FILE* pipe = ::popen(("python3 '" + kFolder + "recipe_reference.py'").c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string text;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
  ASSERT_EQ(::pclose(pipe), 0);
  EXPECT_EQ(text, content(kFolder + "recipe_golden.json"));
}

TEST(Recipe, TextRoundTrip) {
  EXPECT_EQ(Recipe{}.to_text(), "bitpact-operands/2 seed=1 classes=normal,wide,cancellation,ties,subnormal,special");
  EXPECT_EQ(Recipe::parse("bitpact-operands/2"), Recipe{});
  EXPECT_EQ(Recipe::parse("bitpact-operands/2 classes=wide,normal seed=7").to_text(),
            "bitpact-operands/2 seed=7 classes=normal,wide");
  EXPECT_EQ(Recipe::parse("bitpact-operands/2 seed=18446744073709551615").seed, UINT64_MAX);
  const Recipe all = Recipe::parse("bitpact-operands/2 enumerate");
  EXPECT_TRUE(all.enumerates());
  EXPECT_EQ(all.to_text(), "bitpact-operands/2 enumerate");
  for (const std::string text :
       {"bitpact-operands/2", "bitpact-operands/2 enumerate", "bitpact-operands/2 seed=3 classes=special",
        "bitpact-operands/2 bits=0x0", "bitpact-operands/2 bits=0x3f800000,0xffffffffffffffff,0x1"})
    EXPECT_EQ(Recipe::parse(Recipe::parse(text).to_text()), Recipe::parse(text));
}

TEST(Recipe, WhatIsNoRecipeIsRefused) {
  for (const char* bad : {"",
                          "seed=1",
                          "bitpact-operands/1",
                          "bitpact-operands/3",
                          "bitpact-operands/2 ",
                          " bitpact-operands/2",
                          "bitpact-operands/2  seed=1",
                          "bitpact-operands/2 seed=",
                          "bitpact-operands/2 seed=-1",
                          "bitpact-operands/2 seed=01",
                          "bitpact-operands/2 seed=1x",
                          "bitpact-operands/2 seed=18446744073709551616",
                          "bitpact-operands/2 seed=1 seed=2",
                          "bitpact-operands/2 classes=",
                          "bitpact-operands/2 classes=normal,",
                          "bitpact-operands/2 classes=normal,normal",
                          "bitpact-operands/2 classes=odd",
                          "bitpact-operands/2 classes=wide classes=normal",
                          "bitpact-operands/2 enumerate seed=1",
                          "bitpact-operands/2 seed=1 enumerate",
                          "bitpact-operands/2 bits=",
                          "bitpact-operands/2 bits=1",
                          "bitpact-operands/2 bits=0x",
                          "bitpact-operands/2 bits=0x01",
                          "bitpact-operands/2 bits=0xA",
                          "bitpact-operands/2 bits=0x1g",
                          "bitpact-operands/2 bits=0x-1",
                          "bitpact-operands/2 bits=0x1,",
                          "bitpact-operands/2 bits=0x10000000000000000",
                          "bitpact-operands/2 bits=0x1 seed=1",
                          "bitpact-operands/2 seed=1 bits=0x1",
                          "bitpact-operands/2 more"})
    EXPECT_EQ(refusal([&] { Recipe::parse(bad); }), Code::Usage) << bad;
  Recipe none, newer;
  none.classes = {};
  newer.version = "bitpact-operands/3";
  for (const Recipe& recipe : {none, newer, only("odd")})
    EXPECT_EQ(refusal([&] { elementwise_operands(recipe, Format::F32, 3, 1); }), Code::Usage);
  EXPECT_EQ(refusal([] { make_operands(Recipe{}, {{Format::F32, {3}}}, {{"a", "b"}}, {"a"}); }), Code::Internal);
  EXPECT_EQ(refusal([] { make_operands(Recipe{}, {{Format::F32, {3}}}, {}, {"a"}); }), Code::Internal);
}

TEST(Recipe, EnumerateIsEveryValueOfOneNarrowOperand) {
  const Recipe all = Recipe::parse("bitpact-operands/2 enumerate");
  const auto operands = make_operands(all, {{Format::BF16, {256, 300}}}, {{"a", "b"}}, {"a", "b"});
  ASSERT_EQ(operands.size(), 1u);
  for (std::int64_t i = 0; i < operands[0].size(); ++i) ASSERT_EQ(operands[0].get(i), static_cast<Bits>(i) & 0xffff);
  EXPECT_EQ(refusal([&] { elementwise_operands(all, Format::F32, 4, 1); }), Code::Usage);
  EXPECT_EQ(refusal([&] { elementwise_operands(all, Format::BF16, 4, 2); }), Code::Usage);
  EXPECT_EQ(refusal([&] { classes_present(all, {{Format::F32, {4}}}, {{"d"}}, {"d"}); }), Code::Usage);
}

TEST(Recipe, GivenBits) {
  const Recipe given = Recipe::parse("bitpact-operands/2 bits=0x42b00001,0x1");
  const auto operands = elementwise_operands(given, Format::F32, 5, 2);
  ASSERT_EQ(operands.size(), 2u);
  for (const Tensor& operand : operands)
    for (std::int64_t i = 0; i < 5; ++i) EXPECT_EQ(operand.get(i), i % 2 == 0 ? 0x42b00001U : 1U);
  EXPECT_EQ(classes_present(given, {{Format::F32, {4}}}, {{"d"}}, {"d"}), std::vector<std::string>{"bits"});
  EXPECT_EQ(refusal([&] { elementwise_operands(given, Format::BF16, 4, 1); }), Code::Usage);
  EXPECT_EQ(elementwise_operands(Recipe::parse("bitpact-operands/2 bits=0xffffffffffffffff"), Format::F64, 1, 1)[0].get(0),
            ~Bits{0});
}

/// The class that the table of docs/operands.md gives, for all six classes.
std::string documented_class(int operand, std::int64_t row) {
  static const std::vector<std::string> sequence = {"normal", "wide",      "cancellation", "normal",       "ties",    "normal",
                                                    "wide",   "subnormal", "normal",       "cancellation", "special", "normal",
                                                    "wide",   "ties",      "normal",       "cancellation"};
  const std::int64_t shift = operand == 0 ? 0 : operand == 1 ? row / 16 : row / 256;
  return sequence[static_cast<std::size_t>((row + shift) % 16)];
}

TEST(Recipe, ElementwiseOperandsMeetInAllPairsAndTriplesOfClasses) {
  const std::int64_t count = 4096;
  const auto mixed = elementwise_operands(Recipe{}, Format::F32, count, 3);
  std::map<std::string, std::vector<Tensor>> pure;
  for (const auto& name : Recipe::all_classes()) pure[name] = elementwise_operands(only(name), Format::F32, count, 3);
  std::set<std::pair<std::string, std::string>> pairs;
  std::set<std::array<std::string, 3>> triples;
  for (std::int64_t i = 0; i < count; ++i) {
    std::array<std::string, 3> classes;
    for (std::size_t o = 0; o < 3; ++o) {
      classes[o] = documented_class(static_cast<int>(o), i);
      // The value of an element depends on its class and its place, so each must be what a recipe of that class alone makes
      // there.
      ASSERT_EQ(mixed[o].get(i), pure[classes[o]][o].get(i)) << i << " " << o;
    }
    triples.insert(classes);
    if (i < 256) pairs.insert({classes[0], classes[1]});
  }
  EXPECT_EQ(pairs.size(), 36u);
  EXPECT_EQ(triples.size(), 216u);
}

TEST(Recipe, AClassIsConstantAlongContractedAxes) {
  const auto mixed = matmul_operands(Recipe{}, Format::F16, 16, 40, 70);
  std::map<std::string, std::vector<Tensor>> pure;
  for (const auto& name : Recipe::all_classes()) pure[name] = matmul_operands(only(name), Format::F16, 16, 40, 70);
  for (std::int64_t k = 0; k < 40; ++k) {
    for (std::int64_t m = 0; m < 16; ++m) {
      if (documented_class(0, m) == "special") continue;  // its theme depends on the number of classes too
      ASSERT_EQ(mixed[0].get(m * 40 + k), pure[documented_class(0, m)][0].get(m * 40 + k));
    }
    for (std::int64_t n = 0; n < 70; ++n) {
      if (documented_class(1, n) == "special") continue;
      ASSERT_EQ(mixed[1].get(k * 70 + n), pure[documented_class(1, n)][1].get(k * 70 + n));
    }
  }
}

TEST(Recipe, ATransposedOperandHoldsTheSameNumbers) {
  const auto plain = make_operands(Recipe{}, {{Format::F32, {3, 20, 9}}, {Format::F32, {3, 9, 17}}},
                                   {{"b", "m", "k"}, {"b", "k", "n"}}, {"b", "m", "n"});
  const auto turned = make_operands(Recipe{}, {{Format::F32, {3, 9, 20}}, {Format::F32, {17, 3, 9}}},
                                    {{"b", "k", "m"}, {"n", "b", "k"}}, {"b", "m", "n"});
  const std::vector<int> swap = {0, 2, 1}, rotate = {2, 0, 1};
  EXPECT_EQ(sha256(transpose(plain[0], swap).span()), sha256(turned[0].span()));
  EXPECT_EQ(sha256(transpose(plain[1], rotate).span()), sha256(turned[1].span()));
}

TEST(Recipe, SeedsAndOperandsDiffer) {
  std::set<std::string> digests;
  for (std::uint64_t seed : {0, 1, 2})
    for (const Tensor& operand : elementwise_operands(only("normal", seed), Format::F32, 64, 3))
      digests.insert(sha256(operand.span()));
  EXPECT_EQ(digests.size(), 9u);
}

int exponent(Format format, Bits bits) {
  const FormatInfo& row = info(format);
  return static_cast<int>(bits >> row.mantissa_bits & ((Bits{1} << row.exponent_bits) - 1)) - row.bias;
}

TEST(Recipe, NormalAndWideFillTheirRangesOfExponents) {
  const std::map<Format, std::pair<int, int>> wide = {
      {Format::F64, {-250, 250}}, {Format::F32, {-30, 30}}, {Format::BF16, {-30, 30}}, {Format::F16, {-7, 3}}};
  for (Format format : kFloats) {
    for (const auto& [name, range] :
         {std::pair<std::string, std::pair<int, int>>{"normal", {-2, 2}}, {"wide", wide.at(format)}}) {
      std::set<int> seen;
      std::int64_t negative = 0;
      const Tensor operand = elementwise_operands(only(name), format, 10000, 1)[0];
      for (std::int64_t i = 0; i < operand.size(); ++i) {
        seen.insert(exponent(format, operand.get(i)));
        negative += sign_bit(format, operand.get(i));
      }
      EXPECT_EQ(*seen.begin(), range.first);
      EXPECT_EQ(*seen.rbegin(), range.second);
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(range.second - range.first + 1));
      EXPECT_NEAR(static_cast<double>(negative), 5000, 300);
    }
  }
}

TEST(Recipe, ElementwiseCancellationShowsAFusedProduct) {
  for (Format format : kFloats) {
    const auto operands = elementwise_operands(only("cancellation"), format, 500, 3);
    for (std::int64_t i = 0; i < 500; ++i) {
      const Scalar a{format, operands[0].get(i)}, b{format, operands[1].get(i)}, c{format, operands[2].get(i)};
      EXPECT_EQ(multiply(a, b, format), negate(c));
      EXPECT_EQ(classify(format, fused_multiply_add(a, b, c, format)), Class::Normal);
      const Bits sum = add(a, b, format);
      if (classify(format, sum) == Class::Zero) continue;
      // The sum is exact, and smaller than an operand by the leading half of its digits.
      EXPECT_EQ(add(a, b, format, {.rounding = Rounding::Up}), add(a, b, format, {.rounding = Rounding::Down}));
      EXPECT_LE(exponent(format, sum), exponent(format, a.bits) - (info(format).mantissa_bits + 2) / 2);
    }
  }
}

TEST(Recipe, ContractedCancellationCancelsExactlyTwoApart) {
  for (Format format : kFloats) {
    const std::int64_t depth = 23;
    const auto operands = matmul_operands(only("cancellation"), format, 5, depth, 4);
    for (std::int64_t m = 0; m < 5; ++m) {
      for (std::int64_t n = 0; n < 4; ++n) {
        for (std::int64_t k = 0; k + 2 < depth; k += 4) {
          auto product = [&](std::int64_t at) {
            return multiply({format, operands[0].get(m * depth + at)}, {format, operands[1].get(at * 4 + n)}, Format::F64);
          };
          EXPECT_EQ(product(k), negate({Format::F64, product(k + 2)}));
          EXPECT_GE(exponent(Format::F64, product(k)), format == Format::F16 ? 4 : 11);
          EXPECT_LE(exponent(Format::F64, product(k + 1)), 5);
        }
        const int large = format == Format::F64 ? 26 : format == Format::F16 ? 5 : 12;
        EXPECT_EQ(exponent(format, operands[0].get(m * depth + 20)), large);
        // Without a partner: not large.
        EXPECT_LE(exponent(format, matmul_operands(only("cancellation"), format, 5, 22, 4)[0].get(m * 22 + 20)), 2);
      }
    }
  }
}

/// Whether the exact result lies half-way between two neighbours: `error` is the exact result minus `rounded`.
bool half_way(Format format, Bits up, Bits down, Bits error) {
  const Bits gap = subtract({format, up}, {format, down}, format);
  return up != down && absolute({format, add({format, error}, {format, error}, format)}) == gap;
}

TEST(Recipe, ElementwiseTiesAreHalfWayForSumAndProduct) {
  constexpr Policy kUp{.rounding = Rounding::Up}, kDown{.rounding = Rounding::Down};
  for (Format format : kFloats) {
    const auto operands = elementwise_operands(only("ties"), format, 500, 2);
    for (std::int64_t i = 0; i < 500; ++i) {
      const Scalar a{format, operands[0].get(i)}, b{format, operands[1].get(i)};
      for (const Scalar addend : {b, Scalar{format, negate(b)}}) {
        const Scalar sum{format, add(a, addend, format)};
        // Exact for |a| >= |b| (Dekker 1971).
        const Bits error = subtract(addend, {format, subtract(sum, a, format)}, format);
        EXPECT_TRUE(half_way(format, add(a, addend, format, kUp), add(a, addend, format, kDown), error))
            << name(format) << " " << i;
      }
      const Bits product = multiply(a, b, format);
      const Bits error = fused_multiply_add(a, b, {format, negate({format, product})}, format);
      EXPECT_TRUE(half_way(format, multiply(a, b, format, kUp), multiply(a, b, format, kDown), error))
          << name(format) << " " << i;
    }
  }
}

TEST(Recipe, AContractedTieIsHalfWayAtEachStepOfTheAccumulator) {
  constexpr Policy kUp{.rounding = Rounding::Up}, kDown{.rounding = Rounding::Down};
  for (Format format : kFloats) {
    const Format accumulator = format == Format::F64 ? Format::F64 : Format::F32;
    const std::int64_t rows = 12, depth = 300;
    const auto operands = matmul_operands(only("ties"), format, rows, depth, 3);
    std::set<int> precisions;
    for (std::int64_t m = 0; m < rows; ++m) {
      // The row's target is seen in its first term: 1.25 * 2^(P - P/2 - 1).
      const int first = exponent(format, operands[0].get(m * depth));
      const int own = info(format).mantissa_bits + 1;
      const bool wide = own >= 24 || first == 24 - 13;
      precisions.insert(wide ? std::max(own, 24) : own);
      if (!wide) {
        EXPECT_EQ(first, own - (own / 2 + 1));
        continue;
      }
      Scalar sum{accumulator, multiply({format, operands[0].get(m * depth)}, {format, operands[1].get(0)}, accumulator)};
      for (std::int64_t k = 1; k < depth; ++k) {
        const Scalar term{accumulator,
                          multiply({format, operands[0].get(m * depth + k)}, {format, operands[1].get(k * 3)}, accumulator)};
        const Scalar next{accumulator, add(sum, term, accumulator)};
        const Bits error = subtract(term, {accumulator, subtract(next, sum, accumulator)}, accumulator);
        ASSERT_TRUE(half_way(accumulator, add(sum, term, accumulator, kUp), add(sum, term, accumulator, kDown), error))
            << name(format) << " " << m << " " << k;
        sum = next;
      }
    }
    EXPECT_EQ(precisions.size(), format == Format::BF16 || format == Format::F16 ? 2u : 1u);
  }
}

TEST(Recipe, OneOperandsTiesAreHalfWayForConversions) {
  const Tensor operand = elementwise_operands(only("ties"), Format::F32, 400, 1)[0];
  std::int64_t bf16 = 0, f16 = 0;
  for (std::int64_t i = 0; i < operand.size(); ++i) {
    const Scalar x{Format::F32, operand.get(i)};
    for (auto [format, count] : {std::pair{Format::BF16, &bf16}, {Format::F16, &f16}}) {
      auto to = [&, f = format](Rounding rounding) {
        return Scalar{Format::F32, convert({f, convert(x, f, {.rounding = rounding})}, Format::F32)};
      };
      const Scalar up = to(Rounding::Up), down = to(Rounding::Down);
      if (up != down && subtract(up, x, Format::F32) == subtract(x, down, Format::F32)) ++*count;
    }
    EXPECT_NE(convert(x, Format::I32, {.rounding = Rounding::Up}), convert(x, Format::I32, {.rounding = Rounding::Down}));
  }
  EXPECT_EQ(bf16 + f16, 400);
  EXPECT_GT(bf16, 100);
  EXPECT_GT(f16, 100);
}

TEST(Recipe, SubnormalAndSpecialHoldWhatTheyName) {
  for (Format format : kFloats) {
    std::map<Class, std::int64_t> subnormal;
    const Tensor tiny = matmul_operands(only("subnormal"), format, 20, 100, 1)[0];
    for (std::int64_t i = 0; i < tiny.size(); ++i) ++subnormal[classify(format, tiny.get(i))];
    EXPECT_GT(subnormal[Class::Subnormal], 1000);
    EXPECT_GT(subnormal[Class::Normal], 400);
    EXPECT_EQ(subnormal.size(), 2u);

    std::set<Bits> values;
    const Tensor elementwise = elementwise_operands(only("special"), format, 1000, 1)[0];
    for (std::int64_t i = 0; i < elementwise.size(); ++i) values.insert(elementwise.get(i));
    std::set<Bits> contracted;
    const Tensor rows = matmul_operands(only("special"), format, 32, 50, 1)[0];
    for (std::int64_t i = 0; i < rows.size(); ++i) contracted.insert(rows.get(i));
    std::set<Bits> expected = {quiet_nan(format)};
    for (bool negative : {false, true})
      for (Bits bits :
           {negative ? negative_zero(format) : positive_zero(format), infinity(format, negative),
            largest_finite(format, negative), smallest_normal(format, negative), smallest_subnormal(format, negative)})
        expected.insert(bits);
    for (Bits bits : expected) {
      EXPECT_TRUE(values.contains(bits)) << to_hex({format, bits});
      EXPECT_TRUE(contracted.contains(bits)) << to_hex({format, bits});
    }
    // One infinity at most in a row of theme 0, one NaN in a row of theme 1.
    const auto first = static_cast<std::int64_t>((8 - OperandWords(1).theme(0) % 8) % 8);
    for (std::int64_t row = first; row + 1 < 32; row += 8) {
      std::int64_t infinities = 0, nans = 0;
      for (std::int64_t k = 0; k < 50; ++k) {
        infinities += classify(format, rows.get(row * 50 + k)) == Class::Infinity;
        nans += classify(format, rows.get((row + 1) * 50 + k)) == Class::NaN;
      }
      EXPECT_EQ(infinities, 1);
      EXPECT_EQ(nans, 1);
    }
  }
}

// One output a call is all that some problems have: its themes must not be the same ones with every seed.
TEST(Recipe, SpecialThemesOfASingleRowGoThroughAllPairsWithTheSeed) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const OperandWords words(seed);
    pairs.emplace(theme_of({.operand = 0, .operands = 2, .contracted = true}, words, 8),
                  theme_of({.operand = 1, .operands = 2, .contracted = true}, words, 8));
  }
  EXPECT_EQ(pairs.size(), 64u);
}

TEST(Recipe, IntegerRowsOfOneExtreme) {
  Recipe special = only("special");
  std::set<std::pair<Bits, Bits>> rows;  // the first two elements where all are those two in turn
  for (special.seed = 1; special.seed <= 200; ++special.seed) {
    const Tensor row =
        make_operands(special, {{Format::I8, {1, 6}}, {Format::UI8, {6, 1}}}, {{"m", "k"}, {"k", "n"}}, {"m", "n"})[0];
    bool alternates = true;
    for (std::int64_t k = 2; k < 6; ++k) alternates = alternates && row.get(k) == row.get(k - 2);
    if (alternates) rows.emplace(row.get(0), row.get(1));
  }
  for (const std::pair<Bits, Bits>& expected : {std::pair<Bits, Bits>{0x7f, 0x7f}, {0x80, 0x80}, {0x7f, 0x80}})
    EXPECT_TRUE(rows.contains(expected));
}

TEST(Recipe, ClassesThatArePresent) {
  auto of = [](const std::vector<OperandSpec>& specs, const std::vector<Axes>& axes, const Axes& result,
               const Recipe& recipe = {}) { return classes_present(recipe, specs, axes, result); };
  const std::vector<Axes> matmul = {{"m", "k"}, {"k", "n"}};
  EXPECT_EQ(of({{Format::F32, {64, 8}}, {Format::F32, {8, 64}}}, matmul, {"m", "n"}), Recipe::all_classes());
  EXPECT_EQ(of({{Format::F32, {1, 99}}, {Format::F32, {99, 1}}}, matmul, {"m", "n"}), std::vector<std::string>{"normal"});
  EXPECT_EQ(of({{Format::F32, {3, 99}}, {Format::F32, {99, 1}}}, matmul, {"m", "n"}),
            (std::vector<std::string>{"normal", "wide", "cancellation"}));
  EXPECT_EQ(of({{Format::F32, {99}}}, {{"k"}}, {}), std::vector<std::string>{"normal"});
  EXPECT_EQ(of({{Format::F32, {99}}}, {{"k"}}, {}, only("special")), std::vector<std::string>{"special"});
  EXPECT_EQ(of({{Format::F32, {99, 0}}}, {{"d", "k"}}, {"d"}), std::vector<std::string>{});
  EXPECT_EQ(of({{Format::I1, {99}}}, {{"d"}}, {"d"}), std::vector<std::string>{"normal"});
  EXPECT_EQ(of({{Format::F16, {99}}}, {{"d"}}, {"d"}, Recipe::parse("bitpact-operands/2 enumerate")),
            std::vector<std::string>{"enumerate"});
}

}  // namespace
}  // namespace bitpact
