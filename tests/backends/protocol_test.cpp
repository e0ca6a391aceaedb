#include "backends/protocol.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "backends/shared_arena.h"
#include "support.h"

namespace bitpact {
namespace {

using protocol::Header;
using protocol::kHeaderBytes;
using Raw = std::array<std::byte, kHeaderBytes>;

Raw encoded(const Header& header) {
  Raw raw{};
  protocol::encode(header, raw);
  return raw;
}

// The page's table, byte by byte: the encoding cannot change unnoticed together with the decoding.
TEST(Header, HasTheDocumentedBytes) {
  const Raw raw = encoded({0x0807060504030201, 0x14131211, 0x1122, 0});
  const unsigned char expected[kHeaderBytes] = {'B', 'P', 'W', '1',  1,    0,    0,    0, 1, 2, 3, 4,    5,
                                                6,   7,   8,   0x11, 0x12, 0x13, 0x14, 0, 0, 0, 0, 0x22, 0x11};
  EXPECT_EQ(std::memcmp(raw.data(), expected, kHeaderBytes), 0);
}

RC_GTEST_PROP(Header, ReadsBack, (std::uint64_t id, std::uint32_t json, std::uint64_t payload, bool in_arena)) {
  Header header{id, static_cast<std::uint32_t>(json % (protocol::kJsonLimit + 1)), 0, 0};
  if (in_arena) {
    header.arena_bytes = payload % (1ull << 62);
  } else {
    header.inline_bytes = payload % (protocol::kInlineLimit + 1);
  }
  RC_ASSERT(protocol::decode(encoded(header)) == header);
}

TEST(Header, RefusesMalformedOnes) {
  const Header good{1, 2, 0, 0};
  const auto with = [&](std::size_t at, int value) {
    Raw raw = encoded(good);
    raw[at] = static_cast<std::byte>(value);
    return raw;
  };
  EXPECT_EQ(protocol::decode(encoded(good)), good);
  EXPECT_REFUSED(Code::WorkerProtocol, "begins with", protocol::decode(with(0, 'X')));
  EXPECT_REFUSED(Code::WorkerVersion, "version 2", protocol::decode(with(4, 2)));
  EXPECT_REFUSED(Code::WorkerProtocol, "reserved", protocol::decode(with(6, 1)));
  EXPECT_REFUSED(Code::WorkerProtocol, "reserved", protocol::decode(with(20, 1)));
  EXPECT_REFUSED(Code::WorkerProtocol, "JSON", protocol::decode(with(19, 0x80)));
  EXPECT_REFUSED(Code::WorkerProtocol, "inline", protocol::decode(with(27, 1)));
  EXPECT_REFUSED(Code::WorkerProtocol, "2^62", protocol::decode(with(39, 0x80)));
  EXPECT_REFUSED(Code::WorkerProtocol, "both", protocol::decode(encoded({1, 2, 3, 4})));
}

TEST(Layout, AlignsEachTensor) {
  const std::vector<OperandSpec> tensors{{Format::F32, {3}}, {Format::I8, {}}, {Format::BF16, {0, 5}}, {Format::F64, {2, 2}}};
  const protocol::Layout layout = protocol::layout_of(tensors);
  EXPECT_EQ(layout.offsets, (std::vector<std::size_t>{0, 64, 128, 128}));
  EXPECT_EQ(layout.sizes, (std::vector<std::size_t>{12, 1, 0, 32}));
  EXPECT_EQ(layout.total, 160u);
  EXPECT_EQ(protocol::layout_of({}).total, 0u);
}

TEST(Json, RefusesWhatIsNotStrict) {
  for (const char* text : {"", "{", "[1]", "1", "{\"a\": 1, \"a\": 2}", "{\"a\": {\"b\": 1, \"b\": 2}}", "{\"a\": nan}", "{} {}",
                           "{\"a\": \"\xff\"}"}) {
    SCOPED_TRACE(text);
    EXPECT_REFUSED(Code::WorkerProtocol, "", protocol::parse_object(text));
  }
}

TEST(Json, TensorsReadBackAndMalformedOnesAreRefused) {
  const std::vector<OperandSpec> tensors{{Format::F32, {3, 0}}, {Format::I1, {}}};
  EXPECT_EQ(protocol::tensors_from_json(protocol::to_json(tensors)), tensors);
  for (const char* text :
       {R"({"x": 1})", R"({"x": [1]})", R"({"x": [{"format": "f32"}]})", R"({"x": [{"format": "f99", "shape": []}]})",
        R"({"x": [{"format": "f32", "shape": [-1]}]})", R"({"x": [{"format": "f32", "shape": [1.5]}]})",
        R"({"x": [{"format": 1, "shape": []}]})", R"({"x": [{"format": "f32", "shape": [], "y": 1}]})"}) {
    SCOPED_TRACE(text);
    EXPECT_REFUSED(Code::WorkerProtocol, "", protocol::tensors_from_json(protocol::parse_object(text).at("x")));
  }
}

TEST(Json, IntroductionsReadBack) {
  const protocol::Hello hello{"x", {"x", "1", "b", "cpu", "t", "none", "1", "k"}, {true, false, false}};
  const protocol::Hello back = protocol::hello_from_json(protocol::to_json(hello));
  EXPECT_EQ(back.identity, hello.identity);
  EXPECT_TRUE(back.ways.operator_call);
  EXPECT_FALSE(back.ways.stablehlo);
  const auto changed = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json json = protocol::to_json(hello);
    json[nlohmann::json::json_pointer(pointer)] = value;
    return json;
  };
  EXPECT_REFUSED(Code::WorkerVersion, "protocol 2", protocol::hello_from_json(changed("/protocol", 2)));
  EXPECT_REFUSED(Code::WorkerProtocol, "\"fly\"", protocol::hello_from_json(changed("/ways/1", "fly")));
  EXPECT_REFUSED(Code::WorkerProtocol, "names no machine", protocol::hello_from_json(changed("/identity/target", "host")));
  EXPECT_REFUSED(Code::WorkerProtocol, "`build` is empty", protocol::hello_from_json(changed("/identity/build", "")));
  EXPECT_REFUSED(Code::WorkerProtocol, "unknown field `more`", protocol::hello_from_json(changed("/identity/more", "x")));
}

TEST(Json, RefusalsStateOnlyTheirOwnCodes) {
  EXPECT_NO_THROW(protocol::throw_if_error({{"ok", true}}));
  EXPECT_REFUSED(Code::CompileFailed, "no", protocol::throw_if_error(protocol::error_json("compile-failed", "no")));
  EXPECT_REFUSED(Code::WorkerProtocol, "`usage`", protocol::throw_if_error(protocol::error_json("usage", "no")));
  EXPECT_REFUSED(Code::WorkerProtocol, "`ok`", protocol::throw_if_error({{"error", 1}}));
  EXPECT_REFUSED(Code::WorkerProtocol, "", protocol::throw_if_error({{"ok", false}, {"error", "text"}}));
}

TEST(Arena, BothSidesSeeOneMemoryThatGrows) {
  SharedArena parent = SharedArena::create();
  SharedArena worker = SharedArena::adopt(dup(parent.fd()));
  EXPECT_FALSE(worker.map_at_least(1));
  parent.reserve(1000);
  parent.data()[999] = std::byte{42};
  ASSERT_TRUE(worker.map_at_least(1000));
  EXPECT_EQ(worker.data()[999], std::byte{42});
  parent.reserve(5u << 20);
  EXPECT_EQ(parent.data()[999], std::byte{42});
  worker.data()[998] = std::byte{7};
  EXPECT_EQ(parent.data()[998], std::byte{7});
  ASSERT_TRUE(worker.map_at_least(5u << 20));
#ifdef __linux__
  // A worker that cuts the file short must not be able to fault the parent.
  EXPECT_NE(ftruncate(worker.fd(), 0), 0);
#endif
}

}  // namespace
}  // namespace bitpact
