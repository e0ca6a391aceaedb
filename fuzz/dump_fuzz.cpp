// Whatever a dump's file holds: told apart by content, opened, every tensor read, with sizes that fit its entry.
#include "file_of.h"
#include "tensor/dump.h"

using namespace bitpact;

namespace {

template <typename Make>
auto read(const Make& make) {
  return fuzz::accepted_if(
      [](std::string_view code) {
        return code.starts_with("npy-") || code.starts_with("npz-") || code.starts_with("safetensors-") || code == "dump-unknown";
      },
      make);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return -1;
  const fuzz::FileOf file(fuzz::text_of(data, size - 1));
  DumpOptions options;
  options.two_byte_void_is_bf16 = data[size - 1] % 2 == 1;
  const auto dump = read([&] { return open_dump(file.path(), options); });
  if (!dump) return -1;
  for (std::size_t i = 0; i < (*dump)->entries().size(); ++i) {
    const DumpEntry& entry = (*dump)->entries()[i];
    const auto tensor = read([&] { return (*dump)->read(i); });
    if (!tensor) continue;
    fuzz::must(tensor->format == entry.format && tensor->shape == entry.shape && tensor->bytes.size() == entry.byte_size,
               "a tensor is read as something else than its entry says");
    unsigned sum = 0;  // every byte is there
    for (std::byte byte : tensor->bytes) sum += static_cast<unsigned>(byte);
    volatile unsigned used = sum;
    (void)used;
  }
  return 0;
}
