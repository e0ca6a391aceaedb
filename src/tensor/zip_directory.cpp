#include "tensor/zip_directory.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

constexpr std::uint64_t kEndBytes = 22, kLongestComment = 0xffff;
constexpr std::uint64_t kLocatorBytes = 20, kEnd64Bytes = 56;
constexpr std::uint64_t kRecordBytes = 46;

class Bytes {
 public:
  Bytes(std::span<const std::byte> bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  std::uint64_t size() const { return bytes_.size(); }
  bool has(std::uint64_t at, std::uint64_t size) const { return at <= bytes_.size() && size <= bytes_.size() - at; }
  bool is(std::uint64_t at, std::string_view signature) const {
    return has(at, signature.size()) && std::memcmp(bytes_.data() + at, signature.data(), signature.size()) == 0;
  }
  std::uint64_t number(std::uint64_t at, int bytes) const {
    if (!has(at, static_cast<std::uint64_t>(bytes))) malformed("ends within its directory");
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i)
      value |= std::to_integer<std::uint64_t>(bytes_[at + static_cast<std::uint64_t>(i)]) << (8 * i);
    return value;
  }
  [[noreturn]] void malformed(std::string_view what) const { refuse(Code::NpzMalformed, fmt::format("{}: {}", where_, what)); }

 private:
  std::span<const std::byte> bytes_;
  const std::string& where_;
};

struct Directory {
  std::uint64_t offset = 0, size = 0, records = 0;
  std::uint64_t end = 0;  ///< where the first end record begins
};

// The last that its comment takes to the end of the file.
std::uint64_t end_record(const Bytes& file) {
  for (std::uint64_t back = kEndBytes; back <= kEndBytes + kLongestComment && back <= file.size(); ++back) {
    const std::uint64_t at = file.size() - back;
    if (file.is(at, "PK\x05\x06") && file.number(at + 20, 2) == back - kEndBytes) return at;
  }
  file.malformed("has no directory of a .zip archive at its end");
}

Directory directory_of(const Bytes& file) {
  const std::uint64_t at = end_record(file);
  Directory d{file.number(at + 16, 4), file.number(at + 12, 4), file.number(at + 10, 2), at};
  if (at < kLocatorBytes || !file.is(at - kLocatorBytes, "PK\x06\x07")) return d;
  const std::uint64_t end64 = file.number(at - kLocatorBytes + 8, 8);
  // Bytes that look like a locator may belong to the last record; a real one names the record right before it.
  if (!file.has(end64, kEnd64Bytes) || !file.is(end64, "PK\x06\x06") ||
      end64 + 12 + file.number(end64 + 4, 8) != at - kLocatorBytes)
    file.malformed("its zip64 locator does not name the record before it");
  return {file.number(end64 + 48, 8), file.number(end64 + 40, 8), file.number(end64 + 32, 8), end64};
}

}  // namespace

std::vector<std::uint64_t> zip_directory_places(std::span<const std::byte> archive, const std::string& where) {
  const Bytes file(archive, where);
  const Directory d = directory_of(file);
  if (!file.has(d.offset, d.size) || d.offset + d.size != d.end)
    file.malformed("its directory does not end where the archive's end record begins");
  std::vector<std::uint64_t> places;
  for (std::uint64_t at = d.offset; at < d.end;) {
    if (!file.is(at, "PK\x01\x02")) file.malformed("its directory holds something that is no record");
    places.push_back(at);
    at += kRecordBytes + file.number(at + 28, 2) + file.number(at + 30, 2) + file.number(at + 32, 2);
    if (at > d.end) file.malformed("the last record of its directory does not end with it");
  }
  if (places.size() != d.records)
    file.malformed(fmt::format("its directory has {} entries and should have {}", places.size(), d.records));
  return places;
}

}  // namespace bitpact
