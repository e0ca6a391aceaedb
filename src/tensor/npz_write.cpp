#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <set>

#include "diagnostic/diagnostic.h"
#include "tensor/file.h"
#include "tensor/npy.h"
#include "tensor/npz.h"
#include "tensor/utf8.h"
#include "tensor/zip_archive.h"

namespace bitpact {
namespace {

constexpr uLong kFirstDay = 1U << 21 | 1U << 16;  // 1 January 1980, the first day that a .zip archive can say
constexpr uLong kUtf8 = 1U << 11;
constexpr std::size_t kMostName = 65000;  // of the 65,535 that the length's two bytes allow

/// minizip's handle on an archive that is written.
class Writer {
 public:
  explicit Writer(const std::string& path) : file_(zipOpen64(path.c_str(), APPEND_STATUS_CREATE)) { check(file_ != nullptr); }
  ~Writer() {
    if (file_ != nullptr) zipClose(file_, nullptr);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void add(const std::string& name, const std::string& header, const Tensor& tensor) {
    zip_fileinfo about{};
    about.dosDate = kFirstDay;
    const bool large = tensor.byte_size() >= 0xffff0000U;
    check(zipOpenNewFileInZip4_64(file_, name.c_str(), &about, nullptr, 0, nullptr, 0, nullptr, 0, 0, 0, -MAX_WBITS,
                                  DEF_MEM_LEVEL, 0, nullptr, 0, 0, kUtf8, large ? 1 : 0) == ZIP_OK);
    write(std::as_bytes(std::span(header)));
    write(tensor.span());
    check(zipCloseFileInZip(file_) == ZIP_OK);
  }
  void finish() {
    zipFile file = file_;
    file_ = nullptr;
    check(zipClose(file, nullptr) == ZIP_OK);
  }

 private:
  void write(std::span<const std::byte> bytes) {
    constexpr std::size_t kMost = std::size_t{1} << 30;
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(kMost, bytes.size())))
      check(zipWriteInFileInZip(file_, bytes.data(), static_cast<unsigned>(std::min(kMost, bytes.size()))) == ZIP_OK);
  }
  static void check(bool done) {
    if (!done) throw Failed{};
  }

  zipFile file_ = nullptr;

 public:
  struct Failed {};
};

}  // namespace

void write_npz(const std::string& path, std::span<const NamedTensor> tensors) {
  std::set<std::string_view> names;
  for (const NamedTensor& named : tensors) {
    check_zip_name(named.name, path);
    auto unsupported = [&](std::string_view why) {
      refuse(Code::NpzUnsupported, fmt::format("{}: the name {} {}", path, shown_name(named.name), why));
    };
    if (named.name.empty()) unsupported("is empty");
    if (!is_utf8(named.name)) unsupported("is not in UTF-8");
    if (named.name.size() > kMostName) unsupported("is too long");
    if (!names.insert(named.name).second) unsupported("is there twice");
  }
  NewFile file(path);
  try {
    Writer writer(file.path());
    for (const NamedTensor& named : tensors)
      writer.add(named.name + ".npy", npy_header(named.tensor.format(), named.tensor.shape()), named.tensor);
    writer.finish();
  } catch (const Writer::Failed&) {
    refuse(Code::FileUnwritable, fmt::format("{}: the archive cannot be written", path));
  }
  file.publish();
}

}  // namespace bitpact
