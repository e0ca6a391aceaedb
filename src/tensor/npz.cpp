#include "tensor/npz.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "diagnostic/diagnostic.h"
#include "tensor/file.h"
#include "tensor/npy_dump.h"
#include "tensor/npy_header.h"
#include "tensor/utf8.h"
#include "tensor/zip_archive.h"

namespace bitpact {
namespace {

// A .npy header is a hundred bytes; this leaves room for any shape.
constexpr std::size_t kMostHeader = std::size_t{1} << 16;

class Npz : public Dump {
 public:
  Npz(const std::string& path, const DumpOptions& options)
      : path_(path),
        file_(std::make_shared<MappedFile>(path, MappedFile::Access::ReadOnly)),
        zip_(zip_entries(file_->bytes(), path)) {
    entries_.reserve(zip_.size());
    layouts_.reserve(zip_.size());
    for (const ZipEntry& entry : zip_) {
      if (!entry.name.ends_with(".npy") || entry.name.size() == 4)
        refuse(Code::NpzUnsupported, fmt::format("{}: {} is not a .npy file", path_, shown_name(entry.name)));
      layouts_.push_back(layout(entry, options));
      entries_.push_back({entry.name.substr(0, entry.name.size() - 4), layouts_.back().format, layouts_.back().shape,
                          layouts_.back().data_size});
    }
    checked_ = std::vector<std::atomic<bool>>(zip_.size());
  }

  const std::vector<DumpEntry>& entries() const override { return entries_; }

  DumpTensor read(std::size_t index) const override {
    const ZipEntry& entry = zip_.at(index);
    const NpyLayout& layout = layouts_[index];
    const std::string where = place(entry);
    if (!entry.deflated) {
      if (!checked_[index]) check_stored_crc(file_->bytes(), entry, path_);
      checked_[index] = true;
      return npy_dump_tensor(layout, file_->bytes().subspan(entry.data_begin + layout.data_offset, layout.data_size), file_,
                             where);
    }
    ZipReader reader(file_->bytes(), entry, path_);
    std::vector<std::byte> header(layout.data_offset);
    reader.read(header);
    // As the file has them: the shape may be turned and the bytes swapped below.
    auto inflated = std::make_shared<Tensor>(layout.format, layout.shape);
    reader.read({inflated->mutable_bytes(), layout.data_size});
    reader.finish();
    const auto bytes = inflated->span();
    return npy_dump_tensor(layout, bytes, std::move(inflated), where);
  }

 private:
  std::string place(const ZipEntry& entry) const { return fmt::format("{}: {}", path_, shown_name(entry.name)); }

  NpyLayout layout(const ZipEntry& entry, const DumpOptions& options) const {
    if (!entry.deflated)
      return npy_dump_layout(file_->bytes().subspan(entry.data_begin, entry.size), entry.size, options, place(entry));
    std::vector<std::byte> begin(std::min<std::uint64_t>(entry.size, kMostHeader));
    ZipReader(file_->bytes(), entry, path_).read(begin);
    if (const std::uint64_t end = npy_header_end(begin, place(entry)); end > begin.size() && end <= entry.size)
      refuse(Code::NpyMalformed,
             fmt::format("{}: its header ends at byte {}; compressed, at most {} are read", place(entry), end, kMostHeader));
    return npy_dump_layout(begin, entry.size, options, place(entry));
  }

  std::string path_;
  std::shared_ptr<MappedFile> file_;
  std::vector<ZipEntry> zip_;
  std::vector<NpyLayout> layouts_;
  std::vector<DumpEntry> entries_;
  mutable std::vector<std::atomic<bool>> checked_;
};

}  // namespace

std::unique_ptr<Dump> open_npz(const std::string& path, const DumpOptions& options) {
  return std::make_unique<Npz>(path, options);
}

}  // namespace bitpact
