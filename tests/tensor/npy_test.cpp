#include "tensor/npy.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tensor/file.h"
#include "tensor/refusal.h"

namespace bitpact {
namespace {

using namespace std::string_literals;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
Tensor parse(const std::string& text, std::optional<Format> as = {}) { return parse_npy(bytes_of(text), as); }
std::optional<Code> parse_refusal(const std::string& text, std::optional<Format> as = {}) {
  return refusal([&] { parse(text, as); });
}

/// A file with any header text, not padded: as other writers than NumPy may lay it out.
std::string npy(std::string header, const std::string& data, int major = 1) {
  header += '\n';
  std::string file = "\x93NUMPY"s + static_cast<char>(major) + '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return file + header + data;
}
std::string npy(const std::string& descr, const std::string& shape, const std::string& data) {
  return npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }", data, 1);
}

// Written by numpy 2.4.6: numpy.save, numpy.lib.format.write_array for the versions 2.0 and 3.0.
const std::string kF32 =
    "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }                                           "
    "               \n"
    "\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\xa0\x40"s;
const std::string kFortran =
    "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }                                            "
    "               \n"
    "\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\xa0\x40"s;
const std::string kBigEndian =
    "\x93NUMPY\x01\x00v\x00{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }                                             "
    "               \n"
    "\x3f\x80\x00\x00\xc0\x20\x00\x00"s;
const std::string kScalar =
    "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (), }                                               "
    "               \n"
    "\x00\x00\x00\x00\x00\x00\xf8\x3f"s;
const std::string kBool =
    "\x93NUMPY\x01\x00v\x00{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }                                             "
    "               \n"
    "\x01\x00"s;
const std::string kEmpty =
    "\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (0, 4), }                                                          \n"s;
const std::string kVersion2 =
    "\x93NUMPY\x02\x00t\x00\x00\x00{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }                                     "
    "                     \n"
    "\x01\x00\x02\x00"s;
const std::string kVersion3 =
    "\x93NUMPY\x03\x00t\x00\x00\x00{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }                                     "
    "                     \n"
    "\x01\x00\x02\x00"s;
const std::string kMlDtypesBf16 =
    "\x93NUMPY\x01\x00v\x00{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }                                             "
    "               \n"
    "\x80\x3f\x00\x40"s;
const std::string kStructured =
    "\x93NUMPY\x01\x00v\x00{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }                                    "
    "               \n"
    "\x00\x00\x00\x00"s;

TEST(ReadNpy, FilesThatNumpyWrote) {
  const Tensor f32 = parse(kF32);
  EXPECT_EQ(to_text(f32.shape(), f32.format()), "2x3xf32");
  for (int i = 0; i < 6; ++i) EXPECT_EQ(f32.as<float>()[i], static_cast<float>(i));
  EXPECT_EQ(parse(kBigEndian).as<float>()[0], 1.0F);
  EXPECT_EQ(parse(kBigEndian).as<float>()[1], -2.5F);
  EXPECT_EQ(to_text(parse(kScalar).shape(), parse(kScalar).format()), "f64");
  EXPECT_EQ(parse(kScalar).as<double>()[0], 1.5);
  EXPECT_EQ(parse(kBool).format(), Format::I1);
  EXPECT_EQ(parse(kBool).get(0), 1u);
  EXPECT_EQ(parse(kBool).get(1), 0u);
  EXPECT_EQ(to_text(parse(kEmpty).shape(), parse(kEmpty).format()), "0x4xi64");
  for (const auto& file : {kVersion2, kVersion3}) {
    EXPECT_EQ(parse(file).format(), Format::UI16);
    EXPECT_EQ(parse(file).get(1), 2u);
  }
  EXPECT_EQ(parse_refusal(kStructured), Code::NpyUnsupported);
}

TEST(ReadNpy, FortranOrderIsTurnedIntoRowMajor) {
  const Tensor tensor = parse(kFortran);
  const float expected[] = {0, 2, 4, 1, 3, 5};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(tensor.as<float>()[i], expected[i]);
  // Big-endian and Fortran order at once.
  const Tensor both =
      parse(npy("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2)}", "\x00\x01\x00\x02\x00\x03\x00\x04"s, 1));
  const Bits columns[] = {1, 3, 2, 4};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(both.get(i), columns[i]);
}

TEST(ReadNpy, EveryDtypeInEitherByteOrder) {
  const std::pair<const char*, Format> rows[] = {
      {"f2", Format::F16},  {"f4", Format::F32},  {"f8", Format::F64},  {"i1", Format::I8},
      {"i2", Format::I16},  {"i4", Format::I32},  {"i8", Format::I64},  {"u1", Format::UI8},
      {"u2", Format::UI16}, {"u4", Format::UI32}, {"u8", Format::UI64},
  };
  for (auto [code, format] : rows) {
    const auto bytes = static_cast<std::size_t>(info(format).storage_bytes);
    const std::string data = "\x01\x02\x03\x04\x05\x06\x07\x08"s.substr(0, bytes);
    Bits little = 0, big = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      little |= static_cast<Bits>(data[i]) << (8 * i);
      big = big << 8 | static_cast<Bits>(data[i]);
    }
    EXPECT_EQ(parse(npy("<"s + code, "(1,)", data)).format(), format);
    EXPECT_EQ(parse(npy("<"s + code, "(1,)", data)).get(0), little) << code;
    EXPECT_EQ(parse(npy(">"s + code, "(1,)", data)).get(0), big) << code;
    if (bytes == 1) {
      EXPECT_EQ(parse(npy("|"s + code, "(1,)", data)).get(0), little);
    } else {
      EXPECT_EQ(parse_refusal(npy("|"s + code, "(1,)", data)), Code::NpyUnsupported);
    }
    EXPECT_EQ(parse_refusal(npy("="s + code, "(1,)", data)), Code::NpyUnsupported);
  }
  for (const char* descr : {"<c8", "<f16", "<U1", "|S2", "<M8[ns]", "|O", "", "f4", "<f3", "<V4", ">V2"})
    EXPECT_EQ(parse_refusal(npy(descr, "(0,)", "")), Code::NpyUnsupported) << descr;
}

