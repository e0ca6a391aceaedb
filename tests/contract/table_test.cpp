// The node Table: what is well formed, its JSON, its normal form, its mutants, its words.
#include <gtest/gtest.h>

#include "contract/canonical_json.h"
#include "contract/generate.h"
#include "contract/mutate.h"
#include "contract/normal_form.h"
#include "contract/program_json.h"
#include "contract/run.h"
#include "contract/words.h"
#include "diagnostic/diagnostic.h"
#include "tensor/digest.h"
#include "tensor/refusal.h"

namespace bitpact {
namespace {

/// -x of bf16, by its values; NaNs give the quiet one.
Tensor negated(Format to = Format::BF16) {
  Tensor values(to, {65536});
  for (std::int64_t i = 0; i < values.size(); ++i) {
    const auto x = static_cast<Bits>(i);
    const bool nan = classify(Format::BF16, x) == Class::NaN;
    values.set(i, nan ? quiet_nan(to) : convert({Format::BF16, x ^ 0x8000}, to));
  }
  return values;
}

NumericProgram program(const Tensor& values, const Axes& from = {"m", "n"}, const Axes& axes = {"m", "n"}) {
  return {{Input{"x", Format::BF16, from}, Table{{0}, values, axes}}, {1}};
}

std::string reason(const NumericProgram& p) {
  try {
    check_well_formed(p);
  } catch (const Refused& refused) {
    return refused.diagnostic().reason;
  }
  return "";
}

TEST(Table, WhatIsNoneIsRefused) {
  EXPECT_EQ(reason(program(negated())), "");
  EXPECT_EQ(reason(program(negated(), {"m", "n"}, {"n", "m"})), "");
  EXPECT_EQ(reason(program(negated(), {"m"}, {"n", "m"})), "node 1: a table has its operand's axes");
  EXPECT_EQ(reason(program(Tensor(Format::BF16, {65535}))), "node 1: a table of bf16 has 65536 entries, not 65535xbf16");
  EXPECT_EQ(reason({{Input{"x", Format::F32, {}}, Table{{0}, negated(), {}}}, {1}}),
            "node 1: a table of f32: it has an entry for each value of at most 16 bits");
  EXPECT_EQ(reason({{Input{"x", Format::BF16, {}}, Table{{0, 0}, negated(), {}}}, {1}}), "node 1: a table has one operand");
  EXPECT_EQ(reason({{Input{"x", Format::BF16, {}}, Table{{1}, negated(), {}}}, {1}}), "node 1: operand 1 is not an earlier node");
  Tensor stray(Format::F4E2M1FN, {65536});
  stray.set(3, 0x10);
  EXPECT_EQ(reason(program(stray)), "node 1: entry 3 of the table has bits outside its format");
  Tensor signalling = negated();
  signalling.set(7, 0x7f81);
  EXPECT_EQ(reason(program(signalling)), "node 1: entry 7 of the table is a NaN that is not the quiet one");
  Tensor by_payload = negated();
  by_payload.set(0x7f81, 0x3f80);
  EXPECT_EQ(reason(program(by_payload)), "node 1: entry 32641 of the table: all NaNs of the operand give the same");
}

TEST(Table, IsBase64InJson) {
  const NumericProgram p = program(negated(Format::F32));
  const std::string bytes = canonical_json(to_json(p));
  const auto json = parse_json(bytes);
  EXPECT_EQ(read_program(JsonView(json, "")), p);
  EXPECT_NE(bytes.find(R"({"table":{"axes":["m","n"],"format":"f32","operands":[0],"values":"AAAAgAAAAYAAA)"), std::string::npos)
      << bytes.substr(0, 300);
  const auto refused = [&](const char* field, const nlohmann::json& value) {
    auto changed = json;
    changed["nodes"][1]["table"][field] = value;
    return refusal([&] { (void)read_program(JsonView(changed, "")); });
  };
  EXPECT_EQ(refused("values", "AAA"), Code::ContractValue);   // no base64
  EXPECT_EQ(refused("values", "AAAA"), Code::ContractValue);  // three bytes
  EXPECT_EQ(refused("values", ""), Code::ContractValue);
  EXPECT_EQ(refused("values", "AAAAAA=="), Code::ContractProgram);  // one value
  EXPECT_EQ(refused("operands", {1}), Code::ContractValue);
  EXPECT_EQ(refused("format", "f33"), Code::ContractValue);
}

TEST(Table, TheValuesAreTheFingerprint) {
  const auto key = [](const NumericProgram& p) { return canonical_json(to_json(normal_form(p))); };
  const std::string plain = key(program(negated()));
  EXPECT_EQ(key(program(negated(), {"a", "b"}, {"a", "b"})), plain);
  EXPECT_NE(key(program(negated(), {"a", "b"}, {"b", "a"})), plain);
  // Behind what hands on its operand; the same table twice is one node.
  const Map same{{0}, identity_body({Format::BF16}), {"m", "n"}};
  EXPECT_EQ(key({{Input{"x", Format::BF16, {"m", "n"}}, same, Table{{1}, negated(), {"m", "n"}}}, {2}}), plain);
  const NumericProgram twice{{Input{"x", Format::BF16, {"m"}}, Table{{0}, negated(), {"m"}}, Table{{0}, negated(), {"m"}}},
                             {1, 2}};
  EXPECT_EQ(normal_form(twice).nodes.size(), 2U);
  Tensor other = negated();
  other.set(0x3f80, 0x3f80);
  EXPECT_NE(key(program(other)), plain);
  EXPECT_NE(key(program(negated(Format::F32))), plain);
}

TEST(Table, AMutantHasAnotherEntry) {
  const NumericProgram p = program(negated());
  const std::vector<Mutant> all = mutants(p);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].change, "node 1, entry 0: its lowest bit the other way");
  EXPECT_EQ(all[1].change,
            "node 1, entry 65407: its lowest bit the other way");  // the largest negative number: infinity would be a NaN
  for (const Mutant& m : all) {
    EXPECT_EQ(m.rule, "table");
    EXPECT_NE(canonical_json(to_json(normal_form(m.program))), canonical_json(to_json(normal_form(p)))) << m.change;
  }
}

TEST(Table, ItsWordsNameTheDigest) {
  const std::vector<std::string> words = in_words(program(negated()));
  ASSERT_EQ(words.size(), 3U);
  EXPECT_EQ(words[1], "result bf16 [m, n]: x by a table of 65536 values, " + sha256(negated().span()));
  EXPECT_EQ(words[2], "rounding boundaries in order: result to bf16 as the table has it");
  Tensor other = negated();
  other.set(0, 1);
  EXPECT_EQ(differences(program(negated()), program(other)).size(), 2U);  // the table's value, and so the result
}

}  // namespace
}  // namespace bitpact
