#include "tensor/tensor.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "tensor/digest.h"
#include "tensor/refusal.h"
#include "tensor/transpose.h"

namespace bitpact {
namespace {

TEST(Tensor, IsZeroFilledAlignedAndOfTheFormatsSize) {
  for (const FormatInfo& row : all_formats()) {
    const Tensor tensor(row.format, {3, 5, 7});
    EXPECT_EQ(tensor.size(), 105);
    EXPECT_EQ(tensor.byte_size(), 105u * static_cast<unsigned>(row.storage_bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.bytes()) % 64, 0u);
    for (std::byte b : tensor.span()) EXPECT_EQ(b, std::byte{0});
  }
  EXPECT_EQ(Tensor(Format::F32, {}).size(), 1);
  EXPECT_EQ(Tensor(Format::F32, {4, 0}).size(), 0);
  EXPECT_EQ(Tensor().size(), 0);
}

TEST(Tensor, ElementsKeepTheirBitsAndTheirNeighbours) {
  for (const FormatInfo& row : all_formats()) {
    const Bits mask = row.bits == 64 ? ~Bits{0} : (Bits{1} << row.bits) - 1;
    Tensor tensor(row.format, {9});
    tensor.set(4, mask);
    tensor.set(3, Bits{0x8123456789abcdef} & mask);
    for (std::int64_t i = 0; i < 9; ++i)
      EXPECT_EQ(tensor.get(i), i == 4 ? mask : i == 3 ? (Bits{0x8123456789abcdef} & mask) : 0) << row.name;
  }
  Tensor f32(Format::F32, {1});
  f32.set(0, 0x3f800000);
  EXPECT_EQ(*f32.as<float>(), 1.0F);
}

TEST(Tensor, CopiesShareUntilOneIsWritten) {
  Tensor a(Format::I8, {70});
  const Tensor b = a;
  EXPECT_EQ(a.bytes(), b.bytes());
  a.set(69, 5);
  EXPECT_NE(a.bytes(), b.bytes());
  EXPECT_EQ(a.get(69), 5u);
  EXPECT_EQ(b.get(69), 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.bytes()) % 64, 0u);
  const std::byte* before = a.bytes();
  a.set(0, 1);
  EXPECT_EQ(a.bytes(), before);
}

TEST(Shape, TooLargeIsRefusedWithoutAllocating) {
  const std::int64_t big = std::int64_t{1} << 31;
  EXPECT_EQ(element_count({big, big}), std::int64_t{1} << 62);
  EXPECT_EQ(refusal([&] { element_count({big, big, 2}); }), Code::TooLarge);
  EXPECT_EQ(refusal([&] { element_count({0, big, big, 2}); }), Code::TooLarge);
  EXPECT_EQ(refusal([&] { element_count({3, -1}); }), Code::TooLarge);
  EXPECT_EQ(refusal([&] { Tensor(Format::F64, {big, big}); }), Code::TooLarge);
  EXPECT_EQ(refusal([&] { Tensor(Format::I8, {big, big}); }), Code::TooLarge);
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({7, 0, 3}), 0);
}

TEST(Shape, TextAndIndexing) {
  EXPECT_EQ(to_text({4, 8}, Format::F32), "4x8xf32");
  EXPECT_EQ(to_text({}, Format::BF16), "bf16");
  EXPECT_EQ(row_major_strides({2, 3, 4}), (std::vector<std::int64_t>{12, 4, 1}));
  EXPECT_EQ(coordinate({2, 3, 4}, 23), (std::vector<std::int64_t>{1, 2, 3}));
  for (std::int64_t flat = 0; flat < 24; ++flat) EXPECT_EQ(flat_index({2, 3, 4}, coordinate({2, 3, 4}, flat)), flat);
}

TEST(Tensor, BorrowedStorageMustBeAligned) {
  auto storage = std::shared_ptr<std::byte[]>(new (std::align_val_t{64}) std::byte[128](),
                                              [](std::byte* p) { ::operator delete[](p, std::align_val_t{64}); });
  const Tensor tensor(Format::F32, {16}, storage);
  EXPECT_EQ(tensor.bytes(), storage.get());
  EXPECT_EQ(refusal([&] { Tensor(Format::F32, {1}, {storage, storage.get() + 4}); }), Code::Internal);
}

RC_GTEST_PROP(Transpose, PutsEachElementAtItsPermutedCoordinate, ()) {
  const auto& formats = all_formats();
  const Format format = formats[*rc::gen::inRange<std::size_t>(0, formats.size())].format;
  Shape shape(*rc::gen::inRange<std::size_t>(0, 5));
  for (auto& extent : shape)
    extent = *rc::gen::weightedOneOf<std::int64_t>({{8, rc::gen::inRange<std::int64_t>(1, 8)},
                                                    {1, rc::gen::inRange<std::int64_t>(30, 70)},
                                                    {1, rc::gen::just<std::int64_t>(0)}});
  std::vector<int> permutation(shape.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  for (std::size_t i = permutation.size(); i > 1; --i)
    std::swap(permutation[i - 1], permutation[*rc::gen::inRange<std::size_t>(0, i)]);
  Tensor tensor(format, shape);
  RC_PRE(tensor.size() < 100000);
  const int bits = info(format).bits;
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, (static_cast<Bits>(i) * 0x9e3779b97f4a7c15) >> (64 - bits));
  const Tensor result = transpose(tensor, permutation);
  RC_ASSERT(result.format() == format);
  RC_ASSERT(result.size() == tensor.size());
  for (std::int64_t i = 0; i < result.size(); ++i) {
    const auto at = coordinate(result.shape(), i);
    std::vector<std::int64_t> from(at.size());
    for (std::size_t axis = 0; axis < at.size(); ++axis) from[static_cast<std::size_t>(permutation[axis])] = at[axis];
    RC_ASSERT(result.get(i) == tensor.get(flat_index(shape, from)));
  }
}

TEST(Transpose, WhatIsNoPermutationIsRefused) {
  const Tensor tensor(Format::F32, {2, 3});
  for (const std::vector<int>& bad : {std::vector<int>{0}, {0, 0}, {0, 2}, {-1, 0}, {0, 1, 2}})
    EXPECT_EQ(refusal([&] { transpose(tensor, bad); }), Code::Internal);
}

TEST(Digest, IsSha256) {
  // FIPS 180-2, appendix B.1; and the empty message.
  EXPECT_EQ(sha256("abc"), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  std::vector<Tensor> tensors{Tensor(Format::I8, {2}), Tensor(Format::I8, {1})};
  tensors[0].set(0, 'a');
  tensors[0].set(1, 'b');
  tensors[1].set(0, 'c');
  EXPECT_EQ(sha256(tensors), sha256("abc"));
}

}  // namespace
}  // namespace bitpact
