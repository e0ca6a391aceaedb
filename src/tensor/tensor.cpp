#include "tensor/tensor.h"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "diagnostic/diagnostic.h"

namespace bitpact {

static_assert(std::endian::native == std::endian::little, "tensor bytes are little-endian, read and written in place");

namespace {
constexpr std::size_t kAlignment = 64;
constexpr std::int64_t kLargest = std::int64_t{1} << 62;

// calloc, not a cleared aligned_alloc: the system hands large blocks out as zero pages, so untouched parts cost nothing.
std::shared_ptr<std::byte[]> allocate(std::size_t bytes, bool zeroed) {
  if (bytes > SIZE_MAX - kAlignment) return nullptr;
  void* base = zeroed ? std::calloc(bytes + kAlignment, 1) : std::malloc(bytes + kAlignment);
  if (base == nullptr) return nullptr;
  auto address = (reinterpret_cast<std::uintptr_t>(base) + kAlignment - 1) & ~std::uintptr_t{kAlignment - 1};
  return {reinterpret_cast<std::byte*>(address), [base](std::byte*) { std::free(base); }};
}

std::size_t checked_byte_size(Format format, const Shape& shape, std::int64_t size) {
  const std::int64_t each = info(format).storage_bytes;
  if (size > kLargest / each) refuse(Code::TooLarge, fmt::format("{} has more than 2^62 bytes", to_text(shape, format)));
  return static_cast<std::size_t>(size * each);
}
}  // namespace

std::int64_t element_count(const Shape& shape) {
  std::int64_t product = 1;
  bool empty = false;
  for (std::int64_t extent : shape) {
    if (extent < 0) refuse(Code::TooLarge, fmt::format("the extent {} is negative", extent));
    if (extent == 0) {
      empty = true;
    } else if (product > kLargest / extent) {
      refuse(Code::TooLarge, "the extents multiply to more than 2^62 elements");
    } else {
      product *= extent;
    }
  }
  return empty ? 0 : product;
}

std::string to_text(const Shape& shape, Format format) {
  std::string text;
  for (std::int64_t extent : shape) text += fmt::format("{}x", extent);
  text += name(format);
  return text;
}

std::vector<std::int64_t> row_major_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

std::vector<std::int64_t> coordinate(const Shape& shape, std::int64_t flat) {
  std::vector<std::int64_t> at(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    at[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return at;
}

std::int64_t flat_index(const Shape& shape, const std::vector<std::int64_t>& coordinate) {
  std::int64_t flat = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) flat = flat * shape[axis] + coordinate[axis];
  return flat;
}

Tensor::Tensor(Format format, Shape shape) : format_(format), shape_(std::move(shape)), size_(element_count(shape_)) {
  data_ = allocate(checked_byte_size(format_, shape_, size_), true);
  if (!data_) refuse(Code::TooLarge, fmt::format("no memory for {}", to_text(shape_, format_)));
}

Tensor::Tensor(Format format, Shape shape, std::shared_ptr<std::byte[]> data)
    : format_(format), shape_(std::move(shape)), size_(element_count(shape_)), data_(std::move(data)) {
  checked_byte_size(format_, shape_, size_);
  if (reinterpret_cast<std::uintptr_t>(data_.get()) % kAlignment != 0)
    refuse(Code::Internal, "storage for a tensor is not 64-byte aligned");
}

std::size_t Tensor::byte_size() const {
  return static_cast<std::size_t>(size_) * static_cast<std::size_t>(info(format_).storage_bytes);
}

const std::byte* Tensor::bytes() const { return data_.get(); }

std::byte* Tensor::mutable_bytes() {
  if (data_ && data_.use_count() > 1) {
    auto own = allocate(byte_size(), false);
    if (!own) refuse(Code::TooLarge, fmt::format("no memory for a copy of {}", to_text(shape_, format_)));
    std::memcpy(own.get(), data_.get(), byte_size());
    data_ = std::move(own);
  }
  return data_.get();
}

Bits Tensor::get(std::int64_t flat) const {
  const auto each = static_cast<std::size_t>(info(format_).storage_bytes);
  Bits bits = 0;
  std::memcpy(&bits, data_.get() + static_cast<std::size_t>(flat) * each, each);
  return bits;
}

void Tensor::set(std::int64_t flat, Bits bits) {
  const auto each = static_cast<std::size_t>(info(format_).storage_bytes);
  std::memcpy(mutable_bytes() + static_cast<std::size_t>(flat) * each, &bits, each);
}

std::optional<std::int64_t> first_with_stray_bits(Format format, std::span<const std::byte> elements) {
  const FormatInfo& row = info(format);
  if (row.bits == 8 * row.storage_bytes) return std::nullopt;
  const auto each = static_cast<std::size_t>(row.storage_bytes);
  for (std::size_t at = 0; at < elements.size(); at += each) {
    Bits bits = 0;
    std::memcpy(&bits, elements.data() + at, each);
    if (bits >> row.bits != 0) return static_cast<std::int64_t>(at / each);
  }
  return std::nullopt;
}

}  // namespace bitpact
