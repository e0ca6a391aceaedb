// An allocation that fails ends the worker in words. MLX's CPU allocator hands on the null pointer of a malloc that failed, and
// its kernels write to it; what reached the user then would be a SIGSEGV.
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string_view>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

extern "C" void* __libc_malloc(std::size_t size);  // NOLINT: glibc's name

// Stands before glibc's for every library of this process. The parent reads what is said here as `worker-out-of-memory`.
extern "C" void* malloc(std::size_t size) {
  constexpr std::size_t kSmall = 1u << 20;  // below, std::bad_alloc and the like are left to those who ask
  void* memory = __libc_malloc(size);
  if (memory == nullptr && size >= kSmall) {
    constexpr std::string_view kWords = "out of memory: an allocation of a megabyte or more failed\n";
    [[maybe_unused]] const ssize_t written = write(2, kWords.data(), kWords.size());
    std::abort();
  }
  return memory;
}

#endif
