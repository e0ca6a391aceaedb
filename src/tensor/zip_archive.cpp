#include "tensor/zip_archive.h"

#include <fmt/format.h>
#include <unzip.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "diagnostic/diagnostic.h"
#include "tensor/utf8.h"
#include "tensor/zip_directory.h"

namespace bitpact {
namespace {

// RFC 1951: a length code of 258 bytes takes at least two bits, so no byte becomes more than 1032.
constexpr std::uint64_t kMostPerByte = 1032;
constexpr uLong kEncrypted = 1U << 0 | 1U << 6 | 1U << 13, kUtf8 = 1U << 11;

[[noreturn]] void malformed(const std::string& where, std::string_view why) {
  refuse(Code::NpzMalformed, fmt::format("{}: {}", where, why));
}
[[noreturn]] void unsupported(const std::string& where, std::string_view why) {
  refuse(Code::NpzUnsupported, fmt::format("{}: {}", where, why));
}

/// What minizip reads through: a position in bytes that somebody else keeps.
struct Memory {
  std::span<const std::byte> bytes;
  std::uint64_t at = 0;
  bool ended = false;  ///< a read went beyond the end; else minizip takes the missing bytes for zeros

  static voidpf open(voidpf self, const void*, int) { return self; }
  static uLong read(voidpf self, voidpf, void* to, uLong size) {
    auto* m = static_cast<Memory*>(self);
    const auto n = std::min<std::uint64_t>(size, m->bytes.size() - m->at);
    if (n > 0) std::memcpy(to, m->bytes.data() + m->at, n);
    m->at += n;
    m->ended = m->ended || n < size;
    return n;
  }
  static uLong write(voidpf, voidpf, const void*, uLong) { return 0; }
  static ZPOS64_T tell(voidpf self, voidpf) { return static_cast<Memory*>(self)->at; }
  static long seek(voidpf self, voidpf, ZPOS64_T offset, int origin) {
    auto* m = static_cast<Memory*>(self);
    const std::uint64_t from = origin == SEEK_SET ? 0 : origin == SEEK_CUR ? m->at : m->bytes.size();
    if (offset > m->bytes.size() - from) return -1;
    m->at = from + offset;
    return 0;
  }
  static int close(voidpf, voidpf) { return 0; }
  static int error(voidpf self, voidpf) { return static_cast<Memory*>(self)->ended ? 1 : 0; }
};

/// minizip's handle on the archive.
class Archive {
 public:
  Archive(std::span<const std::byte> bytes, const std::string& where) : memory_{bytes} {
    zlib_filefunc64_def calls{Memory::open, Memory::read,  Memory::write, Memory::tell,
                              Memory::seek, Memory::close, Memory::error, &memory_};
    file_ = unzOpen2_64("", &calls);
    if (file_ == nullptr) malformed(where, "has no directory of a .zip archive at its end");
  }
  ~Archive() {
    unzCloseCurrentFile(file_);
    unzClose(file_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  unzFile file() const { return file_; }

 private:
  Memory memory_;
  unzFile file_ = nullptr;
};

void check_spelling(const std::string& name, uLong flags, const std::string& where) {
  const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!ascii && ((flags & kUtf8) == 0 || !is_utf8(name)))
    unsupported(where, fmt::format("the name {} is not in UTF-8", shown_name(name)));
}

ZipEntry current_entry(unzFile file, std::size_t archive_size, const std::string& where) {
  unz_file_info64 about{};
  if (unzGetCurrentFileInfo64(file, &about, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
    malformed(where, "the directory is damaged");
  ZipEntry entry;
  entry.name.resize(about.size_filename);
  if (unzGetCurrentFileInfo64(file, &about, entry.name.data(), about.size_filename, nullptr, 0, nullptr, 0) != UNZ_OK)
    malformed(where, "the directory is damaged");
  check_spelling(entry.name, about.flag, where);
  check_zip_name(entry.name, where);
  const std::string shown = shown_name(entry.name);
  if ((about.flag & kEncrypted) != 0) unsupported(where, fmt::format("{} is encrypted", shown));
  if (about.compression_method != 0 && about.compression_method != Z_DEFLATED)
    unsupported(where,
                fmt::format("{} is compressed by method {}; stored and deflated are read", shown, about.compression_method));
  if (about.disk_num_start != 0) unsupported(where, fmt::format("{} lies on another disk", shown));
  entry.deflated = about.compression_method != 0;
  entry.compressed_size = about.compressed_size;
  entry.size = about.uncompressed_size;
  entry.crc = static_cast<std::uint32_t>(about.crc);
  if (entry.compressed_size > archive_size)
    malformed(where, fmt::format("{} has {} bytes by the directory, more than the file", shown, entry.compressed_size));
  if (!entry.deflated && entry.compressed_size != entry.size)
    malformed(where, fmt::format("{} is stored and has two sizes, {} and {}", shown, entry.compressed_size, entry.size));
  if (entry.deflated && entry.size / kMostPerByte > entry.compressed_size)
    malformed(where, fmt::format("{} cannot become {} bytes from {}", shown, entry.size, entry.compressed_size));

  unz64_file_pos place{};
  if (unzGetFilePos64(file, &place) != UNZ_OK) malformed(where, "the directory is damaged");
  entry.directory_at = place.pos_in_zip_directory;
  entry.number = place.num_of_file;
  // Compares what stands before the entry with the directory.
  int method = 0;
  if (unzOpenCurrentFile2(file, &method, nullptr, 1) != UNZ_OK)
    malformed(where, fmt::format("what stands before {} does not agree with the directory", shown));
  entry.data_begin = unzGetCurrentFileZStreamPos64(file);
  unzCloseCurrentFile(file);
  if (entry.data_begin > archive_size || entry.compressed_size > archive_size - entry.data_begin)
    malformed(where, fmt::format("{} ends behind the file's end", shown));
  return entry;
}

/// Two views of the entries: by name none may be twice, by place none may lie in another.
void check_together(const std::vector<ZipEntry>& entries, const std::string& where) {
  std::vector<const ZipEntry*> order;
  order.reserve(entries.size());
  for (const ZipEntry& entry : entries) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  const auto twice =
      std::adjacent_find(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->name == b->name; });
  if (twice != order.end()) malformed(where, fmt::format("{} is there twice", shown_name((*twice)->name)));
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->data_begin < b->data_begin; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i]->data_begin - order[i - 1]->data_begin < order[i - 1]->compressed_size)
      malformed(where, fmt::format("{} overlaps {}", shown_name(order[i]->name), shown_name(order[i - 1]->name)));
}

}  // namespace

void check_zip_name(const std::string& name, const std::string& where) {
  const std::string shown = shown_name(name);
  if (name.find('\0') != name.npos) malformed(where, fmt::format("the name {} holds NUL", shown));
  const bool drive = name.size() > 2 && name[1] == ':' && name[2] == '/';  // "w:0" is the name of a variable
  if (name.starts_with('/') || name.find('\\') != name.npos || drive)
    unsupported(where, fmt::format("the name {} is absolute, or one of another system", shown));
  if (("/" + name + "/").find("/../") != std::string::npos) unsupported(where, fmt::format("the name {} leads upward", shown));
}

std::vector<ZipEntry> zip_entries(std::span<const std::byte> archive, const std::string& where) {
  // An archive without entries is one record; minizip does not find it at the beginning of a file.
  constexpr std::size_t kEnd = 22;
  constexpr std::string_view kNothing("PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", kEnd);
  if (std::string_view(reinterpret_cast<const char*>(archive.data()), archive.size()) == kNothing) return {};
  const std::vector<std::uint64_t> places = zip_directory_places(archive, where);
  const Archive zip(archive, where);
  unz_global_info64 about{};
  if (unzGetGlobalInfo64(zip.file(), &about) != UNZ_OK) malformed(where, "has no directory of a .zip archive at its end");
  if (about.number_entry != places.size()) malformed(where, "has two directories that disagree");
  // An archive without entries was answered above.
  if (places.empty()) malformed(where, "the directory is empty, the archive is not");
  std::vector<ZipEntry> entries;
  for (const std::uint64_t place : places) {
    if ((entries.empty() ? unzGoToFirstFile(zip.file()) : unzGoToNextFile(zip.file())) != UNZ_OK)
      malformed(where, "the directory is damaged");
    entries.push_back(current_entry(zip.file(), archive.size(), where));
    if (entries.back().directory_at != place) malformed(where, "has two directories that disagree");
  }
  check_together(entries, where);
  return entries;
}

struct ZipReader::State {
  Archive archive;
  std::string where;
  std::uint64_t left;
};

ZipReader::ZipReader(std::span<const std::byte> archive, const ZipEntry& entry, const std::string& where)
    : state_(new State{{archive, where}, fmt::format("{}: {}", where, shown_name(entry.name)), entry.size}) {
  const unz64_file_pos place{entry.directory_at, entry.number};
  if (unzGoToFilePos64(state_->archive.file(), &place) != UNZ_OK || unzOpenCurrentFile(state_->archive.file()) != UNZ_OK)
    malformed(state_->where, "is not where it was");
}

ZipReader::~ZipReader() = default;

void ZipReader::read(std::span<std::byte> bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  while (!bytes.empty()) {
    const int n = unzReadCurrentFile(state_->archive.file(), bytes.data(), static_cast<unsigned>(std::min(kMost, bytes.size())));
    if (n <= 0) malformed(state_->where, n == 0 ? "ends before its size is reached" : "cannot be inflated");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    state_->left -= static_cast<std::uint64_t>(n);
  }
}

void ZipReader::finish() {
  if (state_->left != 0) malformed(state_->where, fmt::format("has {} bytes more than were read", state_->left));
  // minizip compares the CRC here, because all was read.
  if (unzCloseCurrentFile(state_->archive.file()) != UNZ_OK) malformed(state_->where, "its CRC is not the directory's");
}

void check_stored_crc(std::span<const std::byte> archive, const ZipEntry& entry, const std::string& where) {
  const auto bytes = archive.subspan(entry.data_begin, entry.size);
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (crc != entry.crc) malformed(fmt::format("{}: {}", where, shown_name(entry.name)), "its CRC is not the directory's");
}

}  // namespace bitpact
