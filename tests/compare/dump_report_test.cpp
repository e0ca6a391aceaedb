#include "compare/dump_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compare/memory_dump.h"

namespace bitpact {
namespace {

std::string written(void (*write)(const DumpReport&, const Sink&), const DumpReport& report) {
  std::string text;
  write(report, [&](std::string_view piece) { text += piece; });
  return text;
}

TEST(DumpReport, OnlyZeroSignsAndOnlyNanPayloadsAreSaid) {
  MemoryDump a, b;
  a.add("zeros", vector_of(Format::F32, {0, 5}))
      .add("nans", vector_of(Format::F16, {0x7e00}))
      .add("both", vector_of(Format::F32, {0, 0x7fc00000}));
  b.add("zeros", vector_of(Format::F32, {0x80000000, 5})).add("nans", vector_of(Format::F16, {0xfe01}));
  b.add("both", vector_of(Format::F32, {0x80000000, 0x7fc00001}));
  const DumpReport report = compared(a, b);
  EXPECT_EQ(only_text(*report.pairs[0].difference), "only zero signs");
  EXPECT_EQ(only_text(*report.pairs[1].difference), "only NaN payloads");
  EXPECT_EQ(only_text(*report.pairs[2].difference), "only NaN payloads and zero signs");
  const std::string text = to_text(report, 20);
  EXPECT_NE(text.find("1 of 2 elements differs: only zero signs\n"), std::string::npos) << text;
  EXPECT_NE(text.find("nans: only NaN payloads\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("max abs 0,"), std::string::npos) << text;
}

TEST(DumpReport, AtMostSoManyLines) {
  MemoryDump a;
  for (int i = 0; i < 9; ++i) a.add("t" + std::to_string(i), vector_of(Format::I8, {1}));
  MemoryDump b = a;
  for (std::size_t i = 2; i < 9; ++i) b[i].set(0, 2);
  const DumpReport report = compared(a, b);
  const std::string some = to_text(report, 3), all = to_text(report, 0);
  EXPECT_NE(some.find("and 4 more: --all lists them\n"), std::string::npos) << some;
  EXPECT_EQ(some.find("  t5\n"), std::string::npos);
  EXPECT_NE(all.find("  t8\n"), std::string::npos) << all;
}

TEST(DumpReport, AMissingTensorDoesNotHideTheFirstBits) {
  MemoryDump a, b;
  a.add("gone", Tensor(Format::F32, {2})).add("x", vector_of(Format::F32, {1}));
  b.add("x", vector_of(Format::F32, {2}));
  const std::string text = to_text(compared(a, b), 20);
  EXPECT_NE(text.find("first      gone: only in A: 2xf32\n"), std::string::npos) << text;
  EXPECT_NE(text.find("first bits x: 1xf32, tensor 2 of 2 in the order of A's file\n"), std::string::npos) << text;
}

TEST(DumpReport, NamesCannotMoveTheCursorOrBreakTheXml) {
  MemoryDump a;
  a.add("a\x1b[2J<&\">\n\xff\xef\xbf\xbf\xc3\xa9", Tensor(Format::F32, {}));
  const DumpReport report = compared(a, MemoryDump());
  EXPECT_EQ(to_text(report, 20).find('\x1b'), std::string::npos);
  const std::string xml = written(write_junit, report);
  EXPECT_NE(xml.find("name=\"a\\x1b[2J&#60;&#38;&#34;&#62;&#10;\\xff\\xef\\xbf\\xbf\xc3\xa9\""), std::string::npos) << xml;
}

TEST(DumpReport, JsonIsWhole) {
  MemoryDump a, b;
  a.add("x", vector_of(Format::F32, {0x7f800000, 1}))
      .add("y", vector_of(Format::F64, {largest_finite(Format::F64)}))
      .add("z", Tensor(Format::I1, {2}));
  b.add("x", vector_of(Format::F32, {0x7fc00000, 1}))
      .add("y", vector_of(Format::F64, {largest_finite(Format::F64, true)}))
      .add("q", Tensor(Format::I1, {2}));
  const auto j = nlohmann::json::parse(written(write_json, compared(a, b)));
  EXPECT_EQ(j["verdict"], "differs");
  EXPECT_EQ(j["tensors"].size(), 3u);
  EXPECT_EQ(j["tensors"][0]["difference"]["first"]["ulps"], nullptr);
  EXPECT_EQ(j["tensors"][0]["difference"]["max_abs"], nullptr);
  EXPECT_EQ(j["tensors"][1]["difference"]["max_abs"], "inf");
  EXPECT_EQ(j["tensors"][2]["matched_by"], "content");
  EXPECT_EQ(j["first"]["position"], 1);
  const auto none = nlohmann::json::parse(written(write_json, compared(a, a)));
  EXPECT_EQ(none["tensors"].size(), 0u);
  EXPECT_EQ(none["first"], nullptr);
}

}  // namespace
}  // namespace bitpact
