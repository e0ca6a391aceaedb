// The node Index: what is well formed, its binding, its JSON, its normal form, its mutants, its words.
#include "contract/index.h"

#include <gtest/gtest.h>

#include "contract/canonical_json.h"
#include "contract/generate.h"
#include "contract/mutate.h"
#include "contract/normal_form.h"
#include "contract/program_json.h"
#include "contract/run.h"
#include "contract/words.h"
#include "diagnostic/diagnostic.h"
#include "tensor/refusal.h"

namespace bitpact {
namespace {

constexpr Format F = Format::BF16;

NumericProgram of(const Axes& operand, std::vector<Index> indices) {
  NumericProgram program{{Input{"x", F, operand}}, {static_cast<int>(indices.size())}};
  for (Index& index : indices) {
    index.operands = {static_cast<int>(program.nodes.size()) - 1};
    index.format = F;
    program.nodes.emplace_back(std::move(index));
  }
  return program;
}

Index index(std::vector<IndexCoordinate> from, Axes axes, std::optional<Bits> outside = {}) {
  return {{0}, F, std::move(from), std::move(axes), outside};
}

/// x of [*b, h, c] in windows of kh, two apart, one before the first.
NumericProgram windows() {
  return of({"*b", "h", "c"}, {index({{"h", -1, false, {{"i", {2}}, {"kh"}}}}, {"*b", "i", "kh", "c"}, 0)});
}

std::string reason(const NumericProgram& p) {
  try {
    check_well_formed(p);
  } catch (const Refused& refused) {
    return refused.diagnostic().reason;
  }
  return "";
}

std::string key(const NumericProgram& p) { return canonical_json(to_json(normal_form(p))); }

TEST(Index, WhatIsNoneIsRefused) {
  EXPECT_EQ(reason(windows()), "");
  EXPECT_EQ(reason(of({"*b", "h"}, {index({}, {"h", "*b", "n"})})), "");
  EXPECT_EQ(reason(of({"h"}, {index({{"w"}}, {"h"})})), "node 1: its operand has no axis \"w\"");
  EXPECT_EQ(reason(of({"*b"}, {index({{"*b"}}, {"i"})})), "node 1: a pack (\"*b\") is only taken as it is");
  EXPECT_EQ(reason(of({"h"}, {index({{"h"}, {"h"}}, {"i"})})), "node 1: two coordinates along \"h\"");
  EXPECT_EQ(reason(of({"h"}, {index({{"h", 0, false, {{"j"}}}}, {"i"})})),
            "node 1: \"j\" in the index along \"h\" is no single axis of the result");
  EXPECT_EQ(reason(of({"h"}, {index({{"h", 0, false, {{"*b"}}}}, {"*b"})})),
            "node 1: \"*b\" in the index along \"h\" is no single axis of the result");
  EXPECT_EQ(reason(of({"h"}, {index({}, {"i"})})),
            "node 1: axis \"h\" of its operand has no coordinate and is no axis of the result");
  EXPECT_EQ(reason(of({"h"}, {index({{"h", 0, false, {{"i", {0}}}}}, {"i"})})), "node 1: a stride of 0");
  EXPECT_EQ(reason(of({"h"}, {index({{"h", 0, false, {{"i", {}, {-1}}}}}, {"i"})})), "node 1: a divisor of -1");
  EXPECT_EQ(reason(of({"h"}, {index({{"h", 0, false, {{"i", {}, {}, Multiple{0}}}}}, {"i"})})), "node 1: a modulus of 0");
  EXPECT_EQ(reason(of({"h"}, {index({{"h", 0, false, {{"i", {1, {"w"}}}}}}, {"i"})})),
            "node 1: a stride by the extent of \"w\", which is an axis of neither operand nor result");
  EXPECT_EQ(reason(of({"h"}, {index({{"h", kLargestFactor + 1}}, {"i"})})), "node 1: an offset of 9007199254740993");
  EXPECT_EQ(reason(of({"h"}, {index({}, {"h"}, 0x10000)})), "node 1: the value outside has bits outside its format");
  EXPECT_EQ(reason(of({"h"}, {index({}, {"h"}, 0x7f81)})), "node 1: the value outside is a NaN that is not the quiet one");
  NumericProgram other = of({"h"}, {index({}, {"h"})});
  std::get<Index>(other.nodes[1]).format = Format::F16;
  EXPECT_EQ(reason(other), "node 1: f16 is not its operand's format, bf16");
  std::get<Index>(other.nodes[1]).operands = {1};
  EXPECT_EQ(reason(other), "node 1: operand 1 is not an earlier node");
  std::get<Index>(other.nodes[1]).operands = {0, 0};
  EXPECT_EQ(reason(other), "node 1: an index has one operand");
}

std::string bound_reason(const NumericProgram& p, const Binding& binding) {
  try {
    (void)bind(p, binding);
  } catch (const Refused& refused) {
    return refused.diagnostic().reason;
  }
  return "";
}

TEST(Index, WhatIsOutsideNeedsAValue) {
  const auto slice = [](std::int64_t offset, std::int64_t extent) {
    return bound_reason(of({"h"}, {index({{"h", offset, false, {{"i", {2}}}}}, {"i"})}),
                        {{{"h"}}, {"i"}, {}, {{"h", 8}, {"i", extent}}});
  };
  EXPECT_EQ(slice(1, 4), "");
  EXPECT_EQ(
      slice(0, 5),
      "node 1: the index along \"h\" of its operand goes from 0 to 8, and the axis has 8 elements; no value is given for what is "
      "outside");
  EXPECT_NE(slice(-1, 1), "");
  // Two terms of one axis: their sum never leaves the operand, though each term for itself goes further.
  const NumericProgram both = of({"h"}, {index({{"h", 0, false, {{"i", {-2}, {2}}, {"i"}}}}, {"i"})});
  EXPECT_EQ(bound_reason(both, {{{"h"}}, {"i"}, {}, {{"h", 2}, {"i", 100}}}), "");
  EXPECT_NE(bound_reason(both, {{{"h"}}, {"i"}, {}, {{"h", 1}, {"i", 100}}}), "");
  // Nothing is read where there is nothing.
  EXPECT_EQ(bound_reason(of({"h"}, {index({{"h", 9, false, {{"i"}}}}, {"i"})}), {{{"h"}}, {"i"}, {}, {{"h", 8}, {"i", 0}}}), "");
  EXPECT_EQ(bound_reason(of({"h"}, {index({{"h", 0, false, {{"i", {1, {"h", "h"}}}}}}, {"i"}, 0)}),
                         {{{"h"}}, {"i"}, {}, {{"h", std::int64_t{1} << 40}, {"i", 2}}}),
            "node 1: a stride does not fit in 64 bits");
  EXPECT_EQ(bound_reason(of({"h"}, {index({{"h", 0, false, {{"i", {1 << 30}}}}}, {"i"}, 0)}),
                         {{{"h"}}, {"i"}, {}, {{"h", 1}, {"i", std::int64_t{1} << 40}}}),
            "node 1: an index does not fit in 64 bits");
}

TEST(Index, BindingSpellsPacksOut) {
  const BoundProgram bound =
      bind(windows(),
           {{{"b0", "h", "c"}}, {"b0", "i", "kh", "c"}, {{"*b", {"b0"}}}, {{"b0", 2}, {"h", 5}, {"c", 3}, {"i", 3}, {"kh", 3}}});
  const auto from = plain_coordinates(bound, 1);
  ASSERT_EQ(from.size(), 3U);
  EXPECT_EQ(from[0].terms, (std::vector<PlainTerm>{{0, 1, 1, 0}}));
  EXPECT_EQ(from[1].terms, (std::vector<PlainTerm>{{1, 2, 1, 0}, {2, 1, 1, 0}}));
  EXPECT_EQ(std::tuple(from[1].start, from[1].least, from[1].greatest, from[1].extent), std::tuple(-1, -1, 5, 5));
  EXPECT_FALSE(from[1].inside());
  // A pack's extent is that of all its axes.
  const NumericProgram rows = of({"f"}, {index({{"f", 0, false, {{"r", {1, {"*b"}}}}}}, {"r", "*b"})});
  const BoundProgram wide =
      bind(rows, {{{"f"}}, {"r", "b0", "b1"}, {{"*b", {"b0", "b1"}}}, {{"f", 13}, {"r", 3}, {"b0", 2}, {"b1", 3}}});
  EXPECT_EQ(plain_coordinates(wide, 1)[0].greatest, 12);
}

TEST(Index, InJsonDefaultsAreLeftOut) {
  const NumericProgram p = windows();
  const std::string bytes = canonical_json(to_json(p));
  EXPECT_NE(
      bytes.find(
          R"({"index":{"axes":["*b","i","kh","c"],"format":"bf16","from":[{"axis":"h","offset":-1,"terms":[{"axis":"i","times":2},{"axis":"kh"}]}],"operands":[0],"outside":"0x0000"}})"),
      std::string::npos)
      << bytes;
  const NumericProgram digits =
      of({"f"}, {index({{"f", 0, true, {{"i", {-3, {"f", "i"}}, {2, {"i"}}, Multiple{4}}}}}, {"i"}, 0x7fc0)});
  for (const NumericProgram& each : {p, digits})
    EXPECT_EQ(read_program(JsonView(parse_json(canonical_json(to_json(each))), "")), each);
  const auto refused = [&](const std::string& path, const nlohmann::json& value) {
    auto changed = parse_json(bytes);
    changed["nodes"][1]["index"][nlohmann::json::json_pointer(path)] = value;
    return refusal([&] { (void)read_program(JsonView(changed, "")); });
  };
  EXPECT_EQ(refused("/from/0/offset", 0), Code::ContractValue);
  EXPECT_EQ(refused("/from/0/reversed", false), Code::ContractValue);
  EXPECT_EQ(refused("/from/0/terms/0/times", 1), Code::ContractValue);
  EXPECT_EQ(refused("/from/0/terms/0/times", 0), Code::ContractProgram);
  EXPECT_EQ(refused("/from/0/terms/0/times", {{"factor", 2}, {"extents", nlohmann::json::array()}}), Code::ContractValue);
  EXPECT_EQ(refused("/from/0/terms/0/divide", 0), Code::ContractValue);
  EXPECT_EQ(refused("/from/0/terms/0/modulo", 0), Code::ContractValue);
  EXPECT_EQ(refused("/from/0/terms/0/plus", 1), Code::ContractField);
  EXPECT_EQ(refused("/outside", "0x00000000"), Code::ContractValue);
  EXPECT_EQ(refused("/format", "f16"), Code::ContractProgram);
}

// NF11
TEST(Index, WhatChangesNothingIsNotThere) {
  const std::string plain = key({{Input{"x", F, {"m", "n"}}}, {0}});
  EXPECT_EQ(key(of({"m", "n"}, {index({}, {"m", "n"})})), plain);
  EXPECT_EQ(key(of({"m", "n"}, {index({{"n", 0, false, {{"n"}}}}, {"m", "n"}, 0)})), plain);
  const Index reversed = index({{"n", 0, true, {{"n"}}}}, {"m", "n"});
  EXPECT_EQ(key(of({"m", "n"}, {reversed, reversed})), plain);
  EXPECT_NE(key(of({"m", "n"}, {reversed})), plain);
  // n in the order of its digits, and back: flat again.
  const Index split = index({{"n", 0, false, {{"g", {1, {"l"}}}, {"l"}}}}, {"m", "g", "l"});
  const Index joined =
      index({{"g", 0, false, {{"n", {}, {1, {"l"}}}}}, {"l", 0, false, {{"n", {}, {}, Multiple{1, {"l"}}}}}}, {"m", "n"});
  EXPECT_EQ(key(of({"m", "n"}, {split, joined})), plain);
  // Without a coordinate it is a map that hands on.
  const NumericProgram map{{Input{"x", F, {"m"}}, Map{{0}, identity_body({F}), {"m", "n"}}}, {1}};
  EXPECT_EQ(key(of({"m"}, {index({}, {"m", "n"})})), key(map));
  EXPECT_EQ(key(of({"m"}, {index({}, {"m", "n"}), index({{"m", 0, true, {{"m"}}}, {"n", 1}}, {"m"})})),
            key(of({"m"}, {index({{"m", 0, true, {{"m"}}}}, {"m"})})));
}

TEST(Index, OneOfAnotherIsOne) {
  const auto along = [](std::int64_t offset, std::int64_t times, std::optional<Bits> outside = {}) {
    return index({{"n", offset, false, {{"n", {times}}}}}, {"n"}, outside);
  };
  EXPECT_EQ(key(of({"n"}, {along(1, 2), along(3, 4)})), key(of({"n"}, {along(7, 8)})));
  EXPECT_EQ(normal_form(of({"n"}, {along(1, 2), along(3, 4)})).nodes.size(), 2U);
  // The value outside of the inner one would be read where the outer one has its own.
  EXPECT_EQ(normal_form(of({"n"}, {along(1, 2, 0), along(-1, 1, 0)})).nodes.size(), 3U);
  EXPECT_EQ(normal_form(of({"n"}, {along(-1, 1, 0), along(1, 2)})).nodes.size(), 2U);
  // Padding along an axis that the inner one leaves alone.
  const Index turned = index({{"m", 0, true, {{"m"}}}}, {"m", "n"});
  const Index padded = index({{"n", -1, false, {{"n"}}}}, {"m", "n"}, 0);
  EXPECT_EQ(normal_form(of({"m", "n"}, {turned, padded})).nodes.size(), 2U);
  EXPECT_EQ(key(of({"m", "n"}, {turned, padded})), key(of({"m", "n"}, {padded, turned})));
  // Another value outside of the inner one stays apart.
  const Index other = index({{"m", -1, false, {{"m"}}}}, {"m", "n"}, 1);
  EXPECT_EQ(normal_form(of({"m", "n"}, {other, padded})).nodes.size(), 3U);
  // From the end of an axis whose extent is another: nothing in the program says how far that is.
  const Index renamed = index({{"n", 0, false, {{"i"}}}}, {"i"});
  EXPECT_EQ(normal_form(of({"n"}, {renamed, index({{"i", 0, true, {{"i"}}}}, {"i"})})).nodes.size(), 3U);
}

TEST(Index, TermsHaveOneOrder) {
  const IndexTerm a{"i", {2}}, b{"j"}, c{"i", {}, {}, Multiple{3}};
  const auto with = [](std::vector<IndexTerm> terms) {
    return key(of({"n"}, {index({{"n", 0, false, std::move(terms)}}, {"i", "j"}, 0)}));
  };
  EXPECT_EQ(with({a, b, c}), with({c, b, a}));
  EXPECT_EQ(with({a, a}), with({{"i", {4}}}));
  EXPECT_EQ(with({a, {"i", {-2}}, b}), with({b}));
  EXPECT_EQ(with({{"i", {3}, {3}}, c}), with({{"i"}}));  // the digits of one number
  EXPECT_NE(with({{"i", {3}, {4}}, c}), with({{"i"}}));
  EXPECT_EQ(with({{"i", {2, {"i", "j"}}}}), with({{"i", {2, {"j", "i"}}}}));
  EXPECT_EQ(with({{"i", {5}, {}, Multiple{1}}, b}), with({b}));
}

/// The bits of a program of one input, and of its normal form.
void expect_same_bits(const NumericProgram& p, const std::map<std::string, std::int64_t>& extents) {
  std::vector<Bits> x;
  std::int64_t count = 1;
  for (const std::string& axis : axes_of(p.nodes[0])) count *= extents.at(axis);
  for (std::int64_t i = 0; i < count; ++i) x.push_back(static_cast<Bits>(i) + 1);
  const NormalForm form = normalise(p, {});
  generate::Case normal{form.program, {}};
  for (const auto& [own, name] : form.axis_names) normal.extents[name] = extents.at(own);
  EXPECT_EQ(generate::run({p, extents}, {x}).results, generate::run(normal, {x}).results) << key(p);
}

TEST(Index, ReversalsAndOffsetsGoTogether) {
  for (const std::int64_t inner : {-2, 0, 3})
    for (const std::int64_t outer : {0, 1, 4})
      for (const bool inner_reversed : {false, true})
        for (const bool outer_reversed : {false, true}) {
          const NumericProgram p = of({"n"}, {index({{"n", inner, inner_reversed, {{"n"}}}}, {"n"}, 0),
                                              index({{"n", outer, outer_reversed, {{"i"}}}}, {"i"})});
          EXPECT_EQ(normal_form(p).nodes.size(), 2U);
          expect_same_bits(p, {{"n", 6}, {"i", 2}});
        }
}

TEST(Index, DigitsAreJoinedWhereTheyAreThoseOfOneNumber) {
  for (const std::int64_t times : {2, 3, 4, 6})
    for (const std::int64_t divide : {2, 3, 4, 6})
      for (const std::int64_t low : {1, 2, 3})
        for (const std::int64_t modulo : {2, 3})
          for (const std::int64_t high : {0, 2, 3}) {
            IndexTerm first{"i", {times}, {divide}};
            if (high > 0) first.modulo = Multiple{high};
            const IndexTerm second{"i", {2}, {low}, Multiple{modulo}};
            expect_same_bits(of({"n"}, {index({{"n", 0, false, {first, second}}}, {"i"}, 0)}), {{"n", 40}, {"i", 40}});
            // And of digits, a digit.
            const Index split = index({{"n", 0, false, {{"i", {}, {low}, Multiple{modulo * low}}}}}, {"i"}, 0);
            expect_same_bits(of({"f"}, {index({{"f", 0, false, {{"n", {}, {divide}}}}}, {"n"}, 0), split}),
                             {{"n", 40}, {"i", 40}, {"f", 40}});
          }
}

TEST(Index, EveryMutantIsAnother) {
  const NumericProgram p = windows();
  const std::vector<Mutant> all = mutants(p);
  std::vector<std::string> changes;
  for (const Mutant& m : all) {
    EXPECT_EQ(m.rule, "index");
    EXPECT_NE(key(m.program), key(p)) << m.change;
    changes.push_back(m.change);
  }
  EXPECT_EQ(changes.size(), 11U);
  EXPECT_EQ(changes.front(), "node 1: along \"h\": one further");
  EXPECT_EQ(changes.back(), "node 1: another value outside");

  // By their bits, all die.
  generate::Case c;
  c.program = of({"h"}, {index({{"h", -1, false, {{"i", {2}}, {"kh"}}}}, {"i", "kh"}, 0)});
  c.extents = {{"h", 6}, {"i", 3}, {"kh", 3}};
  const std::vector<std::vector<Bits>> x{{1, 2, 3, 4, 5, 6}};
  const auto bits = generate::run(c, x).results;
  EXPECT_EQ(bits[0], (std::vector<Bits>{0, 1, 2, 2, 3, 4, 4, 5, 6}));
  for (const Mutant& m : mutants(c.program)) {
    generate::Case other = c;
    other.program = m.program;
    EXPECT_NE(generate::run(other, x).results, bits) << m.change;
  }
}

TEST(Index, ItsWordsSayWhereItReads) {
  EXPECT_EQ(in_words(windows()),
            (std::vector<std::string>{"x bf16 [*b, h, c]", "result bf16 [*b, i, kh, c]: x at [*b, i * 2 + kh - 1, c], +0 outside",
                                      "nothing is rounded"}));
  const Index digits = index({{"f", 2, true, {{"i", {-3, {"f"}}, {2, {"i"}}, Multiple{4}}}}, {"g"}}, {"i"});
  EXPECT_EQ(in_words(of({"f", "g"}, {digits}))[1],
            "result bf16 [i]: x at [size(f) - 1 - (-(floor(i / (2 * size(i))) mod 4) * (3 * size(f)) + 2), 0]");
  EXPECT_EQ(in_words(of({"n"}, {index({{"n", 0, true, {{"n"}}}}, {"n"})}))[1], "result bf16 [n]: x at [size(n) - 1 - n]");
  NumericProgram other = windows();
  std::get<Index>(other.nodes[1]).outside = 0xff80;
  EXPECT_EQ(differences(windows(), other)[0], "the rearrangement (node 1): outside: +0 in the first, -inf in the second");
}

TEST(Index, ItsAxesCannotBeCut) {
  EXPECT_EQ(entangled_axes(windows()), (Axes{"h", "i", "kh"}));
  EXPECT_EQ(entangled_axes(of({"h"}, {index({}, {"h", "n"})})), Axes{});
}

}  // namespace
}  // namespace bitpact
