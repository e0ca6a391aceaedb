#include "tensor/dump.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tensor/folder.h"
#include "tensor/npy.h"
#include "tensor/refusal.h"
#include "tensor/safetensors.h"

namespace bitpact {
namespace {

using namespace std::string_literals;
namespace fs = std::filesystem;

class Dumps : public FolderTest {
 protected:
  void npy(const std::string& name, std::int64_t length = 1) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    write_npy(path(name), Tensor(Format::F32, {length}));
  }
  std::string names(const std::string& dump) const {
    std::string all;
    const auto opened = open_dump(dump);
    for (const DumpEntry& entry : opened->entries()) all += entry.name + " ";
    return all;
  }
  std::optional<Code> code(const std::string& dump) const {
    return refusal([&] { open_dump(dump); });
  }
};

TEST_F(Dumps, AFolderIsReadInTheOrderOfItsNamesAsBytes) {
  for (const char* name :
       {"d/b.npy", "d/a/z.npy", "d/a.b.npy", "d/B.npy", "d/a-.npy", "d/\xc3\xa9.npy", "d/sub/sub/x.npy", "d/.h.npy"})
    npy(name);
  put("d/readme.txt", "no tensor");
  put("d/a.npy.bak", "no tensor");
  EXPECT_EQ(names(path("d")), ".h B a- a.b a/z b sub/sub/x \xc3\xa9 ");
  EXPECT_EQ(names(path("d/")), names(path("d")));
  EXPECT_EQ(open_dump(path("d"))->entries()[0].byte_size, 4u);
}

TEST_F(Dumps, SymbolicLinksAreFollowedUntilTheyLeadBack) {
  npy("d/a.npy");
  npy("other/b.npy");
  fs::create_symlink(path("other"), path("d/linked"));
  fs::create_symlink(path("other/b.npy"), path("d/c.npy"));
  fs::create_symlink(path("d"), path("e"));
  EXPECT_EQ(names(path("d")), "a c linked/b ");
  EXPECT_EQ(names(path("e")), "a c linked/b ");
  // It may have been a folder full of tensors.
  fs::create_symlink("nowhere", path("d/dangling"));
  EXPECT_EQ(code(path("d")), Code::FileUnreadable);
  fs::remove(path("d/dangling"));
  fs::create_symlink(path("d"), path("d/linked/back"));
  EXPECT_EQ(code(path("d")), Code::FileUnreadable);
  fs::remove(path("d/linked/back"));
  fs::create_symlink(path("other"), path("d/again"));
  EXPECT_EQ(code(path("d")), Code::FileUnreadable);
  fs::remove(path("d/again"));
  fs::create_symlink("self", path("d/self"));
  fs::create_symlink("nowhere", path("d/lost.npy"));
  EXPECT_EQ(code(path("d")), Code::FileUnreadable);
}

TEST_F(Dumps, WhatIsNoDumpIsNamed) {
  EXPECT_EQ(code(path("absent")), Code::FileUnreadable);
  fs::create_directory(path("empty"));
  EXPECT_EQ(code(path("empty")), Code::DumpUnknown);
  put("empty/a.txt", "");
  EXPECT_EQ(code(path("empty")), Code::DumpUnknown);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(code(path("pipe")), Code::FileUnreadable);
  fs::create_directory(path("piped"));
  ASSERT_EQ(::mkfifo(path("piped/a.npy").c_str(), 0600), 0);
  EXPECT_EQ(code(path("piped")), Code::FileUnreadable);
  EXPECT_EQ(code(put("text", "neither one nor the other")), Code::DumpUnknown);
  EXPECT_EQ(code(put("nothing", "")), Code::DumpUnknown);
  EXPECT_EQ(code(put("t.safetensors", "")), Code::SafetensorsMalformed);
  EXPECT_EQ(code(put("t.npz", "")), Code::NpzMalformed);
  EXPECT_EQ(code(put("t.npy", "")), Code::NpyMalformed);
  npy("bad/a.npy");
  put("bad/\xff.npy", content(path("bad/a.npy")));
  EXPECT_EQ(code(path("bad")), Code::FileUnreadable);
  npy("broken/a.npy");
  put("broken/b.npy", content(path("broken/a.npy")) + "\0"s);
  EXPECT_EQ(code(path("broken")), Code::NpyMalformed);
}

TEST_F(Dumps, AFileIsTakenByItsContent) {
  npy("a.npy", 3);
  fs::rename(path("a.npy"), path("a.bin"));
  EXPECT_EQ(names(path("a.bin")), "arr_0 ");
  write_safetensors(path("s.bin"), std::vector<NamedTensor>{{"x", Tensor(Format::F32, {1})}});
  EXPECT_EQ(names(path("s.bin")), "x ");
}

TEST_F(Dumps, AFileThatChangedSinceIsNamed) {
  npy("d/a.npy", 3);
  npy("d/b.npy", 3);
  const auto dump = open_dump(path("d"));
  npy("d/a.npy", 4);
  fs::remove(path("d/b.npy"));
  EXPECT_EQ(refusal([&] { dump->read(0); }), Code::NpyMalformed);
  write_npy(path("d/a.npy"), Tensor(Format::I32, {3}));
  EXPECT_EQ(refusal([&] { dump->read(0); }), Code::NpyMalformed);
  npy("d/a.npy", 3);
  EXPECT_EQ(dump->read(0).bytes.size(), 12u);
  EXPECT_EQ(refusal([&] { dump->read(1); }), Code::FileUnreadable);
}

TEST_F(Dumps, TwoBytesWithoutAMeaningAreBf16OnlyWhereThatIsSaid) {
  std::string header = "{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }\n";
  put("v.npy", "\x93NUMPY\x01\0"s + static_cast<char>(header.size()) + '\0' + header + "abcd");
  EXPECT_EQ(code(path("v.npy")), Code::NpyUnsupported);
  const auto dump = open_dump(path("v.npy"), {.two_byte_void_is_bf16 = true});
  EXPECT_EQ(dump->entries()[0].format, Format::BF16);
  EXPECT_EQ(dump->read(0).bytes.size(), 4u);
}

TEST_F(Dumps, FortranOrderAndBigEndianHaveMemoryOfTheirOwnAndOthersLieInTheFile) {
  std::string header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }\n";
  put("t.npy", "\x93NUMPY\x01\0"s + static_cast<char>(header.size()) + '\0' + header + "\0\1\0\2\0\3\0\4"s);
  const DumpTensor read = open_dump(path("t.npy"))->read(0);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(read.bytes.data()), 8), "\1\0\3\0\2\0\4\0"s);
}

}  // namespace
}  // namespace bitpact
