#include "tensor/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "diagnostic/diagnostic.h"
#include "tensor/file.h"
#include "tensor/npy_header.h"
#include "tensor/transpose.h"

namespace bitpact {
namespace {

// Below this, a copy is cheaper than a mapping that stays.
constexpr std::size_t kStaysMapped = std::size_t{1} << 20;
constexpr std::size_t kAlignment = 64;

struct DtypeRow {
  std::string_view code;
  Format format;
};
constexpr DtypeRow kDtypes[] = {
    {"f8", Format::F64},  {"f4", Format::F32},  {"f2", Format::F16}, {"i8", Format::I64},
    {"i4", Format::I32},  {"i2", Format::I16},  {"i1", Format::I8},  {"u8", Format::UI64},
    {"u4", Format::UI32}, {"u2", Format::UI16}, {"u1", Format::UI8}, {"b1", Format::I1},
};

struct Elements {
  Format format = Format::F32;
  bool swapped = false;  ///< big-endian
};

/// Formats that numpy does not have: files hold them as unsigned integers of their size.
bool reads_as_words(Format format) {
  return std::ranges::none_of(kDtypes, [format](const DtypeRow& row) { return row.format == format; });
}
Format unsigned_of_bytes(int bytes) { return bytes == 1 ? Format::UI8 : bytes == 2 ? Format::UI16 : Format::UI32; }

Elements elements_of(const NpyHeader& header, std::optional<Format> as, const std::string& where) {
  const std::string& descr = header.descr;
  auto unsupported = [&] {
    refuse(Code::NpyUnsupported, fmt::format("{}: there is no format for the dtype '{}'", where, descr));
  };
  const bool bf16 = as == Format::BF16;
  if (descr == "bfloat16" || descr == "<V2" || descr == "|V2") {
    if (bf16) return {Format::BF16, false};
    if (!as)
      refuse(Code::NpyUnsupported, fmt::format("{}: the dtype '{}' may be bf16; name the format to read it as", where, descr));
    refuse(Code::OperandMismatch, fmt::format("{}: the dtype '{}' is not {}", where, descr, name(*as)));
  }
  // ml_dtypes' names for what it saves: '<f1' for float8_e5m2, bytes without a kind for its other formats of a byte.
  if (as && reads_as_words(*as) && info(*as).storage_bytes == 1 &&
      (descr == "<V1" || descr == "|V1" || (descr == "<f1" && *as == Format::F8E5M2)))
    return {*as, false};
  if (!as && descr == "<f1") return {Format::F8E5M2, false};
  if (!as && (descr == "<V1" || descr == "|V1"))
    refuse(Code::NpyUnsupported, fmt::format("{}: the dtype '{}' is a byte of any format; name the format to read it as", where, descr));
  if (descr == "?") return elements_of({"|b1", header.fortran_order, header.shape, header.data_offset}, as, where);
  if (descr.size() != 3) unsupported();
  const char order = descr[0];
  const auto* row = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                 [&](const DtypeRow& r) { return r.code == std::string_view(descr).substr(1); });
  if (row == std::end(kDtypes)) unsupported();
  const int bytes = info(row->format).storage_bytes;
  // '|' says that there is no byte order, which is so for single bytes only; '=' is never written to a file.
  if (order != '<' && order != '>' && !(order == '|' && bytes == 1)) unsupported();
  Elements elements{row->format, order == '>' && bytes > 1};
  if (as && reads_as_words(*as) && row->format == unsigned_of_bytes(info(*as).storage_bytes)) elements.format = *as;
  if (as && elements.format != *as)
    refuse(Code::OperandMismatch,
           fmt::format("{}: the dtype '{}' is {}, not {}", where, descr, name(elements.format), name(*as)));
  return elements;
}

/// Refuses unless the file ends where the elements do. Nothing of the shape's size is allocated before.
void check_size(const NpyHeader& header, Format format, std::size_t file_bytes, const std::string& where) {
  const std::size_t left = file_bytes - header.data_offset;
  std::int64_t count = 0;
  try {
    count = element_count(header.shape);
  } catch (const Refused&) {
    refuse(Code::NpyMalformed, fmt::format("{}: the shape has more elements than any file", where));
  }
  const auto each = static_cast<std::size_t>(info(format).storage_bytes);
  const auto wanted = static_cast<std::size_t>(count);
  if (wanted > left / each || wanted * each != left)
    refuse(Code::NpyMalformed, fmt::format("{}: {} elements of {} bytes are {} in the file, which has {} bytes for them", where,
                                           wanted, each, wanted > left / each ? "not all" : "not all there is", left));
}

template <typename T>
void swap_bytes(std::byte* data, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    std::reverse(data + i * std::int64_t{sizeof(T)}, data + (i + 1) * std::int64_t{sizeof(T)});
}

void swap_elements(std::byte* data, std::int64_t count, int bytes) {
  if (bytes == 2) swap_bytes<std::uint16_t>(data, count);
  if (bytes == 4) swap_bytes<std::uint32_t>(data, count);
  if (bytes == 8) swap_bytes<std::uint64_t>(data, count);
}

void check_stray_bits(const Tensor& tensor, const std::string& where) {
  const auto bad = first_with_stray_bits(tensor.format(), tensor.span());
  if (!bad) return;
  const Bits bits = tensor.get(*bad);
  if (tensor.format() == Format::I1)
    refuse(Code::NpyMalformed, fmt::format("{}: boolean {} is {}, neither 0 nor 1", where, *bad, bits));
  refuse(Code::NpyMalformed, fmt::format("{}: element {} is {:#x}, which has more than the {} bits of {}", where, *bad, bits,
                                         info(tensor.format()).bits, name(tensor.format())));
}

Tensor copied(const NpyHeader& header, const Elements& elements, const std::byte* data) {
  Tensor tensor(elements.format, header.shape);
  const int bytes = info(elements.format).storage_bytes;
  if (header.fortran_order && header.shape.size() > 1) {
    std::vector<std::int64_t> strides;  // the first axis runs fastest
    std::int64_t stride = 1;
    for (std::int64_t extent : header.shape) {
      strides.push_back(stride);
      stride *= extent;
    }
    copy_strided(tensor.mutable_bytes(), data, header.shape, strides, bytes);
  } else if (tensor.byte_size() > 0) {
    std::memcpy(tensor.mutable_bytes(), data, tensor.byte_size());
  }
  if (elements.swapped) swap_elements(tensor.mutable_bytes(), tensor.size(), bytes);
  return tensor;
}

Tensor read(std::span<const std::byte> bytes, std::optional<Format> as, const std::string& where, const MappedFile* file) {
  const NpyHeader header = parse_npy_header(bytes, where);
  const Elements elements = elements_of(header, as, where);
  check_size(header, elements.format, bytes.size(), where);
  const std::size_t size = bytes.size() - header.data_offset;
  const bool as_is = !elements.swapped && !(header.fortran_order && header.shape.size() > 1);
  Tensor tensor;
  if (file != nullptr && as_is && size >= kStaysMapped && header.data_offset % kAlignment == 0) {
    // The aliasing pointer keeps the whole mapping alive.
    tensor = Tensor(elements.format, header.shape, {file->data(), file->data().get() + header.data_offset});
  } else {
    tensor = copied(header, elements, bytes.data() + header.data_offset);
  }
  check_stray_bits(tensor, where);
  return tensor;
}

std::string descr_of(Format format) {
  if (reads_as_words(format)) format = unsigned_of_bytes(info(format).storage_bytes);
  for (const DtypeRow& row : kDtypes)
    if (row.format == format) return (info(format).storage_bytes == 1 ? "|" : "<") + std::string(row.code);
  refuse(Code::Internal, fmt::format(".npy has no dtype for {}", name(format)));
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
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr_of(format), tuple);
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
