// .safetensors files, both ways.
// Source of the layout: the section "Format" of the README of huggingface/safetensors (8 bytes of header length, little-endian; a
// JSON object from names to dtype, shape and data_offsets, padded with spaces; the elements, row-major and little-endian).
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tensor/dump.h"

namespace bitpact {

using SafetensorsMetadata = std::map<std::string, std::string>;

/// A mapped file; nothing of it is copied. Refuses as parse_safetensors_header does; read() also refuses `safetensors-malformed`
/// where a BOOL is neither 0 nor 1.
class Safetensors : public Dump {
 public:
  explicit Safetensors(const std::string& path);
  ~Safetensors() override;
  const std::vector<DumpEntry>& entries() const override;
  DumpTensor read(std::size_t index) const override;
  const SafetensorsMetadata& metadata() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Byte for byte what the reference implementation writes, in whatever order the tensors are given: by alignment, then by name;
/// metadata by key (the reference leaves their order open). Refuses `safetensors-unsupported`: a format without a dtype, a name
/// twice, a name that is not UTF-8 or is `__metadata__`, a header beyond 100 MB; `file-unwritable`. Nothing half-written stays.
void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors, const SafetensorsMetadata& metadata = {});

}  // namespace bitpact
