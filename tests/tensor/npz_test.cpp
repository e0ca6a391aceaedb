#include "tensor/npz.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <thread>

#include "tensor/dump.h"
#include "tensor/folder.h"
#include "tensor/npy.h"
#include "tensor/refusal.h"
#include "tensor/tensor_argument.h"

namespace bitpact {
namespace {

using namespace std::string_literals;

std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

/// One entry of an archive, each field as it is unless a test says otherwise.
struct Item {
  std::string name, content;
  int method = 0;
  unsigned flags = 0;
  std::optional<std::uint32_t> crc, size, compressed_size;  ///< what the directory says
};

std::string deflated(const std::string& content) {
  std::string to(compressBound(content.size()) + 64, '\0');
  z_stream z{};
  deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  z.avail_in = static_cast<uInt>(content.size());
  z.next_out = reinterpret_cast<Bytef*>(to.data());
  z.avail_out = static_cast<uInt>(to.size());
  deflate(&z, Z_FINISH);
  to.resize(z.total_out);
  deflateEnd(&z);
  return to;
}

/// The layout of APPNOTE.TXT 4.3, without zip64.
std::string zip(const std::vector<Item>& items) {
  std::string archive, directory;
  for (const Item& item : items) {
    const std::string data = item.method == 8 ? deflated(item.content) : item.content;
    const auto crc = item.crc.value_or(static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(item.content.data()), static_cast<uInt>(item.content.size()))));
    const std::string common = little(20, 2) + little(item.flags, 2) + little(static_cast<unsigned>(item.method), 2) +
                               little(0x00210000, 4) + little(crc, 4) + little(item.compressed_size.value_or(data.size()), 4) +
                               little(item.size.value_or(item.content.size()), 4) + little(item.name.size(), 2) + little(0, 2);
    directory += "PK\x01\x02" + little(20, 2) + common + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4) +
                 little(archive.size(), 4) + item.name;
    archive += "PK\x03\x04" + common + item.name + data;
  }
  const std::size_t at = archive.size();
  return archive + directory + "PK\x05\x06" + little(0, 4) + little(items.size(), 2) + little(items.size(), 2) +
         little(directory.size(), 4) + little(at, 4) + little(0, 2);
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return "\x93NUMPY\x01\0"s + little(header.size(), 2) + header + data;
}
const std::string kSixteen = "abcdefghijklmnop";
const std::string kLongHeader = [] {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }" + std::string(70000, ' ') + "\n";
  return "\x93NUMPY\x02\0"s + little(header.size(), 4) + header + kSixteen;
}();
const std::string kF4 = npy("<f4", "(4,)", kSixteen);

class NpzFiles : public FolderTest {
 protected:
  std::string refused_with(const std::string& bytes) {
    put("t.npz", bytes);
    try {
      const auto dump = open_dump(path("t.npz"));
      for (std::size_t i = 0; i < dump->entries().size(); ++i) dump->read(i);
    } catch (const Refused& refused) {
      const Diagnostic& d = refused.diagnostic();
      return std::string(info(d.code).name) + ": " + d.reason;
    }
    return "";
  }
};

TEST_F(NpzFiles, StoredEntriesLieInTheFileAndDeflatedOnesDoNot) {
  put("t.npz", zip({{"s.npy", kF4}, {"sub/d.npy", kF4, 8}, {"big.npy", npy(">f4", "(4,)", kSixteen)}}));
  const auto dump = open_dump(path("t.npz"));
  ASSERT_EQ(dump->entries().size(), 3u);
  EXPECT_EQ(dump->entries()[0].name, "s");
  EXPECT_EQ(dump->entries()[1].name, "sub/d");
  EXPECT_EQ(to_text(dump->entries()[1].shape, dump->entries()[1].format), "4xf32");
  auto text = [](const DumpTensor& t) { return std::string(reinterpret_cast<const char*>(t.bytes.data()), t.bytes.size()); };
  EXPECT_EQ(text(dump->read(0)), kSixteen);
  EXPECT_EQ(text(dump->read(1)), kSixteen);
  EXPECT_EQ(text(dump->read(2)), "dcbahgfelkjiponm");
  EXPECT_EQ(dump->read(0).bytes.data(), dump->read(0).bytes.data());
  const DumpTensor one = dump->read(1), other = dump->read(1);
  EXPECT_NE(one.bytes.data(), other.bytes.data());
}

