#include "tensor/tensor_argument.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"
#include "tensor/npy.h"
#include "tensor/npy_layout.h"
#include "tensor/safetensors.h"
#include "tensor/utf8.h"

namespace bitpact {
namespace {

bool is_there(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

/// Where the dump ends: at the first ':' before which something is there, else at the end.
std::size_t end_of_dump(const std::string& text) {
  if (is_there(text)) return text.size();
  for (std::size_t at = text.find(':'); at != text.npos; at = text.find(':', at + 1))
    if (at > 0 && is_there(text.substr(0, at))) return at;
  return text.size();
}

std::size_t index_of(const Dump& dump, const std::string& path, const std::optional<std::string>& name) {
  const auto& entries = dump.entries();
  if (!name) {
    if (entries.size() != 1)
      refuse(Code::OperandMismatch, fmt::format("{} holds {} tensors; name one: {}:NAME", path, entries.size(), path));
    return 0;
  }
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const DumpEntry& e) { return e.name == *name; });
  if (found == entries.end()) {
    std::string some;
    for (std::size_t i = 0; i < std::min<std::size_t>(entries.size(), 5); ++i)
      some += fmt::format("{}{}", i == 0 ? "" : ", ", shown_name(entries[i].name));
    refuse(Code::OperandMismatch,
           fmt::format("{} holds no tensor {}; it holds {}{}", path, shown_name(*name), some.empty() ? "none" : some,
                       entries.size() > 5 ? fmt::format(", ... ({} in all)", entries.size()) : ""));
  }
  return static_cast<std::size_t>(found - entries.begin());
}

}  // namespace

Tensor read_tensor_argument(const std::string& text, std::optional<Format> as) {
  const std::size_t end = end_of_dump(text);
  if (end == text.size() && (text.ends_with(".npy") || !is_there(text))) return read_npy(text, as);
  const std::string path = text.substr(0, end);
  const auto name = end < text.size() ? std::optional(text.substr(end + 1)) : std::nullopt;
  const auto dump = open_dump(path, {as == Format::BF16});
  const DumpTensor read = dump->read(index_of(*dump, path, name));
  // .npy stores bf16 and others as their bits; .safetensors has dtypes for them, so that U16 there is ui16.
  const bool bits = as && npy_stored_format(*as) != *as && read.format == npy_stored_format(*as) &&
                    dynamic_cast<const Safetensors*>(dump.get()) == nullptr;
  if (bits) check_npy_bits(*as, read.bytes, text);
  if (as && read.format != *as && !bits)
    refuse(Code::OperandMismatch, fmt::format("{} is {}, not {}", text, to_text(read.shape, read.format), bitpact::name(*as)));
  Tensor tensor(bits ? *as : read.format, read.shape);
  std::copy(read.bytes.begin(), read.bytes.end(), tensor.mutable_bytes());
  return tensor;
}

}  // namespace bitpact
