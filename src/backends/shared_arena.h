// Memory that the parent and one worker share, for large tensors. It has no name: nothing stays behind, however either ends.
#pragma once

#include <cstddef>
#include <span>

namespace bitpact {

class SharedArena {
 public:
  /// The parent's side: a new, empty arena. It can grow and (on Linux) cannot be made smaller by anyone, so that no read of
  /// mapped bytes can fault. Refuses `backend-absent` where the system gives none.
  static SharedArena create();
  /// The worker's side: an inherited descriptor, which the arena then owns.
  static SharedArena adopt(int fd);

  SharedArena(SharedArena&& other) noexcept;
  SharedArena& operator=(SharedArena&& other) noexcept;
  ~SharedArena();

  int fd() const { return fd_; }
  /// Makes at least `bytes` usable, growing file and mapping. The parent calls it. Refuses `too-large`.
  void reserve(std::size_t bytes);
  /// Maps at least `bytes` of what the other side has made; false where there is less. The worker calls it.
  bool map_at_least(std::size_t bytes);
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  explicit SharedArena(int fd) : fd_(fd) {}
  bool remap(std::size_t bytes);
  int fd_ = -1;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace bitpact
