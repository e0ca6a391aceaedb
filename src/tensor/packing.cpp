#include "tensor/packing.h"

#include "diagnostic/diagnostic.h"

namespace bitpact {

void unpack_halves(std::span<const std::byte> packed, std::span<std::byte> elements) {
  if (elements.size() % 2 != 0 || packed.size() != elements.size() / 2)
    refuse(Code::Internal, "4-bit elements do not fit their bytes");
  for (std::size_t i = 0; i < packed.size(); ++i) {
    elements[2 * i] = packed[i] & std::byte{0x0f};
    elements[2 * i + 1] = packed[i] >> 4;
  }
}

std::vector<std::byte> pack_halves(std::span<const std::byte> elements) {
  if (elements.size() % 2 != 0) refuse(Code::Internal, "4-bit elements do not fit their bytes");
  std::vector<std::byte> packed(elements.size() / 2);
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = (elements[2 * i] & std::byte{0x0f}) | elements[2 * i + 1] << 4;
  return packed;
}

}  // namespace bitpact
