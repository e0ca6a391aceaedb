// .npy files: read, written, read again. Where the input's last byte is odd its first line becomes a header whose length is
// right, so that mutations of the text stay headers.
#include <cstring>

#include "fuzz.h"
#include "tensor/npy.h"
#include "tensor/npy_header.h"

using namespace bitpact;

namespace {

std::string with_a_header(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view header = text.substr(0, end), elements = text.substr(std::min(end + 1, text.size()));
  const std::size_t length = header.size() + 1;
  std::string file = "\x93NUMPY";
  file += {'\x02', '\0', static_cast<char>(length), static_cast<char>(length >> 8), static_cast<char>(length >> 16), '\0'};
  return file.append(header).append("\n").append(elements);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The last byte, so that an input that is even is a file with something behind it.
  if (size == 0) return -1;
  const std::uint8_t choice = data[--size];
  std::optional<Format> as;
  if (choice >= 128) as = all_formats()[choice / 2 % all_formats().size()].format;
  const std::string file = choice % 2 == 1 ? with_a_header(fuzz::text_of(data, size)) : std::string(fuzz::text_of(data, size));
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
