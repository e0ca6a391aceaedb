// Programs as JSON: every well-formed one reads back as it was, and each has one spelling.
#include "contract/program_json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "contract/canonical_json.h"
#include "contract/generate.h"
#include "tensor/refusal.h"

namespace bitpact {
namespace {

using generate::Random;

NumericProgram read(std::string_view text) {
  const auto json = parse_json(text);
  return read_program(JsonView(json, ""));
}

RC_GTEST_PROP(ProgramJson, ReadsBackWhatItWrites, ()) {
  Random random(*generate::seed());
  const NumericProgram program = generate::program(random, {.packs = random.chance(50)}).program;
  const std::string bytes = canonical_json(to_json(program));
  RC_ASSERT(read(bytes) == program);
  RC_ASSERT(canonical_json(to_json(read(bytes))) == bytes);
}

RC_GTEST_PROP(ProgramJson, ReadsBackEveryOrder, ()) {
  Random random(*generate::seed());
  const Order order = generate::order(random, random.between(1, 12));
  const auto json = to_json(order);
  RC_ASSERT(read_order(JsonView(json, "")) == order);
}

// `text` with `from` replaced, once, must be refused with the code and the path.
void expect_refused(const std::string& text, std::string_view from, std::string_view to, Code code, std::string_view path) {
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  std::string changed = text;
  changed.replace(at, from.size(), to);
  try {
    read(changed);
    ADD_FAILURE() << changed;
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.diagnostic().code, code) << refused.what();
    EXPECT_EQ(refused.diagnostic().reason.rfind(std::string(path) + ":", 0), 0u) << refused.what();
  }
}

TEST(ProgramJson, EveryOverflowAndEveryFormat) {
  for (const char* overflow : {"", R"(,"overflow":"indefinite")", R"(,"overflow":"saturate")"}) {
    for (const FormatInfo& row : all_formats()) {
      const std::string to = std::string(overflow).find("indefinite") == std::string::npos ? std::string(row.name) : "i32";
      const std::string text =
          R"({"nodes":[{"input":{"axes":["m"],"format":"f32","name":"x"}},{"map":{"axes":["m"],"body":{"arguments":["f32"],)"
          R"("code":[{"args":[0],"format":")" +
          to + R"(","op":"convert")" + overflow + R"(}],"results":[1]},"operands":[0]}}],"results":[1]})";
      EXPECT_EQ(canonical_json(to_json(read(text))), text);
    }
  }
}

