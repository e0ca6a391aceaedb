#include "tensor/safetensors.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>

#include "tensor/folder.h"
#include "tensor/packing.h"
#include "tensor/refusal.h"
#include "tensor/safetensors_header.h"
#include "tensor/utf8.h"

namespace bitpact {
namespace {

using namespace std::string_literals;

std::string prefixed(std::uint64_t length, const std::string& rest) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(length >> (8 * i) & 0xff);
  return file + rest;
}
std::string file_of(const std::string& header, const std::string& data) { return prefixed(header.size(), header + data); }
std::string zeros(std::size_t n) { return std::string(n, '\0'); }
std::string f32(const std::string& name, const std::string& shape, const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}
SafetensorsHeader parse(const std::string& file) { return parse_safetensors_header(std::as_bytes(std::span(file)), "t"); }

/// What the file is refused with, "" where it is not.
std::string refused_with(const std::string& file) {
  try {
    parse(file);
  } catch (const Refused& refused) {
    const Diagnostic& d = refused.diagnostic();
    return std::string(info(d.code).name) + ": " + d.reason;
  }
  return "";
}

// Written by safetensors 0.8.0: save({"b": f32 [[0, 1], [2, 3]], "a": i8 [7]}, {"key": "v"}).
const std::string kReal =
    "\x90\x00\x00\x00\x00\x00\x00\x00"
    R"({"__metadata__":{"key":"v"},"b":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"a":{"dtype":"I8","shape":[1],"data_offsets":[16,17]}}      )"
    "\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x07"s;

TEST(Safetensors, AFileThatTheReferenceWrote) {
  const SafetensorsHeader header = parse(kReal);
  ASSERT_EQ(header.entries.size(), 2u);
  EXPECT_EQ(header.entries[0].name, "b");
  EXPECT_EQ(to_text(header.entries[0].shape, header.entries[0].format), "2x2xf32");
  EXPECT_EQ(header.entries[0].byte_size, 16u);
  EXPECT_EQ(header.begins[0], kReal.size() - 17);
  EXPECT_EQ(to_text(header.entries[1].shape, header.entries[1].format), "1xi8");
  EXPECT_EQ(header.begins[1], kReal.size() - 1);
  EXPECT_EQ(header.metadata, (std::map<std::string, std::string>{{"key", "v"}}));
}

// Case 20 of the cases, its lines in order; then each rule of the format.
TEST(Safetensors, EachRuleIsKept) {
  const std::string one = f32("x", "[4]", "[0,16]");
  const std::pair<std::string, std::string> rows[] = {
      {file_of("{" + one + "}", zeros(4)), "ends at 16, the file has 4 bytes"},
      {file_of("{" + f32("x", "[4]", "[0,4]") + "}", zeros(4)), "needs 16 bytes, its offsets [0, 4] hold 4"},
      {file_of("{" + f32("x", "[1]", "[4,0]") + "}", zeros(4)), "begins at 4 and ends before, at 0"},
      {prefixed(std::uint64_t{1} << 40, "{" + one + "}" + zeros(16)), "the header has 1099511627776 bytes by its own length"},
      {file_of("{" + f32("x", "[1]", "[0,4]") + "," + f32("y", "[1]", "[0,4]") + "}", zeros(4)), "they overlap"},
      // The length and the frame.
      {"", "too few"},
      {zeros(7), "too few"},
      {zeros(8), "does not begin with '{'"},
      {prefixed(~std::uint64_t{0}, "{}"), "by its own length"},
      {file_of(" {}", ""), "does not begin with '{'"},
      {file_of("\xef\xbb\xbf{}", ""), "does not begin with '{'"},
      {file_of("{}\n", ""), "does not end with '}' and spaces"},
      {file_of("{}\0}"s, ""), "NUL"},
      {file_of("{}\0\0"s, ""), "does not end"},
      {file_of("{}{}", ""), "not well-formed"},
      {file_of("{" + one, zeros(16)), "not well-formed"},
      {file_of("{" + one + ",}", zeros(16)), "not well-formed"},
      {file_of("{/**/" + one + "}", zeros(16)), "not well-formed"},
      {file_of("{" + f32("\xff", "[4]", "[0,16]") + "}", zeros(16)), "not well-formed"},
      {file_of("{" + f32("\\ud800", "[4]", "[0,16]") + "}", zeros(16)), "not well-formed"},
      {file_of("{" + f32("a\nb", "[4]", "[0,16]") + "}", zeros(16)), "not well-formed"},
      {file_of("{" + f32("x", "[04]", "[0,16]") + "}", zeros(16)), "not well-formed"},
      // Names.
      {file_of("{" + f32("x", "[4]", "[0,16]") + "," + f32("x", "[4]", "[16,32]") + "}", zeros(32)), "\"x\" is there twice"},
      {file_of("{" + f32("x", "[4]", "[0,16]") + "," + f32("\\u0078", "[4]", "[16,32]") + "}", zeros(32)), "there twice"},
      // Metadata.
      {file_of(R"({"__metadata__":{"k":1}})", ""), "__metadata__ holds a number"},
      {file_of(R"({"__metadata__":{"k":{}}})", ""), "__metadata__ holds an object"},
      {file_of(R"({"__metadata__":null})", ""), "__metadata__ holds null"},
      {file_of(R"({"__metadata__":[]})", ""), "__metadata__ holds an array"},
      {file_of(R"({"__metadata__":{"k":"a","k":"b"}})", ""), "has \"k\" twice"},
      {file_of(R"({"__metadata__":{},"__metadata__":{}})", ""), "__metadata__ is there twice"},
      // A tensor's fields.
      {file_of(R"({"x":1})", ""), "\"x\" holds a number"},
      {file_of(R"({"x":[]})", ""), "\"x\" holds an array"},
      {file_of(R"({"x":{}})", ""), "has no dtype"},
      {file_of(R"({"x":{"dtype":"F32","shape":[0]}})", ""), "has no data_offsets"},
      {file_of(R"({"x":{"dtype":"F32","data_offsets":[0,0]}})", ""), "has no shape"},
      {file_of(R"({"x":{"dtype":"F32","dtype":"F32","shape":[0],"data_offsets":[0,0]}})", ""), "has dtype twice"},
      {file_of(R"({"x":{"dtype":"F32","shape":[0],"data_offsets":[0,0],"shape":[0]}})", ""), "has shape twice"},
      {file_of(R"({"x":{"dtype":"F32","shape":[0],"data_offsets":[0,0],"data_offsets":[0,0]}})", ""), "has data_offsets twice"},
      {file_of(R"({"x":{"dtype":"F32","shape":[0],"data_offsets":[0,0],"strides":[1]}})", ""), "unknown field \"strides\""},
      {file_of(R"({"x":{"dtype":7,"shape":[0],"data_offsets":[0,0]}})", ""), "holds a number"},
      {file_of(R"({"x":{"dtype":"F32","shape":{},"data_offsets":[0,0]}})", ""), "holds an object"},
      {file_of(R"({"x":{"dtype":"F32","shape":[[0]],"data_offsets":[0,0]}})", ""), "holds an array"},
      {file_of(R"({"x":{"dtype":"F32","shape":["0"],"data_offsets":[0,0]}})", ""), "holds a string"},
      {file_of(R"({"x":{"dtype":"F32","shape":[true],"data_offsets":[0,0]}})", ""), "holds a boolean"},
      // Numbers.
      {file_of("{" + f32("x", "[-1]", "[0,4]") + "}", zeros(4)), "a negative number"},
      {file_of("{" + f32("x", "[-0]", "[0,0]") + "}", ""), "a negative number"},
      {file_of("{" + f32("x", "[1.0]", "[0,4]") + "}", zeros(4)), "no 64-bit integer"},
      {file_of("{" + f32("x", "[1e0]", "[0,4]") + "}", zeros(4)), "no 64-bit integer"},
      {file_of("{" + f32("x", "[18446744073709551617]", "[0,4]") + "}", zeros(4)), "no 64-bit integer"},
      {file_of("{" + f32("x", "[9223372036854775808]", "[0,0]") + "}", ""), "beyond 2^63"},
      {file_of("{" + f32("x", "[4]", "[0]") + "}", zeros(16)), "are not two numbers"},
      {file_of("{" + f32("x", "[4]", "[]") + "}", zeros(16)), "are not two numbers"},
      {file_of("{" + f32("x", "[4]", "[0,16,16]") + "}", zeros(16)), "holds a number where none may be"},
      {file_of("{" + f32("x", "[4]", "[0,18446744073709551615]") + "}", zeros(16)), "ends at 18446744073709551615"},
      // Products that wrap: 2^62 x 4 bytes is 0 modulo 2^64; 2^32 x 2^32 elements are.
      {file_of("{" + f32("x", "[4611686018427387904]", "[0,0]") + "}", ""), "more elements than any file"},
      {file_of("{" + f32("x", "[4294967296,4294967296]", "[0,0]") + "}", ""), "more elements than any file"},
      {file_of("{" + f32("x", "[0,4611686018427387904,4]", "[0,0]") + "}", ""), "more elements than any file"},
      {file_of("{" + f32("x", "[2305843009213693952]", "[0,0]") + "}", ""), "more elements than any file"},
      // Holes, and bytes that are no tensor's.
      {file_of("{" + f32("x", "[1]", "[4,8]") + "}", zeros(8)), "there is a hole"},
      {file_of("{" + f32("x", "[1]", "[0,4]") + "," + f32("y", "[1]", "[8,12]") + "}", zeros(12)), "there is a hole"},
      {file_of("{" + f32("x", "[2]", "[0,8]") + "," + f32("y", "[2]", "[4,12]") + "}", zeros(12)), "they overlap"},
      {file_of("{" + f32("x", "[1]", "[0,4]") + "}", zeros(5)), "the tensors end at 4, the file has 5"},
      {file_of("{}", zeros(1)), "the tensors end at 0, the file has 1"},
      {file_of("{" + f32("x", "[0]", "[1,1]") + "}", ""), "ends at 1"},
  };
  for (const auto& [file, words] : rows) {
    const std::string answer = refused_with(file);
    EXPECT_TRUE(answer.starts_with("safetensors-malformed: t: ") && answer.find(words) != answer.npos)
        << file << "\n  wanted: " << words << "\n  answer: " << answer;
  }
}

TEST(Safetensors, WhatIsAllowed) {
  EXPECT_EQ(refused_with(file_of("{}", "")), "");
  EXPECT_EQ(refused_with(file_of("{}      ", "")), "");
  EXPECT_EQ(refused_with(file_of("{\n\t" + f32("x", "[4]", "[0,16]") + "\r\n}", zeros(16))), "");
  EXPECT_EQ(refused_with(file_of(R"({"x":{"data_offsets":[0,4],"shape":[],"dtype":"F32"}})", zeros(4))), "");
  EXPECT_EQ(refused_with(file_of("{" + f32("", "[1]", "[0,4]") + "}", zeros(4))), "");
  EXPECT_EQ(refused_with(file_of("{" + f32("x", "[0]", "[4,4]") + "," + f32("y", "[1]", "[0,4]") + "}", zeros(4))), "");
  // Not in the order of the offsets: the entries are.
  const SafetensorsHeader header = parse(
      file_of("{" + f32("x", "[1]", "[4,8]") + "," + f32("z", "[0]", "[4,4]") + "," + f32("y", "[1]", "[0,4]") + "}", zeros(8)));
  EXPECT_EQ(header.entries[0].name + header.entries[1].name + header.entries[2].name, "yzx");
  EXPECT_EQ(header.begins[2], header.begins[0] + 4);
}

TEST(Safetensors, WhatIsNotCarriedIsNamed) {
  for (const char* dtype : {"C64", "F6_E2M3", "F6_E3M2", "f32", "F128", ""}) {
    const std::string file = file_of(R"({"x":{"dtype":")"s + dtype + R"(","shape":[0],"data_offsets":[0,0]}})", "");
    EXPECT_EQ(refused_with(file), "safetensors-unsupported: t: \"x\" has the dtype \""s + dtype + "\"");
  }
  std::string shape = "[1";
  for (int i = 1; i < 65; ++i) shape += ",1";
  EXPECT_TRUE(refused_with(file_of("{" + f32("x", shape + "]", "[0,4]") + "}", zeros(4))).starts_with("safetensors-unsupported"));
}

TEST(Safetensors, TheHeaderMayHave100MegabytesAndNoMore) {
  std::string header = "{}";
  header.resize(kMostSafetensorsHeaderBytes, ' ');
  EXPECT_EQ(refused_with(file_of(header, "")), "");
  EXPECT_NE(refused_with(file_of(header + " ", "")).find("more than the 100000000"), std::string::npos);
}

TEST(Safetensors, TruncationAtEveryByte) {
  for (std::size_t length = 0; length < kReal.size(); ++length) {
    // A copy of exactly that length, so that a sanitizer sees any look beyond it.
    const std::vector<char> cut(kReal.begin(), kReal.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(refusal([&] { parse_safetensors_header(std::as_bytes(std::span(cut)), "t"); }), Code::SafetensorsMalformed)
        << length;
  }
  EXPECT_EQ(refused_with(kReal + "\0"s).substr(0, 21), "safetensors-malformed");
}

// A flipped bit of the header may still be a file (another name, another dtype of the same size); then its tensors still cover
// it.
TEST(Safetensors, EveryBitFlipped) {
  int loaded = 0;
  for (std::size_t bit = 0; bit < 8 * (kReal.size() - 17); ++bit) {
    std::string file = kReal;
    file[bit / 8] = static_cast<char>(file[bit / 8] ^ (1 << bit % 8));
    try {
      const SafetensorsHeader header = parse(file);
      std::size_t sum = 0;
      for (std::size_t i = 0; i < header.entries.size(); ++i) {
        const DumpEntry& entry = header.entries[i];
        EXPECT_EQ(entry.byte_size, static_cast<std::size_t>(element_count(entry.shape) * info(entry.format).storage_bytes));
        EXPECT_LE(header.begins[i] + entry.byte_size, file.size());
        EXPECT_TRUE(is_utf8(entry.name));
        sum += entry.byte_size;
      }
      EXPECT_EQ(sum, 17u);
      ++loaded;
    } catch (const Refused& refused) {
      const Code code = refused.diagnostic().code;
      EXPECT_TRUE(code == Code::SafetensorsMalformed || code == Code::SafetensorsUnsupported) << bit;
    }
  }
  EXPECT_GT(loaded, 10);
  EXPECT_LT(loaded, 100);
}

TEST(Utf8, IsWhatUnicodeSays) {
  for (const char* good : {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad : {"\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82", "\xf0\x8f\xbf\xbf",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})
    EXPECT_FALSE(is_utf8(bad));
  EXPECT_EQ(shown_name("a\"\x1b[2J\xff"), R"("a\"\u001b[2J\ufffd")");
  EXPECT_LT(shown_name(std::string(1000, 'a')).size(), 110u);
}

TEST(Packing, TheFirstOfTwoLiesInTheLowHalf) {
  const auto bytes = [](const std::string& text) { return std::as_bytes(std::span(text)); };
  const std::string packed = "\x21\xf0", loose = "\x01\x02\x00\x0f"s;
  std::string out(4, 'x');
  unpack_halves(bytes(packed), std::as_writable_bytes(std::span(out)));
  EXPECT_EQ(out, loose);
  const auto back = pack_halves(bytes(loose));
  EXPECT_TRUE(std::equal(back.begin(), back.end(), bytes(packed).begin(), bytes(packed).end()));
  EXPECT_EQ(refusal([&] { pack_halves(bytes(packed).subspan(1)); }), Code::Internal);
  EXPECT_EQ(refusal([&] { unpack_halves(bytes(packed), {}); }), Code::Internal);
}

class SafetensorsFiles : public FolderTest {};

Tensor counted(Format format, Shape shape) {
  Tensor tensor(format, std::move(shape));
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    tensor.set(i, static_cast<Bits>(i + 1) * 0x9e3779b97f4a7c15 >> (64 - info(format).bits));
  return tensor;
}

TEST_F(SafetensorsFiles, WritesWhatTheReferenceWrites) {
  Tensor b(Format::F32, {2, 2}), a(Format::I8, {1});
  for (int i = 0; i < 4; ++i) b.mutable_as<float>()[i] = static_cast<float>(i);
  a.set(0, 7);
  const NamedTensor both[] = {{"a", a}, {"b", b}};
  write_safetensors(path("t"), both, {{"key", "v"}});
  EXPECT_EQ(content(path("t")), kReal);
}

// Names of any kind, every format that has a dtype, any order: read back they are the same, and the file does not depend on the
// order in which they were given.
TEST_F(SafetensorsFiles, RoundTrip) {
  std::vector<Format> formats;
  for (const FormatInfo& row : all_formats())
    if (refusal([&] {
          write_safetensors(path("probe"), std::vector<NamedTensor>{{"x", Tensor(row.format, {0})}});
        }) == std::nullopt)
      formats.push_back(row.format);
  EXPECT_GE(formats.size(), 13u);
  EXPECT_TRUE(rc::check([&] {
    const auto names = *rc::gen::unique<std::vector<std::string>>(rc::gen::container<std::string>(
        rc::gen::oneOf(rc::gen::elementOf("ab.\"\\\n\x1b\x7f/ "s), rc::gen::inRange<char>('a', 'e'))));
    std::vector<NamedTensor> tensors;
    for (const std::string& name : names) {
      auto shape = *rc::gen::resize(3, rc::gen::container<Shape>(rc::gen::inRange<std::int64_t>(0, 4)));
      const Format format = *rc::gen::elementOf(formats);
      if (info(format).bits == 4) shape.push_back(2);  // an odd number would end within a byte
      tensors.push_back({name, counted(format, shape)});
    }
    const SafetensorsMetadata metadata = {{"a", names.empty() ? "" : names.front()}};
    write_safetensors(path("t"), tensors, metadata);
    const std::string bytes = content(path("t"));
    const Safetensors back(path("t"));
    RC_ASSERT(back.metadata() == metadata);
    RC_ASSERT(back.entries().size() == tensors.size());
    for (std::size_t i = 0; i < back.entries().size(); ++i) {
      const auto given =
          std::find_if(tensors.begin(), tensors.end(), [&](const auto& t) { return t.name == back.entries()[i].name; });
      RC_ASSERT(given != tensors.end());
      const DumpTensor read = back.read(i);
      RC_ASSERT(read.format == given->tensor.format());
      RC_ASSERT(read.shape == given->tensor.shape());
      RC_ASSERT(std::equal(read.bytes.begin(), read.bytes.end(), given->tensor.span().begin(), given->tensor.span().end()));
    }
    std::reverse(tensors.begin(), tensors.end());
    write_safetensors(path("t"), tensors, metadata);
    RC_ASSERT(content(path("t")) == bytes);
  }));
}

TEST_F(SafetensorsFiles, NothingIsCopiedAndTheOwnerKeepsTheMapping) {
  write_safetensors(path("t"), std::vector<NamedTensor>{{"x", counted(Format::F32, {1000})}});
  DumpTensor read;
  const std::byte* where = nullptr;
  {
    const Safetensors file(path("t"));
    read = file.read(0);
    where = read.bytes.data();
    EXPECT_EQ(file.read(0).bytes.data(), where);
  }
  std::filesystem::remove(path("t"));
  EXPECT_TRUE(std::memcmp(where, counted(Format::F32, {1000}).bytes(), 4000) == 0);
}

TEST_F(SafetensorsFiles, WhatCannotBeWrittenIsNamedAndLeavesNothing) {
  const Tensor x(Format::F32, {1});
  auto code = [&](std::vector<NamedTensor> tensors, const SafetensorsMetadata& metadata = {}) {
    return refusal([&] { write_safetensors(path("t"), tensors, metadata); });
  };
  EXPECT_EQ(code({{"a", x}, {"b", x}, {"a", x}}), Code::SafetensorsUnsupported);
  EXPECT_EQ(code({{"__metadata__", x}}), Code::SafetensorsUnsupported);
  EXPECT_EQ(code({{"\xff", x}}), Code::SafetensorsUnsupported);
  EXPECT_EQ(code({}, {{"k", "\xff"}}), Code::SafetensorsUnsupported);
  EXPECT_EQ(code({}, {{"k", std::string(kMostSafetensorsHeaderBytes, 'x')}}), Code::SafetensorsUnsupported);
  EXPECT_EQ(refusal([&] { write_safetensors(path("no/t"), {}); }), Code::FileUnwritable);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(SafetensorsFiles, FourBitsArePackedTwoAByte) {
  const std::string header = R"({"x":{"dtype":"F4","shape":[2,2],"data_offsets":[0,2]}})";
  const Safetensors file(put("t", file_of(header, "\x21\xf0"s)));
  const DumpTensor read = file.read(0);
  EXPECT_EQ(to_text(read.shape, read.format), "2x2xf4E2M1FN");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(read.bytes.data()), read.bytes.size()), "\x01\x02\x00\x0f"s);
  EXPECT_EQ(refused_with(file_of(R"({"x":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})", "ab")).substr(0, 21),
            "safetensors-malformed");
  const std::vector<NamedTensor> odd = {{"x", Tensor(Format::F4E2M1FN, {3})}};
  EXPECT_EQ(refusal([&] { write_safetensors(path("odd"), odd); }), Code::SafetensorsUnsupported);
}

TEST_F(SafetensorsFiles, ABooleanIsZeroOrOne) {
  const std::string header = R"({"x":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}})";
  const Safetensors good(put("good", file_of(header, "\0\1\1"s)));
  EXPECT_EQ(good.read(0).bytes.size(), 3u);
  const Safetensors bad(put("bad", file_of(header, "\0\1\2"s)));
  EXPECT_EQ(refusal([&] { bad.read(0); }), Code::SafetensorsMalformed);
}

}  // namespace
}  // namespace bitpact