TEST(ReadNpy, Bf16IsTakenOnlyWhereItIsAskedFor) {
  for (const char* descr : {"<V2", "|V2", "bfloat16", "<u2"}) {
    const Tensor tensor = parse(npy(descr, "(2,)", "\x80\x3f\x00\x40"s), Format::BF16);
    EXPECT_EQ(tensor.format(), Format::BF16);
    EXPECT_EQ(tensor.get(0), 0x3f80u);
    EXPECT_EQ(tensor.get(1), 0x4000u);
  }
  EXPECT_EQ(parse(npy(">u2", "(1,)", "\x3f\x80"s), Format::BF16).get(0), 0x3f80u);
  EXPECT_EQ(parse(kMlDtypesBf16, Format::BF16).get(0), 0x3f80u);
  EXPECT_EQ(parse_refusal(kMlDtypesBf16), Code::NpyUnsupported);
  EXPECT_EQ(parse_refusal(kMlDtypesBf16, Format::F16), Code::OperandMismatch);
  EXPECT_EQ(parse_refusal(npy("<f2", "(1,)", "\x00\x00"s), Format::BF16), Code::OperandMismatch);
  EXPECT_EQ(parse_refusal(npy("<u2", "(1,)", "\x00\x00"s), Format::F16), Code::OperandMismatch);
  EXPECT_EQ(parse_refusal(kF32, Format::I32), Code::OperandMismatch);
  EXPECT_EQ(parse(kF32, Format::F32).format(), Format::F32);
}

