// .safetensors: read, written, read again. Where the input's last byte is odd its first line becomes a header whose length is
// right.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "file_of.h"
#include "tensor/safetensors.h"
#include "tensor/safetensors_header.h"

using namespace bitpact;

namespace {

struct Content {
  std::vector<NamedTensor> tensors;
  SafetensorsMetadata metadata;
};

Content content_of(const Safetensors& file) {
  Content content{{}, file.metadata()};
  for (std::size_t i = 0; i < file.entries().size(); ++i) {
    const DumpEntry& entry = file.entries()[i];
    const DumpTensor given = file.read(i);
    fuzz::must(given.format == entry.format && given.shape == entry.shape && given.bytes.size() == entry.byte_size,
               "a tensor is read as something else than its entry says");
    Tensor tensor(given.format, given.shape);
    fuzz::must(tensor.byte_size() == given.bytes.size(), "a tensor's size is not that of its shape");
    if (!given.bytes.empty()) std::memcpy(tensor.mutable_bytes(), given.bytes.data(), given.bytes.size());
    content.tensors.push_back({entry.name, tensor});
  }
  return content;
}

const Tensor* named(const Content& content, const std::string& name) {
  for (const NamedTensor& one : content.tensors)
    if (one.name == name) return &one.tensor;
  return nullptr;
}

void must_be_same(const Content& a, const Content& b) {
  fuzz::must(a.metadata == b.metadata && a.tensors.size() == b.tensors.size(), "a file reads back with other names");
  for (const NamedTensor& one : a.tensors) {
    const Tensor* other = named(b, one.name);
    fuzz::must(other != nullptr && other->format() == one.tensor.format() && other->shape() == one.tensor.shape(),
               "a tensor reads back as another one");
    fuzz::must(other->byte_size() == 0 || std::memcmp(other->bytes(), one.tensor.bytes(), other->byte_size()) == 0,
               "a tensor's elements read back as others");
  }
}

/// A folder of this process's own, for what is written.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / fmt::format("bitpact-fuzz-{}", getpid());
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes =
      fuzz::file_with_header(fuzz::text_of(data, size), [](std::size_t n) { return fuzz::little_endian(n, 8); });
  const fuzz::FileOf file(bytes);
  const auto content = fuzz::accepted({Code::SafetensorsMalformed, Code::SafetensorsUnsupported},
                                      [&] { return content_of(Safetensors(file.path())); });
  if (!content) return -1;
  std::size_t all = 0;
  for (const NamedTensor& one : content->tensors) all += one.tensor.byte_size();
  fuzz::must(all <= 8 * bytes.size(), "tensors are larger than their file");
  static const Folder folder;
  const std::string first = folder.path / "first.safetensors", second = folder.path / "second.safetensors";
  write_safetensors(first, content->tensors, content->metadata);
  const Content again = content_of(Safetensors(first));
  must_be_same(*content, again);
  write_safetensors(second, std::vector<NamedTensor>(again.tensors.rbegin(), again.tensors.rend()), again.metadata);
  fuzz::must(bytes_of(first) == bytes_of(second), "what is written depends on the order in which it is given");
  return 0;
}