TEST_F(NpzFiles, SeveralThreadsMayRead) {
  std::string data(400000, '\0');
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * i >> 7);
  put("t.npz", zip({{"a.npy", npy("<f4", "(100000,)", data), 8}, {"b.npy", npy("<f4", "(100000,)", data)}}));
  const auto dump = open_dump(path("t.npz"));
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const DumpTensor read = dump->read(static_cast<std::size_t>(i % 2));
        right += std::equal(read.bytes.begin(), read.bytes.end(), std::as_bytes(std::span(data)).begin());
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 80);
}

TEST_F(NpzFiles, ALongHeaderIsReadWhereItIsStored) {
  put("t.npz", zip({{"a.npy", kLongHeader}}));
  EXPECT_EQ(open_dump(path("t.npz"))->read(0).shape, Shape{4});
}

TEST_F(NpzFiles, WhatIsRefused) {
  const std::pair<std::string, std::string> rows[] = {
      {zip({{"a.npy", kF4}, {"a.npy", kF4}}), "npz-malformed: T: \"a.npy\" is there twice"},
      {zip({{"/a.npy", kF4}}), "npz-unsupported: T: the name \"/a.npy\" is absolute, or one of another system"},
      {zip({{"C:/a.npy", kF4}}), "npz-unsupported: T: the name \"C:/a.npy\" is absolute, or one of another system"},
      {zip({{"a\\b.npy", kF4}}), "npz-unsupported: T: the name \"a\\\\b.npy\" is absolute, or one of another system"},
      {zip({{"a/../b.npy", kF4}}), "npz-unsupported: T: the name \"a/../b.npy\" leads upward"},
      {zip({{"\xc3\xa9.npy", kF4}}), "npz-unsupported: T: the name \"\\u00e9.npy\" is not in UTF-8"},
      {zip({{"\xe9.npy", kF4, 0, 1 << 11}}), "npz-unsupported: T: the name \"\\ufffd.npy\" is not in UTF-8"},
      {zip({{"a\0b.npy"s, kF4}}), "npz-malformed: T: the name \"a\\u0000b.npy\" holds NUL"},
      {zip({{"a.npy", kF4, 0, 1}}), "npz-unsupported: T: \"a.npy\" is encrypted"},
      {zip({{"a.npy", kF4, 12}}), "npz-unsupported: T: \"a.npy\" is compressed by method 12; stored and deflated are read"},
      {zip({{"a.npy", kF4, 99}}), "npz-unsupported: T: \"a.npy\" is compressed by method 99; stored and deflated are read"},
      {zip({{"a.txt", kF4}}), "npz-unsupported: T: \"a.txt\" is not a .npy file"},
      {zip({{"a.npy", kF4}, {"sub/", ""}}), "npz-unsupported: T: \"sub/\" is not a .npy file"},
      {zip({{".npy", kF4}}), "npz-unsupported: T: \".npy\" is not a .npy file"},
      {zip({{"", kF4}}), "npz-unsupported: T: \"\" is not a .npy file"},
      {zip({{"a.npy", kF4, 0, 0, 7}}), "npz-malformed: T: \"a.npy\": its CRC is not the directory's"},
      {zip({{"a.npy", kF4, 8, 0, 7}}), "npz-malformed: T: \"a.npy\": its CRC is not the directory's"},
      {zip({{"a.npy", kF4, 0, 0, {}, 90}}), "npz-malformed: T: \"a.npy\" is stored and has two sizes, 84 and 90"},
      {zip({{"a.npy", "", 8}}), "npy-malformed: T: \"a.npy\": 0 bytes are too few for a .npy file"},
      {zip({{"a.npy", kLongHeader, 8}}),
       "npy-malformed: T: \"a.npy\": its header ends at byte 70070; compressed, at most 65536 are read"},
      {zip({{"a.npy", "garbage"}}), "npy-malformed: T: \"a.npy\": 7 bytes are too few for a .npy file"},
      {"PK\x03\x04", "npz-malformed: T: has no directory of a .zip archive at its end"},
      {"", "npz-malformed: T: has no directory of a .zip archive at its end"},
      {zip({}) + zip({}), "npz-malformed: T: its directory does not end where the archive's end record begins"},
      // Bombs. The .npy header and the directory must say the same size; deflate cannot reach any size.
      {zip({{"a.npy", npy("<f4", "(1000000000,)", ""), 8}}),
       "npy-malformed: T: \"a.npy\": 1000000000 elements of 4 bytes are not all in the file, which has 0 bytes for them"},
      {zip({{"a.npy", npy("<f4", "(1000000000,)", ""), 8, 0, {}, 4000000079}}),
       "npz-malformed: T: \"a.npy\" cannot become 4000000079 bytes from 68"},
      {zip({{"a.npy", npy("<f4", "(100,)", ""), 8, 0, {}, 473}}), "npz-malformed: T: \"a.npy\": ends before its size is reached"},
      {zip({{"a.npy", npy("<f4", "(4,)", std::string(5000, 'x')), 8}}),
       "npy-malformed: T: \"a.npy\": 4 elements of 4 bytes are not all there is in the file, which has 5000 bytes for them"},
  };
  for (const auto& [bytes, wanted] : rows) {
    std::string answer = refused_with(bytes);
    if (const auto at = answer.find(path("t.npz")); at != answer.npos) answer.replace(at, path("t.npz").size(), "T");
    EXPECT_EQ(answer, wanted);
  }
}

