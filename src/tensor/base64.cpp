#include "tensor/base64.h"

#include <openssl/evp.h>

#include <algorithm>
#include <climits>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

constexpr std::size_t kMost = INT_MAX / 2;  // OpenSSL counts in int

}  // namespace

std::string base64(std::span<const std::byte> bytes) {
  if (bytes.size() > kMost) refuse(Code::Internal, "too many bytes for base64");
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // and a zero behind it
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0 || text.size() > kMost) return {};
  std::vector<std::byte> bytes(text.size() / 4 * 3);
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (length < 0) return {};
  const auto padding =
      static_cast<std::size_t>(std::ranges::count(text.substr(text.size() - std::min<std::size_t>(text.size(), 2)), '='));
  bytes.resize(static_cast<std::size_t>(length) - std::min(padding, static_cast<std::size_t>(length)));
  // OpenSSL skips white space at the ends and does not look at the bits behind the last byte.
  if (base64(bytes) != text) return {};
  return bytes;
}

}  // namespace bitpact
