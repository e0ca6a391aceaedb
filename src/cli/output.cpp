#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/verbs.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void say(const std::string& text) {
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fputc('\n', stderr);
}

std::string read_text_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) refuse(Code::FileUnreadable, "'" + path + "' cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_text_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".part" + std::to_string(::getpid());
  std::error_code error;
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.flush();
    if (!out) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) std::filesystem::rename(temporary, path, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    refuse(Code::FileUnwritable, "'" + path + "' cannot be written");
  }
}

}  // namespace bitpact
