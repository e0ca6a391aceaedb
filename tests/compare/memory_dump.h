// A dump in memory, for tests of what is done with dumps.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compare/dump_comparison.h"

namespace bitpact {

class MemoryDump : public Dump {
 public:
  MemoryDump& add(std::string name, Tensor tensor) {
    entries_.push_back({std::move(name), tensor.format(), tensor.shape(), tensor.byte_size()});
    tensors_.push_back(std::move(tensor));
    return *this;
  }
  Tensor& operator[](std::size_t index) { return tensors_[index]; }
  const std::vector<DumpEntry>& entries() const override { return entries_; }
  DumpTensor read(std::size_t index) const override {
    return {entries_[index].format, entries_[index].shape, tensors_[index].span(), nullptr};
  }

 private:
  std::vector<DumpEntry> entries_;
  std::vector<Tensor> tensors_;
};

inline Tensor tensor_of(Format format, Shape shape, const std::vector<Bits>& values) {
  Tensor tensor(format, std::move(shape));
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, values[static_cast<std::size_t>(i) % values.size()]);
  return tensor;
}

inline Tensor vector_of(Format format, const std::vector<Bits>& values) {
  return tensor_of(format, {static_cast<std::int64_t>(values.size())}, values);
}

inline DumpReport compared(const MemoryDump& a, const MemoryDump& b, DumpCompareOptions options = {}) {
  DumpReport report = compare_dumps(std::make_shared<MemoryDump>(a), std::make_shared<MemoryDump>(b), std::move(options));
  report.path_a = "a.safetensors";
  report.path_b = "b.safetensors";
  return report;
}

}  // namespace bitpact
