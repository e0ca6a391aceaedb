#include "tensor/npy_dump.h"

namespace bitpact {

NpyLayout npy_dump_layout(std::span<const std::byte> begin, std::size_t file_size, const DumpOptions& options,
                          const std::string& where) {
  if (options.two_byte_void_is_bf16) {
    const std::string descr = parse_npy_header(begin, where).descr;
    if (descr == "<V2" || descr == "|V2" || descr == "bfloat16") return npy_layout(begin, file_size, Format::BF16, where);
  }
  return npy_layout(begin, file_size, {}, where);
}

DumpTensor npy_dump_tensor(const NpyLayout& layout, std::span<const std::byte> data, std::shared_ptr<const void> owner,
                           const std::string& where) {
  if (layout.as_is()) {
    check_npy_bits(layout.format, data, where);
    return {layout.format, layout.shape, data, std::move(owner)};
  }
  auto own = std::make_shared<const Tensor>(npy_elements(layout, data.data()));
  const auto bytes = own->span();
  check_npy_bits(layout.format, bytes, where);
  return {layout.format, layout.shape, bytes, std::move(own)};
}

}  // namespace bitpact