TEST(ReadNpy, SmallFormatsAsMlDtypesAndAsWords) {
  for (Format f : {Format::F8E5M2, Format::F8E4M3FN, Format::F8E5M2FNUZ, Format::F8E4M3FNUZ, Format::F4E2M1FN, Format::F8E8M0FNU,
                   Format::I4, Format::UI4}) {
    for (const char* descr : {"<V1", "|V1", "|u1"}) {
      const Tensor tensor = parse(npy(descr, "(2,)", "\x03\x0f"s), f);
      EXPECT_EQ(tensor.format(), f);
      EXPECT_EQ(tensor.get(1), 0x0fu);
    }
  }
  EXPECT_EQ(parse(npy("<f1", "(1,)", "\x3c"s)).format(), Format::F8E5M2);
  EXPECT_EQ(parse(npy("<f1", "(1,)", "\x3c"s), Format::F8E5M2).get(0), 0x3cu);
  EXPECT_EQ(parse(npy("<u4", "(1,)", "\x00\xfc\x01\x00"s), Format::TF32).get(0), one(Format::TF32));
  EXPECT_EQ(parse_refusal(npy("<V1", "(1,)", "\x01"s)), Code::NpyUnsupported);
  for (const auto& [descr, format] :
       {std::pair{"<V1", Format::UI8}, {"<V1", Format::I1}, {"<f1", Format::F8E4M3FN}, {"|i1", Format::I4}})
    EXPECT_NE(parse_refusal(npy(descr, "(1,)", "\x01"s), format), Code::NpyMalformed) << descr;
  // Bits that the encoding does not have.
  for (Format f : {Format::F4E2M1FN, Format::I4, Format::UI4})
    EXPECT_EQ(parse_refusal(npy("|u1", "(2,)", "\x0f\x10"s), f), Code::NpyMalformed);
  EXPECT_EQ(parse_refusal(npy("<u4", "(1,)", "\x00\x00\x80\x3f"s), Format::TF32), Code::NpyMalformed);  // an f32's word
}

TEST(ReadNpy, SizesThatDoNotMatchTheFile) {
  EXPECT_EQ(parse_refusal(npy("<f4", "(2, 3)", std::string(8, '\0'))), Code::NpyMalformed);
  EXPECT_EQ(parse_refusal(npy("<f4", "(-2, 3)", std::string(24, '\0'))), Code::NpyMalformed);
  EXPECT_EQ(parse_refusal("\x93NUMPY\x02\x00\xf0\xff\xff\xff{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n"s),
            Code::NpyMalformed);
  EXPECT_EQ(parse_refusal(kF32 + "\x00"s), Code::NpyMalformed);
  EXPECT_EQ(parse_refusal(npy("<f4", "(4611686018427387904,)", "")), Code::NpyMalformed);
  EXPECT_EQ(parse_refusal(npy("<f8", "(461168601842738790, 461168601842738790)", "")), Code::NpyMalformed);
  EXPECT_EQ(parse_refusal(npy("<f8", "(99999999999999999999999999,)", "")), Code::NpyMalformed);
  EXPECT_EQ(parse_refusal(npy("<f4", "(0, 461168601842738790, 461168601842738790)", "")), Code::NpyMalformed);
  // 2^61 elements of 8 bytes: the product of the two wraps to 0.
  EXPECT_EQ(parse_refusal(npy("<f8", "(2147483648, 1073741824)", "")), Code::NpyMalformed);
  // A header length 16 bytes too long, and (2^64 - 16) / 8 elements: what is left of the file, if that were subtracted modulo
  // 2^64.
  std::string file = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1073741823, 1073741825)}", "", 2);
  file[8] = static_cast<char>(file[8] + 16);
  EXPECT_EQ(parse_refusal(file), Code::NpyMalformed);
}

TEST(ReadNpy, TruncationAtEveryByte) {
  for (const auto& file : {kF32, kFortran, kBigEndian, kScalar, kBool, kVersion2, kVersion3})
    for (std::size_t length = 0; length < file.size(); ++length) {
      // A copy of exactly that length, so that a sanitizer sees any look beyond it.
      const std::vector<char> cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
      EXPECT_EQ(refusal([&] { parse_npy(std::as_bytes(std::span(cut))); }), Code::NpyMalformed) << length;
    }
}

TEST(ReadNpy, TheHeaderIsReadStrictly) {
  const std::string data(4, '\0');
  auto accepted = [&](const std::string& header) { return !parse_refusal(npy(header, data, 1)).has_value(); };
  EXPECT_TRUE(accepted("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}"));
  EXPECT_TRUE(accepted("{\"shape\":(1,1),\"descr\":\"<f4\",\"fortran_order\":True,}   "));
  EXPECT_TRUE(accepted("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, ), }"));
  EXPECT_TRUE(accepted("{'descr': '<f4', 'fortran_order': False, 'shape': (), }"));
  for (const char* bad : {
           "",
           "{}",
           "{,}",
           "{'descr': '<f4', 'fortran_order': False}",
           "{'descr': '<f4', 'shape': (1,)}",
           "{'fortran_order': False, 'shape': (1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
           "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
           "{'descr': '<f4', 'fortran_order': false, 'shape': (1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': [1]}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (01,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (+1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1L,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1.0,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (0x1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (int('1'),)}",
           "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (1,)}",
           "{'descr': u'<f4', 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '<f4\", 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}\n",
           " {'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
           "'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
       })
    EXPECT_EQ(parse_refusal(npy(bad, data, 1)), Code::NpyMalformed) << bad;
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1,";
  EXPECT_EQ(parse_refusal(npy("<f4", many + ")", data)), Code::NpyMalformed);
  EXPECT_EQ(parse_refusal("\x93NUMPX\x01\x00v\x00"s), Code::NpyMalformed);
  for (const char* version : {"\x00\x00", "\x04\x00", "\x01\x01"}) {
    std::string file = kF32;
    file[6] = version[0];
    file[7] = version[1];
    EXPECT_EQ(parse_refusal(file), Code::NpyUnsupported);
  }
  std::string boolean = kBool;
  boolean.back() = '\x02';
  EXPECT_EQ(parse_refusal(boolean), Code::NpyMalformed);
}