TEST_F(NpzFiles, TheDirectoryMustAgreeWithWhatStandsBeforeTheEntries) {
  const std::string good = zip({{"a.npy", kF4}, {"b.npy", kF4}});
  EXPECT_EQ(refused_with(good), "");
  // The second entry of the directory points to the first one's data.
  std::string overlapping = good;
  const auto second = good.rfind("PK\x01\x02");
  for (int i = 0; i < 4; ++i) overlapping[second + 42 + static_cast<std::size_t>(i)] = '\0';
  EXPECT_NE(refused_with(overlapping).find("\"b.npy\" overlaps \"a.npy\""), std::string::npos) << refused_with(overlapping);
  std::string method = good;
  method[8] = 8;
  EXPECT_NE(refused_with(method).find("does not agree with the directory"), std::string::npos);
  std::string count = good;
  count[good.size() - 12] = count[good.size() - 14] = 3;
  EXPECT_NE(refused_with(count).find("its directory has 2 entries and should have 3"), std::string::npos) << refused_with(count);
  // Fewer would hide a tensor.
  count[good.size() - 12] = count[good.size() - 14] = 1;
  EXPECT_NE(refused_with(count).find("its directory has 2 entries and should have 1"), std::string::npos) << refused_with(count);
  // A second directory, of the first entry alone, behind a zip64 record that the end record does not lead to.
  const auto number = [](std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
  };
  const auto first = good.find("PK\x01\x02"), end = good.rfind("PK\x05\x06");
  const std::string entry = good.substr(first, second - first);
  const std::string end64 = "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(1, 8) +
                            number(1, 8) + number(entry.size(), 8) + number(first, 8);
  const std::string locator = "PK\x06\x07" + number(0, 4) + number(first + entry.size(), 8) + number(1, 4);
  std::string record = good.substr(end);
  record.replace(16, 4, number(first + entry.size() + end64.size() + locator.size(), 4));
  const std::string two = good.substr(0, first) + entry + end64 + locator + good.substr(first, end - first) + record;
  EXPECT_NE(refused_with(two).find("two directories that disagree"), std::string::npos) << refused_with(two);
}

TEST_F(NpzFiles, TruncationAtEveryByteAndEveryBitFlipped) {
  for (int method : {0, 8}) {
    const std::string good = zip({{"a.npy", npy("<u2", "(2,)", "abcd"), method}});
    EXPECT_EQ(refused_with(good), "");
    for (std::size_t length = 0; length < good.size(); ++length) EXPECT_NE(refused_with(good.substr(0, length)), "") << length;
    int loaded = 0;
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
      std::string file = good;
      file[bit / 8] = static_cast<char>(file[bit / 8] ^ (1 << bit % 8));
      const std::string answer = refused_with(file);
      EXPECT_TRUE(answer.empty() || answer.starts_with("np")) << answer;
      loaded += answer.empty();
    }
    // Versions, dates, attributes and the names; never an element, which the CRC covers.
    EXPECT_LT(loaded, 400);
    const auto data = good.find("abcd");
    for (std::size_t bit = 0; method == 0 && bit < 32; ++bit) {
      std::string file = good;
      file[data + bit / 8] = static_cast<char>(file[data + bit / 8] ^ (1 << bit % 8));
      EXPECT_NE(refused_with(file).find("CRC"), std::string::npos);
    }
  }
}

