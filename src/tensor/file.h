// Whole files: mapped for reading, written beside and renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace bitpact {

/// A regular file's bytes, mapped privately: writing to them never reaches the file. The file must keep its length while it is
/// mapped (a replaced file, as write_file makes one, does no harm).
class MappedFile {
 public:
  /// ReadOnly: nobody may write to data(). A file may then be larger than what the system lends to private pages.
  enum class Access : std::uint8_t { Private, ReadOnly };
  /// Refuses `file-unreadable`: absent, not permitted, or not a regular file.
  explicit MappedFile(const std::string& path, Access access = Access::Private);
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }
  /// The mapping itself, page-aligned; it lives as long as the last copy of this pointer. Null where the file is empty.
  const std::shared_ptr<std::byte[]>& data() const { return data_; }

 private:
  std::shared_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
};

/// A file that is written beside its target and takes its place in one step; without publish() it is gone.
class NewFile {
 public:
  /// A symbolic link is followed. Refuses `file-unwritable`; something that is there and not a regular file is never replaced.
  explicit NewFile(const std::string& target);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  /// Where it is until then, empty, for writers that open a path.
  const std::string& path() const { return path_; }
  void write(std::span<const std::byte> bytes);
  void publish();

 private:
  [[noreturn]] void fail();

  std::string target_, path_;
  int fd_ = -1;
  bool published_ = false;
};

/// Writes the pieces, one after the other, to a temporary file in the same folder, then renames it to `path` (a symbolic link is
/// followed). Refuses `file-unwritable` and leaves nothing behind; an existing file then keeps its content. Something that is
/// there and not a regular file is refused, never replaced.
void write_file(const std::string& path, std::span<const std::span<const std::byte>> pieces);

}  // namespace bitpact