// A reader that trusts any byte of the header would crash, allocate without bound or read past the end.
RC_GTEST_PROP(ReadNpy, SurvivesAnyChangedByte, ()) {
  std::string file = *rc::gen::element(kF32, kFortran, kScalar, kVersion2, kMlDtypesBf16);
  const int edits = *rc::gen::inRange(1, 4);
  for (int i = 0; i < edits; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, std::min<std::size_t>(file.size(), 80));
    const auto from = *rc::gen::inRange<std::size_t>(0, std::min<std::size_t>(file.size(), 80));
    file[at] = *rc::gen::arbitrary<bool>() ? *rc::gen::arbitrary<char>() : file[from];
  }
  try {
    const Tensor tensor = parse(file, *rc::gen::arbitrary<bool>() ? std::optional(Format::BF16) : std::nullopt);
    RC_ASSERT(tensor.byte_size() <= file.size());
  } catch (const Refused& refused) {
    const Code code = refused.diagnostic().code;
    RC_ASSERT(code == Code::NpyMalformed || code == Code::NpyUnsupported || code == Code::OperandMismatch);
  }
}

class NpyFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "bitpact-npy-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {})); }
  static std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void put(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

  std::filesystem::path folder_;
};

TEST_F(NpyFiles, WritesWhatNumpyWrites) {
  for (const auto& file : {kF32, kScalar, kBool, kEmpty}) {
    write_npy(path("a.npy"), parse(file));
    EXPECT_EQ(content(path("a.npy")), file);
  }
  EXPECT_EQ(files(), 1u);
  // bf16 goes out as <u2.
  write_npy(path("a.npy"), parse(kMlDtypesBf16, Format::BF16));
  EXPECT_EQ(parse(content(path("a.npy"))).format(), Format::UI16);
}