TEST_F(NpzFiles, RoundTrip) {
  std::vector<NamedTensor> tensors;
  std::vector<std::string> names = {"a", "w:0", "sub/b", "\xc3\xa9", "a.npy", std::string(65000, 'x')};
  for (std::size_t i = 0; i < names.size(); ++i) {
    Tensor tensor(i % 2 == 0 ? Format::F32 : Format::I8, {static_cast<std::int64_t>(i), 3});
    for (std::int64_t k = 0; k < tensor.size(); ++k) tensor.set(k, static_cast<Bits>(k + 1));
    tensors.push_back({names[i], tensor});
  }
  write_npz(path("t.npz"), tensors);
  const std::string bytes = content(path("t.npz"));
  const auto dump = open_dump(path("t.npz"));
  ASSERT_EQ(dump->entries().size(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const DumpTensor read = dump->read(i);
    EXPECT_EQ(dump->entries()[i].name, names[i]);
    EXPECT_EQ(to_text(read.shape, read.format), to_text(tensors[i].tensor.shape(), tensors[i].tensor.format()));
    EXPECT_TRUE(
        std::equal(read.bytes.begin(), read.bytes.end(), tensors[i].tensor.span().begin(), tensors[i].tensor.span().end()));
  }
  write_npz(path("t.npz"), tensors);
  EXPECT_EQ(content(path("t.npz")), bytes);
  write_npz(path("t.npz"), {});
  EXPECT_EQ(open_dump(path("t.npz"))->entries().size(), 0u);
}

TEST_F(NpzFiles, WhatCannotBeWrittenIsNamedAndLeavesNothing) {
  const Tensor x(Format::F32, {1});
  auto code = [&](const std::vector<NamedTensor>& tensors, const std::string& to) {
    return refusal([&] { write_npz(path(to), tensors); });
  };
  EXPECT_EQ(code({{"a", x}, {"a", x}}, "t"), Code::NpzUnsupported);
  for (const std::string& name : {""s, "/a"s, "../a"s, "a\\b"s, "\xff"s, std::string(65001, 'x')})
    EXPECT_EQ(code({{name, x}}, "t"), Code::NpzUnsupported) << name;
  EXPECT_EQ(code({{"a\0b"s, x}}, "t"), Code::NpzMalformed);
  EXPECT_EQ(code({{"a", x}}, "absent/t"), Code::FileUnwritable);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_EQ(code({{"a", x}}, "."), Code::FileUnwritable);
}

TEST_F(NpzFiles, ATensorOfADumpAsAnArgument) {
  put("a:b.npz", zip({{"x:y.npy", kF4}, {"z.npy", npy("<u2", "(2,)", "abcd")}}));
  put("one.npz", zip({{"x.npy", kF4}}));
  put("v2.npz", zip({{"x.npy", npy("<V2", "(2,)", "abcd")}}));
  write_npy(path("p.npy"), Tensor(Format::F32, {3}));
  auto text = [](const Tensor& t) { return to_text(t.shape(), t.format()); };
  EXPECT_EQ(text(read_tensor_argument(path("a:b.npz") + ":x:y")), "4xf32");
  EXPECT_EQ(text(read_tensor_argument(path("a:b.npz") + ":z")), "2xui16");
  EXPECT_EQ(text(read_tensor_argument(path("a:b.npz") + ":z", Format::BF16)), "2xbf16");
  EXPECT_EQ(text(read_tensor_argument(path("v2.npz") + ":x", Format::BF16)), "2xbf16");
  EXPECT_EQ(text(read_tensor_argument(path("one.npz"))), "4xf32");
  EXPECT_EQ(text(read_tensor_argument(path("p.npy"))), "3xf32");
  EXPECT_EQ(text(read_tensor_argument(folder_.string() + ":p")), "3xf32");
  EXPECT_EQ(read_tensor_argument(path("one.npz")).get(0), 0x64636261u);
  auto code = [&](const std::string& argument, std::optional<Format> as = {}) {
    return refusal([&] { read_tensor_argument(argument, as); });
  };
  EXPECT_EQ(code(path("a:b.npz")), Code::OperandMismatch);
  EXPECT_EQ(code(path("a:b.npz") + ":"), Code::OperandMismatch);
  EXPECT_EQ(code(path("a:b.npz") + ":w"), Code::OperandMismatch);
  EXPECT_EQ(code(path("one.npz"), Format::F16), Code::OperandMismatch);
  EXPECT_EQ(code(path("v2.npz")), Code::NpyUnsupported);
  EXPECT_EQ(code(path("absent.npz") + ":x"), Code::FileUnreadable);
  EXPECT_EQ(code(path("absent")), Code::FileUnreadable);
  EXPECT_EQ(code(""), Code::FileUnreadable);
  EXPECT_EQ(code(":"), Code::FileUnreadable);
}

}  // namespace
}  // namespace bitpact
