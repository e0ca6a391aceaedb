// What the tests in Python ask of the dumps: list one, or write it again as another file.
//   dump_tool list DUMP       one line of JSON a tensor: name, tensor ("2x3xf32"), the elements' bytes as SHA-256
//   dump_tool copy DUMP FILE  as .safetensors or .npz, by the name of FILE
// Exit codes and messages are those of the program.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "diagnostic/diagnostic.h"
#include "tensor/digest.h"
#include "tensor/npz.h"
#include "tensor/safetensors.h"

namespace {

using namespace bitpact;

void list(const Dump& dump) {
  for (std::size_t i = 0; i < dump.entries().size(); ++i) {
    const DumpTensor read = dump.read(i);
    const nlohmann::json line = {
        {"name", dump.entries()[i].name}, {"tensor", to_text(read.shape, read.format)}, {"sha256", sha256(read.bytes)}};
    fmt::print("{}\n", line.dump());
  }
}

void copy(const Dump& dump, const std::string& path) {
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < dump.entries().size(); ++i) {
    const DumpTensor read = dump.read(i);
    Tensor tensor(read.format, read.shape);
    std::copy(read.bytes.begin(), read.bytes.end(), tensor.mutable_bytes());
    tensors.push_back({dump.entries()[i].name, tensor});
  }
  if (path.ends_with(".npz")) {
    write_npz(path, tensors);
  } else {
    write_safetensors(path, tensors);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> all(arguments, arguments + count);
  try {
    if (count == 3 && all[1] == "list") {
      list(*open_dump(all[2]));
    } else if (count == 4 && all[1] == "copy") {
      copy(*open_dump(all[2], {.two_byte_void_is_bf16 = true}), all[3]);
    } else {
      return 1;
    }
  } catch (const Refused& refused) {
    fmt::print(stderr, "{}\n", to_text(refused.diagnostic()));
    return info(refused.diagnostic().code).exit;
  }
  return 0;
}
