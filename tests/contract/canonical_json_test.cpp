// RFC 8785: the vectors of its appendix B and of its sections 3.2.2 and 3.2.3; and what the reader refuses.
#include "contract/canonical_json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>

#include "tensor/refusal.h"

namespace bitpact {
namespace {

std::string again(std::string_view text) { return canonical_json(parse_json(text)); }

TEST(CanonicalJson, WritesTheNumbersOfAppendixB) {
  const std::vector<std::pair<std::uint64_t, std::string>> vectors{
      {0x0000000000000000, "0"},
      {0x8000000000000000, "0"},
      {0x0000000000000001, "5e-324"},
      {0x8000000000000001, "-5e-324"},
      {0x7fefffffffffffff, "1.7976931348623157e+308"},
      {0xffefffffffffffff, "-1.7976931348623157e+308"},
      {0x4340000000000000, "9007199254740992"},
      {0xc340000000000000, "-9007199254740992"},
      {0x4430000000000000, "295147905179352830000"},
      {0x44b52d02c7e14af5, "9.999999999999997e+22"},
      {0x44b52d02c7e14af6, "1e+23"},
      {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
      {0x444b1ae4d6e2ef4e, "999999999999999700000"},
      {0x444b1ae4d6e2ef4f, "999999999999999900000"},
      {0x444b1ae4d6e2ef50, "1e+21"},
      {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
      {0x3eb0c6f7a0b5ed8d, "0.000001"},
      {0x41b3de4355555553, "333333333.3333332"},
      {0x41b3de4355555554, "333333333.33333325"},
      {0x41b3de4355555555, "333333333.3333333"},
      {0x41b3de4355555556, "333333333.3333334"},
      {0x41b3de4355555557, "333333333.33333343"},
      {0xbecbf647612f3696, "-0.0000033333333333333333"},
      {0x43143ff3c1cb0959, "1424953923781206.2"},
  };
  for (const auto& [bits, text] : vectors) EXPECT_EQ(ecmascript_number(std::bit_cast<double>(bits)), text) << std::hex << bits;
  for (std::uint64_t bits : {0x7fffffffffffffffULL, 0x7ff0000000000000ULL})
    EXPECT_EQ(refusal([&] { ecmascript_number(std::bit_cast<double>(bits)); }), Code::ContractValue);
}

RC_GTEST_PROP(CanonicalJson, NumbersReadBackToTheSameDouble, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(value));
  RC_ASSERT(parse_json(ecmascript_number(value)).get<double>() == value);
}

TEST(CanonicalJson, WritesTheExampleOfSection322) {
  EXPECT_EQ(again(R"({"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]})"),
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
            "\"string\":\"\xe2\x82\xac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

TEST(CanonicalJson, SortsLikeSection323) {
  EXPECT_EQ(
      again("{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\",\"\\ufb33\":\"Hebrew Letter Dalet With Dagesh\","
            "\"1\":\"One\",\"\\ud83d\\ude00\":\"Emoji: Grinning Face\",\"\\u0080\":\"Control\","
            "\"\\u00f6\":\"Latin Small Letter O With Diaeresis\"}"),
      "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xc2\x80\":\"Control\",\"\xc3\xb6\":\"Latin Small Letter O With Diaeresis\","
      "\"\xe2\x82\xac\":\"Euro Sign\",\"\xf0\x9f\x98\x80\":\"Emoji: Grinning Face\","
      "\"\xef\xac\xb3\":\"Hebrew Letter Dalet With Dagesh\"}");
}

TEST(CanonicalJson, WritesEveryControlCharacterAsRfc8785Does) {
  nlohmann::json text = std::string("\x00\x01\b\t\n\v\f\r\x1f\x7f/", 11);
  EXPECT_EQ(canonical_json(text), "\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f\x7f/\"");
  EXPECT_EQ(again("[ ]"), "[]");
  EXPECT_EQ(again("{ }"), "{}");
  EXPECT_EQ(again("-0"), "0");
  EXPECT_EQ(again("1.0"), "1");
}

TEST(CanonicalJson, RefusesWhatIJsonCannotHold) {
  EXPECT_EQ(canonical_json(std::int64_t{1} << 53), "9007199254740992");
  EXPECT_EQ(canonical_json(-(std::int64_t{1} << 53)), "-9007199254740992");
  EXPECT_EQ(refusal([] { canonical_json((std::int64_t{1} << 53) + 1); }), Code::ContractValue);
  EXPECT_EQ(refusal([] { canonical_json(-(std::int64_t{1} << 53) - 1); }), Code::ContractValue);
  EXPECT_EQ(refusal([] { canonical_json((std::uint64_t{1} << 63) + 1); }), Code::ContractValue);
  // A float that would be written as such an integer could not be read back.
  EXPECT_EQ(canonical_json(0x1p53), "9007199254740992");
  EXPECT_EQ(refusal([] { canonical_json(-90071992547409934.5); }), Code::ContractValue);
  EXPECT_EQ(canonical_json(1e21), "1e+21");
  for (std::string_view text : {"\xff", "\xc0\x80", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80"})
    EXPECT_EQ(refusal([&] { canonical_json(std::string(text)); }), Code::ContractValue);
}

TEST(ParseJson, RefusesWhatIsNotOneStrictValue) {
  for (std::string_view text : {"",
                                " ",
                                "{",
                                "[1,]",
                                "{\"a\":1,}",
                                "[1] 2",
                                "{\"a\":1,\"a\":1}",
                                "{\"a\":{\"b\":1,\"b\":2}}",
                                "{\"\\u0061\":1,\"a\":2}",
                                "nul",
                                "'a'",
                                "[01]",
                                "[1e999]",
                                "[+1]",
                                "[.5]",
                                "\"\\ud800\"",
                                "\"\xff\"",
                                "\"\n\"",
                                "// c\n1",
                                "[NaN]",
                                "\"a",
                                "{1:2}"})
    EXPECT_EQ(refusal([&] { parse_json(text); }), Code::JsonMalformed) << text;
  EXPECT_EQ(parse_json("[{\"a\":1},{\"a\":1}]").size(), 2u);
}

TEST(ParseJson, RefusesTextBeyondTheLimits) {
  const auto nested = [](int depth) {
    return std::string(static_cast<size_t>(depth), '[') + std::string(static_cast<size_t>(depth), ']');
  };
  EXPECT_FALSE(refusal([&] { parse_json(nested(64)); }));
  EXPECT_EQ(refusal([&] { parse_json(nested(65)); }), Code::JsonMalformed);
  EXPECT_EQ(refusal([&] { parse_json(nested(1000000)); }), Code::JsonMalformed);
  EXPECT_FALSE(refusal([&] { parse_json("[1]", {.bytes = 3}); }));
  EXPECT_EQ(refusal([&] { parse_json("[1] ", {.bytes = 3}); }), Code::JsonMalformed);
}

}  // namespace
}  // namespace bitpact
