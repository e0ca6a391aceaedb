#include "backends/shared_arena.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "diagnostic/diagnostic.h"

namespace bitpact {

SharedArena SharedArena::create() {
#ifdef __linux__
  const int fd = memfd_create("bitpact-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd >= 0) fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
#else
  const std::string name = fmt::format("/bitpact-{}", getpid());
  const int fd = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  shm_unlink(name.c_str());  // at once: the descriptor is all that is needed
  if (fd >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
  if (fd < 0) refuse(Code::BackendAbsent, fmt::format("no shared memory for a worker: {}", std::strerror(errno)));
  return SharedArena(fd);
}

SharedArena SharedArena::adopt(int fd) {
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  return SharedArena(fd);
}

SharedArena::SharedArena(SharedArena&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

SharedArena& SharedArena::operator=(SharedArena&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SharedArena::~SharedArena() {
  if (data_ != nullptr) munmap(data_, size_);
  if (fd_ >= 0) close(fd_);
}

bool SharedArena::remap(std::size_t bytes) {
#ifdef __linux__
  // mremap keeps the pages that are mapped already.
  void* mapped = data_ == nullptr ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0)
                                  : mremap(data_, size_, bytes, MREMAP_MAYMOVE);
#else
  if (data_ != nullptr) munmap(data_, size_);
  data_ = nullptr;
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
#endif
  if (mapped == MAP_FAILED) return false;
  data_ = static_cast<std::byte*>(mapped);
  size_ = bytes;
  return true;
}

void SharedArena::reserve(std::size_t bytes) {
  if (bytes <= size_) return;
  // Powers of two, so that a run of growing requests remaps a few times only.
  const std::size_t grown = std::bit_ceil(std::max<std::size_t>(bytes, 1u << 20));
  // A worker may have made the file larger by itself: then there is nothing to grow.
  struct stat status {};
  const bool large_enough = fstat(fd_, &status) == 0 && status.st_size >= static_cast<off_t>(grown);
  if ((!large_enough && ftruncate(fd_, static_cast<off_t>(grown)) != 0) || !remap(grown)) {
    refuse(Code::TooLarge, fmt::format("{} bytes of shared memory for a worker: {}", bytes, std::strerror(errno)));
  }
}

bool SharedArena::map_at_least(std::size_t bytes) {
  if (bytes <= size_) return true;
  struct stat status {};
  if (fstat(fd_, &status) != 0 || static_cast<std::size_t>(status.st_size) < bytes) return false;
  return remap(static_cast<std::size_t>(status.st_size));
}

}  // namespace bitpact
