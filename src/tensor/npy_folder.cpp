#include "tensor/npy_folder.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "diagnostic/diagnostic.h"
#include "tensor/file.h"
#include "tensor/npy_dump.h"
#include "tensor/utf8.h"

namespace bitpact {
namespace {

[[noreturn]] void unreadable(const std::string& path, std::string_view why) {
  refuse(Code::FileUnreadable, fmt::format("{}: {}", path, why));
}

/// Finds the .npy files below a folder.
class Walk {
 public:
  explicit Walk(const std::string& root) : root_(root) {
    folders_.emplace_back();
    enter(root_);
    // A list, not recursion: no depth of folders ends the stack.
    for (std::size_t i = 0; i < folders_.size(); ++i) list(std::string(folders_[i]));
    std::sort(names_.begin(), names_.end());
  }
  std::vector<std::string> names() && { return std::move(names_); }

 private:
  void enter(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) unreadable(path, std::strerror(errno));
    if (!met_.insert({status.st_dev, status.st_ino}).second)
      unreadable(path, "is a folder that the dump already holds under another name");
  }

  /// `below` is empty or ends with '/'.
  void list(const std::string& below) {
    const std::string path = below.empty() ? root_ : root_ + "/" + below.substr(0, below.size() - 1);
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
    if (!folder) unreadable(path, std::strerror(errno));
    for (;;) {
      errno = 0;
      const dirent* item = ::readdir(folder.get());
      if (item == nullptr) break;
      const std::string name = item->d_name;
      if (name != "." && name != "..") take(below + name, item->d_type);
    }
    if (errno != 0) unreadable(path, std::strerror(errno));
  }

  void take(const std::string& name, unsigned char type) {
    const std::string path = root_ + "/" + name;
    bool folder = type == DT_DIR;
    if (type == DT_LNK || type == DT_UNKNOWN) {
      struct stat status {};
      // What cannot be looked at may be a folder full of tensors.
      if (::stat(path.c_str(), &status) != 0) unreadable(path, std::strerror(errno));
      folder = S_ISDIR(status.st_mode);
    }
    if (folder) {
      enter(path);
      folders_.push_back(name + "/");
    } else if (name.ends_with(".npy")) {
      if (!is_utf8(name)) unreadable(root_, "holds a .npy file whose name is not UTF-8");
      names_.push_back(name.substr(0, name.size() - 4));
    }
  }

  std::string root_;
  std::set<std::pair<dev_t, ino_t>> met_;
  std::vector<std::string> folders_, names_;
};

class NpyFiles : public Dump {
 public:
  NpyFiles(std::vector<std::string> paths, std::vector<std::string> names, const DumpOptions& options)
      : paths_(std::move(paths)), options_(options) {
    entries_.reserve(paths_.size());
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const MappedFile file(paths_[i], MappedFile::Access::ReadOnly);
      const NpyLayout layout = npy_dump_layout(file.bytes(), file.bytes().size(), options_, paths_[i]);
      entries_.push_back({std::move(names[i]), layout.format, layout.shape, layout.data_size});
    }
  }
  const std::vector<DumpEntry>& entries() const override { return entries_; }
  DumpTensor read(std::size_t index) const override {
    const DumpEntry& entry = entries_.at(index);
    const std::string& path = paths_[index];
    auto file = std::make_shared<MappedFile>(path, MappedFile::Access::ReadOnly);
    const NpyLayout layout = npy_dump_layout(file->bytes(), file->bytes().size(), options_, path);
    if (layout.format != entry.format || layout.shape != entry.shape)
      refuse(Code::NpyMalformed, fmt::format("{}: was {} when the dump was opened, and is {} now", path,
                                             to_text(entry.shape, entry.format), to_text(layout.shape, layout.format)));
    return npy_dump_tensor(layout, file->bytes().subspan(layout.data_offset), file, path);
  }

 private:
  std::vector<std::string> paths_;
  DumpOptions options_;
  std::vector<DumpEntry> entries_;
};

}  // namespace

std::unique_ptr<Dump> open_npy_folder(const std::string& path, const DumpOptions& options) {
  std::vector<std::string> names = Walk(path).names();
  if (names.empty()) refuse(Code::DumpUnknown, fmt::format("{}: a folder without .npy files", path));
  std::vector<std::string> paths;
  paths.reserve(names.size());
  for (const std::string& name : names) paths.push_back(fmt::format("{}/{}.npy", path, name));
  return std::make_unique<NpyFiles>(std::move(paths), std::move(names), options);
}

std::unique_ptr<Dump> open_npy_file(const std::string& path, const DumpOptions& options) {
  return std::make_unique<NpyFiles>(std::vector{path}, std::vector<std::string>{"arr_0"}, options);
}

}  // namespace bitpact
