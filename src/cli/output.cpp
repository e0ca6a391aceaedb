#include <cstdio>

#include "cli/verbs.h"
#include "tensor/file.h"

namespace bitpact {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_json(const nlohmann::json& json, int indent) {
  print(json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void say(const std::string& text) {
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fputc('\n', stderr);
}

std::string read_text_file(const std::string& path) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_text_file(const std::string& path, const std::string& text) {
  const std::span<const std::byte> piece = std::as_bytes(std::span(text));
  write_file(path, {&piece, 1});
}

}  // namespace bitpact
