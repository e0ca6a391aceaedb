#include "tensor/npy.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/file.h"
#include "tensor/npy_layout.h"

namespace bitpact {
namespace {

// Below this, a copy is cheaper than a mapping that stays.
constexpr std::size_t kStaysMapped = std::size_t{1} << 20;
constexpr std::size_t kAlignment = 64;

Tensor read(std::span<const std::byte> bytes, std::optional<Format> as, const std::string& where, const MappedFile* file) {
  const NpyLayout layout = npy_layout(bytes, bytes.size(), as, where);
  Tensor tensor;
  if (file != nullptr && layout.as_is() && layout.data_size >= kStaysMapped && layout.data_offset % kAlignment == 0) {
    // The aliasing pointer keeps the whole mapping alive.
    tensor = Tensor(layout.format, layout.shape, {file->data(), file->data().get() + layout.data_offset});
  } else {
    tensor = npy_elements(layout, bytes.data() + layout.data_offset);
  }
  check_npy_bits(layout.format, tensor.span(), where);
  return tensor;
}

}  // namespace

Tensor parse_npy(std::span<const std::byte> bytes, std::optional<Format> as, const std::string& where) {
  return read(bytes, as, where, nullptr);
}

Tensor read_npy(const std::string& path, std::optional<Format> as) {
  const MappedFile file(path);
  return read(file.bytes(), as, path, &file);
}

std::string npy_header(Format format, const Shape& shape) {
  std::string tuple;
  for (std::int64_t extent : shape) tuple += fmt::format("{}{}", tuple.empty() ? "" : ", ", extent);
  if (shape.size() == 1) tuple += ",";
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", npy_descr(format), tuple);
  // numpy.save leaves room to grow the outermost extent of an array in place: 21 digits in all.
  if (!shape.empty()) dict.append(21 - std::min<std::size_t>(21, fmt::format("{}", shape.front()).size()), ' ');
  auto padded = [&dict](std::size_t prefix) {
    const std::size_t length = dict.size() + 1;
    return length + (kAlignment - (prefix + length) % kAlignment) % kAlignment;
  };
  const bool small = padded(10) <= 0xffff;
  const std::size_t length = padded(small ? 10 : 12);
  std::string header = "\x93NUMPY";
  header += small ? '\x01' : '\x02';
  header += '\0';
  for (int i = 0; i < (small ? 2 : 4); ++i) header += static_cast<char>(length >> (8 * i) & 0xff);
  header += dict;
  header.append(length - dict.size() - 1, ' ');
  header += '\n';
  return header;
}

void write_npy(const std::string& path, const Tensor& tensor) {
  const std::string header = npy_header(tensor.format(), tensor.shape());
  const std::span<const std::byte> pieces[] = {std::as_bytes(std::span(header)), tensor.span()};
  write_file(path, pieces);
}

}  // namespace bitpact
