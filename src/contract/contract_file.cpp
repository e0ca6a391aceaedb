// Contracts in files.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "contract/canonical_json.h"
#include "contract/contract.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

/// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int close() {
    const int fd = std::exchange(fd_, -1);
    return ::close(fd);
  }

 private:
  int fd_;
};

[[noreturn]] void fail(Code code, const std::string& path) { refuse(code, fmt::format("{}: {}", path, std::strerror(errno))); }

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

/// A rename is durable once the folder is; a file system that cannot sync a folder has done what it can.
void sync_folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) (void)::fsync(fd.get());
}

void replace_file(const std::string& path, std::string_view bytes) {
  static std::atomic<unsigned> counter{0};
  const std::string temporary = fmt::format("{}.{}.{}.tmp", path, ::getpid(), counter++);
  Descriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (fd.get() < 0) fail(Code::FileUnwritable, path);
  const bool written =
      write_all(fd.get(), bytes) && ::fsync(fd.get()) == 0 && fd.close() == 0 && ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!written) {
    const int error = errno;
    (void)::unlink(temporary.c_str());
    errno = error;
    fail(Code::FileUnwritable, path);
  }
  sync_folder_of(path);
}

}  // namespace

Contract read_contract_file(const std::string& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) fail(Code::FileUnreadable, path);
  std::string bytes;
  char buffer[1 << 16];
  // One byte beyond the limit is enough for the parser to refuse.
  while (bytes.size() <= JsonLimits{}.bytes) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(Code::FileUnreadable, path);
    if (n == 0) break;
    bytes.append(buffer, static_cast<size_t>(n));
  }
  try {
    return read_contract(bytes);
  } catch (const Refused& refused) {
    refuse(refused.diagnostic().code, fmt::format("{}: {}", path, refused.diagnostic().reason));
  }
}

void write_contract_file(const Contract& contract, const std::string& path) { replace_file(path, write_contract(contract)); }

}  // namespace bitpact
