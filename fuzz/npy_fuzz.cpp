// .npy files: read, written, read again. Where the input's last byte is odd its first line becomes a header whose length is
// right, so that mutations of the text stay headers.
#include <cstring>

#include "file_of.h"
#include "tensor/npy.h"
#include "tensor/npy_header.h"

using namespace bitpact;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return -1;
  const std::string file = fuzz::file_with_header(
      fuzz::text_of(data, size),
      [](std::size_t length) { return std::string("\x93NUMPY\x02\0", 8) + fuzz::little_endian(length, 4); }, "\n");
  const std::uint8_t choice = data[size - 1];
  std::optional<Format> as;
  if (choice >= 128) as = all_formats()[choice / 2 % all_formats().size()].format;
  const auto bytes = std::as_bytes(std::span(file));
  const auto tensor = fuzz::accepted({Code::NpyMalformed, Code::NpyUnsupported, Code::OperandMismatch},
                                     [&] { return parse_npy(bytes, as, "input"); });
  if (!tensor) return -1;
  fuzz::must(!as || tensor->format() == *as, "a file is read as another format than asked for");
  fuzz::must(parse_npy_header(bytes, "input").shape == tensor->shape(), "a tensor has another shape than its file");
  fuzz::must(tensor->byte_size() <= file.size(), "a tensor is larger than its file");
  std::string written = npy_header(tensor->format(), tensor->shape());
  fuzz::must(written.size() % 64 == 0, "the elements do not begin at a multiple of 64");
  written.append(reinterpret_cast<const char*>(tensor->bytes()), tensor->byte_size());
  const auto again = std::as_bytes(std::span(written));
  const Tensor back = parse_npy(again, tensor->format(), "written");
  fuzz::must(back.format() == tensor->format() && back.shape() == tensor->shape(), "a tensor reads back as another one");
  fuzz::must(back.byte_size() == 0 || std::memcmp(back.bytes(), tensor->bytes(), back.byte_size()) == 0,
             "a tensor's elements read back as others");
  return 0;
}