TEST_F(NpyFiles, RoundTripInEveryFormat) {
  for (const FormatInfo& row : all_formats()) {
    for (const Shape& shape : {Shape{}, Shape{7}, Shape{3, 0}, Shape{2, 3, 5}, Shape(20, 1), Shape{900, 700}}) {
      Tensor tensor(row.format, shape);
      for (std::int64_t i = 0; i < tensor.size(); ++i)
        tensor.set(i, static_cast<Bits>(i + 1) * 0x9e3779b97f4a7c15 >> (64 - row.bits));
      write_npy(path("t.npy"), tensor);
      Tensor back = read_npy(path("t.npy"), row.format);
      ASSERT_EQ(back.format(), row.format);
      ASSERT_EQ(back.shape(), shape);
      ASSERT_TRUE(std::equal(back.span().begin(), back.span().end(), tensor.span().begin(), tensor.span().end()));
      EXPECT_EQ(std::filesystem::file_size(path("t.npy")) % 64, tensor.byte_size() % 64);
      if (tensor.size() == 0) continue;
      // Written to, even a mapped tensor leaves its file alone.
      const Bits before = back.get(0);
      back.set(0, before ^ 1);
      EXPECT_EQ(read_npy(path("t.npy"), row.format).get(0), before);
    }
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(NpyFiles, ALargeTensorSurvivesTheReplacementOfItsFile) {
  Tensor tensor(Format::F32, {1024, 1024});
  tensor.set(1024 * 1024 - 1, 7);
  write_npy(path("t.npy"), tensor);
  const Tensor mapped = read_npy(path("t.npy"));
  write_npy(path("t.npy"), Tensor(Format::F32, {1}));
  EXPECT_EQ(mapped.get(1024 * 1024 - 1), 7u);
  EXPECT_EQ(mapped.get(0), 0u);
}

TEST_F(NpyFiles, ALargeFileThatCannotBeUsedInPlaceIsTurned) {
  // (2^18 + 1) x 2 elements of 2 bytes, element i is i: more than the size from which on files stay mapped.
  const std::int64_t rows = (1 << 18) + 1;
  std::string big, little;
  for (std::int64_t i = 0; i < 2 * rows; ++i) {
    big += {static_cast<char>(i >> 8), static_cast<char>(i)};
    little += {static_cast<char>(i), static_cast<char>(i >> 8)};
  }
  auto file = [&](const std::string& descr, const std::string& fortran, const std::string& data) {
    std::string header = "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': (262145, 2)}";
    header.append(128 - 10 - 1 - header.size(), ' ');
    put(path("large.npy"), npy(header, data, 1));
    return read_npy(path("large.npy"));
  };
  EXPECT_EQ(file("<u2", "False", little).get(515), 515u);
  EXPECT_EQ(file(">u2", "False", big).get(515), 515u);
  const Tensor turned = file("<u2", "True", little);
  EXPECT_EQ(turned.get(2 * 300), 300u);
  EXPECT_EQ(turned.get(2 * 300 + 1), static_cast<Bits>(rows + 300) & 0xffff);
}

TEST_F(NpyFiles, LongShapesMakeAVersion2Header) {
  // numpy 2.4.6 writes 128 and 192 bytes before the elements of these: it leaves room for an outermost extent of 21 digits.
  EXPECT_EQ(npy_header(Format::F32, Shape(14, 1)).size(), 128u);
  EXPECT_EQ(npy_header(Format::F32, Shape(15, 1)).size(), 192u);
  // 64 axes of 1 fit into version 1.0; only the length of the header decides, so ask for it alone.
  EXPECT_EQ(npy_header(Format::F32, Shape(64, 1))[6], '\x01');
  const std::string header = npy_header(Format::F32, Shape(40000, 1));
  EXPECT_EQ(header[6], '\x02');
  EXPECT_EQ(header.size() % 64, 0u);
}

TEST_F(NpyFiles, WhatCannotBeReadIsNamed) {
  EXPECT_EQ(refusal([&] { read_npy(path("absent.npy")); }), Code::FileUnreadable);
  EXPECT_EQ(refusal([&] { read_npy(folder_.string()); }), Code::FileUnreadable);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal([&] { read_npy(path("pipe")); }), Code::FileUnreadable);
  put(path("empty.npy"), "");
  EXPECT_EQ(refusal([&] { read_npy(path("empty.npy")); }), Code::NpyMalformed);
  put(path("cut.npy"), kF32.substr(0, kF32.size() - 1));
  try {
    read_npy(path("cut.npy"));
    FAIL();
  } catch (const Refused& refused) {
    EXPECT_NE(refused.diagnostic().reason.find("cut.npy"), std::string::npos);
  }
}

TEST_F(NpyFiles, WhatCannotBeWrittenLeavesNothingBehind) {
  const Tensor tensor(Format::F32, {1000});
  EXPECT_EQ(refusal([&] { write_npy(path("absent/t.npy"), tensor); }), Code::FileUnwritable);
  std::filesystem::create_directory(path("folder"));
  EXPECT_EQ(refusal([&] { write_npy(path("folder"), tensor); }), Code::FileUnwritable);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal([&] { write_npy(path("pipe"), tensor); }), Code::FileUnwritable);
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
  EXPECT_EQ(files(), 2u);

  // A disk that is full half-way: the old file stays as it was.
  put(path("old.npy"), kF32);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1024, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto code = refusal([&] { write_npy(path("old.npy"), tensor); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(code, Code::FileUnwritable);
  EXPECT_EQ(content(path("old.npy")), kF32);
  EXPECT_EQ(files(), 3u);
}

TEST_F(NpyFiles, ASymbolicLinkIsFollowed) {
  put(path("real.npy"), kF32);
  std::filesystem::create_symlink(path("real.npy"), path("link.npy"));
  write_npy(path("link.npy"), parse(kScalar));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.npy")));
  EXPECT_EQ(content(path("real.npy")), kScalar);
}

}  // namespace
}  // namespace bitpact