TEST(ProgramJson, HasOneSpellingAndNamesTheFieldThatHasNot) {
  const std::string text =
      R"({"nodes":[{"input":{"axes":["m","k"],"format":"f32","name":"lhs"}},)"
      R"({"map":{"axes":["m","k"],"body":{"arguments":["f32"],"code":[{"bits":"0x3f800000","format":"f32","op":"constant"},)"
      R"({"args":[0,1],"format":"f32","op":"maximum"},{"args":[0,2],"comparison":"LT","format":"i1","op":"compare"}],"results":[3]},"operands":[0]}},)"
      R"({"fold":{"axes":["m"],"emit":"last","finish":{"arguments":["f32"],"code":[],"results":[0]},)"
      R"("leaf":{"arguments":["f32"],"code":[],"results":[0]},)"
      R"("merge":{"arguments":["f32","f32"],"code":[{"args":[0,1],"format":"f32","op":"add"}],"results":[2]},)"
      R"("operands":[0],"order":{"cutoff":128,"kind":"pairwise"},"over":["k"],"start":{"values":["0x80000000"]},)"
      R"("step":{"arguments":["f32","f32"],"code":[{"args":[0,1],"format":"f32","op":"add"}],"results":[2]}}}],"results":[1,2]})";
  ASSERT_EQ(canonical_json(to_json(read(text))), text);
  const auto field = Code::ContractField;
  const auto value = Code::ContractValue;
  expect_refused(text, R"("op":"maximum")", R"("nan":"any","op":"maximum")", value, "/nodes/1/map/body/code/1/nan");
  expect_refused(text, R"("op":"add")", R"("op":"add","rounding":"nearest-even")", value, "/nodes/2/fold/merge/code/0/rounding");
  expect_refused(text, R"("op":"add")", R"("op":"add","rounding":"nearest")", value, "/nodes/2/fold/merge/code/0/rounding");
  expect_refused(text, R"("op":"add")", R"("op":"add","overflow":"ieee")", value, "/nodes/2/fold/merge/code/0/overflow");
  expect_refused(text, R"("op":"add")", R"("flush_in":false,"op":"add")", value, "/nodes/2/fold/merge/code/0/flush_in");
  expect_refused(text, R"("op":"add")", R"("flush_out":1,"op":"add")", field, "/nodes/2/fold/merge/code/0/flush_out");
  expect_refused(text, R"("op":"maximum")", R"("op":"maximum","rounding":"up")", field, "/nodes/1/map/body/code/1/rounding");
  expect_refused(text, R"("op":"maximum")", R"("op":"max")", value, "/nodes/1/map/body/code/1/op");
  expect_refused(text, R"("comparison":"LT",)", "", field, "/nodes/1/map/body/code/2/comparison");
  expect_refused(text, R"("LT")", R"("lt")", value, "/nodes/1/map/body/code/2/comparison");
  expect_refused(text, "0x3f800000", "0x3F800000", value, "/nodes/1/map/body/code/0/bits");
  expect_refused(text, "0x3f800000", "0x03f800000", value, "/nodes/1/map/body/code/0/bits");
  expect_refused(text, "0x3f800000", "0x3f80000", value, "/nodes/1/map/body/code/0/bits");
  expect_refused(text, "0x3f800000", "0x3f80000g", value, "/nodes/1/map/body/code/0/bits");
  expect_refused(text, R"({"args":[0,1],"format":"f32","op":"max)", R"({"args":[0],"format":"f32","op":"max)", value,
                 "/nodes/1/map/body/code/1/args");
  expect_refused(text, R"({"args":[0,1],"format":"f32","op":"max)", R"({"args":[0,2],"format":"f32","op":"max)", value,
                 "/nodes/1/map/body/code/1/args/1");
  expect_refused(text, R"({"args":[0,1],"format":"f32","op":"max)", R"({"args":[0,-1],"format":"f32","op":"max)", value,
                 "/nodes/1/map/body/code/1/args/1");
  expect_refused(text, R"({"args":[0,1],"format":"f32","op":"max)", R"({"args":[0,1.5],"format":"f32","op":"max)", field,
                 "/nodes/1/map/body/code/1/args/1");
  expect_refused(text, R"("f32","name")", R"("float","name")", value, "/nodes/0/input/format");
  expect_refused(text, R"("name":"lhs")", R"("name":"")", value, "/nodes/0/input/name");
  expect_refused(text, R"({"input":)", R"({"inputs":)", field, "/nodes/0/inputs");
  expect_refused(text, R"("operands":[0],"order")", R"("operands":[2],"order")", value, "/nodes/2/fold/operands/0");
  expect_refused(text, R"("kind":"pairwise")", R"("kind":"pairwise","multiple":1)", value, "/nodes/2/fold/order/multiple");
  expect_refused(text, R"("kind":"pairwise")", R"("kind":"pair")", value, "/nodes/2/fold/order/kind");
  expect_refused(text, R"("kind":"pairwise")", R"("kind":"pairwise","outer":{"kind":"sequential"})", field,
                 "/nodes/2/fold/order/outer");
  expect_refused(text, R"("kind":"pairwise")", R"("inner":{"kind":"sequential","reversed":false},"kind":"pairwise")", value,
                 "/nodes/2/fold/order/inner/reversed");
  expect_refused(text, R"("cutoff":128)", R"("cutoff":0)", value, "/nodes/2/fold/order/cutoff");
  expect_refused(text, R"("cutoff":128)", R"("cutoff":18446744073709551615)", value, "/nodes/2/fold/order/cutoff");
  expect_refused(text, R"("emit":"last")", R"("emit":"all")", value, "/nodes/2/fold/emit");
  expect_refused(text, R"("values":["0x80000000"])", R"("values":[])", value, "/nodes/2/fold/start/values");
  expect_refused(text, R"("values":["0x80000000"])",
                 R"("values":["0x80000000"],"first_leaf":{"arguments":["f32"],"code":[],"results":[0]})", field,
                 "/nodes/2/fold/start/values");
  expect_refused(text, R"("results":[1,2]})", R"("results":[1,3]})", value, "/results/1");
  expect_refused(text, R"("results":[1,2]})", R"("results":[1,2],"x":0})", field, "/x");
}

TEST(ProgramJson, RefusesProgramsThatAreNotWellFormed) {
  const std::string text = R"({"nodes":[{"input":{"axes":["m"],"format":"f32","name":"x"}}],"results":[]})";
  EXPECT_EQ(refusal([&] { read(text); }), Code::ContractProgram);
}

}  // namespace
}  // namespace bitpact
