// An input as a file: the readers of files map them.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "fuzz.h"

namespace bitpact::fuzz {

/// A file without a name, so that nothing stays behind.
class FileOf {
 public:
  explicit FileOf(std::string_view bytes) : fd_(memfd_create("input", 0)) {
    must(fd_ >= 0 && write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "no memory for the input");
  }
  FileOf(const FileOf&) = delete;
  FileOf& operator=(const FileOf&) = delete;
  ~FileOf() { close(fd_); }
  /// As other processes see it, too.
  std::string path() const { return fmt::format("/proc/{}/fd/{}", getpid(), fd_); }

 private:
  int fd_;
};

/// For formats of a text and bytes behind it, whose length stands before it: mutations that change the text's length would leave
/// no file. Where the input's last byte is odd, its first line is the text; `begin` says what stands before it (and `end`
/// behind).
template <typename Begin>
std::string file_with_header(std::string_view input, const Begin& begin, std::string_view end = "") {
  if (input.empty()) return {};
  const bool as_it_is = static_cast<unsigned char>(input.back()) % 2 == 0;
  input.remove_suffix(1);
  if (as_it_is) return std::string(input);
  const std::size_t line = std::min(input.find('\n'), input.size());
  const std::string_view text = input.substr(0, line), elements = input.substr(std::min(line + 1, input.size()));
  return begin(text.size() + end.size()).append(text).append(end).append(elements);
}

inline std::string little_endian(std::size_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

}  // namespace bitpact::fuzz
