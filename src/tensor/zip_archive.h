// A .zip archive that lies in memory, read through minizip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bitpact {

struct ZipEntry {
  std::string name;
  bool deflated = false;         ///< else stored
  std::uint64_t data_begin = 0;  ///< in the archive
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;  ///< uncompressed
  std::uint32_t crc = 0;
  std::uint64_t directory_at = 0, number = 0;  ///< minizip's position
};

/// The entries, in the order of the central directory. Refuses `npz-malformed`: no archive, a directory that does not agree with
/// itself or with what stands before each entry, sizes that the file does not have or deflate cannot reach, entries that overlap,
/// a name twice; `npz-unsupported`: encrypted, split over disks, another compression than deflate, a name that is absolute, leads
/// upward, is not UTF-8 or not said to be. `where` is named. What is allocated is bounded by the directory's own bytes.
std::vector<ZipEntry> zip_entries(std::span<const std::byte> archive, const std::string& where);

/// Refuses `npz-unsupported`: a name that is absolute or leads upward; `npz-malformed`: it holds NUL.
void check_zip_name(const std::string& name, const std::string& where);

/// One deflated entry from its beginning. The archive must outlive it.
class ZipReader {
 public:
  ZipReader(std::span<const std::byte> archive, const ZipEntry& entry, const std::string& where);
  ~ZipReader();
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;
  /// Fills `bytes`; refuses `npz-malformed` where the entry ends before or cannot be inflated.
  void read(std::span<std::byte> bytes);
  /// Refuses `npz-malformed` unless all was read and its CRC is the directory's.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Refuses `npz-malformed` where a stored entry's CRC is not the directory's.
void check_stored_crc(std::span<const std::byte> archive, const ZipEntry& entry, const std::string& where);

}  // namespace bitpact
