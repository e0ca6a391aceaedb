// A dump: named tensors on disk, in one .safetensors or .npz file or in a folder of .npy files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace bitpact {

struct DumpEntry {
  std::string name;  ///< as the file has it; of a folder: the path below it, with '/', without ".npy"
  Format format = Format::F32;
  Shape shape;
  std::size_t byte_size = 0;  ///< of the elements as DumpTensor::bytes gives them
};

/// One tensor's elements: row-major, little-endian, any alignment. They live as long as `owner` does.
struct DumpTensor {
  Format format = Format::F32;
  Shape shape;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Opening reads names, formats and shapes, and checks every size against the file; elements stay where they are until read().
class Dump {
 public:
  virtual ~Dump() = default;
  /// In the order of the file (of the offsets in .safetensors, of the archive in .npz; a folder: by name, as bytes).
  virtual const std::vector<DumpEntry>& entries() const = 0;
  /// Mapped where the file has the elements in this form; else (compressed, Fortran order, big-endian) read into memory of its
  /// own. May be called from several threads.
  virtual DumpTensor read(std::size_t index) const = 0;
};

/// What the writers of dumps take.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

struct DumpOptions {
  /// .npy has no dtype for bf16; NumPy saves ml_dtypes' bfloat16 as two bytes without a meaning (V2). Taken as bf16 only where
  /// that is said; refused otherwise.
  bool two_byte_void_is_bf16 = false;
};

/// By what is there: a folder, or a file by its content (one .npy file is a dump of one tensor, "arr_0"). Refuses
/// `file-unreadable`, `dump-unknown`, and what the readers of the formats refuse.
std::unique_ptr<Dump> open_dump(const std::string& path, const DumpOptions& options = {});

}  // namespace bitpact
