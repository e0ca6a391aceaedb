#include "tensor/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

struct Descriptor {
  int fd = -1;
  explicit Descriptor(int descriptor) : fd(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

[[noreturn]] void unreadable(const std::string& path, std::string_view why) {
  refuse(Code::FileUnreadable, fmt::format("{}: {}", path, why));
}

std::string resolved(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return path;
  if (!S_ISREG(status.st_mode)) refuse(Code::FileUnwritable, fmt::format("{}: is there, and not a regular file", path));
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) refuse(Code::FileUnwritable, fmt::format("{}: {}", path, std::strerror(errno)));
  std::string result = real;
  std::free(real);
  return result;
}

}  // namespace

MappedFile::MappedFile(const std::string& path, Access access) {
  // O_NONBLOCK: opening a pipe that nobody writes to must not hang.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.fd < 0) unreadable(path, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.fd, &status) != 0) unreadable(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) unreadable(path, "is not a regular file");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  const int protection = access == Access::ReadOnly ? PROT_READ : PROT_READ | PROT_WRITE;
  // Without a reserve: only pages that are written to cost memory, and a file may be larger than all there is.
  void* base = ::mmap(nullptr, size_, protection, MAP_PRIVATE | MAP_NORESERVE, file.fd, 0);
  if (base == MAP_FAILED) unreadable(path, std::strerror(errno));
  data_ = {static_cast<std::byte*>(base), [size = size_](std::byte* mapped) { ::munmap(mapped, size); }};
}

NewFile::NewFile(const std::string& target) : target_(resolved(target)) {
  static std::atomic<unsigned> counter{0};
  // Not mkstemp: the file shall get the permissions that the user's umask gives any new file.
  for (int attempt = 0; attempt < 100 && fd_ < 0; ++attempt) {
    path_ = fmt::format("{}.{}-{}.tmp", target_, ::getpid(), counter.fetch_add(1));
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) fail();
}

NewFile::~NewFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!published_) ::unlink(path_.c_str());
}

void NewFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), std::min<std::size_t>(bytes.size(), std::size_t{1} << 30));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail();
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

void NewFile::publish() {
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0 || ::rename(path_.c_str(), target_.c_str()) != 0) fail();
  published_ = true;
}

void NewFile::fail() { refuse(Code::FileUnwritable, fmt::format("{}: {}", target_, std::strerror(errno))); }

void write_file(const std::string& path, std::span<const std::span<const std::byte>> pieces) {
  NewFile file(path);
  for (auto piece : pieces) file.write(piece);
  file.publish();
}

}  // namespace bitpact
